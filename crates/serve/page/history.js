// @ts-check

// Value history of a game: one bar per position, above the middle line if the first player wins and below it
// if the second does; longer bars are nearer the end. Mistakes are marked, and a click jumps to the position.
//
// The values are requested after those of the current position. The chart stays scrolled to that position.

import * as api from "./api.js";
import { $, around, beneath, h, put, s } from "./dom.js";
import { given } from "./given.js";
import { glyphOf } from "./glyphs.js";
import { flawless } from "./review.js";
import { long, mean, opposite, seen, share } from "./verdict.js";

const STEP = 18;
const HALF = 36;

/**
 * A ply's value as the first player sees it, from -1 to 1.
 * @param {SeenPly} ply
 */
const lead = (ply) => 2 * share(ply, ply.to_move) - 1;

/** @param {SeenPly} ply */
const firstValue = (ply) => (ply.to_move === "second" ? opposite[ply.value] : ply.value);

export class History {
  /** @type {App} */
  app;
  /** @type {(SeenPly | undefined)[]} */
  plies = [];
  /** @type {((plies: (SeenPly | undefined)[]) => unknown)[]} */
  listeners = [];
  /** @type {(() => void) | null} */
  stop = null;
  failed = "";
  complete = false;
  /** @type {GameReview | null} */
  review = null;
  painted = "";

  constructor() {
    this.card = $("#history");
    this.svg = s("svg", { class: "history", role: "group", "aria-label": "Value history" });
    // A repaint between press and release detaches the clicked ply, so the one under the pointer is used.
    this.svg.addEventListener("click", (event) => {
      const at = around(event, "[data-ply]") ?? beneath(event, "[data-ply]");
      if (at) this.app.jump(Number(at.dataset.ply));
    });
    this.scroll = h("div", { class: "scroll", tabindex: -1 }, this.svg);
    this.note = h("p", { class: "note" });
    this.actions = h("p", { class: "actions" });
    put(this.card, h("h2", {}, "Value history"), this.scroll, this.note, this.actions);
    this.key = "";
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const { state } = app;
    const wanted =
      (state.view === "explore" ||
        state.view === "retry" ||
        (app.playing && (app.valuesShown || app.over))) &&
      state.moves.length > 0;
    this.card.hidden = !wanted;
    if (!wanted) {
      this.leave();
      return;
    }
    // The values of the current position come first, unless the game is over.
    if (app.answer || app.failed || app.over || !app.valuesShown) this.load(app);
    this.paint();
  }

  /**
   * Requests the values of all positions of the game, once per game; they arrive last position first.
   * @param {App} app
   */
  load(app) {
    const { game, position, moves } = app.state;
    const key = api.query({ game, position, moves });
    if (key === this.key) return;
    this.leave();
    this.key = key;
    this.failed = "";
    this.complete = false;
    this.review = null;
    this.plies = [];
    /** @param {HistoryPly} ply */
    const keep = (ply) => (this.plies[ply.ply] = seen(ply, ply.to_move));
    const told = () => {
      this.paint();
      for (const listener of this.listeners) listener(this.plies);
    };
    this.stop = api.historyStream(
      { game, position, moves },
      {
        ply: (ply) => {
          keep(ply);
          this.paint();
        },
        done: (reply) => {
          reply.plies.forEach(keep);
          this.review = reply.review;
          this.complete = true;
          told();
        },
        fail: (error) => {
          this.failed = api.wordsOf(error);
          told();
        },
      },
    );
  }

  /** Closes the stream, which also cancels the work on the server. */
  leave() {
    this.stop?.();
    this.stop = null;
    if (!this.complete) this.key = "";
  }

  /** Whether all values of the game on the screen have arrived. */
  get settled() {
    const { game, position, moves } = this.app?.state ?? {};
    return this.complete && this.key === api.query({ game, position, moves });
  }

  /** Indices of the moves that were mistakes, from 0; ply i is the position before move i. */
  get mistakes() {
    return this.plies.flatMap((ply, i) => (ply?.mistake ? [i - 1] : []));
  }

  /**
   * The details of a move of `mistakes`.
   * @param {number} i
   */
  mistakeAt(i) {
    return given(this.plies[i + 1]?.mistake);
  }

