// The review of a game: what is not known is said to be unknown.

import assert from "node:assert/strict";
import { test } from "node:test";
import { accuracy, flawless, story } from "../../page/review.js";

const NAMES = { first: "Yellow", second: "Red" };
const judged = (moves, known, kept) => ({
  moves,
  judged: known,
  unjudged: moves - known,
  kept,
  accuracy: known ? kept / known : null,
});
const review = (changes) => ({
  outcome: 1,
  unknown: 0,
  turning_point: null,
  accuracy: { first: judged(3, 3, 3), second: judged(2, 2, 2) },
  ...changes,
});
const game = (changes) => ({
  own: "first",
  names: NAMES,
  moves: ["a", "b", "c", "d", "e"],
  number: (i) => i + 1,
  result: 1,
  dice: false,
  humans: ["first"],
  ...changes,
});

test("an unknown start was not lost, and no unknown move is accurate", () => {
  const accuracies = { first: judged(3, 0, 0), second: judged(2, 1, 1) };
  const words = story(review({ unknown: 5, accuracy: accuracies }), game());
  assert.deepEqual(words, [
    "You won. The turning point is not known: 5 of the game’s 6 positions have no known value.",
    "Your accuracy is not known: none of the 3 moves could be judged.",
  ]);
  const lost = story(review({ unknown: 5, accuracy: accuracies }), game({ own: "second" }));
  assert.ok(!lost.join(" ").includes("already lost"));
});

test("accuracy counts judged moves and names the others", () => {
  const say = (counts) => accuracy(counts, "first", game());
  assert.equal(say(judged(4, 4, 3)), "Your accuracy: 75 %. 3 of 4 moves kept the value.");
  assert.equal(
    say(judged(9, 2, 1)),
    "Your accuracy: 50 %. 1 of 2 judged moves kept the value; " +
      "7 other moves were not judged, because values are not known.",
  );
  assert.equal(say(judged(1, 0, 0)), "Your accuracy is not known: the only move could not be judged.");
  assert.equal(say(judged(0, 0, 0)), "");
  assert.equal(
    accuracy(judged(4, 4, 4), "second", game()),
    "Red’s accuracy: 100 %. 4 of 4 moves kept the value.",
  );
});

test("the turning point is only called so if it is certain", () => {
  const turning_point = { ply: 2, move: "b", by: "second", from: "draw", to: "loss", loss: 1, certain: true };
  const [certain] = story(review({ turning_point }), game());
  assert.equal(certain, "You won. The turning point was move 2 (b): Red turned a draw into a loss.");
  const [last] = story(
    review({ unknown: 1, turning_point: { ...turning_point, certain: false } }),
    game({ own: "second" }),
  );
  assert.equal(last, "You lost. The last known mistake was move 2 (b): you turned a draw into a loss.");
});

test("a game without mistakes was decided from the start", () => {
  assert.equal(story(review(), game())[0], "You won. Red never had a chance: the start was already lost.");
  assert.equal(
    story(review({ outcome: 0 }), game({ result: 0 }))[0],
    "A draw from start to finish: neither side missed a win.",
  );
  assert.match(story(review({ outcome: 0, unknown: 2 }), game({ result: 0 }))[0], /^A draw\. .*not known/);
});

test("with dice the costliest decision counts", () => {
  const turning_point = { ply: 3, move: "c", by: "first", from: "win", to: "win", loss: 0.25, certain: true };
  const dice = game({ dice: true });
  assert.equal(story(review(), dice)[0], "You won. The dice decided.");
  assert.equal(
    story(review({ turning_point }), dice)[0],
    "You won. The costliest decision was move 3 (c): it cost you 0.250 in expected value.",
  );
  const open = { ...turning_point, certain: false };
  assert.match(
    story(review({ turning_point: open, unknown: 1 }), dice)[0],
    /costliest decision that is known/,
  );
});

test("a history without mistakes says how much of it is known", () => {
  assert.equal(flawless(review(), 6), "No mistakes.");
  assert.equal(
    flawless(review({ unknown: 4 }), 6),
    "No known mistakes; 4 of 6 positions have no known value.",
  );
});
