// @ts-check

// Players of the program as levels: a name that people read, and where to begin.

/**
 * A level that a newcomer can beat and has to think about.
 * @param {string[]} levels
 */
export const middling = (levels) => levels[Math.floor(levels.length / 2)] ?? "random";

/**
 * A level in words.
 * @param {string} spec
 */
export function nameOf(spec) {
  const depth = /^alphabeta:.*?depth=(\d+)/.exec(spec);
  if (depth) return `${depth[1]} plies deep`;
  const time = /^alphabeta:.*?time=([\w.]+)/.exec(spec);
  if (time) return `Thinks ${time[1]}`;
  if (spec.startsWith("noisy:")) return "Careless";
  return spec[0].toUpperCase() + spec.slice(1);
}