  paint() {
    const { app, plies } = this;
    const shown = app.moves.length;
    const moves = app.state.moves;
    const count = moves.length + 1;
    // An unchanged picture is not repainted, so that a press on it is not lost.
    const key = [
      shown,
      moves.join(),
      app.state.view,
      app.state.first,
      app.state.second,
      this.failed,
      this.key,
      this.complete,
      plies.filter(Boolean).length,
    ].join("|");
    if (key === this.painted) return;
    this.painted = key;
    const width = Math.max(count * STEP + 8, 200);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${2 * HALF + 24}`);
    this.svg.style.setProperty("--wide", `${width}px`);
    /** @type {SVGElement[]} */
    const parts = [s("line", { class: "middle", x1: 0, x2: width, y1: HALF + 4, y2: HALF + 4 })];
    const { written } = app;
    for (let i = 0; i < count; i += 1) parts.push(this.ply(plies[i], i, written[i - 1], i === shown));
    put(this.svg, parts);
    // Scrolls the current position into view.
    const here = 4 + shown * STEP;
    const { scrollLeft, clientWidth } = this.scroll;
    if (here < scrollLeft + STEP || here > scrollLeft + clientWidth - 2 * STEP)
      this.scroll.scrollLeft = here - clientWidth * 0.7;
    const bad = this.mistakes;
    const known = plies.some((ply) => ply && (ply.value !== "unknown" || mean(ply) !== null));
    /** @param {number} i */
    const name = (i) => `${app.number(i)} (${written[i]})`;
    this.note.textContent =
      this.failed ||
      (this.complete && !known && "The values of this game are not known.") ||
      (this.complete
        ? bad.length
          ? `Mistakes at ${bad.slice(0, 6).map(name).join(", ")}${bad.length > 6 ? " …" : ""}`
          : flawless(given(this.review), plies.length)
        : "Analysing the game …");
    put(
      this.actions,
      bad.length > 0 &&
        app.state.view === "explore" &&
        h(
          "button",
          { type: "button", id: "retry", onclick: () => app.go({ view: "retry", at: bad[0] }) },
          `Retry ${bad.length === 1 ? "the mistake" : `the ${bad.length} mistakes`}`,
        ),
    );
    this.actions.hidden = !this.actions.childElementCount;
  }

  /**
   * @param {SeenPly | undefined} ply
   * @param {number} i
   * @param {string | undefined} mv
   * @param {boolean} here
   */
  ply(ply, i, mv, here) {
    const x = 4 + i * STEP;
    const y = HALF + 4;
    const value = ply ? firstValue(ply) : "unknown";
    const known = ply && (ply.value !== "unknown" || mean(ply) !== null);
    const height = known ? Math.max(4, Math.abs(lead(ply)) * HALF) : 4;
    const up = known && lead(ply) > 0;
    const drawn = value === "draw" || !known;
    const when = i === 0 ? "start" : `after move ${this.app.number(i - 1)}, ${mv}`;
    const side = ply?.to_move === "second" ? "second" : "first";
    const worth = ply ? `${this.app.names[side]} to move, ${long(ply)}` : "…";
    const slip = ply?.mistake ? `; mistake: a ${ply.mistake.from} became a ${ply.mistake.to}` : "";
    const words = `${when}: ${worth}${slip}`;
    const glyph = ply?.mistake ? glyphOf(ply.mistake) : "";
    return s(
      "g",
      {
        class: `ply ${here ? "here" : ""} ${glyph ? "mistake" : ""}`,
        role: "button",
        tabindex: here ? 0 : -1,
        "aria-label": words,
        "data-ply": i,
        "aria-current": here ? "step" : false,
        onkeydown: (event) => this.pressed(event, i),
      },
      s("title", {}, words),
      s("rect", { class: "column", x, y: 0, width: STEP, height: 2 * HALF + 24 }),
      s("rect", {
        class: `length ${known ? (drawn ? "draw" : up ? "win" : "loss") : "unknown"}`,
        x: x + 3,
        width: STEP - 6,
        rx: 2,
        y: drawn ? y - 3 : up ? y - height : y,
        height: drawn ? 6 : height,
      }),
      glyph && s("text", { class: "ply-glyph", x: x + STEP / 2, y: 2 * HALF + 20 }, glyph),
    );
  }

  /**
   * @param {KeyboardEvent} event
   * @param {number} i
   */
  pressed(event, i) {
    const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: this.app.state.moves.length }[event.key];
    const go = event.key === "Enter" || event.key === " " ? i : to;
    if (go === undefined || go < 0 || go > this.app.state.moves.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.app.jump(go).then(() => $(`[data-ply="${go}"]`, this.svg)?.focus());
  }
}
