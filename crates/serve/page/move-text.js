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
