// @ts-check

// Rules page: the rules of a game, and a small board to try them on.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, put, style } from "./dom.js";
import { FAMILIES, SAMPLES } from "./games.js";
import { given } from "./given.js";
import { heading } from "./lesson.js";
import { buttons, lastSpots, names } from "./scene.js";
import { ending } from "./verdict.js";

/** @param {string} name */
const titleOf = (name) => FAMILIES[name] ?? name;

/** @type {HTMLElement} */
let place;
/** @type {AbortController | undefined} */
let asking;
let shown = "";

/**
 * The family of a spec.
 * @param {string} spec
 */
const family = (spec) => given(/^[a-z0-9]*/.exec(spec))[0];

/**
 * Splits a paragraph into sentences.
 * @param {string} text
 */
export const sentences = (text) =>
  text.match(/[^.!?]+(?:[.!?](?!\s|$)[^.!?]*)*[.!?]+/g)?.map((words) => words.trim()) ?? [text];

class Trial {
  /** @type {string[]} */
  moves = [];
  /** @type {View | undefined} */
  view;
  /** @type {AbortController | undefined} */
  asking;

  /**
   * @param {HTMLElement} host
   * @param {string} game
   * @param {string} position
   * @param {string} hint
   */
  constructor(host, game, position, hint) {
    this.game = game;
    this.position = position;
    this.status = h("p", { class: "status-line", role: "status" });
    this.host = h("div", { class: "board-host" });
    this.note = h("p", { class: "note" }, hint);
    /**
     * @param {string} words
     * @param {() => unknown} act
     * @param {string} name
     */
    const button = (words, act, name) =>
      h("button", { type: "button", "data-try": name, onclick: act }, words);
    put(
      host,
      this.status,
      this.host,
      this.note,
      h(
        "div",
        { class: "actions" },
        button("⟲ Undo", () => this.go(this.moves.slice(0, -1)), "undo"),
        button("Start over", () => this.go([]), "again"),
        button("Let the computer move", () => this.answer(), "computer"),
      ),
    );
    this.board = new Board(this.host, {
      play: (gesture) => this.go([...this.moves, gesture.move]),
      look: () => {},
    });
  }

  get where() {
    return { game: this.game, position: this.position, moves: this.moves };
  }

  /** @param {string[]} moves */
  async go(moves) {
    this.asking?.abort();
    const { signal } = (this.asking = new AbortController());
    this.moves = moves;
    try {
      this.view = await api.view(this.where, signal);
    } catch (error) {
      if (api.isAbort(error)) return;
      put(this.status, api.wordsOf(error));
      return;
    }
    const { scene, to_move: mover, outcome } = this.view;
    const over = outcome !== null;
    const who = names(scene);
    this.board.show(scene, {
      live: !over,
      mover,
      values: false,
      last: lastSpots(scene, moves[moves.length - 1]),
      label: `A board to try ${this.game}`,
    });
    put(
      this.status,
      over
        ? ending(outcome, who)
        : mover === "chance"
          ? "Rolling the dice"
          : `${who[mover]} to move: you play both sides`,
    );
    if (mover === "chance" && !over) this.roll(signal);
  }

  /**
   * Rolls the dice automatically.
   * @param {AbortSignal} signal
   */
  roll(signal) {
    const list = buttons(given(this.view).scene);
    const total = list.reduce((sum, gesture) => sum + (gesture.odds || 1), 0);
    let left = Math.random() * total;
    const fallen = list.find((gesture) => (left -= gesture.odds || 1) < 0) ?? list[0];
    setTimeout(() => !signal.aborted && fallen && this.go([...this.moves, fallen.move]), 350);
  }

  async answer() {
    if (!this.view || this.view.outcome !== null || this.view.to_move === "chance") return;
    const { signal } = given(this.asking);
    try {
      const levels = this.view.levels ?? [];
      const choice = await api.choose(this.where, levels[levels.length - 1] ?? "greedy", 1, signal);
      if (!signal.aborted) this.go([...this.moves, choice.move]);
    } catch (error) {
      if (!api.isAbort(error)) put(this.status, api.wordsOf(error));
    }
  }
}

/** @param {ViewContext} context */
async function show(context) {
  asking?.abort();
  const { signal } = (asking = new AbortController());
  const families = context.app.known.games;
  const name = context.extra.of ?? family(context.app.state.game);
  const about = families.find((known) => known.name === name) ?? families[0];
  shown = about.name;
  const [game, hint, position = ""] = SAMPLES[about.name] ?? [about.example.split(" ")[0], "Try it."];
  const words = h("div", { class: "rules-words" }, h("p", { class: "note pulse" }, "…"));
  const board = h("section", { class: "card rules-board", "aria-label": "A board to try" });
  /**
   * @param {Event} event
   * @param {Partial<State>} changes
   */
  const open = (event, changes) => {
    event.preventDefault();
    context.go(changes);
  };
  put(
    place,
    h(
      "article",
      { class: "learn rules-page" },
      heading(
        context,
        "rules",
        `Rules of ${titleOf(about.name)}`,
        `${about.about[0].toUpperCase()}${about.about.slice(1)}.`,
      ),
      h(
        "ul",
        { class: "families", "aria-label": "Games" },
        families.map((known) =>
          h(
            "li",
            {},
            h(
              "a",
              {
                href: `?view=rules&of=${known.name}`,
                "data-family": known.name,
                "aria-current": String(known === about),
                onclick: (event) => open(event, { view: "rules", extra: { of: known.name } }),
              },
              titleOf(known.name),
            ),
          ),
        ),
      ),
      h("div", { class: "rules-grid" }, words, board),
    ),
  );
  const trial = new Trial(board, game, position, hint);
  context.app.trial = trial;
  const [told] = await Promise.all([api.rules(game, signal), trial.go([])]);
  const { textbook } = told;
  // Sentences about the command line are listed separately.
  /** @param {string} sentence */
  const typed = (sentence) => /\boutplay\b/.test(sentence);
  /** @param {string[]} list */
  const items = (list) => list.map((sentence) => h("li", { "data-sentence": "" }, sentence));
  const spoken = sentences(told.rules);
  put(
    words,
    h("ul", {}, items(spoken.filter((sentence) => !typed(sentence)))),
    textbook &&
      h(
        "p",
        { class: "note" },
        `The small board has ${textbook.positions.length} positions, ` +
          `${textbook.terminals.length} of which are finished games.`,
      ),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        {
          type: "button",
          class: "main",
          "data-play": "",
          onclick: () => context.go({ view: "play", game, position, moves: [], at: null, extra: {} }),
        },
        "Play",
      ),
      h(
        "button",
        {
          type: "button",
          onclick: () => context.go({ view: "explore", game, position, moves: [], at: null, extra: {} }),
        },
        "See all values",
      ),
      h(
        "button",
        {
          type: "button",
          onclick: () => context.go({ view: "tree", game, position, moves: [], at: null, extra: {} }),
        },
        "See the search tree",
      ),
    ),
    h(
      "details",
      { class: "note" },
      h("summary", {}, "On the command line"),
      h("ul", {}, items(spoken.filter(typed))),
      h("p", {}, h("code", {}, about.name), told.parameters && `: ${told.parameters}.`),
    ),
  );
  place.dataset.ready = "yes";
}

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
export async function mount(element, context) {
  await style("learn.css");
  place = element;
  await show(context);
  scrollTo(0, 0);
}

/** @param {ViewContext} context */
export async function update(context) {
  if ((context.extra.of ?? family(context.app.state.game)) !== shown) await show(context);
}

export function unmount() {
  asking?.abort();
}
