// What is going on, in a headline and a line below it.

import { nameOf } from "./levels.js";
import { mean, meanText, plies } from "./verdict.js";

/** The strongest line on the screen. */
export function headline(app) {
  const { view, names, own } = app;
  if (!view) return "";
  if (app.over) return ended(app);
  if (app.state.view === "home" && !app.moves.length) return invitation(app);
  if (app.toMove === "chance") return app.state.view === "explore" ? "Chance: choose what is rolled" : own ? (app.turns.owner === own ? "Your roll" : `${names[app.turns.owner]} rolls`) : "The dice are rolled";
  const mover = names[app.toMove];
  if (!app.playing || app.humans === 2) return `${mover} to move`;
  if (app.mover === "human") return app.state.at === null ? "Your move" : "Your move, once more";
  return `${mover} to move`;
}

/** How the game ended, for whoever played it. */
function ended(app) {
  const { outcome } = app.view;
  const { names, own } = app;
  if (outcome === 0) return "A draw";
  const winner = outcome > 0 ? "first" : "second";
  const stakes = Math.abs(outcome) === 2 ? " a gammon" : Math.abs(outcome) === 3 ? " a backgammon" : "";
  if (own) return winner === own ? `You win${stakes}` : `You lost${stakes}`;
  return `${names[winner]} wins${stakes}`;
}

/** The truth about the game in one line. */
function invitation(app) {
  const { answer, view, names } = app;
  if (!answer) return view.exact === false ? "Nobody has solved this one. Play!" : app.failed ? "Your move" : "What is the truth about this game?";
  if (mean(answer) !== null) return answer.odds === null ? `Solved: ${names.first} can expect ${meanText(answer)}. Can you?` : `Solved: the first player wins ${meanText(answer)}. Can you?`;
  if (answer.value === "win") return "Solved: the first player wins. Can you?";
  if (answer.value === "loss") return "Solved: the second player wins. Be second?";
  if (answer.value === "draw") return "Solved: a draw. Can you hold it?";
  return "Nobody has solved this one. Play!";
}

/** One line more. */
export function subline(app) {
  const { view, answer, names, own } = app;
  if (!view) return "";
  if (app.over) return app.own ? `${names[own]} was you${view.outcome === 0 ? "" : view.outcome > 0 === (own === "first") ? ": well played" : ""}.` : "";
  if (app.state.view === "home" && !app.moves.length) {
    if (!answer || mean(answer) !== null || answer.value === "unknown") return "You begin. Click on the board.";
    const all = answer.best.length === view.scene.moves.length;
    const word = view.scene.layout === "drop" ? "column" : "";
    const how = answer.best.length === 1 ? ` with ${word ? `${word} ` : ""}${answer.best[0]} and with nothing else` : all ? " whatever you begin with" : ` with any of ${answer.best.length} moves`;
    return `${answer.distance ? `In ${plies(answer.distance)},` : "By force,"}${how}.`;
  }
  if (!app.playing) return "";
  if (app.toMove === "chance") return "";
  if (app.mover !== "human") return app.state.at === null ? nameOf(app.mover) : "An earlier position: Redo goes on, or play on from here.";
  return prompt(app);
}

/** What a person can do now. */
function prompt(app) {
  const { scene } = app.view;
  const turn = Number(scene.facts?.find(([name]) => name === "this turn")?.[1] ?? 0);
  if (scene.layout === "text" && scene.moves.some((gesture) => gesture.move === "hold")) {
    const bad = app.state.game.startsWith("piglet") ? "Tails" : "A 1";
    return turn > 0 ? `Roll again, or hold and keep ${turn}? ${bad} loses them.` : "Roll for points.";
  }
  if (scene.layout === "piles") return app.state.game.includes("normal") ? "Take matches from one pile. Who takes the last one wins." : "Take matches from one pile. Who takes the last one loses.";
  if (scene.layout === "drop") return "Choose a column.";
  if (app.face === "race") {
    if (scene.moves.length === 1 && !scene.moves[0].path.length) return "The dice leave you no move.";
    return app.toMove === "first" ? "Move towards 1 and off the board at the lower right." : "Move towards 24 and off the board at the upper right.";
  }
  if (app.face === "cubes") return app.toMove === "first" ? "Bring a cube to the dashed corner at the lower right, or take all of theirs." : "Bring a cube to the dashed corner at the upper left, or take all of theirs.";
  if (app.face === "points") return scene.moves.some((gesture) => scene.spots[gesture.path[0]]?.holder) ? "Move a man along a line." : "Put a man on any free point.";
  if (app.face === "chess") return `You are ${app.names[app.toMove]}.`;
  return app.own ? `You are ${app.names[app.own].toLowerCase()}.` : "";
}
