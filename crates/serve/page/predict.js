// @ts-check

// The scene after a move, drawn before the server has confirmed it: a placed, moved or taken man.
//
// What only the rules can tell, such as a new roll, is left to the server; such moves are not predicted.

import { stepwise } from "./scene.js";

/**
 * The scene after a move, or null if it cannot be told from the spots alone.
 * @param {Scene} scene
 * @param {Gesture} gesture
 * @param {Turn | undefined} mover
 * @returns {Scene | null}
 */
export function predicted(scene, gesture, mover) {
  const { path } = gesture;
  const placing = ["grid", "drop", "points"].includes(scene.layout);
  if (!path.length || !mover || mover === "chance" || stepwise(scene)) return null;
  if (!placing && scene.layout !== "chess") return null;
  const spots = scene.spots.map((spot) => ({ ...spot }));
  const [first, ...rest] = path.map((i) => spots[i]);
  if (!first.holder) {
    if (scene.layout === "chess") return null;
    first.holder = mover;
  } else {
    const goal = rest.shift();
    if (first.holder !== mover || !goal || goal.holder === mover) return null;
    Object.assign(goal, { holder: mover, label: promoted(scene, gesture, first) });
    Object.assign(first, { holder: null, label: "" });
  }
  // Men that the move takes; anything else is not known here.
  for (const taken of rest) {
    if (!taken.holder || taken.holder === mover) return null;
    Object.assign(taken, { holder: null, label: "" });
  }
  return { ...scene, spots };
}

/**
 * The label of a man that has moved.
 * @param {Scene} scene
 * @param {Gesture} gesture
 * @param {Spot} man
 */
const promoted = (scene, { choice }, man) =>
  scene.layout === "chess" && choice ? choice.toUpperCase() : man.label;

/**
 * Whether two scenes have the same men on the same spots.
 * @param {Scene} a
 * @param {Scene} b
 */
export const sameMen = (a, b) =>
  a.spots.length === b.spots.length &&
  a.spots.every((spot, i) => spot.holder === b.spots[i].holder && spot.label === b.spots[i].label);
