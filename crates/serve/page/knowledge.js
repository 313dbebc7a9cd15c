// @ts-check

// What is on disk: whether the game has a table, solving it with progress, and the picture of its statistics.

import * as api from "./api.js";
import { $, h, put, toast } from "./dom.js";
import { large } from "./gallery.js";

export class Knowledge {
  /** @type {App} */
  app;
  /** @type {Job | null} */
  job = null;

  constructor() {
    this.card = $("#knowledge");
    this.body = h("div", {});
    put(this.card, h("h2", {}, "Table"), this.body);
    this.game = "";
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const wanted = app.state.view === "explore" || app.state.view === "puzzle";
    this.card.hidden = !wanted || !app.view;
    if (this.card.hidden || this.game === app.state.game) return;
    this.game = app.state.game;
    this.look();
  }

  async look() {
    const { game } = this;
    try {
      const known = await api.knowledge(game);
      if (game !== this.game) return;
      if (known.statistics) this.found(game, known.statistics);
      else this.offer(known);
    } catch (error) {
      if (game === this.game) put(this.body, h("p", { class: "note" }, api.wordsOf(error)));
    }
  }

  /**
   * @param {string} game
   * @param {StatsReport} stats
   */
  found(game, stats) {
    /** @param {number} count */
    const n = (count) => count.toLocaleString("en");
    const { legal, win, draw, loss } = stats.positions;
    put(
      this.body,
      h(
        "p",
        { class: "note" },
        `${n(legal)} positions: ${n(win)} won, ${n(draw)} drawn, ${n(loss)} lost for the ` +
          `${stats.merged ? "player to move" : "first player"}.`,
      ),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          { type: "button", id: "statistics", onclick: () => this.app.go({ view: "statistics", extra: {} }) },
          "Statistics",
        ),
        h(
          "a",
          {
            class: "button",
            href: api.statsPicture(game),
            download: `${game.replace(/[^\w.-]+/g, "-")}-statistics.svg`,
          },
          "Download the picture",
        ),
      ),
    );
  }

  /**
   * Nothing that will not finish is offered.
   * @param {{ solvable: boolean, positions: string | null }} options
   */
  offer({ solvable, positions }) {
    const size = large(positions);
    if (this.job?.answer?.game === this.game) {
      const { table, nodes } = this.job.answer;
      put(
        this.body,
        h(
          "p",
          { class: "note" },
          table
            ? `${nodes.toLocaleString("en")} positions solved and kept in ` +
                `${(table.bytes / 1e6).toFixed(1)} MB.`
            : "Solved.",
        ),
      );
      return;
    }
    if (!solvable) {
      put(
        this.body,
        h(
          "p",
          { class: "note" },
          size
            ? `Up to ${size}: too many to solve all of them here.`
            : "Too many positions to solve all of them here.",
        ),
      );
      return;
    }
    const stay = h("input", { type: "checkbox", id: "solve-stays" });
    put(
      this.body,
      h(
        "p",
        { class: "note" },
        size
          ? `Up to ${size}. Solved once, every answer comes at once.`
          : "Solved once, every answer comes at once.",
      ),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          { type: "button", id: "solve", onclick: () => this.solve(stay.checked) },
          "Solve the whole game",
        ),
        h("label", { class: "flag" }, stay, "go on when I leave"),
      ),
    );
  }

  /** @param {boolean} stay */
  async solve(stay) {
    const { game } = this;
    try {
      const { id } = await api.solve(game, stay);
      await this.follow(game, id);
    } catch (error) {
      if (game === this.game) put(this.body, h("p", { class: "note wrong" }, api.wordsOf(error)));
    }
  }

  /**
   * Shows a solve as it goes on; leaving the page ends the stream, and a solve that does not stay with it.
   * @param {string} game
   * @param {number} id
   */
  async follow(game, id) {
    const bar = h("progress", { "aria-label": "Solving" });
    const words = h("p", { class: "note" }, "solving");
    put(
      this.body,
      words,
      bar,
      h(
        "p",
        { class: "actions" },
        h("button", { type: "button", onclick: () => api.cancel(id).catch(() => {}) }, "Cancel"),
      ),
    );
    const job = await new Promise((done, fail) => {
      api.jobStream(id, {
        progress: ({ stage, done: count = 0, total = 0 }) => {
          if (total > 0) {
            bar.max = total;
            bar.value = count;
          }
          words.textContent = stage || "solving";
        },
        done,
        fail,
      });
    });
    if (job.state === "failed") throw new api.ApiError(422, job.error, job.cure);
    if (job.state === "done") toast("Solved.");
    this.job = job.state === "done" ? job : null;
    if (game !== this.game) return;
    await this.look();
    this.app.answer = null;
    await this.app.refresh();
  }
}
