// @ts-check

// The arena: set-up form for matches and leagues between computer players.
//
//   view=arena               set up a match; recent matches
//   view=arena&match=3       watch a match (match.js)
//   view=arena&experiment=dp an experiment (experiments.js)

import { $, h, put, style } from "./dom.js";
import * as api from "./api.js";
import { QUICK } from "./games.js";
import { nameOf } from "./levels.js";
import { fullName } from "./names.js";
import { ask, post, STATES } from "./place-api.js";

const MOST_PLAYERS = 8;
/** Milliseconds between two moves on a board. */
const PACES = [
  ["As fast as possible", 0],
  ["Easy to follow", 120],
  ["Slow", 600],
];

/** @type {{ leave(): void, ready: Promise<void> } | null} */
let part = null;
/** @type {object | null} */
let here = null;

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
export async function mount(element, context) {
  here = {};
  await style("place.css");
  return show(element, context);
}

/** @param {ViewContext} context */
export async function update(context) {
  const element = $("#place");
  part?.leave();
  part = null;
  return show(element, context);
}

export function unmount() {
  part?.leave();
  part = null;
  here = null;
}

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
async function show(element, context) {
  const me = (here = {});
  const { match, experiment } = context.extra;
  const body = h("div", { class: "arena-body" });
  /**
   * @param {string} label
   * @param {boolean} on
   * @param {Extra} extra
   */
  const tab = (label, on, extra) =>
    h(
      "button",
      { type: "button", "aria-pressed": String(on), onclick: () => context.go({ view: "arena", extra }) },
      label,
    );
  const lab = experiment !== undefined;
  put(
    element,
    h(
      "div",
      { class: "place-page" },
      h(
        "header",
        { class: match ? "place-head head-row small" : "place-head head-row" },
        h(
          "div",
          {},
          h("h1", {}, lab ? "Experiments" : "Arena"),
          h(
            "p",
            { class: "place-lead" },
            lab
              ? "Results from papers and lectures, reproduced on this machine."
              : "Matches between computer players, with confidence intervals.",
          ),
        ),
        h(
          "div",
          { class: "segmented", role: "group", "aria-label": "Arena" },
          tab("Matches", !lab, {}),
          tab("Experiments", lab, { experiment: "" }),
        ),
      ),
      body,
    ),
  );
  context.title(lab ? "Experiments" : "Arena");
  if (lab) {
    const { Laboratory } = await import("./experiments.js");
    if (here === me) part = new Laboratory(body, context);
  } else if (match) {
    const { Contest } = await import("./match.js");
    if (here === me) part = new Contest(body, context, match);
  } else {
    part = new Setup(body, context);
  }
  return part?.ready;
}

/**
 * The named fields of a form.
 * @param {HTMLElement} form
 * @returns {(HTMLInputElement | HTMLSelectElement)[]}
 */
const fieldsOf = (form) => [...form.querySelectorAll("input[id], select[id]")].filter(isField);

/**
 * @param {Element} element
 * @returns {element is HTMLInputElement | HTMLSelectElement}
 */
const isField = (element) => element instanceof HTMLInputElement || element instanceof HTMLSelectElement;

/** The set-up form. */
class Setup {
  /** @type {string[]} */
  levels = [];
  /** @type {string[]} */
  engines = [];
  /** @type {string[]} */
  players = [];
  // Players entered as a spec.
  /** @type {Set<number>} */
  own = new Set();
  /** @type {{ [id: string]: string | boolean }} */
  kept = {};
  test = false;
  /** @type {HTMLButtonElement} */
  button;
  /** @type {HTMLElement} */
  trouble;
  /** @type {HTMLElement} */
  list;

  /**
   * @param {HTMLElement} body
   * @param {ViewContext} context
   */
  constructor(body, context) {
    this.body = body;
    this.context = context;
    this.game = context.app.state.game;
    this.asking = new AbortController();
    this.ready = this.open();
  }

  leave() {
    this.asking.abort();
  }

