// @ts-check

// Symbols for win, draw and loss, drawn as SVG so that they do not depend on fonts.

import { s } from "./dom.js";

const PATHS = {
  win: "M-7 0l5 6L8-7",
  draw: "M-7-3.500H7M-7 3.500H7",
  loss: "M-6-6L6 6M6-6L-6 6",
  unknown: "M-5 0h.1M0 0h.1M5 0h.1",
};

/**
 * The strokes of a value's symbol, centred on the origin.
 * @param {ValueWord} value
 */
export function strokes(value) {
  return s("path", { class: "symbol", d: PATHS[value] ?? PATHS.unknown });
}

/**
 * A symbol as an inline icon.
 * @param {ValueWord} value
 */
export function symbol(value) {
  return s(
    "svg",
    { class: `icon ${value}`, viewBox: "-11 -11 22 22", "aria-hidden": "true" },
    strokes(value),
  );
}
