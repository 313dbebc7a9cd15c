// Addresses: reading and writing are inverse, and old links keep their meaning.

import assert from "node:assert/strict";
import { test } from "node:test";
import { command, read, START, words, write } from "../../page/link.js";

test("an address without parameters is the first screen", () => {
  assert.deepEqual(read(""), { ...START, extra: {} });
});

test("what is written is read back", () => {
  for (const state of [
    { ...START, view: "play", second: "perfect" },
    { ...START, game: "mnk:5x4,k=4,obstacles=c2+d3", view: "explore", moves: ["a1", "b2"], at: 1 },
    { ...START, game: "chess:KQKR", position: "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", view: "explore" },
    { ...START, game: "nim:3+4+5", view: "explore", moves: ["3-1", "5-5"], values: false },
    { ...START, view: "puzzle", seed: "day-2026-11-17" },
    { ...START, view: "learn", extra: { lesson: "minimax", step: "3" } },
  ]) {
    assert.deepEqual(read(write(state)), state, write(state));
  }
});

test("players are named only where a game is played, a seed only in puzzles", () => {
  assert.match(write({ ...START, view: "play" }), /&first=human&second=&/);
  assert.doesNotMatch(write({ ...START, view: "explore" }), /first=|second=/);
  assert.doesNotMatch(write({ ...START, view: "explore", seed: "7" }), /seed=/);
});

test("addresses are readable: commas, colons, slashes and plus signs are not escaped", () => {
  const address = write({ ...START, game: "mnk:3x3,k=3", position: "x../.../... o", view: "explore" });
  assert.equal(address, "?game=mnk:3x3,k=3&position=x../.../...+o&view=explore");
});

test("one-digit columns may be written together", () => {
  assert.deepEqual(words("connect4", "4453"), ["4", "4", "5", "3"]);
  assert.deepEqual(words("connect4", "44, 53"), ["4", "4", "5", "3"]);
  assert.deepEqual(words("connect:9x5,k=4", "19"), ["1", "9"]);
  assert.deepEqual(words("connect:10x5,k=4", "10 3"), ["10", "3"]);
  assert.deepEqual(words("nim:12+3", "12-4,3-1"), ["12-4", "3-1"]);
});

test("a game in the address is played, a list of moves under its old name is explored", () => {
  assert.equal(read("?game=tictactoe").view, "play");
  assert.equal(read("?game=connect4&pos=44").view, "explore");
  assert.deepEqual(read("?game=connect4&pos=44").moves, ["4", "4"]);
});

test("invalid parameters are ignored", () => {
  assert.equal(read("?game=connect4&moves=44&at=2").at, null);
  assert.equal(read("?game=connect4&moves=44&at=-1").at, null);
  assert.equal(read("?game=connect4&moves=44&at=x").at, null);
  assert.equal(read("?game=connect4&view=nonsense").view, "play");
  assert.equal(read("?values=perhaps").values, null);
});

test("the command of a position is safe to paste into a shell", () => {
  assert.equal(command({ game: "connect4", position: "" }, ["4", "4"]), "outplay query connect4 --moves 4,4");
  assert.equal(
    command({ game: "tictactoe", position: "x../.../... o" }, []),
    "outplay query tictactoe --position 'x../.../... o'",
  );
  assert.equal(
    command({ game: "tictactoe", position: "it's" }, []),
    "outplay query tictactoe --position 'it'\\''s'",
  );
  assert.equal(command({ game: "nim:1", position: "-x" }, []), "outplay query nim:1 --position=-x");
});
