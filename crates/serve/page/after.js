// @ts-check

// Summary card after a game: turning point, accuracy, and buttons for a rematch or a retry.

import { $, h, put } from "./dom.js";
import { given } from "./given.js";

export class After {
  /** @type {App} */
  app;
  key = "";

  /** @param {ValueHistory} history */
  constructor(history) {
    this.card = $("#after");
    this.history = history;
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const shown = Boolean(app.playing && app.over && app.state.at === null && app.state.moves.length);
    this.card.hidden = !shown;
    if (!shown) return;
    const { history } = this;
    const key = [app.shown, history.settled, history.failed].join("|");
    if (key === this.key) return;
    this.key = key;
    const told = history.settled
      ? this.story()
      : history.failed
        ? ["The values of this game could not be computed."]
        : ["Looking for the turning point …"];
    const own = history.settled ? this.own() : [];
    put(
      this.card,
      h("h2", {}, "After the game"),
      told.map((words) => h("p", {}, words)),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          { type: "button", class: "main", id: "rematch", onclick: () => app.again(false) },
          "Rematch",
        ),
        app.own &&
          h(
            "button",
            { type: "button", id: "rematch-swapped", onclick: () => this.swapped() },
            "Rematch, other side",
          ),
        own.length > 0 &&
          h(
            "button",
            { type: "button", id: "retry-own", onclick: () => app.go({ view: "retry", at: own[0] }) },
            own.length === 1 ? "Retry your mistake" : `Retry your ${own.length} mistakes`,
          ),
      ),
    );
  }

  swapped() {
    const { first, second } = this.app.state;
    this.app.turns.clear();
    return this.app.go({ first: second, second: first, position: "", moves: [], at: null, view: "play" });
  }

  /** Mistakes by human players: move indices, counted from 0. */
  own() {
    const { app, history } = this;
    return history.mistakes.filter((i) => app.state[history.mistakeAt(i).by] === "human");
  }

  /** Sentences about the turning point and the accuracy of each human player. */
  story() {
    const { app, history } = this;
    const { plies } = history;
    const outcome = given(app.view?.outcome);
    const known =
      plies.some((ply) => ply && ply.value !== "unknown") ||
      plies.some((ply) => typeof ply?.own === "number");
    if (!known) return ["The values of this game are not known."];
    const words = [];
    const result = Math.sign(outcome);
    /** @param {Side} side */
    const name = (side) => (app.own === side ? "you" : app.names[side]);
    const loser = result > 0 ? "second" : "first";
    const turning =
      result === 0
        ? history.mistakes.findLast((i) => history.mistakeAt(i).from === "win")
        : history.mistakes.findLast((i) => {
            const { by, from, to } = history.mistakeAt(i);
            return by === loser && to === "loss" && from !== "loss";
          });
    /** @param {number} i */
    const number = (i) => `move ${app.number(i)} (${app.written[i]})`;
    if (turning !== undefined) {
      const { by, from, to } = history.mistakeAt(turning);
      const verb = app.own === by ? "you turned" : `${app.names[by]} turned`;
      words.push(
        `${begin(app, result)} The turning point was ${number(turning)}: ${verb} a ${from} into a ${to}.`,
      );
    } else if (result === 0) words.push("A draw from start to finish: neither side missed a win.");
    else if (typeof plies[0]?.own === "number") words.push(`${begin(app, result)} ${this.luck()}`);
    else
      words.push(`${begin(app, result)} ${cap(name(loser))} never had a chance: the start was already lost.`);
    for (const side of /** @type {Side[]} */ (["first", "second"]))
      if (app.state[side] === "human") words.push(this.accuracy(side));
    return words.filter(Boolean);
  }

  /** The costliest decision in a game with dice. */
  luck() {
    const { history, app } = this;
    const worst = history.mistakes
      .filter((i) => app.own === null || history.mistakeAt(i).by === app.own)
      .sort((a, b) => history.mistakeAt(b).loss - history.mistakeAt(a).loss)[0];
    if (worst === undefined) return "The dice decided.";
    const { by, loss } = history.mistakeAt(worst);
    return (
      `The costliest decision was move ${app.number(worst)} (${app.state.moves[worst]}): it cost ` +
      `${app.own === by ? "you" : app.names[by]} ${loss.toFixed(3)} in expected value.`
    );
  }

  /** @param {Side} side */
  accuracy(side) {
    const { app, history } = this;
    const { plies } = history;
    const own = app.state.moves.flatMap((_, i) => (plies[i]?.to_move === side ? [i] : []));
    if (!own.length) return "";
    const kept = own.filter((i) => !plies[i + 1]?.mistake).length;
    const who = app.own === side ? "Your accuracy" : `${app.names[side]}’s accuracy`;
    const percent = Math.round((100 * kept) / own.length);
    return `${who}: ${percent} %. ${kept} of ${own.length} moves kept the value.`;
  }
}

/** @param {string} word */
const cap = (word) => word[0].toUpperCase() + word.slice(1);

/**
 * @param {App} app
 * @param {number} result
 */
function begin(app, result) {
  if (app.own)
    return result === 0 ? "A draw." : result > 0 === (app.own === "first") ? "You won." : "You lost.";
  return result === 0 ? "A draw." : `${app.names[result > 0 ? "first" : "second"]} won.`;
}
