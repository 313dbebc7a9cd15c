// Move lists: text, branches, glyphs, and the player of each ply.

import assert from "node:assert/strict";
import { test } from "node:test";
import { glyphOf, isOnly } from "../../page/glyphs.js";
import { moveNumber, moveText } from "../../page/move-text.js";
import { knownPlies, report } from "../../page/plies.js";
import { GameRecord } from "../../page/record.js";
import { sanLine } from "../../page/san.js";

test("moves are numbered in pairs", () => {
  assert.equal(moveText([], "first"), "");
  assert.equal(moveText(["e4", "e5", "d4"], "first"), "1. e4 e5 2. d4");
  assert.equal(moveText(["e5", "d4", "d5"], "second"), "1… e5 2. d4 d5");
});

test("a move has the number that it has in the list", () => {
  const pairs = (begins) => [0, 1, 2, 12].map((i) => moveNumber(i, { begins, chance: false, plies: [] }));
  assert.deepEqual(pairs("first"), [1, 1, 2, 7]);
  assert.deepEqual(pairs("second"), [1, 2, 2, 7]);
  // With dice, a number is a turn: all rolls and moves of a player in a row.
  const plies = ["first", "first", "second", "second", "second", "first"].map((by) => ({ by }));
  const turns = plies.map((_, i) => moveNumber(i, { begins: "first", chance: true, plies }));
  assert.deepEqual(turns, [1, 1, 2, 2, 2, 3]);
});

test("chess moves are written as players write them", () => {
  for (const [fen, moves, written] of [
    ["8/8/8/3k4/8/1r6/8/K5Q1 w - - 0 1", "g1g8 d5c5 g8c8 c5d4", "Qg8+ Kc5 Qc8+ Kd4"],
    ["7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7", "Qg7#"],
    // Stalemate is no mate.
    ["7k/8/4K3/5Q2/8/8/8/8 w - - 0 1", "f5g6", "Qg6"],
    ["8/4P3/8/8/8/1k6/8/K7 w - - 0 1", "e7e8r b3c3", "e8=R Kc3"],
    ["8/8/8/R7/3k4/8/4K3/R7 w - - 0 1", "a5a3", "R5a3"],
    ["8/8/8/8/R6R/8/4K3/6k1 w - - 0 1", "a4c4", "Rac4"],
    // The other rook is pinned, so one word is enough.
    ["k7/8/4r3/8/4R3/8/4K2R/8 w - - 0 1", "h2h4", "Rh4"],
    ["4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5 e8d7", "exd5 Kd7"],
    ["8/8/8/3pP3/8/8/k7/7K w - d6 0 1", "e5d6", "exd6"],
    ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "b1b3 d5d4 nonsense d4d5", "Qb3+ Kd4 nonsense d4d5"],
    ["", "e2e4", "e2e4"],
  ]) {
    assert.equal(sanLine(fen, moves.split(" ")).join(" "), written, fen);
  }
});

test("a move that was taken back stays as a branch", () => {
  const record = new GameRecord();
  record.add("connect4", "", ["4"]);
  record.add("connect4", "", ["4", "4"]);
  record.add("connect4", "", ["4", "3"]);
  record.add("connect4", "", ["4", "3", "5"]);
  assert.deepEqual(record.lines, ["4 4", "4 3 5"]);
  assert.deepEqual([...record.branches(["4", "4"])], [[1, [["4", "3", "5"]]]]);
  // A continuation of the current line is not a branch of it.
  assert.deepEqual([...record.branches(["4"])], []);
  record.add("tictactoe", "", ["a1"]);
  assert.deepEqual(record.lines, ["a1"]);
});

/** A view after `at` of the moves of Pig: roll 4 roll 1, then Second rolls. */
const PIG = {
  to_move: "second",
  turn_of: "second",
  at: 4,
  plies: [
    { move: "roll", by: "first", chance: false },
    { move: "4", by: "first", chance: true },
    { move: "roll", by: "first", chance: false },
    { move: "1", by: "first", chance: true },
    { move: "roll", by: "second", chance: false },
    { move: "6", by: "second", chance: true },
  ],
};
const LISTED = PIG.plies.map(({ move }) => move);

test("plies are the server's, also those after the position on the screen", () => {
  assert.deepEqual(knownPlies(PIG, LISTED, LISTED), PIG.plies);
  assert.deepEqual(knownPlies(PIG, LISTED, ["roll", "4"]), PIG.plies.slice(0, 2));
  assert.deepEqual(knownPlies(null, [], ["roll"]), []);
});

test("a move that was just made is known before the server describes it", () => {
  const made = { move: "hold", by: "second", chance: false };
  assert.deepEqual(knownPlies(PIG, LISTED, ["roll", "4", "roll", "1", "hold"]), [
    ...PIG.plies.slice(0, 4),
    made,
  ]);
  const rolling = { to_move: "chance", turn_of: "first", at: 1, plies: PIG.plies.slice(0, 1) };
  assert.deepEqual(knownPlies(rolling, ["roll"], ["roll", "3"]), [
    PIG.plies[0],
    { move: "3", by: "first", chance: true },
  ]);
});

test("of a list that parts from the known one, only the common moves are known", () => {
  assert.deepEqual(knownPlies(PIG, LISTED, ["roll", "5", "hold"]), PIG.plies.slice(0, 1));
  assert.deepEqual(knownPlies(PIG, LISTED, ["roll", "4", "roll", "1", "roll", "2"]), PIG.plies.slice(0, 5));
  // Two moves more than the view shows: the player of the second is not known yet.
  assert.equal(knownPlies({ ...PIG, plies: PIG.plies.slice(0, 4) }, LISTED.slice(0, 4), LISTED).length, 5);
});

test("a move is reported as a sentence, with You for the player's own moves", () => {
  assert.equal(report("Red", "takes 2 of 5"), "Red takes 2 of 5.");
  assert.equal(report("You", "rolls 6 and 5"), "You roll 6 and 5.");
  assert.equal(report("You", "rolls tails and loses 7"), "You roll tails and lose 7.");
  assert.equal(report("First", "cannot move"), "First cannot move.");
  assert.equal(report("You", "cannot move"), "You cannot move.");
  assert.equal(report("First", undefined), "");
});

test("mistakes have signs, small ones of games with dice have none", () => {
  const mistake = (from, to, loss = 0) => glyphOf({ by: "first", from, to, loss });
  assert.equal(mistake("win", "loss"), "??");
  assert.equal(mistake("win", "draw"), "?");
  assert.equal(mistake("draw", "loss"), "?");
  assert.equal(mistake("win", "win", 0.25), "??");
  assert.equal(mistake("win", "win", 0.02), "?");
  assert.equal(mistake("win", "win", 0.019), "");
});

test("an only move keeps the value alone, of three or more", () => {
  const answer = (value, ...values) => ({
    value,
    best: [],
    line: [],
    moves: values.map((one, i) => ({ move: String(i + 1), value: one })),
  });
  assert.equal(isOnly(answer("win", "win", "draw", "loss"), "1"), true);
  assert.equal(isOnly(answer("win", "win", "draw", "loss"), "2"), false);
  assert.equal(isOnly(answer("win", "win", "win", "loss"), "1"), false);
  assert.equal(isOnly(answer("win", "win", "draw"), "1"), false);
  assert.equal(isOnly(answer("loss", "loss", "loss", "loss"), "1"), false);
  assert.equal(isOnly(null, "1"), false);
});
