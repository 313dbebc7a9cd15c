// Recorded searches: shape, steps and drawn nodes; numbers of lessons; proofs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { least } from "../../page/lesson-order.js";
import { linesOf, meaning, withStones } from "../../page/lesson-proof.js";
import { terms } from "../../page/lesson-tables.js";
import { childrenOf, odds, pathTo, stepsOf } from "../../page/tree-picture.js";
import { drawn } from "../../page/tree.js";

const win = { value: "win", distance: 1 };
const loss = { value: "loss", distance: 1 };
const node = (parent, move, more = {}) => ({
  parent,
  move,
  turn: "first",
  ply: 0,
  window: [null, null],
  fate: "finished",
  worth: loss,
  ...more,
});

/** A root with moves a and b; a leads to c and d, of which d is cut off; b only to e. */
const NODES = [
  node(null, null, { fate: "inner", worth: win }),
  node(0, "a", { fate: "inner", turn: "second" }),
  node(1, "c", { worth: loss }),
  node(1, "d", { fate: "cut", cut: "alpha", worth: undefined }),
  node(0, "b", { fate: "inner", turn: "second", worth: win }),
  node(4, "e", { worth: win }),
];

test("children are in the order tried", () => {
  assert.deepEqual(childrenOf(NODES), [[1, 4], [2, 3], [], [], [5], []]);
  assert.deepEqual(pathTo(NODES, 5), ["b", "e"]);
  assert.deepEqual(pathTo(NODES, 0), []);
});

test("a search enters, cuts and leaves", () => {
  const steps = stepsOf({ nodes: NODES });
  assert.deepEqual(
    steps.map(({ kind, i }) => `${kind} ${i}`),
    [
      "enter 0",
      "enter 1",
      "enter 2",
      "leave 2",
      "cut 1",
      "leave 1",
      "enter 4",
      "enter 5",
      "leave 5",
      "leave 4",
      "leave 0",
    ],
  );
  const cut = steps.find(({ kind }) => kind === "cut");
  assert.deepEqual([cut.cut, cut.why], [[3], "alpha"]);
  // The first move is the best so far; the second is better for the first player, and the last one.
  assert.deepEqual(
    steps.filter(({ better }) => better !== undefined).map(({ i, better, next }) => [i, better, next]),
    [
      [2, true, 3],
      [1, true, 4],
      [5, true, undefined],
      [4, true, undefined],
    ],
  );
});

test("a tree is drawn as far as it is open, forced lines as one branch", () => {
  const record = { nodes: NODES.map((one) => ({ ...one, path: [] })), kids: childrenOf(NODES) };
  const labels = (open, options) => drawn(record, new Set(open), options).map(({ label }) => label);
  assert.deepEqual(labels([]), [null]);
  assert.deepEqual(labels([0]), [null, "a", "b e"]);
  assert.deepEqual(labels([0], { fold: false }), [null, "a", "b"]);
  assert.deepEqual(labels([0, 1]), [null, "a", "c", "d", "b e"]);
  assert.equal(drawn(record, new Set([0]))[1].hiding, 2);
});

test("symmetric moves are merged into one branch", () => {
  const nodes = [node(null, null), node(0, "a"), node(0, "b", { twin: 1 }), node(0, "c")];
  const record = { nodes: nodes.map((one) => ({ ...one, path: [] })), kids: childrenOf(nodes) };
  const labels = (options) => drawn(record, new Set([0]), options).map(({ label }) => label);
  assert.deepEqual(labels(), [null, "a ×2", "c"]);
  assert.deepEqual(labels({ merge: false }), [null, "a", "b", "c"]);
});

test("odds are common fractions", () => {
  assert.equal(odds(1 / 2), "1/2");
  assert.equal(odds(1 / 18), "1/18");
  assert.equal(odds(11 / 36), "11/36");
  assert.equal(odds(0.123), "0.12");
});

test("the best order needs Knuth and Moore's count of leaves", () => {
  assert.equal(least(7, 6), 685);
  assert.equal(least(3, 3), 11);
  assert.equal(least(7, 1), 7);
});

test("numbers of tic-tac-toe boards have no holes and begin with fewer stones", () => {
  const number = (text) => terms([...text]).number;
  assert.equal(number("........."), 0);
  assert.equal(number("x........"), 1);
  assert.equal(number("........x"), 9);
  // Two stones: 36 shapes of two colourings each, from number 10 on.
  assert.equal(number("xo.......") < number("ox......."), true);
  assert.deepEqual(
    ["xo.......", "ox......."].map(number).sort((a, b) => a - b),
    [10, 11],
  );
  assert.equal(number(".......ox"), 81);
});

test("a proof is numbered lines on a board", () => {
  const proof = "outplay proof 1\nboard .../.../...\nx wins by 2\n1 fours a1 b2\n2 plays b2 1\n";
  assert.deepEqual(
    linesOf(proof).map(({ step }) => step),
    [null, null, null, 1, 2],
  );
  assert.equal(
    withStones(proof, [
      { cell: "a1", by: "first" },
      { cell: "c3", by: "second" },
    ]),
    "..o/.../x..",
  );
  assert.match(meaning("2 plays b2 1"), /plays this cell/);
  assert.equal(meaning("7 unheard-of"), "");
});
