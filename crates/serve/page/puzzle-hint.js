// @ts-check

// A first hint to a puzzle: the man that moves, or the region in which the move lies, but not the move.

import { MEN } from "./scene.js";

/**
 * A hint: the spots to mark, and words.
 * @typedef {{ spots: number[], words: string }} PuzzleHint
 */

/**
 * @param {Scene} scene
 * @param {Gesture} gesture the solution
 * @returns {PuzzleHint}
 */
export function firstHint(scene, gesture) {
  const [start] = gesture.path;
  if (start === undefined)
    return { spots: [], words: `It is one of the ${scene.moves.length} buttons below the board.` };
  const spot = scene.spots[start];
  if (scene.layout === "piles") {
    const spots = scene.spots.flatMap((known, i) => (known.x === spot.x ? [i] : []));
    return { spots, words: `Look at the pile of ${spots.length}.` };
  }
  if (spot.holder && gesture.path.length > 1) {
    const man = scene.layout === "chess" ? (MEN[spot.label] ?? "man") : spot.label ? "cube" : "man";
    return { spots: [start], words: `Look at the ${man} on ${spot.name}.` };
  }
  const starts = [...new Set(scene.moves.flatMap(({ path }) => path.slice(0, 1)))];
  return scene.layout === "drop" ? columns(scene, spot.x, starts) : region(scene, spot, starts);
}

/**
 * Three neighbouring columns.
 * @param {Scene} scene
 * @param {number} x
 * @param {number[]} starts
 * @returns {PuzzleHint}
 */
function columns({ width, spots }, x, starts) {
  // The column is not always the middle one.
  const left = Math.max(0, Math.min(width - 3, x - (x % 3)));
  const right = Math.min(width - 1, left + 2);
  return {
    spots: starts.filter((i) => spots[i].x >= left && spots[i].x <= right),
    words: `Look at columns ${left + 1} to ${right + 1}.`,
  };
}

/**
 * The quarter of the board, with the middle lines of odd sides, that has the move.
 * @param {Scene} scene
 * @param {Spot} spot
 * @param {number[]} starts
 * @returns {PuzzleHint}
 */
function region({ width, height, spots }, { x, y }, starts) {
  const right = 2 * x >= width;
  const upper = 2 * y >= height;
  const [w, h] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const left = right ? width - w : 0;
  const low = upper ? height - h : 0;
  const within = starts.filter((i) => {
    const at = spots[i];
    return at.x >= left && at.x < left + w && at.y >= low && at.y < low + h;
  });
  return {
    spots: within,
    words: `Look at the ${upper ? "upper" : "lower"} ${right ? "right" : "left"} of the board.`,
  };
}
