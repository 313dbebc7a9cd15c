// Names of games, specs of boards, FENs, piles and scenes.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./group-by.js";
import { materialOf } from "../../page/chess-setup.js";
import { learn, nameOf } from "../../page/levels.js";
import { fullName } from "../../page/names.js";
import { parseBoard, writeBoard } from "../../page/paint.js";
import { arrange } from "../../page/piles.js";
import { sentences } from "../../page/rules.js";
import {
  ahead,
  aliases,
  content,
  hops,
  inSentence,
  lastSpots,
  names,
  partway,
  spoken,
  trail,
  usedDice,
} from "../../page/scene.js";
import { fits, readFen, scattered, writeFen } from "../../page/start.js";

test("games have display names", () => {
  for (const [spec, name] of [
    ["tictactoe", "Tic-tac-toe"],
    ["connect4", "Connect Four, 7 × 6"],
    ["connect:5x4,k=3", "Connect 3, 5 × 4"],
    ["mnk:15x15,k=5", "Gomoku, 15 × 15"],
    ["mnk:5x4,k=4,obstacles=c2+d3", "4 in a row, 5 × 4, obstacles"],
    ["nim:3+4+5,normal", "Nim, 3 · 4 · 5, last match wins"],
    ["chess:KQKR", "Queen against rook"],
    ["chess:KBBK", "Two bishops against king"],
    ["morris:six,men=4,flying", "Six Men’s Morris, 4 men, flying"],
    ["piglet", "Piglet, to 10"],
    ["einstein:3x3", "EinStein, 3 × 3"],
    ["yourgame:7", "yourgame"],
  ]) {
    assert.equal(fullName(spec), name);
  }
});

test("levels have names", () => {
  assert.equal(nameOf("alphabeta:lines,depth=4"), "Depth 4");
  assert.equal(nameOf("alphabeta:lines,time=1s"), "Thinks for 1s");
  assert.equal(nameOf("noisy:0.3,perfect"), "Careless");
  assert.equal(nameOf("perfect"), "Perfect");
  learn([{ number: 6, name: "Club", player: "alphabeta:depth=4" }]);
  assert.equal(nameOf("alphabeta:depth=4,eval=patterns"), "Club");
  assert.equal(nameOf("alphabeta:depth=4,order=best,eval=patterns"), "Depth 4");
});

test("the spec of a painted board is read back", () => {
  for (const spec of ["mnk:5x4,k=4,obstacles=c2+d3", "connect4:5x4,x=a1,o=a2", "connect:6x5,k=5,misere"]) {
    assert.equal(writeBoard(parseBoard(spec)), spec);
  }
  assert.equal(writeBoard(parseBoard("tictactoe")), "mnk:3x3,k=3");
  assert.equal(parseBoard("nim:3+4+5"), null);
  assert.equal(parseBoard("mnk:5"), null);
});

test("a FEN is read back, and other text has no men", () => {
  const fen = "8/5k2/8/8/3R4/8/1K6/8 b - - 0 1";
  const { men, toMove } = readFen(fen);
  assert.equal(men.get(9), "K");
  assert.equal(toMove, "b");
  assert.equal(writeFen(men, toMove), fen);
  assert.equal(materialOf(men), "KRK");
  assert.equal(readFen("").men.size, 0);
  assert.equal(readFen("8/9x w").men.size, 0);
});

test("random positions are legal with White to move", () => {
  for (const material of ["KQKR", "KPK", "KBNK", "KRRK"]) {
    for (let i = 0; i < 50; i += 1) {
      const { men } = readFen(scattered(material));
      assert.equal(materialOf(men), material);
      assert.ok(fits(men));
      for (const [square, man] of men) assert.ok(man !== "P" || (square > 7 && square < 56));
    }
  }
  assert.equal(fits(readFen("8/8/8/k6R/8/8/8/K7 w - - 0 1").men), false);
  assert.equal(fits(readFen("8/8/8/k2P3R/8/8/8/K7 w - - 0 1").men), true);
  assert.equal(fits(readFen("8/8/8/8/8/1N6/8/k6K w - - 0 1").men), false);
  assert.equal(fits(readFen("8/8/8/8/8/2N5/8/k6K w - - 0 1").men), true);
});

/** A board of falling stones, columns from the left, each a text from below. */
function drop(...columns) {
  const height = 3;
  const spots = columns.flatMap((column, x) =>
    Array.from({ length: height }, (_, y) => ({
      name: `${x + 1}${y + 1}`,
      x,
      y,
      holder: { x: "first", o: "second" }[column[y]] ?? null,
      label: "",
    })),
  );
  const moves = columns.flatMap((column, x) =>
    column.length < height ? [{ move: String(x + 1), path: [x * height + column.length] }] : [],
  );
  return { layout: "drop", width: columns.length, height, spots, moves };
}

