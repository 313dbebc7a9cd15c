// @ts-check

// Gallery of games: picture, name, game-theoretic value and size. Values come from the solvers, one game at a
// time and only when the server is otherwise idle; they are stored in the browser for the next visit.

import * as api from "./api.js";
import { $, h, put } from "./dom.js";
import { fullName } from "./names.js";
import * as draw from "./thumbnails.js";
import { names } from "./scene.js";
import { mean, meanText, plies, seen } from "./verdict.js";

/**
 * A kind of game on a card; `form` is the part of the set-up (setup.js) that changes its spec.
 * @typedef {object} Card
 * @property {string} id
 * @property {string} spec
 * @property {string} name
 * @property {string} about
 * @property {() => SVGElement} picture
 * @property {"board" | "nim" | "chess" | "morris" | "einstein" | "pig" | "other"} form
 */

/** @type {Card[]} */
export const CARDS = [
  {
    id: "tictactoe",
    spec: "tictactoe",
    name: "Tic-tac-toe",
    about: "three in a row",
    picture: () => draw.cells("grid", ["x.o", ".x.", "o.."]),
    form: "board",
  },
  {
    id: "connect4",
    spec: "connect4",
    name: "Connect Four",
    about: "drop stones, four in a row",
    picture: () => draw.cells("drop", [".....", "..x..", ".oxo.", "xoxxo"]),
    form: "board",
  },
  {
    id: "gomoku",
    spec: "mnk:15x15,k=5",
    name: "Gomoku",
    about: "five in a row on 15 × 15",
    picture: draw.go,
    form: "board",
  },
  {
    id: "mnk",
    spec: "mnk:5x4,k=4,obstacles=c2+d3",
    name: "Any board",
    about: "any size, any line length, obstacles",
    picture: () => draw.cells("grid", ["....x", ".x#..", ".o.#.", "o...."]),
    form: "board",
  },
  {
    id: "nim",
    spec: "nim:3+4+5",
    name: "Nim",
    about: "don’t take the last match",
    picture: () => draw.piles([3, 4, 5]),
    form: "nim",
  },
  {
    id: "chess",
    spec: "chess:KQKR",
    name: "Chess endings",
    about: "queen against rook, and others",
    picture: () => draw.cells("chess", [".....", ".k.r.", ".....", "QK..."]),
    form: "chess",
  },
  {
    id: "morris",
    spec: "morris:six,men=4",
    name: "Morris",
    about: "three, six or nine men",
    picture: () => draw.morris("six"),
    form: "morris",
  },
  {
    id: "einstein",
    spec: "einstein:4x4",
    name: "EinStein würfelt nicht",
    about: "race of cubes, moved by a die",
    picture: () => draw.cells("cubes", ["12..", "3...", "...c", "..ba"]),
    form: "einstein",
  },
  {
    id: "hypergammon",
    spec: "hypergammon",
    name: "Hypergammon",
    about: "backgammon with three checkers",
    picture: draw.race,
    form: "other",
  },
  {
    id: "pig",
    spec: "pig:100",
    name: "Pig",
    about: "roll as often as you dare",
    picture: draw.pig,
    form: "pig",
  },
];

/** Cards on the first screen: one of each kind. */
const SHOWN = ["tictactoe", "nim", "morris", "chess", "einstein", "hypergammon", "pig", "gomoku"];
const RECENT = 4;
/** The storage key of what is known about the games. */
const FACTS = "game-facts";

/** @param {string} key */
function kept(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {unknown} value
 */
function keep(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Private windows have no storage.
  }
}

/**
 * The value of a start position, in a few words.
 * @param {Seen | null} answer
 * @param {Names} players
 */
export function badge(answer, players) {
  if (!answer) return "";
  const { first, second } = players;
  if (mean(answer) !== null)
    return answer.odds === null
      ? `${first} expects ${meanText(answer)}`
      : `${first} wins ${meanText(answer)} of games`;
  if (answer.value === "draw") return "a draw";
  if (answer.value === "unknown") return "not solved here";
  const winner = answer.value === "win" ? first : second;
  return `${winner} wins${answer.distance ? ` in ${plies(answer.distance)}` : ""}`;
}

/**
 * A count with a named unit, such as million.
 * @param {string | null} text
 */
export function large(text) {
  const n = Number(text);
  if (!text || !Number.isFinite(n)) return "";
  if (n < 1e6) return `${n.toLocaleString("en")} positions`;
  const [unit, word] = n < 1e9 ? [1e6, "million"] : n < 1e12 ? [1e9, "billion"] : [1e12, "trillion"];
  const count = n / unit;
  return `${count < 10 ? count.toFixed(1) : Math.round(count).toLocaleString("en")} ${word} positions`;
}

