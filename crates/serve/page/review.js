// @ts-check

// Sentences of the review of a game: the turning point, and the accuracy of each human player. Values that
// are not known are said to be unknown.

/**
 * The sentences about a finished game.
 * @param {GameReview} review
 * @param {ReviewedGame} game
 */
export function story(review, game) {
  const { result } = game;
  const { turning_point: turning, unknown } = review;
  const words = [];
  if (turning && game.dice) words.push(`${begin(game)} ${costliest(turning, game)}`);
  else if (turning) {
    const { by, from, to, certain } = turning;
    const which = certain ? "The turning point" : "The last known mistake";
    words.push(
      `${begin(game)} ${which} was ${move(turning, game)}: ` +
        `${name(by, game)} turned a ${from} into a ${to}.`,
    );
  } else if (unknown > 0)
    words.push(
      `${begin(game)} The turning point is not known: ${unknown} of the game’s ` +
        `${game.moves.length + 1} positions have no known value.`,
    );
  else if (game.dice) words.push(`${begin(game)} The dice decided.`);
  else if (result === 0) words.push("A draw from start to finish: neither side missed a win.");
  else {
    const loser = name(result > 0 ? "second" : "first", game);
    words.push(`${begin(game)} ${cap(loser)} never had a chance: the start was already lost.`);
  }
  for (const side of /** @type {Side[]} */ (["first", "second"]))
    if (game.humans.includes(side)) words.push(accuracy(review.accuracy[side], side, game));
  return words.filter(Boolean);
}

/**
 * The costliest decision in a game with dice.
 * @param {TurningPoint} turning
 * @param {ReviewedGame} game
 */
function costliest(turning, game) {
  const known = turning.certain ? "costliest decision" : "costliest decision that is known";
  const cost = `it cost ${name(turning.by, game)} ${turning.loss.toFixed(3)} in expected value.`;
  return `The ${known} was ${move(turning, game)}: ${cost}`;
}

/**
 * How many of a player's moves kept the value, of those that could be judged.
 * @param {JudgedMoves} judged
 * @param {Side} side
 * @param {ReviewedGame} game
 */
export function accuracy(judged, side, game) {
  const { moves, unjudged, kept, accuracy: share } = judged;
  if (!moves) return "";
  const who = game.own === side ? "Your accuracy" : `${game.names[side]}’s accuracy`;
  if (share === null) {
    const none = moves === 1 ? "the only move could not" : `none of the ${moves} moves could`;
    return `${who} is not known: ${none} be judged.`;
  }
  const percent = Math.round(100 * share);
  if (!unjudged) return `${who}: ${percent} %. ${kept} of ${moves} moves kept the value.`;
  const others = unjudged === 1 ? "1 other move was" : `${unjudged} other moves were`;
  return (
    `${who}: ${percent} %. ${kept} of ${judged.judged} judged moves kept the value; ` +
    `${others} not judged, because values are not known.`
  );
}

/**
 * The sentence about mistakes below the value history.
 * @param {GameReview} review
 * @param {number} positions
 */
export const flawless = ({ unknown }, positions) =>
  unknown > 0
    ? `No known mistakes; ${unknown} of ${positions} positions have no known value.`
    : "No mistakes.";

/**
 * @param {TurningPoint} turning
 * @param {ReviewedGame} game
 */
const move = ({ ply }, { moves, number }) => `move ${number(ply - 1)} (${moves[ply - 1]})`;

/**
 * @param {Side} side
 * @param {ReviewedGame} game
 */
const name = (side, { own, names }) => (own === side ? "you" : names[side]);

/** @param {string} word */
const cap = (word) => word[0].toUpperCase() + word.slice(1);

/** @param {ReviewedGame} game */
function begin({ own, names, result }) {
  if (result === 0) return "A draw.";
  const winner = result > 0 ? "first" : "second";
  if (own) return winner === own ? "You won." : "You lost.";
  return `${names[winner]} won.`;
}