test("players are called by the colours of their men, or by their marks", () => {
  const board = (layout, side, label = "") => ({
    layout,
    width: side,
    height: side,
    spots: [{ name: "a1", x: 0, y: 0, holder: "second", label }],
    moves: [],
  });
  const called = (scene) => Object.values(names(scene)).join(" ");
  assert.equal(called(drop("x", "o", "")), "Yellow Red");
  assert.equal(called(board("grid", 3)), "X O");
  assert.equal(called(board("grid", 15)), "Black White");
  assert.equal(called(board("grid", 5, "4")), "Yellow Red");
  assert.equal(called(board("chess", 8, "K")), "White Black");
  assert.equal(called(board("points", 5)), "Yellow Red");
  assert.equal(called(board("text", 0)), "Yellow Red");
  assert.equal(content(board("grid", 3), board("grid", 3).spots[0]), "O");
  assert.equal(content(board("chess", 8, "K"), board("chess", 8, "K").spots[0]), "black king");
  assert.deepEqual(["Yellow", "X"].map(inSentence), ["yellow", "X"]);
});

test("the server's sentences get colours and moves", () => {
  const players = { first: "Yellow", second: "Red" };
  assert.equal(
    spoken("First wins in 41 plies; 4 is the only move that wins", players),
    "Yellow wins in 21 moves; 4 is the only move that wins",
  );
  assert.equal(spoken("Second to move: win within 1 ply.", players), "Red to move: win within 1 move.");
  assert.equal(spoken("the line takes a man at ply 3: Rb1", players), "the line takes a man at move 2: Rb1");
  assert.equal(spoken("the first line", players), "the first line");
});

test("a whole column drops a stone, a full one does not", () => {
  const scene = drop("x", "oxo", "");
  assert.deepEqual(
    [...aliases(scene)],
    [
      [0, 1],
      [2, 1],
      [7, 6],
      [8, 6],
    ],
  );
});

test("stones of a line fall on each other", () => {
  assert.deepEqual(trail(drop("x", "", ""), ["1", "1", "1", "3"]), [[1], [2], [], [6]]);
  assert.deepEqual(lastSpots(drop("xo", "", ""), "1"), [1]);
  assert.deepEqual(lastSpots(drop("", "", ""), undefined), []);
});

/** Points 0 to 27 of a race in which the first player has a checker on 24 and a blot stands on 18. */
function race() {
  const holders = new Map([
    [24, "first"],
    [18, "second"],
  ]);
  const spots = Array.from({ length: 28 }, (_, i) => ({
    name: { 25: "first bar", 27: "second bar" }[i] ?? String(i),
    x: i,
    y: 0,
    holder: holders.get(i) ?? null,
    label: "",
  }));
  const moves = [
    { move: "24/18/13", path: [24, 18], ways: [[24, 18, 18, 13]] },
    { move: "24/19/13", path: [24, 19], ways: [[24, 19, 19, 13]] },
  ];
  return { layout: "points", width: 14, height: 2, spots, moves, facts: [["dice", "6-5"]] };
}

test("a turn of several steps is made step by step", () => {
  const scene = race();
  assert.deepEqual([...ahead(scene, []).next.keys()], [24]);
  assert.deepEqual([...ahead(scene, [24]).next.keys()], [18, 19]);
  assert.deepEqual(
    ahead(scene, [24, 19, 19, 13]).complete.map(({ move }) => move),
    ["24/19/13"],
  );
  assert.deepEqual([...hops(scene, [24])], [[13, [24, 18, 18, 13]]]);
  assert.deepEqual(usedDice(scene, [24, 19]), { dice: [6, 5], used: [false, true] });
  // The second player goes the other way.
  assert.deepEqual(usedDice(scene, [1, 7]), { dice: [6, 5], used: [true, false] });
});

test("a step that hits sends a checker to its bar and leaves the scene as it was", () => {
  const scene = race();
  const after = partway(scene, [24, 18], "first");
  assert.equal(after.spots[18].holder, "first");
  assert.equal(after.spots[24].holder, null);
  assert.equal(after.spots[27].holder, "second");
  assert.equal(scene.spots[18].holder, "second");
});

test("piles keep their places, and the matches taken last leave a shadow", () => {
  const pile = (x, count) =>
    Array.from({ length: count }, (_, y) => ({ name: `${x} ${y}`, x, y, holder: "nobody", label: "" }));
  // After 5-4 the server lists 1+3+4; on the table the third pile has one match left.
  const scene = {
    layout: "piles",
    width: 3,
    height: 5,
    spots: [...pile(0, 1), ...pile(1, 3), ...pile(2, 4)],
    moves: [],
  };
  const place = { game: "nim:3+4+5", position: "", moves: ["5-4"] };
  const { scene: shown, last } = arrange(scene, place, [], new Map());
  const sizes = [0, 1, 2].map((x) => shown.spots.filter((spot) => spot.x === x && !spot.gone).length);
  assert.deepEqual(sizes, [3, 4, 1]);
  assert.equal(shown.spots.filter((spot) => spot.gone && spot.x === 2).length, 4);
  assert.deepEqual(last, []);
  assert.equal(arrange(scene, place, [], new Map()).scene, shown);
});

test("rules are split into sentences", () => {
  assert.deepEqual(sentences("Take 1.5 matches. Who takes the last one loses!"), [
    "Take 1.5 matches.",
    "Who takes the last one loses!",
  ]);
  assert.deepEqual(sentences("no end"), ["no end"]);
});
