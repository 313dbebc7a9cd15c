// @ts-check

// Chess moves in standard algebraic notation: `g1g8` becomes `Qg8+`.
//
// The server writes moves by their squares. Endings have no castling, so that men, squares and attacks are
// enough.

import { attacks, readFen } from "./start.js";

/**
 * @typedef {{ men: Map<number, string>, white: boolean }} Placement
 * @typedef {{ from: number, to: number, promoted: string }} SquareMove
 */

/** @param {string} man */
const isWhite = (man) => man === man.toUpperCase();
/** @param {string} word */
const square = (word) => word.charCodeAt(0) - 97 + 8 * (Number(word[1]) - 1);
/** @param {number} at */
const named = (at) => String.fromCharCode(97 + (at % 8)) + String((at >> 3) + 1);

/**
 * @param {string} word
 * @returns {SquareMove | null}
 */
function parse(word) {
  const parts = /^([a-h][1-8])([a-h][1-8])([qrbn])?$/.exec(word);
  return parts && { from: square(parts[1]), to: square(parts[2]), promoted: parts[3] ?? "" };
}

/**
 * The position after a move. A pawn that changes its file onto an empty square captures en passant.
 * @param {Placement} at
 * @param {SquareMove} move
 * @returns {Placement}
 */
function after({ men, white }, { from, to, promoted }) {
  const next = new Map(men);
  const man = next.get(from) ?? "";
  if (man.toUpperCase() === "P" && from % 8 !== to % 8 && !men.has(to)) next.delete((from & ~7) | (to & 7));
  next.delete(from);
  next.set(to, promoted ? (white ? promoted.toUpperCase() : promoted) : man);
  return { men: next, white: !white };
}

/**
 * Whether a side's king is attacked.
 * @param {Map<number, string>} men
 * @param {boolean} white
 */
function inCheck(men, white) {
  const king = [...men].find(([, man]) => man === (white ? "K" : "k"))?.[0];
  return (
    king !== undefined &&
    [...men].some(([from, man]) => isWhite(man) !== white && attacks(men, from, king, man))
  );
}

/**
 * Whether a man may go to a square, but for promotion and en passant.
 * @param {Placement} at
 * @param {number} from
 * @param {number} to
 */
function legal(at, from, to) {
  const { men, white } = at;
  const man = men.get(from) ?? "";
  const taken = men.get(to);
  if (from === to || isWhite(man) !== white || (taken && isWhite(taken) === white)) return false;
  if (man.toUpperCase() === "P") {
    const step = white ? 8 : -8;
    const home = from >> 3 === (white ? 1 : 6);
    const twice = home && to === from + 2 * step && !men.has(from + step);
    const pushed = !taken && (to === from + step || twice);
    if (!pushed && !(taken && attacks(men, from, to, man))) return false;
  } else if (!attacks(men, from, to, man)) return false;
  return !inCheck(after(at, { from, to, promoted: "" }).men, white);
}

/** @param {Placement} at */
const stuck = (at) => {
  const squares = [...Array(64).keys()];
  const own = [...at.men].filter(([, man]) => isWhite(man) === at.white);
  return !own.some(([from]) => squares.some((to) => legal(at, from, to)));
};

/**
 * A move of a position in standard algebraic notation.
 * @param {Placement} at
 * @param {SquareMove} move
 */
function write(at, move) {
  const { from, to, promoted } = move;
  const man = at.men.get(from) ?? "";
  const kind = man.toUpperCase();
  const pawn = kind === "P";
  const takes = at.men.has(to) || (pawn && from % 8 !== to % 8);
  const twins = [...at.men].filter(
    ([other, known]) => known === man && other !== from && !pawn && legal(at, other, to),
  );
  const name = named(from);
  // The file if it tells the men apart, else the rank, else both.
  const origin = !twins.length
    ? ""
    : twins.every(([other]) => other % 8 !== from % 8)
      ? name[0]
      : twins.every(([other]) => other >> 3 !== from >> 3)
        ? name[1]
        : name;
  const next = after(at, move);
  const check = inCheck(next.men, next.white) ? (stuck(next) ? "#" : "+") : "";
  return (
    `${pawn ? (takes ? name[0] : "") : kind}${origin}${takes ? "x" : ""}${named(to)}` +
    `${promoted ? `=${promoted.toUpperCase()}` : ""}${check}`
  );
}

/**
 * The moves of a line in standard algebraic notation; from the first that does not fit on, as they are.
 * @param {string} fen
 * @param {string[]} moves
 * @returns {string[]}
 */
export function sanLine(fen, moves) {
  const { men, toMove } = readFen(fen);
  /** @type {Placement} */
  let at = { men, white: toMove === "w" };
  let fits = men.size > 0;
  return moves.map((word) => {
    const move = parse(word);
    fits &&= move !== null && isWhite(at.men.get(move.from) ?? (at.white ? "k" : "K")) === at.white;
    if (!fits || !move) return word;
    const text = write(at, move);
    at = after(at, move);
    return text;
  });
}
