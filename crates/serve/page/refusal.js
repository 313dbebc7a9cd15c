// @ts-check

// Why nothing happens when somebody points at a spot that no move leads to: one short sentence.

import { MEN, ahead, stepwise } from "./scene.js";

/**
 * The sentence for a spot; `look` is what the board was told, `path` what is picked already.
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
  if (look.mover === "chance") return "The dice come first.";
  if (!look.live) return look.why ?? `${names[look.mover ?? "first"]} is to move.`;
  if (scene.layout === "drop") return `Column ${spot.x + 1} is full.`;
  if (scene.layout === "piles") return "Point at a match: it goes with all above it.";
  if (spot.holder === "nobody") return "There is an obstacle.";
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
          : "Pick one of your men first.";
    return `The ${MEN[scene.spots[path[0]].label]} cannot go to ${spot.name}.`;
  }
  const die = scene.facts?.find(([name]) => name === "die")?.[1];
  if (die) {
    const cubes = [...new Set([...ahead(scene, []).next.keys()].map((at) => scene.spots[at].label))].join(
      " or ",
    );
    if (path.length) return "A cube goes one step towards its corner: along, down or aslant.";
    return mine
      ? `The die shows ${die}: only cube ${cubes} may move.`
      : spot.holder
        ? `That is ${names[other]}’s cube.`
        : `Pick cube ${cubes} first.`;
  }
  // Morris: men are put down, moved, and taken when a line is closed.
  const last = scene.moves.every(
    (gesture) => gesture.path.length === path.length + 1 || !path.every((at, n) => gesture.path[n] === at),
  );
  const taking = path.length && last && [...next.keys()].every((at) => scene.spots[at].holder === other);
  if (taking)
    return spot.holder === other
      ? "This man stands in a line: take another one."
      : "A line is closed: take one of the other’s men.";
  if (!path.length)
    return mine
      ? "This man cannot move."
      : spot.holder
        ? `That is ${names[other]}’s man.`
        : "Pick one of your men first.";
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
    if (bar) return "Your checker on the bar comes in first.";
    if (mine) return "The dice do not let this checker move.";
    return spot.holder ? "That is the other’s checker." : "Pick one of your checkers first.";
  }
  if (spot.holder && !mine && Number(spot.label || 1) > 1) return "Two checkers hold this point.";
  if (spot.name.endsWith("off")) return "Checkers leave when all of them are home.";
  return "The dice do not lead there.";
}
