// Values and numbers as text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { badge, large } from "../../page/gallery.js";
import { legendRows } from "../../page/legend.js";
import { between, percent, points } from "../../page/match.js";
import { fileName } from "../../page/place-api.js";
import * as verdict from "../../page/verdict.js";
import * as worth from "../../page/worth.js";

const NAMES = { first: "White", second: "Black" };

test("a value is a symbol and a number of moves", () => {
  assert.equal(verdict.short({ value: "win", distance: 5 }), "✓3");
  assert.equal(verdict.short({ value: "draw", distance: 12 }), "=");
  assert.equal(verdict.short({ value: "loss", distance: null }), "✗");
  assert.equal(verdict.long({ value: "win", distance: 1 }), "win in 1 move");
  assert.equal(verdict.long({ value: "loss", distance: 4, payoff: -2 }), "loss of 2 in 2 moves");
  assert.equal(verdict.long({ value: "draw", repetition: true }), "draw by repetition");
  assert.equal(verdict.long({ value: "unknown" }), "not known");
});

test("means are the mover's: odds where a game pays 1, a payoff elsewhere", () => {
  const simple = { mean: 0.2, expected: 0.6 };
  assert.equal(verdict.meanText(verdict.seen(simple, "first")), "60.0 %");
  assert.equal(verdict.meanText(verdict.seen(simple, "second")), "40.0 %");
  assert.equal(verdict.brief(verdict.seen(simple, "second")), "40%");
  const stakes = { mean: 0.25, expected: 0.25 };
  assert.equal(verdict.meanText(verdict.seen(stakes, "first")), "+0.250");
  assert.equal(verdict.meanText(verdict.seen(stakes, "second")), "−0.250");
  assert.equal(verdict.mean(verdict.seen({ value: "win" }, "first")), null);
});

test("one sentence says who wins", () => {
  const say = (answer, toMove = "first") => verdict.sentence(answer, toMove, NAMES);
  assert.equal(say({ value: "win", distance: 9 }), "White wins in 5 moves");
  assert.equal(say({ value: "win", distance: 9 }, "second"), "Black wins in 5 moves");
  assert.equal(say({ value: "loss" }), "Black wins");
  assert.equal(say({ value: "draw" }), "Draw with best play");
  assert.equal(say({ value: "draw", repetition: true }), "Draw: neither side can force a win");
  assert.equal(say({ value: "unknown" }), "Not known");
  assert.equal(say({ value: "unknown", opinion: -0.31 }), "Black looks better (≈ 0.3)");
  assert.equal(say({ value: "unknown", opinion: 0.01 }), "The position looks even (≈ 0.0)");
});

test("the better move comes first: soon if it wins, late if it loses", () => {
  const moves = [
    { move: "a", value: "loss", distance: 2 },
    { move: "b", value: "unknown" },
    { move: "c", value: "win", distance: 9 },
    { move: "d", value: "draw" },
    { move: "e", value: "win", distance: 3 },
    { move: "f", value: "loss", distance: 8 },
  ];
  assert.equal(
    moves
      .sort(verdict.compare)
      .map(({ move }) => move)
      .join(""),
    "ecdbfa",
  );
});

test("the bar is the first player's, and a nearer win is a longer one", () => {
  assert.equal(verdict.share({ value: "draw" }, "first"), 0.5);
  const near = verdict.share({ value: "win", distance: 1 }, "first");
  const far = verdict.share({ value: "win", distance: 40 }, "first");
  assert.ok(0.5 < far && far < near && near <= 1);
  const other = verdict.share({ value: "win", distance: 1 }, "second");
  assert.ok(Math.abs(near + other - 1) < 1e-9);
});

test("scores and opinions have a real minus sign", () => {
  assert.equal(verdict.scoreText(3), "+3");
  assert.equal(verdict.scoreText(-12), "−12");
  assert.equal(verdict.scoreText(0), "0");
  assert.equal(verdict.about({ opinion: -0.24 }), "≈ −0.2");
  assert.equal(verdict.aboutBrief({ opinion: 0.3 }), "≈.3");
});

test("the legend explains the values that are shown, in the colours of the game", () => {
  const players = { mover: "Red", other: "Yellow" };
  const signs = (...moves) =>
    legendRows(
      moves.map((move) => ({ move: "1", ...move })),
      players,
    ).map(({ sign, kind, words }) => `${sign ?? kind}: ${words}`);
  assert.deepEqual(signs({ value: "win", score: 2 }, { value: "loss", score: -3 }), [
    "+1: Red wins with its last stone; +2: with the one before it",
    "0: a draw",
    "−1: Yellow wins with its last stone; −2: with the one before it",
  ]);
  assert.equal(signs({ value: "win" })[0], "win: Red wins, in as many moves as the number says");
  assert.match(signs({ value: "unknown", opinion: 0.4 })[3], /^≈: an estimate from −1 \(Yellow wins\)/);
  assert.deepEqual(signs({ value: "unknown", own: 0.2, odds: 0.6 }), [
    "60 %: Red wins 60 of 100 games after this move",
  ]);
  assert.match(signs({ value: "unknown", own: 0.2, odds: null })[0], /points a game/);
});

test("a finished game names its winner and the stakes", () => {
  assert.equal(verdict.ending(1, NAMES), "White wins");
  assert.equal(verdict.ending(-2, NAMES), "Black wins and scores 2");
  assert.equal(verdict.ending(0, NAMES), "The game is drawn");
});

