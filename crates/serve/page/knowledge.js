// What is on disk: whether the game has a table, solving it with progress, and the picture of its statistics.

import * as api from "./api.js";
import { $, h, put, toast } from "./dom.js";

const LOOK = 700;

export class Knowledge {
  constructor() {
    this.card = $("#knowledge");
    this.body = h("div", {});
    put(this.card, h("h2", {}, "Table"), this.body);
    this.game = "";
  }

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
      const stats = await api.stats(game);
      if (game === this.game) this.found(game, stats);
    } catch (error) {
      if (game !== this.game) return;
      // Statistics count wins and losses, which games with dice do not have.
      const words = error.status === 404 ? "Every position of a small game can be solved and kept."
        : error.status === 422 ? "The chances of every position can be worked out and kept, so that answers come at once." : (error.words ?? error.message);
      this.offer(words);
    }
  }

  found(game, stats) {
    const n = (count) => count.toLocaleString("en");
    const { legal, win, draw, loss } = stats.positions;
    put(this.body, h("p", { class: "note" }, `${n(legal)} positions: ${n(win)} won, ${n(draw)} drawn, ${n(loss)} lost for the ${stats.merged ? "player to move" : "first player"}.`),
      h("p", { class: "actions" }, h("a", { class: "button", href: api.statsPicture(game), download: `${game.replace(/[^\w.-]+/g, "-")}-statistics.svg` }, "Download the picture")));
  }

  offer(words) {
    if (this.job?.answer?.game === this.game) {
      const { table, nodes } = this.job.answer;
      const kept = table ? `${nodes.toLocaleString("en")} positions solved and kept in ${(table.bytes / 1e6).toFixed(1)} MB.` : "Solved.";
      put(this.body, h("p", { class: "note" }, kept));
      return;
    }
    put(this.body, h("p", { class: "note" }, words), h("p", { class: "actions" }, h("button", { type: "button", id: "solve", onclick: () => this.solve() }, "Solve the whole game")));
  }

  async solve() {
    const { game } = this;
    try {
      const { id } = await api.solve(game);
      await this.follow(game, id);
    } catch (error) {
      if (game === this.game) this.offer(error.words ?? error.message);
    }
  }

  async follow(game, id) {
    const bar = h("progress", { "aria-label": "Solving" });
    const words = h("p", { class: "note" }, "solving");
    put(this.body, words, bar, h("p", { class: "actions" }, h("button", { type: "button", onclick: () => api.cancel(id).catch(() => {}) }, "Cancel")));
    for (;;) {
      const job = await api.job(id);
      if (job.total > 0) {
        bar.max = job.total;
        bar.value = job.done;
      }
      words.textContent = job.stage || "solving";
      if (job.state !== "running" && job.state !== "stopping") {
        if (job.state === "failed") throw new api.ApiError(422, job.error, job.cure);
        if (job.state === "done") toast(`${game} is solved`);
        this.job = job.state === "done" ? job : null;
        break;
      }
      await new Promise((done) => setTimeout(done, LOOK));
    }
    if (game !== this.game) return;
    await this.look();
    this.app.answer = null;
    await this.app.refresh();
  }
}
