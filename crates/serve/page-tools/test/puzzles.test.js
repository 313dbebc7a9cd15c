// Puzzles: dates, streaks and the choice of the next one.

import assert from "node:assert/strict";
import { test } from "node:test";
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
