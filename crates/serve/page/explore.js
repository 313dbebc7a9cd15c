// @ts-check

// Analysis card: verdict, source of the value, all moves with their values, best line, and explanation.

import * as api from "./api.js";
import { $, announce, h, put, toast } from "./dom.js";
import { given } from "./given.js";
import { legend } from "./legend.js";
import { spoken, trail } from "./scene.js";
import { symbol } from "./symbol.js";
import { about, compare, long, mean, meanText, sentence, source } from "./verdict.js";

/** Moves that a phone shows initially; style.css hides the others. */
const MANY = 8;
/** A chess move by its squares. */
const SQUARES = /\b[a-h][1-8][a-h][1-8][qrbn]?\b/g;
/** Most rows in the list; the summary counts the rest. */
const ROWS = 60;

/**
 * A row of the list.
 * @typedef {ReturnType<Explore["row"]>} Row
 */

export class Explore {
  /** @type {App} */
  app;
  /** @type {Map<string, Row>} */
  rows = new Map();

  constructor() {
    this.card = $("#verdict");
    this.list = h("ol", { class: "moves", "aria-label": "Moves with their values" });
    this.headline = h("h2", { class: "headline" });
    this.how = h("p", { class: "note" });
    this.summary = h("p", { class: "summary" });
    this.line = h("p", { class: "line" });
    this.reason = h("ul", { class: "reason-words", hidden: true });
    this.more = h("button", {
      type: "button",
      class: "quiet more-moves",
      hidden: true,
      onclick: () => this.showAll(),
    });
    this.whyButton = h(
      "button",
      { type: "button", class: "quiet", title: "Why (w)", onclick: () => this.why() },
      "Why?",
    );
    /**
     * @param {string} view
     * @param {string} words
     * @param {string} title
     */
    const deeper = (view, words, title) =>
      h(
        "button",
        {
          type: "button",
          class: "quiet",
          title,
          "data-deeper": view,
          onclick: () => this.app.go({ view, extra: view === "proof" ? { of: this.app.state.game } : {} }),
        },
        words,
      );
    this.provable = deeper("proof", "Proof", "Play against the proof");
    this.meaning = h("details", { class: "meaning" });
    this.deeper = h(
      "p",
      { class: "actions" },
      deeper("rules", "Rules", "The rules of this game"),
      deeper("tree", "Tree", "The search tree of this position"),
      this.provable,
    );
    this.order = "";
    this.explained = "";
    put(
      this.card,
      h("div", { class: "head-row" }, this.headline, this.whyButton),
      this.how,
      this.reason,
      this.summary,
      this.list,
      this.more,
      this.line,
      this.meaning,
      this.deeper,
    );
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const { view, answer, found } = app;
    // The first screen has the verdict in its headline and the values on the board.
    this.card.hidden = !view || !app.valuesShown || app.state.view === "home";
    if (!view || this.card.hidden) return;
    if (app.over) {
      put(this.headline, $("#status").textContent);
      this.how.textContent = "The game is over.";
    } else if (answer) {
      put(
        this.headline,
        mean(answer) === null ? symbol(answer.value) : null,
        sentence(answer, app.toMove, app.names),
      );
      this.how.textContent = source(answer);
    } else if (app.failed) {
      put(this.headline, "No value");
      this.how.textContent = app.failed;
    } else if (app.values.proven) {
      const { proven } = app.values;
      put(this.headline, symbol(proven.value), sentence({ odds: null, ...proven }, app.toMove, app.names));
      this.how.textContent = "proved; the search for the values of all moves is still running";
    } else if (app.values.guesses.length) {
      const [guess] = app.values.guesses;
      put(
        this.headline,
        sentence({ value: "unknown", opinion: found.get(guess)?.opinion }, app.toMove, app.names),
      );
      this.how.textContent = "estimate; the search is still running";
    } else {
      const { done = 0, total = 0, stage } = app.progress ?? {};
      put(this.headline, h("span", { class: "pulse" }, "Searching"));
      const counted =
        total > 0
          ? `${Math.floor((100 * done) / total)} %`
          : done > 0
            ? `${done.toLocaleString("en")} positions`
            : "";
      this.how.textContent = [
        stage ?? "starting",
        counted,
        view.exact === false
          ? "probably too large for an exact answer"
          : `at most ${Math.round(view.seconds)} s`,
      ]
        .filter(Boolean)
        .join(" · ");
    }
    this.whyButton.hidden = !answer || app.over || answer.value === "unknown";
    this.whyButton.setAttribute("aria-pressed", String(Boolean(app.reasons)));
    this.reason.hidden = !app.reasons;
    if (app.reasons)
      put(
        this.reason,
        app.reasons.words.map((words) => h("li", {}, words)),
      );
    // A proof is offered where one is expected, and where the value is known.
    const known = answer ? answer.value !== "unknown" : app.values.proven;
    this.provable.hidden = app.over || !view.provable || !(view.proof_expected || known);
    this.drawMoves(view.scene, found, answer);
    this.drawLine(answer);
    this.drawMeaning(answer);
  }

