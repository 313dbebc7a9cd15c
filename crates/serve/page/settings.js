// @ts-check

// Settings that the browser keeps between visits: single-letter shortcuts, and large text for projectors.

/**
 * A kept value, or "" if there is none.
 * @param {string} key
 */
export function kept(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    // Private windows have no storage.
    return "";
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Private windows have no storage.
  }
}

/** Whether single letters and digits are shortcuts; they can be switched off (WCAG 2.1.4). */
export const lettersOn = () => kept("letters") !== "off";

/** @param {boolean} on */
export const setLetters = (on) => keep("letters", on ? "on" : "off");

/** Whether text and labels are large, for a projector. */
export const projecting = () => kept("projector") === "on";

/** @param {boolean} on */
export function setProjecting(on) {
  keep("projector", on ? "on" : "off");
  showProjecting();
}

/** Applies the size of text to the document. */
export function showProjecting() {
  document.documentElement.toggleAttribute("data-projector", projecting());
}
