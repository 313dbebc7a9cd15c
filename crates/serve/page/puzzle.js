// Learning: "find the only winning move" from tables, and one's own mistakes once more.
//
// Both set `app.challenge`, which the board asks instead of playing on.

import * as api from "./api.js";
import { $, announce, h, put } from "./dom.js";
import { symbol } from "./symbol.js";
import { long, mean, plies, seen } from "./verdict.js";

export class Puzzle {
  constructor(history) {
    this.card = $("#puzzle");
    this.history = history;
    this.streak = 0;
  }

  /** Before the board is drawn: fetch the puzzle that the address names. */
  async prepare(app, signal) {
    this.app = app;
    app.next = () => this.next();
    if (app.state.view === "puzzle") {
      await this.fetch(app, signal);
      app.challenge = (gesture) => this.answer(gesture);
    } else if (app.state.view === "retry") {
      const key = write(app);
      if (this.retryKey !== key) {
        this.retryKey = key;
        app.retried = null;
      }
      app.challenge = (gesture) => this.retry(gesture);
    }
  }

  async fetch(app, signal) {
    if (app.state.seed === "") {
      app.state.seed = String(Math.floor(Math.random() * 1e6));
      const params = new URLSearchParams(location.search);
      params.set("seed", app.state.seed);
      history.replaceState(null, "", `?${params}`);
    }
    const key = `${app.state.game}|${app.state.seed}`;
    if (this.key === key && app.puzzle) return;
    this.key = key;
    this.failed = "";
    app.puzzle = null;
    this.card.hidden = false;
    this.drawPuzzle(app);
    $("#status").textContent = "Looking for a puzzle …";
    try {
      const puzzle = await api.puzzle(app.state.game, app.state.seed, signal);
      if (signal.aborted) {
        this.key = "";
        return;
      }
      app.puzzle = { ...puzzle, tried: [], solved: false, words: "" };
    } catch (error) {
      if (error.name === "AbortError") {
        this.key = "";
        return;
      }
      app.puzzle = null;
      this.failed = error.words ?? error.message;
    }
  }

  next() {
    this.key = "";
    this.app.puzzle = null;
    return this.app.go({ seed: String(Math.floor(Math.random() * 1e6)), view: "puzzle", moves: [], at: null, position: "" });
  }

  async answer(gesture) {
    const { app } = this;
    const { puzzle } = app;
    const right = gesture.move === puzzle.solution;
    if (right) {
      puzzle.solved = true;
      this.streak += 1;
      puzzle.words = "Right.";
    } else {
      this.streak = 0;
      puzzle.words = `${gesture.move} is not it; try again.`;
    }
    announce(puzzle.words);
    await app.refresh();
    if (right) this.card.querySelector("button.main")?.focus();
    else await this.explain(puzzle, gesture.move);
  }

  /** Says what a wrong move would be worth, once that is known. */
  async explain(puzzle, mv) {
    try {
      const { moves } = await api.position(this.app.place, this.app.asking.signal);
      const tried = moves.find((move) => move.move === mv);
      if (!tried || puzzle.solved || this.app.puzzle !== puzzle || !puzzle.words.startsWith(mv)) return;
      const value = seen(tried, puzzle.to_move);
      const later = puzzle.kind === "soonest" && value.value === "win";
      puzzle.words = later ? `${mv} is not it: it wins too, but takes ${plies(value.distance)}.` : `${mv} is not it: ${long(value)}.`;
      this.drawPuzzle(this.app);
    } catch (error) {
      if (error.name !== "AbortError" && !(error instanceof api.ApiError)) throw error;
    }
  }

  /** Shows the solution as what it is: values on the board. */
  give() {
    this.app.puzzle.solved = true;
    this.app.puzzle.words = `It is ${this.app.puzzle.solution}.`;
    this.streak = 0;
    return this.app.refresh();
  }

  async retry(gesture) {
    const { app } = this;
    const played = app.state.moves[app.state.at];
    try {
      const answer = await app.know(app.asking.signal);
      const best = answer.moves.find((move) => answer.best.includes(move.move));
      const tried = answer.moves.find((move) => move.move === gesture.move);
      const keeps = tried && best && tried.value === best.value && (mean(tried) === null || mean(tried) >= mean(best) - 1e-9);
      const verdict = keeps ? { right: true, words: `${gesture.move} is right: ${long(tried)}.` }
        : { right: false, words: `${gesture.move} is not better: ${tried ? long(tried) : "no value"}.` };
      if (gesture.move === played) verdict.words = `${gesture.move} is what you played; look for something else.`;
      this.tryWords = verdict.words;
      if (verdict.right) app.retried = verdict;
      announce(verdict.words);
      await app.refresh();
    } catch (error) {
      if (error.name !== "AbortError") app.complain(error);
    }
  }

  draw(app) {
    const { view } = app.state;
    this.card.hidden = view !== "puzzle" && view !== "retry";
    if (view === "puzzle") this.drawPuzzle(app);
    if (view === "retry") this.drawRetry(app);
  }

  drawPuzzle(app) {
    const { puzzle } = app;
    if (!puzzle) {
      put(this.card, h("h2", {}, "Puzzles"), h("p", { class: "note" }, this.failed || "Looking for a puzzle …"),
        this.failed && h("p", { class: "note" }, "Choose a smaller game, or solve this one under Table."));
      return;
    }
    put(this.card, h("h2", {}, symbol(puzzle.value ?? "unknown"), puzzle.task),
      h("p", {}, `There are ${puzzle.choices} moves to choose from.`),
      h("p", { class: puzzle.solved ? "right" : "wrong", role: "status" }, puzzle.words || "\u00a0"),
      h("p", { class: "actions" },
        h("button", { type: "button", class: puzzle.solved ? "main" : "", onclick: () => this.next() }, "Next puzzle"),
        !puzzle.solved && h("button", { type: "button", onclick: () => this.give() }, "Show the move"),
        puzzle.solved && h("button", { type: "button", onclick: () => app.go({ view: "explore", position: puzzle.position, moves: [], at: null }) }, "Explore it")),
      this.streak > 1 && h("p", { class: "note" }, `${this.streak} in a row`));
  }

  drawRetry(app) {
    const { state } = app;
    const mistakes = this.history.mistakes;
    const rest = mistakes.filter((ply) => ply > state.at);
    const after = rest[0];
    put(this.card, h("h2", {}, "Retry your mistake"),
      h("p", {}, `At move ${state.at + 1} you played `, h("code", {}, state.moves[state.at] ?? ""), ". Find a better one."),
      h("p", { class: app.retried ? "right" : "wrong", role: "status" }, this.tryWords || "\u00a0"),
      h("p", { class: "actions" },
        after !== undefined && h("button", { type: "button", class: app.retried ? "main" : "", onclick: () => this.step(after) }, "Next mistake"),
        !app.retried && h("button", { type: "button", onclick: () => this.reveal() }, "Show the move"),
        h("button", { type: "button", onclick: () => app.go({ view: "explore" }) }, "Explore the game")));
  }

  step(ply) {
    this.tryWords = "";
    this.app.retried = null;
    return this.app.go({ at: ply });
  }

  reveal() {
    this.app.retried = { right: false };
    this.tryWords = "The best moves have a ring.";
    return this.app.refresh();
  }
}

const write = (app) => `${app.state.game}|${app.state.moves.join()}|${app.state.at}`;
