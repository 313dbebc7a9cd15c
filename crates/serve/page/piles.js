// @ts-check

// Piles that stay where they are: to the rules the order of piles is nothing, so a position lists them by
// size; on the table every pile keeps its place, and what was taken last is still seen.

import { given } from "./given.js";

/** @param {number[]} piles */
const sorted = (piles) => [...piles].sort((a, b) => a - b);

/**
 * Piles at the start of a game or in a position, as the server lists them.
 * @param {string} game
 * @param {string} position
 */
function startPiles(game, position) {
  const text = position ? position.split(" ")[0] : (game.split(":")[1] ?? "").split(",")[0];
  return sorted(text.split("+").map(Number));
}

/**
 * A scene of piles with every pile in its place; other scenes as they are. `picks` says which of equal piles
 * were meant.
 * @param {Scene} scene
 * @param {WholePlace} options
 * @param {number[]} last
 * @param {Map<string, number>} picks
 */
export function arrange(scene, { game, position, moves }, last, picks) {
  if (scene.layout !== "piles" || (!scene.spots.length && !moves.length)) return { scene, last };
  const piles = startPiles(game, position);
  /** @type {{ x: number, from: number, to: number } | undefined} */
  let taken;
  for (const [i, word] of moves.entries()) {
    const [from, count] = word.split("-").map(Number);
    const meant = picks?.get(moves.slice(0, i + 1).join(" ")) ?? -1;
    const at = piles[meant] === from ? meant : piles.indexOf(from);
    if (at < 0) continue;
    piles[at] -= count;
    taken = { x: at, from: piles[at], to: from };
  }
  // Each pile of the scene goes to a place whose pile has its size.
  const free = piles.map(() => true);
  /** @type {Map<number, number>} */
  const places = new Map();
  const sizes = Map.groupBy(scene.spots, (spot) => spot.x);
  /** @param {Spot[]} spots */
  const size = (spots) => spots.reduce((sum, spot) => sum + Number(spot.label || 1), 0);
  for (const [x, spots] of sizes) {
    const at = piles.findIndex((pile, i) => free[i] && pile === size(spots));
    if (at < 0) return { scene, last };
    free[at] = false;
    places.set(x, at);
  }
  /** @type {Spot[]} */
  const spots = scene.spots.map((spot) => ({ ...spot, x: given(places.get(spot.x)) }));
  // The matches taken last leave their shadow.
  if (taken && !spots.some((spot) => spot.label)) {
    for (let y = taken.from; y < taken.to; y += 1)
      spots.push({ name: `taken ${y + 1}`, x: taken.x, y, holder: "nobody", label: "", gone: true });
  }
  return { scene: kept(scene, { ...scene, spots, width: piles.length }, moves.join(" ")), last: [] };
}

const cache = new WeakMap();

/**
 * The same scene for the same question, so that the board knows that nothing has changed.
 * @param {Scene} scene
 * @param {Scene} made
 * @param {string} key
 */
function kept(scene, made, key) {
  const known = cache.get(scene);
  if (known?.key === key) return known.made;
  cache.set(scene, { key, made });
  return made;
}
