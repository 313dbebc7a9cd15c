// @ts-check

// Start positions: FEN helpers, random positions of chess endings, and random opening moves.

import * as api from "./api.js";

const STEPS = {
  R: [
    [1, 0],
    [0, 1],
    [-1, 0],
    [0, -1],
  ],
  B: [
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
  ],
};
/** @type {{ [letter: string]: number[][] }} */
const RIDES = { R: STEPS.R, B: STEPS.B, Q: [...STEPS.R, ...STEPS.B] };

/**
 * Whether a man attacks a square.
 * @param {Map<number, string>} men
 * @param {number} from
 * @param {number} to
 * @param {string} man
 */
export function attacks(men, from, to, man) {
  const [dx, dy] = [(to % 8) - (from % 8), (to >> 3) - (from >> 3)];
  const kind = man.toUpperCase();
  if (kind === "K") return Math.max(Math.abs(dx), Math.abs(dy)) === 1;
  if (kind === "N") return Math.abs(dx * dy) === 2;
  if (kind === "P") return Math.abs(dx) === 1 && dy === (man === "P" ? 1 : -1);
  return RIDES[kind].some(([sx, sy]) => {
    for (
      let [x, y] = [(from % 8) + sx, (from >> 3) + sy];
      x >= 0 && x < 8 && y >= 0 && y < 8;
      x += sx, y += sy
    ) {
      if (y * 8 + x === to) return true;
      if (men.has(y * 8 + x)) return false;
    }
    return false;
  });
}

/**
 * Whether the position is legal with White to move: the kings are not adjacent, and Black is not in check.
 * @param {Map<number, string>} men
 */
export function fits(men) {
  const king = [...men].find(([, man]) => man === "k")?.[0];
  return (
    king !== undefined &&
    ![...men].some(([from, man]) => man === man.toUpperCase() && attacks(men, from, king, man))
  );
}

/**
 * A random legal position with White to move.
 * @param {string} material
 * @param {() => number} random
 */
function scatter(material, random) {
  const second = material.toUpperCase().lastIndexOf("K");
  const list = [...material.toUpperCase()].map((letter, i) => (i < second ? letter : letter.toLowerCase()));
  for (;;) {
    /** @type {Map<number, string>} */
    const men = new Map();
    for (const man of list) {
      let square;
      do square = Math.floor(random() * 64);
      while (men.has(square) || (man.toUpperCase() === "P" && (square < 8 || square > 55)));
      men.set(square, man);
    }
    if (fits(men)) return writeFen(men);
  }
}

/**
 * The FEN of a map from squares to men.
 * @param {Map<number, string>} squares
 */
export function writeFen(squares, toMove = "w") {
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
  return `${rows.join("/")} ${toMove} - - 0 1`;
}

/**
 * The men and the side to move of a FEN; invalid text gives no men.
 * @param {string} text
 */
export function readFen(text) {
  const [board = "", toMove = "w"] = text.trim().split(/\s+/);
  /** @type {Map<number, string>} */
  const men = new Map();
  board.split("/").forEach((row, down) => {
    let column = 0;
    for (const letter of row) {
      if (/\d/.test(letter)) column += Number(letter);
      else if (/[kqrbnp]/i.test(letter) && column < 8 && down < 8) men.set((7 - down) * 8 + column++, letter);
    }
  });
  return { men, toMove: toMove === "b" ? "b" : "w" };
}

/**
 * The men of an ending on random squares, as a FEN.
 * @param {string} material
 */
export const scattered = (material) => scatter(material, Math.random);

/**
 * A few random moves from the start of a game that do not end it.
 * @param {string} game
 */
export async function randomMoves(game, random = Math.random) {
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
  return moves;
}