  /**
   * @param {Scene} scene
   * @param {Map<string, SeenMove>} found
   * @param {SeenPosition | null} answer
   */
  drawMoves(scene, found, answer) {
    const words = scene.moves.map((gesture) => gesture.move);
    /** @type {SeenMove[]} */
    const known = words.map(
      (mv) => found.get(mv) ?? { move: mv, value: "unknown", distance: null, waiting: true },
    );
    const guessed = known.some((move) => typeof move.opinion === "number");
    if (answer || guessed)
      known.sort(
        (a, b) => compare(a, b) || (b.depth ?? 0) - (a.depth ?? 0) || (b.opinion ?? -9) - (a.opinion ?? -9),
      );
    this.summarise(known);
    const best = new Set(this.tells(scene, answer) ? (answer?.best ?? []) : []);
    // Moves without any value are counted, not listed.
    const dull =
      known.length > ROWS
        ? known.filter(
            (move) => move.value === "unknown" && mean(move) === null && typeof move.opinion !== "number",
          )
        : [];
    const shown = known.filter((move) => !dull.includes(move)).slice(0, ROWS);
    const order = shown.map((move) => move.move).join("|");
    if (order !== this.order) {
      this.order = order;
      this.list.classList.remove("all");
      this.more.hidden = shown.length <= MANY;
      this.more.textContent = `All ${shown.length} moves`;
      this.rows = new Map(shown.map((move) => [move.move, this.row(move.move)]));
      put(
        this.list,
        [...this.rows.values()].map((row) => row.item),
      );
    }
    const longest = Math.max(1, ...shown.map((move) => move.distance ?? 0));
    for (const move of shown) this.fill(given(this.rows.get(move.move)), move, best.has(move.move), longest);
  }

  /**
   * Whether the best moves are marked: not if all moves are equally good.
   * @param {Scene} scene
   * @param {SeenPosition | null} answer
   */
  tells(scene, answer) {
    return answer && answer.best.length < scene.moves.length;
  }

  /**
   * "5 win · 12 draw · 344 not known".
   * @param {SeenMove[]} known
   */
  summarise(known) {
    const { app } = this;
    const groups = Map.groupBy(known, (move) => (mean(move) !== null ? "mean" : move.value));
    const word = {
      win: "win",
      draw: "draw",
      loss: "lose",
      unknown: app.progress ? "not known yet" : "not known",
    };
    const parts = /** @type {ValueWord[]} */ (["win", "draw", "loss", "unknown"]).flatMap((kind) => {
      const count = groups.get(kind)?.length;
      return count ? [{ kind, count }] : [];
    });
    put(
      this.summary,
      app.over || groups.has("mean") || known.length < 2
        ? null
        : parts.map(({ kind, count }) =>
            h(
              "span",
              { class: kind },
              `${count} ${word[kind]}${count === 1 && kind !== "unknown" ? "s" : ""}`,
            ),
          ),
    );
  }

  /** Expands the list, which phones show shortened. */
  showAll() {
    this.list.classList.add("all");
    this.more.hidden = true;
    this.list.children[MANY]?.querySelector("button")?.focus();
  }

  /** @param {string} mv */
  row(mv) {
    const badge = h("span", { class: "badge" });
    const text = h("span", { class: "value" });
    const word = h("span", { class: "mv" });
    const length = h("span", { class: "length" });
    const gesture = () => this.app.scene.moves.find((known) => known.move === mv);
    const button = h(
      "button",
      {
        type: "button",
        onclick: () => {
          const played = gesture();
          if (played && this.app.live) this.app.play(played);
        },
        onpointerenter: () => this.app.look(gesture()),
        onpointerleave: () => this.app.look(null),
        onfocus: () => this.app.look(gesture()),
        onblur: () => this.app.look(null),
      },
      badge,
      word,
      " ",
      text,
      h("span", { class: "track" }, length),
    );
    return { item: h("li", {}, button), badge, word, text, length, button };
  }

