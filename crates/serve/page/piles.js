// @ts-check

// Stable layout of piles. Positions list piles by size, because their order does not matter to the rules; on
// the board every pile keeps its place, and the matches taken last stay visible as shadows.

import { given } from "./given.js";

/** @param {number[]} piles */
const sorted = (piles) => [...piles].sort((a, b) => a - b);

/**
 * The pile sizes at the start of a game or in a position, in the server's order.
 * @param {string} game
 * @param {string} position
 */
function startPiles(game, position) {
  const text = position ? position.split(" ")[0] : (game.split(":")[1] ?? "").split(",")[0];
  return sorted(text.split("+").map(Number));
}

/**
 * A scene of piles with every pile in its place; other scenes are returned unchanged. `picks` records which
 * of several equal piles was clicked.
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
  // Assigns each pile of the scene to a place with a pile of the same size.
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
  // The matches taken last are shown as shadows.
  if (taken && !spots.some((spot) => spot.label)) {
    for (let y = taken.from; y < taken.to; y += 1)
      spots.push({ name: `taken ${y + 1}`, x: taken.x, y, holder: "nobody", label: "", gone: true });
  }
  return { scene: kept(scene, { ...scene, spots, width: piles.length }, moves.join(" ")), last: [] };
}

const cache = new WeakMap();

/**
 * Caches the arranged scene, so that the board detects an unchanged scene by identity.
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
