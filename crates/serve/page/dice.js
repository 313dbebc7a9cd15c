// @ts-check

// Dice and coins as SVG, with a short roll animation that respects the reduced-motion setting.

import { s } from "./dom.js";

/** @type {{ [number: number]: number[] }} */
const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

/**
 * A die centred on the origin, 48 wide; 0 is a die that has not been rolled.
 * @param {number} number
 * @param {{ used?: boolean, rolls?: boolean }} [options]
 */
export function die(number, { used = false, rolls = false } = {}) {
  const pips = (PIPS[number] ?? []).map((i) =>
    s("circle", { class: "pip", cx: ((i % 3) - 1) * 13, cy: (Math.floor(i / 3) - 1) * 13, r: 4.6 }),
  );
  return s(
    "g",
    { class: `die${used ? " used" : ""}${rolls ? " rolls" : ""}${number ? "" : " unrolled"}` },
    s("rect", { class: "die-body", x: -23, y: -23, width: 46, height: 46, rx: 10 }),
    pips,
    !number && s("text", { class: "die-word", y: 8 }, "?"),
  );
}

/**
 * A coin centred on the origin.
 * @param {string} word
 * @param {boolean} [rolls]
 */
export function coin(word, rolls) {
  return s(
    "g",
    { class: `coin${rolls ? " rolls" : ""}` },
    s("circle", { class: "coin-body", r: 25 }),
    s("circle", { class: "coin-rim", r: 20 }),
    s("text", { class: "coin-word", y: 5 }, word),
  );
}

/**
 * A separate picture with dice or coins in a row.
 * @param {SVGElement[]} items
 * @param {string} label
 */
export function dicePicture(items, label) {
  const width = items.length * 60;
  return s(
    "svg",
    { class: "dice", viewBox: `-30 -30 ${width} 60`, role: "img", "aria-label": label },
    items.map((item, i) => s("g", { transform: `translate(${i * 60} 0)` }, item)),
  );
}
