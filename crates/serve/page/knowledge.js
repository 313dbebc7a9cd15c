// @ts-check

// Table card: statistics of a solved game, or a button that solves it with progress.

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
        `${n(legal)} positions: ${n(win)} won, ${n(draw)} drawn, ${n(loss)} lost for ` +
          `${stats.merged ? "the player to move" : this.app.names.first}.`,
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
          "Download as a picture",
        ),
      ),
    );
  }

  /**
   * Offers to solve the game only if the solve is feasible.
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
            ? `${nodes.toLocaleString("en")} positions solved; the table takes ` +
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
            ? `Up to ${size}: too many to solve completely here.`
            : "Too many positions to solve completely here.",
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
          ? `Up to ${size}. Once the game is solved, every answer is instant.`
          : "Once the game is solved, every answer is instant.",
      ),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          { type: "button", id: "solve", onclick: () => this.solve(stay.checked) },
          "Solve the whole game",
        ),
        h("label", { class: "flag" }, stay, "keep solving after I leave"),
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
   * Shows the progress of a solve. Leaving the page closes the stream, which cancels a solve without `stay`.
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
