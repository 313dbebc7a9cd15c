// Whose ply is whose, without asking: the words of the moves tell rolls from plays, and the present player tells the rest.

/** Whether a word is what chance did. */
export function isRoll(game, word) {
  const family = game.split(/[:,]/)[0];
  if (family === "einstein") return /^\d$/.test(word);
  if (family === "hypergammon") return /^\d-\d$/.test(word);
  if (family === "pig" || family === "piglet") return /^\d+$|^heads$|^tails$/.test(word);
  return false;
}

export const hasDice = (game) => /^(einstein|hypergammon|pig|piglet)\b/.test(game);

/** What somebody did, after their name: "plays 4", "takes 2 of 5". */
export function spoken(game, word) {
  const taken = /^nim/.test(game) && /^(\d+)-(\d+)$/.exec(word);
  if (taken) return taken[1] === taken[2] ? `takes the pile of ${taken[1]}` : `takes ${taken[2]} of ${taken[1]}`;
  return `plays ${word}`;
}

const other = (side) => (side === "first" ? "second" : "first");

/**
 * Who made each move of a list: "first" or "second", for rolls the player they were for. `begins` is who moves before
 * the first of them.
 */
export function sides(game, moves, begins = "first") {
  const pig = /^pig/.test(game);
  let side = begins;
  return moves.map((word) => {
    const by = side;
    const roll = isRoll(game, word);
    if (pig ? word === "hold" || (roll && (word === "1" || word === "tails")) : !roll) side = other(side);
    return by;
  });
}

/** Who begins in a position of the game's notation, or at the start. */
export function beginner(game, position) {
  if (/ (B|b)\b/.test(` ${position}`) && /^(nim|pig|piglet|einstein|hypergammon|chess)/.test(game)) return "second";
  if (/turn=o/.test(game)) return "second";
  if (position && /^(tictactoe|mnk|connect4?|morris)/.test(game)) {
    if (game.startsWith("morris")) return / o /.test(position) ? "second" : "first";
    const count = (mark) => position.split(mark).length - 1;
    return count("x") > count("o") ? "second" : "first";
  }
  return "first";
}
