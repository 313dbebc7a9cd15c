// @ts-check

// Status texts of the game: the headline and the line below it.

import { given } from "./given.js";
import { nameOf } from "./levels.js";
import { inSentence } from "./scene.js";
import { mean, meanText, plies } from "./verdict.js";

/**
 * The headline of the screen.
 * @param {App} app
 */
export function headline(app) {
  const { view, names, own } = app;
  if (!view) return "";
  if (app.over) return ended(app);
  if (app.state.view === "home" && !app.moves.length) return invitation(app);
  if (app.toMove === "chance")
    return app.state.view === "explore"
      ? "Choose the roll"
      : own
        ? app.turns.owner === own
          ? "Your roll"
          : `${names[app.turns.owner]} rolls`
        : "Rolling the dice";
  const mover = names[given(app.toMove)];
  if (!app.playing || app.humans === 2) return `${mover} to move`;
  if (app.mover === "human") return app.state.at === null ? "Your move" : "Your move again";
  return `${mover} to move`;
}

/**
 * The winner of a finished game; null for a draw.
 * @param {App} app
 */
function winner(app) {
  const outcome = given(app.view?.outcome);
  return outcome === 0 ? null : outcome > 0 ? "first" : "second";
}

/**
 * The result of a finished game, addressed to the human player if there is only one.
 * @param {App} app
 */
function ended(app) {
  const outcome = given(app.view?.outcome);
  const { names, own } = app;
  const won = winner(app);
  if (!won) return "A draw";
  const stakes = Math.abs(outcome) === 2 ? " a gammon" : Math.abs(outcome) === 3 ? " a backgammon" : "";
  if (own) return won === own ? `You win${stakes}` : `You lose${stakes}`;
  return `${names[won]} wins${stakes}`;
}

/**
 * The value of the game in one line, for the first screen.
 * @param {App} app
 */
function invitation(app) {
  const { answer, view, names } = app;
  if (!answer)
    return view?.exact === false
      ? "This game is unsolved. Play!"
      : app.failed
        ? "Your move"
        : "Who wins with perfect play?";
  if (mean(answer) !== null)
    return answer.odds === null
      ? `Solved: ${names.first} can expect ${meanText(answer)}. Can you get it?`
      : `Solved: ${names.first} wins ${meanText(answer)} of games. Can you?`;
  if (answer.value === "win") return `Solved: ${names.first} wins. Can you?`;
  if (answer.value === "loss") return `Solved: ${names.second} wins. Can you hold out?`;
  if (answer.value === "draw") return "Solved: a draw. Can you hold it?";
  return "This game is unsolved. Play!";
}

/**
 * The line below the headline.
 * @param {App} app
 */
export function subline(app) {
  const { view, answer, own } = app;
  if (!view) return "";
  if (app.over)
    return own ? `You played ${sideName(app, own)}.${winner(app) === own ? " Well done!" : ""}` : "";
  if (app.state.view === "home" && !app.moves.length) {
    if (!answer || mean(answer) !== null || answer.value === "unknown")
      return `You are ${sideName(app, "first")} and go first.`;
    const all = answer.best.length === view.scene.moves.length;
    const word = view.scene.layout === "drop" ? "column" : "";
    const how =
      answer.best.length === 1
        ? ` but only by starting with ${word ? `${word} ` : ""}${answer.best[0]}`
        : all
          ? " whatever your first move is"
          : ` with any of ${answer.best.length} first moves`;
    return `${answer.distance ? `In ${plies(answer.distance)},` : "By force,"}${how}.`;
  }
  if (!app.playing) return "";
  if (app.toMove === "chance") return "";
  if (app.mover !== "human")
    return app.state.at === null
      ? nameOf(given(app.mover))
      : "This is an earlier position. Press Redo, or continue from here.";
  return prompt(app);
}

/**
 * A prompt for the human player.
 * @param {App} app
 */
function prompt(app) {
  const { scene } = app;
  if (scene.prompt) return scene.prompt;
  if (scene.layout === "drop") return "Choose a column.";
  if (app.face === "race") {
    if (scene.moves.length === 1 && !scene.moves[0].path.length)
      return "You have no legal move with this roll.";
    return app.toMove === "first"
      ? "Move towards 1, then bear off at the lower right."
      : "Move towards 24, then bear off at the upper right.";
  }
  if (app.face === "cubes")
    return app.toMove === "first"
      ? "Reach the dashed corner at the lower right, or capture all opposing cubes."
      : "Reach the dashed corner at the upper left, or capture all opposing cubes.";
  if (app.face === "points")
    return scene.moves.some((gesture) => scene.spots[gesture.path[0]]?.holder)
      ? "Move a man along a line."
      : "Place a man on any free point.";
  if (app.face === "chess") return `You play ${app.names[given(app.toMove)]}.`;
  return app.own ? `You play ${sideName(app, app.own)}.` : "";
}

/**
 * The name of a side within a sentence; those of chess keep their capitals.
 * @param {App} app
 * @param {Side} side
 */
export const sideName = (app, side) => (app.face === "chess" ? app.names[side] : inSentence(app.names[side]));
