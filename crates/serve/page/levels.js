// @ts-check

// Levels of the computer players: display names and the default level.

/**
 * The default level: one that a beginner can beat with some effort.
 * @param {string[]} levels
 */
export const middling = (levels) => levels[Math.floor(levels.length / 2)] ?? "random";

/**
 * The display name of a level.
 * @param {string} spec
 */
export function nameOf(spec) {
  const depth = /^alphabeta:.*?depth=(\d+)/.exec(spec);
  if (depth) return `Depth ${depth[1]}`;
  const time = /^alphabeta:.*?time=([\w.]+)/.exec(spec);
  if (time) return `Thinks for ${time[1]}`;
  if (spec.startsWith("noisy:")) return "Careless";
  return spec[0].toUpperCase() + spec.slice(1);
}
