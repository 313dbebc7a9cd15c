// @ts-check

// Sound effects, synthesised on demand; off by default.

let context = null;

export const isLoud = () => {
  try {
    return localStorage.getItem("sound") === "on";
  } catch {
    return false;
  }
};

/** @param {boolean} on */
export function setLoud(on) {
  try {
    localStorage.setItem("sound", on ? "on" : "off");
  } catch {
    // Private windows have no storage.
  }
  if (on) sound("place");
}

const TONES = {
  place: [[220, 0, 0.07]],
  roll: [
    [160, 0, 0.04],
    [190, 0.06, 0.04],
    [150, 0.12, 0.05],
  ],
  end: [
    [330, 0, 0.12],
    [440, 0.12, 0.2],
  ],
};

/**
 * A short sound: "place", "roll" or "end".
 * @param {keyof TONES} name
 */
export function sound(name) {
  if (!isLoud()) return;
  context ??= new AudioContext();
  for (const [pitch, at, length] of TONES[name] ?? []) {
    const [tone, volume] = [context.createOscillator(), context.createGain()];
    const begin = context.currentTime + at;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0.15, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + length);
    tone.connect(volume).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + length);
  }
}
