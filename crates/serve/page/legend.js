// @ts-check

// Legend of the values on a board: what +1, −2, =, ✓ and ✗ mean, in the colours of the game.

import { h } from "./dom.js";
import { symbol } from "./symbol.js";
import { SYMBOL, mean } from "./verdict.js";

/**
 * A line of the legend: a sign or the kind of a symbol, the class of its colour, and words.
 * @typedef {{ sign?: string, kind: ValueWord | "mean" | "guess", words: string }} LegendRow
 */

/**
 * The lines of the legend for the values that a position shows.
 * @param {SeenMove[]} moves with their values
 * @param {{ mover: string, other: string }} players
 * @returns {LegendRow[]}
 */
export function legendRows(moves, { mover, other }) {
  if (moves.some((move) => mean(move) !== null)) {
    const odds = moves.some((move) => move.odds !== null && move.odds !== undefined);
    return odds
      ? [{ sign: "60 %", kind: "mean", words: `${mover} wins 60 of 100 games after this move` }]
      : [{ sign: "+0.3", kind: "mean", words: `${mover} wins 0.3 points a game on average` }];
  }
  /** @type {LegendRow[]} */
  const rows = [];
  if (moves.some((move) => typeof move.score === "number")) {
    rows.push(
      { sign: "+1", kind: "win", words: `${mover} wins with its last stone; +2: with the one before it` },
      { sign: "0", kind: "draw", words: "a draw" },
      { sign: "−1", kind: "loss", words: `${other} wins with its last stone; −2: with the one before it` },
    );
  } else {
    rows.push(
      { kind: "win", words: `${mover} wins, in as many moves as the number says` },
      { kind: "draw", words: "a draw" },
      { kind: "loss", words: `${other} wins, in as many moves as the number says` },
    );
  }
  if (moves.some((move) => typeof move.opinion === "number" && move.value === "unknown"))
    rows.push({
      sign: "≈",
      kind: "guess",
      words: `an estimate from −1 (${other} wins) to 1 (${mover} wins)`,
    });
  return rows;
}

/**
 * The legend as a list of definitions.
 * @param {SeenMove[]} moves
 * @param {{ mover: string, other: string }} players
 */
export function legend(moves, players) {
  return h(
    "dl",
    { class: "value-legend" },
    legendRows(moves, players).map(({ sign, kind, words }) => [
      h(
        "dt",
        { class: kind },
        sign ?? [
          symbol(/** @type {ValueWord} */ (kind)),
          h("span", { class: "away" }, SYMBOL[/** @type {ValueWord} */ (kind)]),
        ],
      ),
      h("dd", {}, words),
    ]),
  );
}
