// Move lists: text, branches, glyphs, and the player of each ply.

import assert from "node:assert/strict";
import { test } from "node:test";
import { glyphOf, isOnly } from "../../page/glyphs.js";
import { moveText } from "../../page/move-text.js";
import { knownPlies, report } from "../../page/plies.js";
import { GameRecord } from "../../page/record.js";

test("moves are numbered in pairs", () => {
  assert.equal(moveText([], "first"), "");
  assert.equal(moveText(["e4", "e5", "d4"], "first"), "1. e4 e5 2. d4");
  assert.equal(moveText(["e5", "d4", "d5"], "second"), "1… e5 2. d4 d5");
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
