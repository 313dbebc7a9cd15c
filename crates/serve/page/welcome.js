// @ts-check

// Welcome card of the first screen: what the site is, buttons that start a game, and the legend of the
// values.

import { $, h, put } from "./dom.js";
import { legend } from "./legend.js";
import { nameOf } from "./levels.js";
import { sideName } from "./status.js";

export class Welcome {
  /** @type {App} */
  app;
  key = "";

  constructor() {
    this.card = $("#welcome");
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const { view, state } = app;
    this.card.hidden = !view || state.view !== "home" || app.moves.length > 0;
    if (!view || this.card.hidden) return;
    const level = [state.second, state.first].find((player) => player && player !== "human") ?? "";
    const answer = app.answer;
    const key = [state.game, level, Boolean(answer), app.names.first].join("|");
    if (key === this.key) return;
    this.key = key;
    /**
     * @param {Side} side
     * @param {string} kind
     */
    const play = (side, kind) =>
      h(
        "button",
        { type: "button", class: kind, id: `play-${side}`, onclick: () => this.begin(side) },
        `Play ${sideName(app, side)}`,
      );
    put(
      this.card,
      h("p", { class: "tagline" }, "Board games, solved. Play them, and see what every move is worth."),
      h("p", { class: "play-buttons" }, play("first", "main"), play("second", "")),
      level && h("p", { class: "note" }, `Your opponent is ${nameOf(level)}. Change the level below.`),
      h("h2", {}, "The numbers on the board"),
      legend(
        // Until the values arrive, the usual ones of such a board.
        answer?.moves ?? [{ move: "", value: "draw", score: view.scene.layout === "drop" ? 0 : null }],
        { mover: app.names.first, other: app.names.second },
      ),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          { type: "button", class: "quiet", onclick: () => app.go({ view: "explore", values: null }) },
          "See every move’s value",
        ),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            onclick: () => app.go({ view: "rules", extra: { of: state.game.split(/[:,]/)[0] } }),
          },
          "Rules",
        ),
      ),
    );
  }

  /**
   * Starts a game as one of the sides against the computer.
   * @param {Side} side
   */
  async begin(side) {
    await this.app.begin(side);
    this.app.board.enter();
  }
}
