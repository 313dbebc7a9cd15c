// @ts-check

// Games that the page names itself: small ones to try, and what people call families. Data only; what a game
// is and can do comes from the server.

/** What an address without parameters shows. */
export const FIRST_GAME = "connect4";

/** Games that are solved in a moment: spec and name. */
export const QUICK = [
  ["connect4:5x4", "Connect Four, 5 × 4"],
  ["tictactoe", "Tic-tac-toe"],
];

/** Boards with a proof to play against: spec and name. */
export const PROVED = [
  ["mnk:4x3,k=3", "4×3, 3 in a row"],
  ["mnk:4x4,k=3", "4×4, 3"],
  ["tictactoe", "tic-tac-toe"],
  ["mnk:4x4,k=4", "4×4, 4"],
  ["mnk:6x5,k=4", "6×5, 4"],
  ["mnk:8x8,k=6", "8×8, 6"],
];

/** A member of each family that is small enough to be tried in a minute, and what to try. */
/** @type {{ [family: string]: string[] }} */
export const SAMPLES = {
  tictactoe: ["tictactoe", "Get three in a row."],
  mnk: ["mnk:4x4,k=3", "Three in a row on a larger board: who moves first wins quickly. Try it."],
  connect4: ["connect4:5x4", "Click a column; the stone falls. Four in a row win."],
  connect: ["connect:4x4,k=3", "Click a column; the stone falls. Three in a row win here."],
  nim: ["nim:1+2+3", "Click a match: it and those above it are taken. Do not take the last one."],
  chess: [
    "chess:KQK",
    "Mate the black king. Click a man, then where it goes.",
    "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
  ],
  morris: ["morris:three,lines=8", "Place three men each, then move them. Three in a line win."],
  pig: ["pig:20", "Roll, and hold before a 1 comes."],
  piglet: ["piglet:5", "Toss, and hold before tails comes."],
  einstein: ["einstein:3x3", "The die says which cube may move. Reach the far corner."],
  hypergammon: ["hypergammon", "Roll two dice and bring your three checkers home."],
};

/** Families by the names that people use. */
/** @type {{ [family: string]: string }} */
export const FAMILIES = {
  tictactoe: "Tic-tac-toe",
  mnk: "k in a row",
  connect4: "Connect Four",
  connect: "Connect k",
  nim: "Nim",
  chess: "Chess endings",
  morris: "Morris",
  pig: "Pig",
  piglet: "Piglet",
  einstein: "EinStein",
  hypergammon: "Hypergammon",
};

/**
 * Columns of a board whose moves are numbers of columns, written as one digit each; 0 for other games.
 * @param {string} spec
 */
export function digitColumns(spec) {
  const columns = /^connect(4)?(?::(\d+)x)?/.exec(spec);
  const count = columns ? Number(columns[2] ?? 7) : 0;
  return count <= 9 ? count : 0;
}
