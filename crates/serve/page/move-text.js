// @ts-check

// Move list as one line of text, numbered in pairs.

/**
 * Numbers the moves of a game in which players take turns: `1. e4 e5 2. d4`, or `1… e5 2. d4` where the
 * second player begins.
 * @param {string[]} moves
 * @param {Side} begins
 */
export function moveText(moves, begins) {
  const shift = begins === "second" ? 1 : 0;
  const words = moves.map((mv, i) => {
    const number = Math.floor((i + shift) / 2) + 1;
    return (i + shift) % 2 === 0 ? `${number}. ${mv}` : i === 0 ? `${number}… ${mv}` : mv;
  });
  return words.join(" ");
}

/**
 * The number of a move in the list of moves: pairs of moves, or turns in a game with dice.
 * @param {number} i the move's place, from 0
 * @param {{ begins: Side, chance: boolean, plies: { by: Side }[] }} game
 */
export function moveNumber(i, { begins, chance, plies }) {
  if (!chance) return Math.floor((i + (begins === "second" ? 1 : 0)) / 2) + 1;
  let turns = 1;
  for (let ply = 1; ply <= i; ply += 1) if (plies[ply]?.by !== plies[ply - 1]?.by) turns += 1;
  return turns;
}