test("an unknown value has a reason", () => {
  assert.equal(verdict.source({ value: "win", source: "table" }), "from the table");
  assert.match(verdict.source({ value: "unknown", bounds: [0, 1] }), /^at least a draw/);
  assert.match(verdict.source({ value: "unknown", bounds: [-1, 0] }), /^at most a draw/);
  assert.match(verdict.source({ value: "unknown" }), /^estimate/);
});

test("worths of a search are ordered from the first player's point of view", () => {
  const order = [
    { value: "loss", distance: 1 },
    { value: "loss", distance: 7 },
    { opinion: -0.4 },
    { value: "draw", distance: null },
    { mean: 0.1 },
    { value: "win", distance: 7 },
    { value: "win", distance: 1 },
  ].map(worth.rank);
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  );
  assert.equal(worth.rank(null), 0);
});

test("worths are short: payoffs, hundredths, trimmed means", () => {
  assert.equal(worth.short({ value: "win", distance: 3 }), "+1");
  assert.equal(worth.short({ value: "loss", distance: 3 }, { plies: true }), "−1 in 3");
  assert.equal(worth.short({ opinion: -0.123 }), "−12");
  assert.equal(worth.trimmed(0.25), "+0.25");
  assert.equal(worth.trimmed(-0.5004), "−0.5");
  assert.equal(worth.trimmed(0.0001), "0");
  assert.equal(worth.bound(null, "alpha"), "−∞");
  assert.equal(worth.bound(null, "beta"), "+∞");
  assert.equal(worth.tone({ mean: 0.004 }), "even");
  assert.equal(worth.long({ value: "win", distance: 1 }), "First wins in 1 ply");
});

test("large counts are words", () => {
  assert.equal(large("5478"), "5,478 positions");
  assert.equal(large("4531985219092"), "4.5 trillion positions");
  assert.equal(large("69173028785"), "69 billion positions");
  assert.equal(large(null), "");
});

test("a card shows the value of a game, the winner by colour", () => {
  assert.equal(badge({ value: "win", distance: 41 }, NAMES), "White wins in 21 moves");
  assert.equal(badge({ value: "loss", distance: 0 }, NAMES), "Black wins");
  assert.equal(badge({ value: "unknown" }, NAMES), "not solved here");
  assert.equal(badge({ value: "unknown", own: 0.2, odds: 0.6 }, NAMES), "White wins 60.0 % of games");
});

test("points of a match have halves, bounds may be missing", () => {
  assert.deepEqual([0, 0.5, 1, 12.5].map(points), ["0", "½", "1", "12½"]);
  assert.equal(percent(0.625), "62.5 %");
  assert.equal(percent(1, 0), "100 %");
  assert.equal(between(-10, 35), "between −10 and +35");
  assert.equal(between(null, -5), "at most −5");
  assert.equal(between(12, null), "at least +12");
});

test("file names have only safe characters", () => {
  assert.equal(fileName("mnk:5x4,k=4", "svg"), "mnk-5x4-k-4.svg");
  assert.equal(fileName("chess:KQKR ", "json"), "chess-KQKR.json");
});

test("a proof comes before an opinion", () => {
  const guess = { move: "a", value: "unknown", opinion: 1 };
  const win = { move: "b", value: "win", distance: 9 };
  assert.equal(verdict.proven([guess, { ...guess, move: "c" }], 2), null);
  assert.deepEqual(verdict.proven([guess, win], 2), { value: "win", distance: null });
  assert.deepEqual(verdict.proven([win, { move: "c", value: "draw" }], 2), { value: "win", distance: 9 });
  const lost = { move: "d", value: "loss", distance: 4 };
  assert.equal(verdict.proven([lost], 2), null);
  assert.deepEqual(verdict.proven([lost, { ...lost, distance: 8 }], 2), { value: "loss", distance: 8 });
  assert.equal(verdict.within(-0.6, [0, 1]), 0);
  assert.equal(verdict.within(0.3, [-1, 1]), 0.3);
  assert.equal(verdict.within(0.3, undefined), 0.3);
});

test("estimates of moves have two decimals, so that different ones differ", () => {
  assert.equal(verdict.about({ opinion: 0.5249 }, 2), "≈ +0.52");
  assert.equal(verdict.about({ opinion: -0.004 }, 2), "≈ 0.00");
  assert.equal(verdict.about({ opinion: 0.04 }), "≈ 0.0");
});

test("the mean of a search that stops is an estimate, beside the exact value", () => {
  const trace = { depth: 7, exact: false, nodes: [{ worth: { mean: 0.125 } }] };
  assert.equal(
    worth.rootValue(trace, 1 / 7),
    "The root is worth +1/7 (+0.143) to First; +0.125 is an estimate: " +
      "the search stops after 7 plies and counts what is left as 0.",
  );
  assert.match(worth.rootValue(trace, undefined), /not known; \+0\.125 is an estimate/);
  assert.equal(worth.rootValue({ ...trace, exact: true }, 0.125), "The root is worth +0.125 to First.");
  assert.equal(worth.fraction(-3 / 11), "−3/11 (−0.273)");
  assert.equal(worth.fraction(0.1234567), "+0.123");
});
