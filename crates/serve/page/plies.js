// @ts-check

// Plies of the current game as described by the server: the player who moved, and whether it was a roll.

/**
 * The known plies of a game. `view` describes the moves of `listed`; it also has the side to move, so a move
 * made right after the position of the view is known too.
 * @param {View | null} view
 * @param {string[]} listed
 * @param {string[]} moves
 * @returns {Ply[]} one for each of the moves, or for the first of them
 */
export function knownPlies(view, listed, moves) {
  if (!view) return [];
  const { plies, at } = view;
  const parting = moves.findIndex((move, i) => move !== listed[i]);
  if (parting < 0) return plies.slice(0, moves.length);
  if (parting < at) return plies.slice(0, parting);
  const made = { move: moves[at], by: view.turn_of, chance: view.to_move === "chance" };
  return parting === at ? [...plies.slice(0, at), made] : plies.slice(0, parting);
}

/**
 * A report of a move: "Yellow takes 2 of 5." or, to the player who made it, "You roll 1 and lose 7."
 * @param {string} who
 * @param {string | undefined} said in the third person; undefined for moves without a report
 */
export function report(who, said) {
  if (!said) return "";
  // Verbs come first and after "and".
  const words = who === "You" ? said.replace(/(^|\band )([a-z]+)s\b/g, "$1$2") : said;
  return `${who} ${words}.`;
}
