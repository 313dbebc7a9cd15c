// @ts-check

// Annotation glyphs for moves: ?? is a blunder, ? is a mistake, ! is the only move that keeps the value.

import { mean } from "./verdict.js";

/** Payoff that a move of a game with dice may give away without a glyph. */
const SLIGHT = 0.02;

/**
 * The glyph of a mistake, or "" if the mistake is too small for one.
 * @param {Mistake} mistake
 */
export function glyphOf(mistake) {
  if (mistake.from !== mistake.to) return mistake.from === "win" && mistake.to === "loss" ? "??" : "?";
  return mistake.loss >= 0.2 ? "??" : mistake.loss >= SLIGHT ? "?" : "";
}

/**
 * Whether a move was the only one that kept the value, according to the answer for the position before it.
 * @param {SeenPosition | null | undefined} answer
 * @param {string} mv
 */
export function isOnly(answer, mv) {
  if (!answer || answer.value === "loss" || answer.value === "unknown" || answer.moves.length < 3)
    return false;
  if (mean(answer) !== null) return false;
  const keeping = answer.moves.filter((move) => move.value === answer.value);
  return keeping.length === 1 && keeping[0].move === mv;
}
