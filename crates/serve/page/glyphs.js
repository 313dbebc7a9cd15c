// @ts-check

// What the old signs say about a move: ?? threw a won or drawn game away, ? gave something away, ! was the
// only one.

import { mean } from "./verdict.js";

/** Payoff that a move of a game with dice may give away without a sign. */
const SLIGHT = 0.02;

/**
 * The sign of a mistake, or nothing if it is too small for one.
 * @param {Mistake} mistake
 */
export function glyphOf(mistake) {
  if (mistake.from !== mistake.to) return mistake.from === "win" && mistake.to === "loss" ? "??" : "?";
  return mistake.loss >= 0.2 ? "??" : mistake.loss >= SLIGHT ? "?" : "";
}

/**
 * Whether a move was the only one that kept the value, by the answer for the position before it.
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
