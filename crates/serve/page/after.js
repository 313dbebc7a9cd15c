// @ts-check

// Summary card after a game: turning point, accuracy, and buttons for a rematch or a retry.

import { $, h, put } from "./dom.js";
import { given } from "./given.js";
import { story } from "./review.js";

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
    const { state, own, names } = app;
    return story(given(history.review), {
      own,
      names,
      moves: app.written,
      number: (i) => app.number(i),
      result: Math.sign(given(app.view?.outcome)),
      dice: Boolean(app.view?.chance),
      humans: /** @type {Side[]} */ (["first", "second"]).filter((side) => state[side] === "human"),
    });
  }
}
