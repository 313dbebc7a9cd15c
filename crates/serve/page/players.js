// Who plays: a person or a player of the program, its strength by a slider from random to perfect.

import { $, h, put } from "./dom.js";
import { middling, nameOf } from "./levels.js";
import { token } from "./men.js";

export class Players {
  constructor() {
    this.card = $("#players");
    this.key = "";
  }

  draw(app) {
    this.app = app;
    this.card.hidden = app.state.view !== "play";
    if (this.card.hidden || !app.view) return;
    const { first, second, at } = app.state;
    const behind = at !== null && app.mover !== null && app.mover !== "human";
    const key = [first, second, app.view.scene.layout, app.view.warning, app.view.exact, app.levels.join(), app.view.engines?.join(), behind].join("|");
    // A slider that is being dragged must not be replaced under the hand.
    if (key === this.key) return;
    this.key = key;
    const notes = [this.about(app)];
    if (app.view.warning) notes.push(app.view.warning);
    if (app.view.exact === false) notes.push("This position is too large for exact values at once; players go by judgement.");
    const focused = document.activeElement?.id;
    put(this.card, h("h2", {}, "Players"), this.side("first", first), this.side("second", second), notes.map((note) => h("p", { class: "note" }, note)),
      behind && h("button", { type: "button", onclick: () => app.go({ moves: app.moves, at: null }) }, "Play on from here"));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** What the game is about, and where the truth is, for somebody who is new here. */
  about(app) {
    const family = app.known.games.find((known) => known.name === app.state.game.split(/[:,]/)[0]);
    const words = (family?.about ?? "").replace(/ *\([^)]*unless given\)/, "");
    const rules = words && `${/^\w\w/.test(words) ? words[0].toUpperCase() : words[0]}${words.slice(1)}. `;
    return `${rules}Values (v) shows what every move is worth, Hint the best one; Explore tells the truth about any position.`;
  }

  side(side, player) {
    const { app } = this;
    const { levels } = app;
    const players = app.view.players ?? app.known.players;
    const name = app.names[side];
    const human = player === "human";
    const exact = levels.indexOf(player);
    const level = exact >= 0 || human ? exact : levels.findIndex((known) => nameOf(known) === nameOf(player));
    const set = (spec) => app.go({ [side]: spec }, "replace");
    const usual = middling(levels);
    const choice = (label, on, spec) =>
      h("button", { type: "button", id: `${side}-${label.toLowerCase()}`, "aria-pressed": String(on), onclick: () => set(spec) }, label);
    const label = h("output", { class: "level-name" }, nameOf(levels[level] ?? player));
    const slider = h("input", {
      id: `${side}-level`, type: "range", min: 0, max: levels.length - 1, value: level < 0 ? 0 : level, "aria-label": `${name}'s level`,
      oninput: (event) => (label.textContent = nameOf(levels[event.target.value])),
      onchange: (event) => set(levels[event.target.value]),
    });
    slider.setAttribute("aria-valuetext", nameOf(levels[level] ?? player));
    const other = h("input", {
      id: `${side}-spec`, class: "player-spec", value: player, spellcheck: false, "aria-label": `${name}'s player, as on the command line`,
      onchange: (event) => set(event.target.value.trim() || usual),
    });
    other.setAttribute("list", "player-specs");
    const list = side === "first" && h("datalist", { id: "player-specs" }, players.map((known) => h("option", { value: known.example ?? known.name }, known.about)));
    return h("div", { class: "player", role: "group", "aria-label": name },
      h("div", { class: "player-head" }, token(app.view.scene.layout, side), h("strong", {}, name),
        h("span", { class: "segmented" }, choice("You", human, "human"), choice("Computer", !human, human ? usual : player))),
      !human && h("div", { class: "level" }, slider, label, other),
      // Engines that whoever runs the server registered, by name.
      app.view.engines?.length > 0 && h("div", { class: "segmented engines" }, app.view.engines.map((engine) => choice(engine, player === engine, engine))), list);
  }
}
