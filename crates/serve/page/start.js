// Where a game begins: chess endings have no start, so their men are put down by chance; other games can be given a
// start that random moves lead to.

import * as api from "./api.js";

const MATERIAL = /^chess:([kqrbnp]+)$/i;

/** Men on random squares, as a FEN; the server says whether it is legal. */
function scatter(material, random) {
  const second = material.toUpperCase().lastIndexOf("K");
  const men = [...material.toUpperCase()].map((letter, i) => (i < second ? letter : letter.toLowerCase()));
  const squares = new Map();
  for (const man of men) {
    for (;;) {
      const square = Math.floor(random() * 64);
      const pawnOnEdge = man.toUpperCase() === "P" && (square < 8 || square > 55);
      if (squares.has(square) || pawnOnEdge) continue;
      squares.set(square, man);
      break;
    }
  }
  const rows = [];
  for (let row = 7; row >= 0; row -= 1) {
    let text = "";
    let empty = 0;
    for (let column = 0; column < 8; column += 1) {
      const man = squares.get(row * 8 + column);
      if (!man) empty += 1;
      else {
        text += (empty || "") + man;
        empty = 0;
      }
    }
    rows.push(text + (empty || ""));
  }
  return `${rows.join("/")} w - - 0 1`;
}

export const randomStart = {
  /** Whether a game has no start of its own. */
  needed(game) {
    return /^chess:/i.test(game.trim());
  },

  /** A legal position of a chess ending; nothing for games that have a start. */
  async ifNeeded(game, random = Math.random) {
    let material = MATERIAL.exec(game.trim())?.[1];
    if (/^chess:all\d$/i.test(game.trim())) material = "KQKR";
    if (!material) return "";
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const position = scatter(material, random);
      try {
        const view = await api.view({ game, position, moves: [] });
        if (view.outcome === null) return view.position;
      } catch (error) {
        if (!(error instanceof api.ApiError)) throw error;
        // An ending that makes no sense has no legal position either.
        if (!error.message.startsWith("position")) return "";
      }
    }
    return "";
  },

  /** A few random moves from the start that do not end the game. */
  async byPlay(game, random = Math.random) {
    const moves = [];
    const plies = 2 + Math.floor(random() * 5);
    while (moves.length < plies) {
      const view = await api.view({ game, moves });
      const list = view.scene.moves;
      if (!list.length) break;
      const mv = list[Math.floor(random() * list.length)].move;
      const next = await api.view({ game, moves: [...moves, mv] });
      if (next.outcome !== null) break;
      moves.push(mv);
    }
    return { position: "", moves };
  },
};
