// Puzzles: dates, streaks and the choice of the next one.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./group-by.js";
import { firstHint } from "../../page/puzzle-hint.js";
import { Diary, nextSeed, today } from "../../page/puzzle-sets.js";

/** A store as browsers have it. */
function store(text = null) {
  const kept = new Map(text === null ? [] : [["puzzles", text]]);
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}

test("today is the reader's own date", () => {
  assert.equal(today(new Date(2026, 0, 5, 23, 59)), "2026-01-05");
  assert.equal(today(new Date(2026, 10, 17, 0, 0)), "2026-11-17");
});

test("a streak grows with clean solutions and ends with a miss", () => {
  const diary = new Diary(store());
  const solve = (clean, number) => diary.solve({ game: "connect4", number }, clean);
  solve(true, 1);
  solve(true, 2);
  assert.deepEqual([diary.kept.streak, diary.kept.best], [2, 2]);
  solve(false, 3);
  assert.deepEqual([diary.kept.streak, diary.kept.best], [0, 2]);
  solve(true, 4);
  diary.miss();
  assert.equal(diary.kept.streak, 0);
  assert.equal(diary.has("connect4", 3), true);
  assert.equal(diary.has("tictactoe", 3), false);
});

test("days in a row count over the ends of months, and once a day", () => {
  const diary = new Diary(store());
  for (const date of ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-01"]) {
    diary.solve({ game: "connect4", date }, true);
  }
  assert.equal(diary.kept.days, 3);
  diary.solve({ game: "connect4", date: "2026-03-03" }, true);
  assert.equal(diary.kept.days, 1);
});

test("progress is stored, and damaged storage is discarded", () => {
  const memory = store();
  new Diary(memory).solve({ game: "connect4", number: 7 }, true);
  assert.equal(new Diary(memory).has("connect4", 7), true);
  assert.deepEqual(new Diary(store("{")).kept, { streak: 0, best: 0, days: 0, last: "", solved: {} });
});

test("the next puzzle is new, easy, and of the chosen kind", () => {
  const list = [
    { number: 0, level: 1, themes: ["fork"], moves: 1 },
    { number: 1, level: 3, themes: ["mate in 2"], moves: 2 },
    { number: 2, level: 5, themes: ["mate in 3"], moves: 3 },
  ];
  const solved = (...numbers) => ({ has: (_game, number) => numbers.includes(number) });
  assert.equal(nextSeed(list, solved(), "chess:KQK"), "set-0");
  assert.equal(nextSeed(list, solved(0), "chess:KQK"), "set-1");
  assert.equal(nextSeed(list, solved(0, 1), "chess:KQK"), "set-2");
  // Solved puzzles are repeated when none is left.
  assert.equal(nextSeed(list, solved(0, 1, 2), "chess:KQK"), "set-0");
  assert.equal(nextSeed(list, solved(), "chess:KQK", { level: "5" }), "set-2");
  assert.equal(nextSeed(list, solved(), "chess:KQK", { theme: "mate", not: 1 }), "set-2");
  assert.equal(nextSeed(list, solved(), "chess:KQK", { theme: "zugzwang" }), null);
  assert.equal(nextSeed(undefined, solved(), "chess:KQK"), null);
});

test("a solution with a hint neither continues a streak nor ends it", () => {
  const diary = new Diary(store());
  diary.solve({ game: "connect4", number: 1 }, true);
  diary.solve({ game: "connect4", number: 2 }, true, true);
  assert.deepEqual([diary.kept.streak, diary.kept.best], [1, 1]);
  assert.equal(diary.has("connect4", 2), true);
  diary.solve({ game: "connect4", number: 3 }, false, true);
  assert.equal(diary.kept.streak, 0);
});

/** A scene of empty spots, one move to each. */
function field(layout, width, height) {
  const spots = Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [Math.floor(i / height), i % height];
    return { name: String.fromCharCode(97 + x) + String(y + 1), x, y, holder: null, label: "" };
  });
  return { layout, width, height, spots, moves: spots.map(({ name }, i) => ({ move: name, path: [i] })) };
}

test("a first hint has the move within it, and others beside it", () => {
  const fields = [field("grid", 3, 3), field("grid", 15, 15), field("drop", 7, 1), field("drop", 5, 1)];
  for (const scene of fields) {
    for (const gesture of scene.moves) {
      const { spots, words } = firstHint(scene, gesture);
      assert.ok(spots.includes(gesture.path[0]), `${gesture.move}: ${spots}`);
      assert.ok(spots.length >= 3 && spots.length < scene.moves.length, `${gesture.move}: ${spots}`);
      assert.ok(!words.includes(gesture.move), words);
    }
  }
  assert.equal(
    firstHint(field("grid", 15, 15), { move: "o15", path: [224] }).words,
    "Look at the upper right of the board.",
  );
  assert.equal(firstHint(field("drop", 7, 1), { move: "7", path: [6] }).words, "Look at columns 5 to 7.");
});

test("a first hint names the man, the pile or the buttons", () => {
  const chess = field("chess", 8, 8);
  Object.assign(chess.spots[48], { holder: "first", label: "Q" });
  assert.deepEqual(firstHint(chess, { move: "g1g8", path: [48, 55] }), {
    spots: [48],
    words: "Look at the queen on g1.",
  });
  const piles = field("piles", 2, 4);
  assert.deepEqual(firstHint(piles, { move: "4-2", path: [6] }).spots, [4, 5, 6, 7]);
  const text = {
    ...field("text", 0, 0),
    moves: [
      { move: "roll", path: [] },
      { move: "hold", path: [] },
    ],
  };
  assert.equal(firstHint(text, text.moves[0]).words, "It is one of the 2 buttons below the board.");
});
