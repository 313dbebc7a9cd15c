// @ts-check

// Levels of the computer players: display names and the default level.

/**
 * The default level: one that a beginner can beat with some effort.
 * @param {string[]} levels
 */
export const middling = (levels) => levels[Math.floor(levels.length / 2)] ?? "random";

/**
 * The names of the levels by spec, without the evaluation, which differs by game.
 * @type {Map<string, string>}
 */
const names = new Map();

/** @param {string} spec */
const plain = (spec) => spec.replace(/^(alphabeta:[^=,]*=[^,]*),eval=.*$/, "$1");

/**
 * Takes the names of the levels from the server's list.
 * @param {Level[]} levels
 */
export function learn(levels) {
  for (const { name, player } of levels) names.set(plain(player), name);
}

/**
 * The display name of a level or a player.
 * @param {string} spec
 */
export function nameOf(spec) {
  const known = names.get(plain(spec));
  if (known) return known;
  const depth = /^alphabeta:.*?depth=(\d+)/.exec(spec);
  if (depth) return `Depth ${depth[1]}`;
  const time = /^alphabeta:.*?time=([\w.]+)/.exec(spec);
  if (time) return `Thinks for ${time[1]}`;
  if (spec.startsWith("noisy:")) return "Careless";
  return spec[0].toUpperCase() + spec.slice(1);
}
