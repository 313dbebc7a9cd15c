// @ts-check

// Player settings: human or computer, with a strength slider from random to perfect. Specs, pace and sound
// are under Advanced.

import { $, h, put } from "./dom.js";
import { middling, nameOf } from "./levels.js";
import { token } from "./men.js";
import { isLoud, setLoud } from "./sound.js";

export class Players {
  /** @type {App} */
  app;

  constructor() {
    this.card = $("#players");
    this.key = "";
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    this.card.hidden = !app.playing;
    if (this.card.hidden || !app.view) return;
    const { first, second, at } = app.state;
    const behind = at !== null && app.mover !== null && app.mover !== "human";
    const key = [
      first,
      second,
      app.face,
      app.view.warning,
      app.view.exact,
      app.levels.join(),
      app.view.engines?.join(),
      behind,
      app.valuesShown,
    ].join("|");
    // Redrawing would interrupt a slider that is being dragged.
    if (key === this.key) return;
    this.key = key;
    const notes = [];
    if (app.view.warning) notes.push(app.view.warning);
    if (app.view.exact === false)
      notes.push("Too large for exact values here: computer players rely on estimates.");
    const focused = document.activeElement?.id;
    const open = this.card.querySelector("details.advanced[open]") !== null;
    const rules = h(
      "button",
      {
        type: "button",
        class: "quiet",
        id: "rules",
        onclick: () => app.go({ view: "rules", extra: { of: app.state.game.split(/[:,]/)[0] } }),
      },
      "Rules",
    );
    put(
      this.card,
      h("div", { class: "head-row" }, h("h2", {}, "Players"), !app.valuesShown && rules),
      this.side("first", first),
      this.side("second", second),
      notes.map((note) => h("p", { class: "note" }, note)),
      behind &&
        h(
          "button",
          { type: "button", onclick: () => app.go({ moves: app.moves, at: null }) },
          "Continue from here",
        ),
      this.advanced(open),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  /**
   * @param {Side} side
   * @param {string} player
   */
  side(side, player) {
    const { app } = this;
    const { levels } = app;
    const name = app.names[side];
    const human = player === "human";
    const exact = levels.indexOf(player);
    const level = exact >= 0 || human ? exact : levels.findIndex((known) => nameOf(known) === nameOf(player));
    /** @param {string} spec */
    const set = (spec) => app.go({ [side]: spec }, "replace");
    const usual = middling(levels);
    const engines = app.view?.engines ?? [];
    /**
     * @param {string} label
     * @param {boolean} on
     * @param {string} spec
     */
    const choice = (label, on, spec) =>
      h(
        "button",
        {
          type: "button",
          id: `${side}-${label.toLowerCase()}`,
          "aria-pressed": String(on),
          onclick: () => set(spec),
        },
        label,
      );
    const label = h("output", { class: "level-name" }, nameOf(levels[level] ?? player));
    const slider = h("input", {
      id: `${side}-level`,
      type: "range",
      min: 0,
      max: levels.length - 1,
      value: level < 0 ? 0 : level,
      "aria-label": `${name}'s level`,
      oninput: (event) => (label.textContent = nameOf(levels[Number(event.target.value)])),
      onchange: (event) => set(levels[Number(event.target.value)]),
    });
    slider.setAttribute("aria-valuetext", nameOf(levels[level] ?? player));
    return h(
      "div",
      { class: "player", role: "group", "aria-label": name },
      h(
        "div",
        { class: "player-head" },
        token(app.face, side),
        h("strong", {}, name),
        h(
          "span",
          { class: "segmented" },
          choice("You", human, "human"),
          choice("Computer", !human, human ? usual : player),
        ),
      ),
      !human && h("div", { class: "level" }, slider, label),
      // Engines registered by the operator of the server.
      engines.length > 0 &&
        h(
          "div",
          { class: "segmented engines" },
          engines.map((engine) => choice(engine, player === engine, engine)),
        ),
    );
  }

  /**
   * Rarely used settings.
   * @param {boolean} open
   */
  advanced(open) {
    const { app } = this;
    const players = app.view?.players ?? app.known.players;
    /** @param {Side} side */
    const spec = (side) => {
      const input = h("input", {
        id: `${side}-spec`,
        class: "player-spec",
        value: app.state[side],
        spellcheck: false,
        onchange: (event) => app.go({ [side]: event.target.value.trim() || middling(app.levels) }, "replace"),
      });
      input.setAttribute("list", "player-specs");
      return h("label", {}, app.names[side], input);
    };
    /**
     * @param {string} words
     * @param {string} id
     * @param {boolean} on
     * @param {(on: boolean) => void} change
     */
    const box = (words, id, on, change) =>
      h(
        "label",
        {},
        h("input", { type: "checkbox", id, checked: on, onchange: (event) => change(event.target.checked) }),
        words,
      );
    return h(
      "details",
      { class: "advanced", open },
      h("summary", {}, "Advanced"),
      h(
        "div",
        {},
        spec("first"),
        spec("second"),
        h(
          "datalist",
          { id: "player-specs" },
          players.map((known) => h("option", { value: known.example ?? known.name }, known.about)),
        ),
        box("Sound", "sound", isLoud(), setLoud),
        box("No pause after dice and computer moves", "quick", app.turns.paceName === "quick", (on) =>
          this.quick(on),
        ),
      ),
    );
  }

  /** @param {boolean} on */
  quick(on) {
    this.app.turns.setPace(on ? "quick" : "calm");
    try {
      localStorage.setItem("pace", on ? "quick" : "calm");
    } catch {
      // Private windows have no storage.
    }
  }
}
