// @ts-check

// What is going on, in a headline and a line below it.

import { given } from "./given.js";
import { nameOf } from "./levels.js";
import { mean, meanText, plies } from "./verdict.js";

/**
 * The strongest line on the screen.
 * @param {App} app
 */
export function headline(app) {
  const { view, names, own } = app;
  if (!view) return "";
  if (app.over) return ended(app);
  if (app.state.view === "home" && !app.moves.length) return invitation(app);
  if (app.toMove === "chance")
    return app.state.view === "explore"
      ? "Chance: choose what is rolled"
      : own
        ? app.turns.owner === own
          ? "Your roll"
          : `${names[app.turns.owner]} rolls`
        : "The dice are rolled";
  const mover = names[given(app.toMove)];
  if (!app.playing || app.humans === 2) return `${mover} to move`;
  if (app.mover === "human") return app.state.at === null ? "Your move" : "Your move, once more";
  return `${mover} to move`;
}

/**
 * Who has won a game that is over; null if nobody has.
 * @param {App} app
 */
function winner(app) {
  const outcome = given(app.view?.outcome);
  return outcome === 0 ? null : outcome > 0 ? "first" : "second";
}

/**
 * How the game ended, for whoever played it.
 * @param {App} app
 */
function ended(app) {
  const outcome = given(app.view?.outcome);
  const { names, own } = app;
  const won = winner(app);
  if (!won) return "A draw";
  const stakes = Math.abs(outcome) === 2 ? " a gammon" : Math.abs(outcome) === 3 ? " a backgammon" : "";
  if (own) return won === own ? `You win${stakes}` : `You lost${stakes}`;
  return `${names[won]} wins${stakes}`;
}

/**
 * The truth about the game in one line.
 * @param {App} app
 */
function invitation(app) {
  const { answer, view, names } = app;
  if (!answer)
    return view?.exact === false
      ? "Nobody has solved this one. Play!"
      : app.failed
        ? "Your move"
        : "What is the truth about this game?";
  if (mean(answer) !== null)
    return answer.odds === null
      ? `Solved: ${names.first} can expect ${meanText(answer)}. Can you?`
      : `Solved: the first player wins ${meanText(answer)}. Can you?`;
  if (answer.value === "win") return "Solved: the first player wins. Can you?";
  if (answer.value === "loss") return "Solved: the second player wins. Be second?";
  if (answer.value === "draw") return "Solved: a draw. Can you hold it?";
  return "Nobody has solved this one. Play!";
}

/**
 * One line more.
 * @param {App} app
 */
export function subline(app) {
  const { view, answer, names, own } = app;
  if (!view) return "";
  if (app.over) return own ? `${names[own]} was you${winner(app) === own ? ": well played" : ""}.` : "";
  if (app.state.view === "home" && !app.moves.length) {
    if (!answer || mean(answer) !== null || answer.value === "unknown")
      return "You begin. Click on the board.";
    const all = answer.best.length === view.scene.moves.length;
    const word = view.scene.layout === "drop" ? "column" : "";
    const how =
      answer.best.length === 1
        ? ` with ${word ? `${word} ` : ""}${answer.best[0]} and with nothing else`
        : all
          ? " whatever you begin with"
          : ` with any of ${answer.best.length} moves`;
    return `${answer.distance ? `In ${plies(answer.distance)},` : "By force,"}${how}.`;
  }
  if (!app.playing) return "";
  if (app.toMove === "chance") return "";
  if (app.mover !== "human")
    return app.state.at === null
      ? nameOf(given(app.mover))
      : "An earlier position: Redo goes on, or play on from here.";
  return prompt(app);
}

/**
 * What a person can do now.
 * @param {App} app
 */
function prompt(app) {
  const { scene } = app;
  if (scene.prompt) return scene.prompt;
  if (scene.layout === "drop") return "Choose a column.";
  if (app.face === "race") {
    if (scene.moves.length === 1 && !scene.moves[0].path.length) return "The dice leave you no move.";
    return app.toMove === "first"
      ? "Move towards 1 and off the board at the lower right."
      : "Move towards 24 and off the board at the upper right.";
  }
  if (app.face === "cubes")
    return app.toMove === "first"
      ? "Bring a cube to the dashed corner at the lower right, or take all of theirs."
      : "Bring a cube to the dashed corner at the upper left, or take all of theirs.";
  if (app.face === "points")
    return scene.moves.some((gesture) => scene.spots[gesture.path[0]]?.holder)
      ? "Move a man along a line."
      : "Put a man on any free point.";
  if (app.face === "chess") return `You are ${app.names[given(app.toMove)]}.`;
  return app.own ? `You are ${app.names[app.own].toLowerCase()}.` : "";
}
