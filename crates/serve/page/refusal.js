// @ts-check

// Messages for illegal clicks on the board: one short sentence with the reason.

import { MEN, ahead, stepwise } from "./scene.js";

/**
 * The message for a spot; `look` is how the board is shown, `path` the spots picked so far.
 * @param {Scene} scene
 * @param {Look} look
 * @param {number[]} path
 * @param {number} i
 * @param {Names} names
 */
export function refusal(scene, look, path, i, names) {
  const spot = scene.spots[i];
  const other = look.mover === "first" ? "second" : "first";
  const mine = spot.holder === look.mover;
  if (!scene.moves.length) return "The game is over.";
  if (look.mover === "chance") return "The dice have to be rolled first.";
  if (!look.live) return look.why ?? `${names[look.mover ?? "first"]} to move.`;
  if (scene.layout === "drop") return `Column ${spot.x + 1} is full.`;
  if (scene.layout === "piles") return "Click a match to take it and all those above it.";
  if (spot.holder === "nobody") return "That cell is an obstacle.";
  const multi = scene.moves.some((gesture) => gesture.path.length > 1);
  if (!multi) return `${spot.name} is taken.`;
  const { next } = ahead(scene, path);
  if (stepwise(scene)) return race(scene, path, spot, mine, next);
  if (scene.layout === "chess") {
    if (!path.length)
      return mine
        ? `This ${MEN[spot.label]} cannot move.`
        : spot.holder
          ? `That is ${names[other]}’s ${MEN[spot.label]}.`
          : "Select one of your pieces first.";
    return `The ${MEN[scene.spots[path[0]].label]} cannot go to ${spot.name}.`;
  }
  const die = scene.facts?.find(([name]) => name === "die")?.[1];
  if (die) {
    const cubes = [...new Set([...ahead(scene, []).next.keys()].map((at) => scene.spots[at].label))].join(
      " or ",
    );
    if (path.length)
      return "A cube moves one step towards the far corner: horizontally, vertically or diagonally.";
    return mine
      ? `The die shows ${die}: only cube ${cubes} may move.`
      : spot.holder
        ? `That is ${names[other]}’s cube.`
        : `Select cube ${cubes} first.`;
  }
  // Morris: men are placed, moved, and taken when a mill is closed.
  const last = scene.moves.every(
    (gesture) => gesture.path.length === path.length + 1 || !path.every((at, n) => gesture.path[n] === at),
  );
  const taking = path.length && last && [...next.keys()].every((at) => scene.spots[at].holder === other);
  if (taking)
    return spot.holder === other
      ? "This man is part of a mill: take another one."
      : "You closed a mill: take one of your opponent’s men.";
  if (!path.length)
    return mine
      ? "This man cannot move."
      : spot.holder
        ? `That is ${names[other]}’s man.`
        : "Select one of your men first.";
  return `Your man cannot go to ${spot.name}.`;
}

/**
 * @param {Scene} scene
 * @param {number[]} path
 * @param {Spot} spot
 * @param {boolean} mine
 * @param {Map<number, Gesture[]>} next
 */
function race(scene, path, spot, mine, next) {
  const bar = [...next.keys()].some((at) => scene.spots[at].name.endsWith("bar"));
  if (path.length % 2 === 0) {
    if (bar) return "Enter your checker from the bar first.";
    if (mine) return "This checker cannot move with this roll.";
    return spot.holder ? "That is your opponent’s checker." : "Select one of your checkers first.";
  }
  if (spot.holder && !mine && Number(spot.label || 1) > 1) return "This point is blocked by two checkers.";
  if (spot.name.endsWith("off")) return "You can bear off only when all your checkers are home.";
  return "You cannot get there with this roll.";
}
