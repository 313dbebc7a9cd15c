// Moves drawn before the server has confirmed them.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./group-by.js";
import { predicted, sameMen } from "../../page/predict.js";

/** A scene of spots with one man each, or none: `x`, `o`, `.`, or a letter of chess. */
function scene(layout, row, more = {}) {
  const spots = [...row].map((man, i) => ({
    name: String(i),
    x: i,
    y: 0,
    holder: man === "." ? null : /[oa-z]/.test(man) && man !== "x" ? "second" : "first",
    label: /[xo.]/.test(man) ? "" : man.toUpperCase(),
  }));
  return { layout, width: row.length, height: 1, spots, moves: [], ...more };
}

const letter = ({ holder, label }) =>
  holder === "first" ? label || "x" : holder === "second" ? label.toLowerCase() || "o" : ".";
const men = ({ spots }) => spots.map(letter).join("");

test("a placed, moved or taken man is drawn at once", () => {
  for (const [layout, before, path, mover, after, choice] of [
    ["grid", "x..", [1], "second", "xo."],
    ["drop", "xo.", [2], "first", "xox"],
    ["points", "x.o", [0, 1], "first", ".xo"],
    // A closed mill takes a man, after placing and after moving.
    ["points", "x.o", [1, 2], "first", "xx."],
    ["points", "x.o", [0, 1, 2], "first", ".x."],
    ["chess", "Q.r", [0, 2], "first", "..Q"],
    ["chess", "P..", [0, 1], "first", ".N.", "N"],
  ]) {
    const known = scene(layout, before);
    const next = predicted(known, { move: "", path, choice }, mover);
    assert.equal(men(next), after, `${layout} ${before}`);
    assert.equal(men(known), before, "the scene stays as it was");
    assert.equal(sameMen(next, known), false);
    assert.equal(sameMen(next, scene(layout, after)), true);
  }
});

test("what only the rules can tell is not predicted", () => {
  const none = (layout, before, path, mover, more) =>
    assert.equal(predicted(scene(layout, before, more), { move: "", path }, mover), null);
  none("grid", "x..", [], "first");
  none("grid", "x..", [1], "chance");
  none("grid", "x..", [1], undefined);
  none("piles", "x..", [0], "first");
  none("text", "", [0], "first");
  // The man of the other side, a goal of one's own, a chess move to an empty start.
  none("points", "o..", [0, 1], "first");
  none("points", "xx.", [0, 1], "first");
  none("chess", "...", [0], "first");
  // Backgammon moves in steps.
  none("points", "x..", [0, 1], "first", { moves: [{ move: "1/2", path: [0, 1], ways: [[0, 1]] }] });
});