  async open() {
    const { signal } = this.asking;
    const wished = this.context.extra.game_levels;
    try {
      const view = await api.view({ game: this.game }, signal);
      this.levels = view.levels?.length ? view.levels : this.context.app.known.levels;
      this.engines = view.engines ?? [];
    } catch {
      if (signal.aborted) return;
      this.levels = this.context.app.known.levels;
    }
    /** @param {number} share */
    const at = (share) => this.levels[Math.round(share * (this.levels.length - 1))];
    this.players = wished ? wished.split("|") : [at(0.35), at(0.7)];
    this.draw();
    this.recent();
  }

  draw() {
    const { levels, players } = this;
    const league = players.length > 2;
    this.trouble = h("p", { class: "note wrong", role: "alert" });
    const button = h(
      "button",
      { type: "submit", class: "main", id: "begin" },
      league ? "Start the league" : "Start the match",
    );
    this.button = button;
    const { engines } = this;
    /**
     * @param {string} spec
     * @param {string} chosen
     */
    const option = (spec, chosen) => h("option", { value: spec, selected: spec === chosen }, nameOf(spec));
    /**
     * @param {string} spec
     * @param {number} i
     */
    const row = (spec, i) => {
      const own = !levels.includes(spec) && !engines.includes(spec);
      const choice = h(
        "select",
        {
          id: `player-${i}`,
          onchange: (event) =>
            this.set(
              i,
              event.target.value === "…" ? `${spec}` : event.target.value,
              event.target.value === "…",
            ),
        },
        levels.map((level) => option(level, spec)),
        engines.length > 0 &&
          h(
            "optgroup",
            { label: "Engines on this server" },
            engines.map((engine) => h("option", { value: engine, selected: engine === spec }, engine)),
          ),
        h("option", { value: "…", selected: own || this.own?.has(i) }, "Custom (enter a spec) …"),
      );
      const spelled =
        (own || this.own?.has(i)) &&
        h("input", {
          id: `player-spec-${i}`,
          value: spec,
          spellcheck: false,
          "aria-label": `Spec of player ${i + 1}, as on the command line`,
          onchange: (event) => (players[i] = event.target.value.trim()),
        });
      return h(
        "div",
        { class: "player-row" },
        h("label", { htmlFor: `player-${i}` }, `Player ${i + 1}`),
        choice,
        spelled,
        players.length > 2 &&
          h(
            "button",
            {
              type: "button",
              class: "icon-button",
              "aria-label": `Remove player ${i + 1}`,
              onclick: () => this.remove(i),
            },
            "×",
          ),
      );
    };
    /**
     * @param {string} id
     * @param {string} label
     * @param {number} value
     * @param {Props<HTMLInputElement>} [more]
     */
    const field = (id, label, value, more = {}) =>
      h(
        "label",
        { class: "field" },
        h("span", {}, label),
        h("input", { id, value, type: "number", ...more }),
      );
    const pace = h(
      "select",
      { id: "pace" },
      PACES.map(([label, ms], i) => h("option", { value: ms, selected: i === 1 }, label)),
    );
    const test = h("input", {
      type: "checkbox",
      id: "sprt",
      checked: Boolean(this.test),
      onchange: (event) => (claims.hidden = !event.target.checked),
    });
    const claims = h(
      "span",
      { class: "claims", hidden: !this.test },
      field("elo0", "H0: Elo gain at most", 0, { step: 5 }),
      field("elo1", "H1: Elo gain at least", 50, { step: 5 }),
    );
    const games = 20;
    const [quick, quickName] = QUICK[0];
    const form = h(
      "form",
      { class: "card arena-form", onsubmit: (event) => this.submit(event) },
      h("h2", {}, league ? "New league" : "New match"),
      h(
        "p",
        { class: "note" },
        "Game: ",
        h("strong", {}, fullName(this.game)),
        ". ",
        h("button", { type: "button", class: "quiet", onclick: () => $("#game").click() }, "Change the game"),
        " ",
        this.game !== quick &&
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => this.context.go({ game: quick, position: "", moves: [], at: null }),
            },
            quickName,
          ),
      ),
      h("div", { class: "player-rows" }, players.map(row)),
      players.length < MOST_PLAYERS &&
        h(
          "p",
          { class: "actions" },
          h("button", { type: "button", id: "add-player", onclick: () => this.add() }, "Add a player"),
        ),
      h(
        "div",
        { class: "fields" },
        field("games", league ? "Games per pairing" : "Games", games, { min: 2, max: 1000, step: 2 }),
        field("seed", "Seed", 1, { min: 0 }),
        h("label", { class: "field" }, h("span", {}, "Speed"), pace),
      ),
      !league &&
        h(
          "div",
          { class: "check" },
          h("label", {}, test, " Stop as soon as a sequential test (SPRT) reaches a decision"),
          claims,
        ),
      h(
        "div",
        { class: "check" },
        h("label", {}, h("input", { type: "checkbox", id: "stay" }), " Keep playing after I leave the page"),
      ),
      h(
        "p",
        { class: "note" },
        league
          ? `${(players.length * (players.length - 1)) / 2} pairings. Every opening is played twice, ` +
              "once from each side."
          : "Every opening is played twice, once from each side.",
      ),
      h("p", { class: "actions" }, button),
      this.trouble,
    );
    this.list = h("section", { class: "card", hidden: true });
    const focused = document.activeElement?.id;
    put(this.body, h("div", { class: "arena-setup" }, form, this.list));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** Saves the field values while the form is redrawn. */
  keepFields() {
    this.kept = Object.fromEntries(
      fieldsOf(this.body).map((field) => [
        field.id,
        field instanceof HTMLInputElement && field.type === "checkbox" ? field.checked : field.value,
      ]),
    );
  }

  restore() {
    for (const field of fieldsOf(this.body)) {
      const value = this.kept[field.id];
      if (value === undefined || field.id.startsWith("player")) continue;
      if (typeof value === "string") field.value = value;
      else if (field instanceof HTMLInputElement) field.checked = value;
    }
  }

  /** @param {() => unknown} act */
  change(act) {
    this.keepFields();
    this.test = Boolean(this.kept.sprt);
    act();
    this.draw();
    this.restore();
    this.recent();
  }

  /**
   * @param {number} i
   * @param {string} spec
   * @param {boolean} own
   */
  set(i, spec, own) {
    this.own ??= new Set();
    this.change(() => {
      this.players[i] = spec;
      if (own) this.own.add(i);
      else this.own.delete(i);
    });
  }

  add() {
    const unused = this.levels.filter((level) => !this.players.includes(level));
    this.change(() => this.players.push(unused[unused.length - 1] ?? this.levels[0]));
    document.getElementById(`player-${this.players.length - 1}`)?.focus();
  }

  /** @param {number} i */
  remove(i) {
    this.change(() => {
      this.players.splice(i, 1);
      this.own = new Set();
    });
  }

  /** @param {Event} event */
  async submit(event) {
    event.preventDefault();
    /** @param {string} id */
    const value = (id) => Number(fieldsOf(this.body).find((field) => field.id === id)?.value);
    /** @param {string} id */
    const checked = (id) =>
      fieldsOf(this.body).some(
        (field) => field.id === id && field instanceof HTMLInputElement && field.checked,
      );
    const body = {
      game: this.game,
      players: this.players,
      games: value("games"),
      seed: value("seed"),
      pace: value("pace"),
      stay: checked("stay"),
      ...(checked("sprt") ? { sprt: { elo0: value("elo0"), elo1: value("elo1") } } : {}),
    };
    const { button } = this;
    button.disabled = true;
    try {
      const { id } = await post("/match", body);
      await this.context.go({ view: "arena", extra: { match: String(id) } });
    } catch (error) {
      this.trouble.textContent = api.wordsOf(error);
      button.disabled = false;
    }
  }

  async recent() {
    try {
      const { matches } = await ask("/match", { signal: this.asking.signal });
      if (!matches.length) return;
      this.list.hidden = false;
      /** @param {MatchSummary} one */
      const item = (one) =>
        h(
          "li",
          {},
          h(
            "button",
            {
              type: "button",
              class: "match-item",
              onclick: () => this.context.go({ view: "arena", extra: { match: String(one.id) } }),
            },
            h("span", { class: "match-who" }, one.players.map(nameOf).join(" : ")),
            h(
              "span",
              { class: "note" },
              `${fullName(one.game)} · ${one.games} of ${one.planned} games · ${STATES[one.state]}`,
            ),
          ),
        );
      put(
        this.list,
        h("h2", {}, "Recent matches on this server"),
        h("ul", { class: "match-list" }, matches.slice(0, 8).map(item)),
      );
    } catch {
      // The list is optional.
    }
  }
}
