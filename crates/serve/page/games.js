// @ts-check

// Game names and samples used by the page. Data only; rules and abilities come from the server.

/** The game of an address without parameters. */
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
  mnk: ["mnk:4x4,k=3", "Three in a row on a larger board: the first player wins quickly. Try it."],
  connect4: ["connect4:5x4", "Click a column to drop a stone. Four in a row wins."],
  connect: ["connect:4x4,k=3", "Click a column to drop a stone. Three in a row wins here."],
  nim: ["nim:1+2+3", "Click a match to take it and all those above it. Do not take the last one."],
  chess: [
    "chess:KQK",
    "Checkmate the black king. Click a piece, then its destination.",
    "8/8/8/4k3/8/8/8/KQ6 w - - 0 1",
  ],
  morris: ["morris:three,lines=8", "Each player places three men, then moves them. Three in a line wins."],
  pig: ["pig:20", "Roll, and hold before you roll a 1."],
  piglet: ["piglet:5", "Toss, and hold before you get tails."],
  einstein: ["einstein:3x3", "The die decides which cube may move. Reach the far corner."],
  hypergammon: ["hypergammon", "Roll two dice and bring your three checkers home."],
};

/** Display names of the families. */
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
 * The number of columns if moves are column numbers of one digit each; 0 for other games.
 * @param {string} spec
 */
export function digitColumns(spec) {
  const columns = /^connect(4)?(?::(\d+)x)?/.exec(spec);
  const count = columns ? Number(columns[2] ?? 7) : 0;
  return count <= 9 ? count : 0;
}