/**
 * The parts of a card that show facts about its game.
 * @typedef {{ result: HTMLElement, size: HTMLElement, about: string }} GalleryCard
 */

/**
 * A game that was played before.
 * @typedef {{ game: string, link: string, moves: number }} RecentGame
 */

/** @returns {RecentGame[]} */
const recentGames = () => kept("recent") ?? [];

export class Gallery {
  /** @type {App} */
  app;
  /** @type {Map<string, GalleryCard>} */
  cards = new Map();
  /** @type {HTMLElement} */
  recent;
  made = false;
  /** @type {AbortController | null} */
  asking = null;

  constructor() {
    this.box = $("#gallery");
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const shown = app.state.view === "home" || (app.state.view === "play" && Boolean(app.over));
    this.box.hidden = !shown;
    this.remember();
    if (!shown) {
      this.leave();
      return;
    }
    if (!this.made) this.make();
    this.drawRecent();
    // The values of other games are requested only after the current position's.
    if (app.answer || app.over || app.failed) this.ask();
  }

  make() {
    this.made = true;
    this.cards = new Map();
    const cards = CARDS.filter((card) => SHOWN.includes(card.id)).map((card) => {
      const result = h("small", { class: "result" }, kept(FACTS)?.[card.spec]?.badge ?? "");
      const size = h("small", {}, kept(FACTS)?.[card.spec]?.size ?? card.about);
      this.cards.set(card.spec, { result, size, about: card.about });
      return h(
        "button",
        {
          type: "button",
          class: "game-card",
          "data-game": card.spec,
          title: card.about,
          onclick: () => this.app.open(card.spec, { view: "play" }),
        },
        card.picture(),
        h("strong", {}, card.name),
        result,
        size,
      );
    });
    this.recent = h("ul", { class: "recent", "aria-label": "Recent games" });
    put(this.box, h("h2", {}, "Other games"), this.recent, h("div", { class: "games" }, cards));
  }

  /** Stores the current game in the list of recent games. */
  remember() {
    const { state } = this.app;
    if (!["play", "explore"].includes(state.view) || state.moves.length < 2 || !this.app.view) return;
    const link = location.search;
    const list = recentGames().filter((known) => known.game !== state.game);
    keep("recent", [{ game: state.game, link, moves: state.moves.length }, ...list].slice(0, RECENT));
  }

  drawRecent() {
    const list = recentGames().filter(
      (known) => known.game !== this.app.state.game || this.app.state.view === "home",
    );
    put(
      this.recent,
      list.map(({ game, link, moves }) =>
        h("li", {}, h("a", { class: "button", href: link }, `${fullName(game)} · ${moves} moves`)),
      ),
    );
    this.recent.hidden = !list.length;
  }

  async ask() {
    if (this.asking) return;
    const { signal } = (this.asking = new AbortController());
    for (const [spec, card] of this.cards) {
      if (signal.aborted) return;
      if (kept(FACTS)?.[spec]) continue;
      await this.look(spec, card, signal);
    }
  }

  /**
   * @param {string} spec
   * @param {GalleryCard} card
   * @param {AbortSignal} signal
   */
  async look(spec, card, signal) {
    try {
      const { positions } = await api.knowledge(spec, signal);
      const size = positions ? `up to ${large(positions)}` : card.about;
      card.size.textContent = size;
      if (spec.startsWith("chess:")) return;
      const view = await api.view({ game: spec, moves: [] }, signal);
      /** @type {Seen | null} */
      const answer = view.exact === false ? { value: "unknown" } : await this.value(spec, signal);
      if (signal.aborted || !answer) return;
      card.result.textContent = badge(answer, names(view.scene));
      keep(FACTS, { ...kept(FACTS), [spec]: { badge: card.result.textContent, size } });
    } catch {
      // A card without its badge is still a card.
    }
  }

  /**
   * The value of a start position, from a low-priority stream.
   * @param {string} spec
   * @param {AbortSignal} signal
   * @returns {Promise<Seen | null>}
   */
  value(spec, signal) {
    return new Promise((done) => {
      const stop = api.stream(
        { game: spec, moves: [] },
        {
          move: () => {},
          progress: () => {},
          done: (answer) => done(seen(answer, "first")),
          fail: () => done(null),
        },
      );
      signal.addEventListener("abort", () => {
        stop();
        done(null);
      });
    });
  }

  leave() {
    this.asking?.abort();
    this.asking = null;
  }
}