  /**
   * @param {Row} row
   * @param {SeenMove} move
   * @param {boolean} best
   * @param {number} longest
   */
  fill(row, move, best, longest) {
    const value = mean(move);
    const guess = value === null && move.value === "unknown" && typeof move.opinion === "number";
    const kind = value !== null ? "mean" : guess ? "guess" : move.value;
    row.badge.className = `badge ${kind}`;
    if (guess) put(row.badge, "≈");
    else if (value === null) put(row.badge, symbol(move.value));
    else put(row.badge, "⌀");
    row.button.className =
      `${best ? "best" : ""} ${move.waiting && this.app.progress ? "waiting" : ""} ` +
      `${move.value === "loss" ? "lost" : ""}`;
    row.text.textContent = guess
      ? about(move, 2)
      : move.waiting
        ? this.app.progress
          ? "…"
          : "not known"
        : value === null
          ? long(move)
          : meanText(move);
    const part = guess
      ? 0.5 + (move.opinion ?? 0) / 2
      : value !== null
        ? (move.odds ?? 0.5 + value / 6)
        : (move.distance ?? 0) / longest;
    row.length.className = `length ${kind}`;
    row.length.style.setProperty("--part", `${Math.max(0, Math.min(100, Math.round(100 * part)))}%`);
    const [word] = this.app.write([move.move]);
    row.word.textContent = word;
    row.button.setAttribute("aria-label", `${word} ${row.text.textContent}${best ? ", best" : ""}`);
  }

  /** @param {SeenPosition | null} answer */
  drawLine(answer) {
    const { app } = this;
    const line = answer?.line ?? [];
    this.line.hidden = app.over || !line.length;
    const words = app.write(line.slice(0, 40)).map((mv, i) =>
      h(
        "button",
        {
          type: "button",
          class: "step",
          title: `Play the line up to move ${i + 1}`,
          onclick: () =>
            app.live && app.go({ moves: [...app.moves, ...line.slice(0, i + 1)], at: null, view: "explore" }),
          onpointerenter: () => app.board.ghosts(trail(app.scene, line.slice(0, i + 1))),
          onpointerleave: () => app.look(null),
        },
        mv,
      ),
    );
    put(
      this.line,
      line.length && h("span", { class: "label" }, "Best line"),
      words,
      line.length > 40 ? "…" : null,
    );
  }

  /**
   * The legend of the values, folded away.
   * @param {SeenPosition | null} answer
   */
  drawMeaning(answer) {
    const { app } = this;
    this.meaning.hidden = !answer?.moves.length || app.toMove === "chance";
    if (!answer || this.meaning.hidden) return;
    const key = [app.shown, answer.value, answer.moves.length].join("|");
    if (key === this.explained) return;
    this.explained = key;
    const second = app.toMove === "second";
    const players = {
      mover: second ? app.names.second : app.names.first,
      other: second ? app.names.first : app.names.second,
    };
    put(this.meaning, h("summary", {}, "What the values mean"), legend(answer.moves, players));
  }

  /** Shows the reason for the value, on the board and in words; called again, hides it. */
  async why() {
    const { app } = this;
    if (!app?.view || app.over) return;
    if (!app.valuesShown) {
      toast("Values are hidden. Press v to show them.");
      return;
    }
    if (app.state.view === "home") await app.go({ view: "explore" });
    if (app.reasons) {
      app.reasons = null;
      app.board.ghosts([]);
      this.draw(app);
      return;
    }
    try {
      const { signal } = app;
      const reply = await api.why(given(app.place), signal);
      if (signal.aborted) return;
      const line = reply.line.slice(0, app.linePlies);
      const words = reply.sentence
        .replace(/\.$/, "")
        .split("; ")
        .map((part) => column(spoken(part, app.names), app.scene.layout))
        .map((part) => (app.face === "chess" ? part.replace(SQUARES, (mv) => app.write([mv])[0]) : part));
      if (line.length > 1 && line.some((move) => move.forced))
        words.push("solid circles mark moves without an equally good alternative");
      // The headline already shows the verdict, and move names keep their spelling.
      if (words.length > 1 && undated(words[0]) === undated(this.headline.textContent)) words.shift();
      /** @param {string} part */
      const begun = (part) => (/^[a-z]+[ ,]/.test(part) ? part[0].toUpperCase() + part.slice(1) : part);
      app.reasons = { words: words.map((part) => `${begun(part)}.`) };
      app.board.reasons(reply.marks, line);
      announce(app.reasons.words.join(" "));
      this.draw(app);
    } catch (error) {
      if (api.isAbort(error)) return;
      app.reasons = { words: [api.wordsOf(error)] };
      this.draw(app);
    }
  }
}

/**
 * A verdict without its distance.
 * @param {string} words
 */
const undated = (words) => words.replace(/ in \d+ moves?(: mate in \d+)?$/, "");

/**
 * Names a column as such where a sentence starts with its number.
 * @param {string} part
 * @param {Layout} layout
 */
function column(part, layout) {
  return layout === "drop" ? part.replace(/^(\d+) is the only move/, "column $1 is the only move") : part;
}
