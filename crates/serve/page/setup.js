// Choosing a game: cards with pictures, a few settings for each, and always the spec string that says the same.

import * as api from "./api.js";
import { $, h, put, s } from "./dom.js";
import { man } from "./men.js";
import { MOST_SIDE, Painter, parseBoard, writeBoard } from "./paint.js";

/** A picture of a board on a card: rows from the top, `x` `o` `#` and dots. */
function miniature(layout, rows) {
  const [w, hgt] = [rows[0].length, rows.length];
  const cells = rows.flatMap((row, y) => [...row].map((letter, x) => {
    const holder = { x: "first", o: "second", "#": "nobody" }[letter] ?? (/[A-Z]/.test(letter) ? "first" : /[a-z]/.test(letter) ? "second" : null);
    const dark = layout === "chess" && (x + y) % 2 === 1;
    return s("g", { transform: `translate(${(x + 0.5) * 64} ${(y + 0.5) * 64})` },
      s("rect", { class: dark ? "cell dark" : "cell", x: -32, y: -32, width: 64, height: 64 }),
      layout === "drop" && s("circle", { class: "hole", r: 26 }), man(layout, holder, layout === "chess" && holder ? letter.toUpperCase() : ""));
  }));
  return s("svg", { class: `mini board layout-${layout}`, viewBox: `-4 -4 ${w * 64 + 8} ${hgt * 64 + 8}`, "aria-hidden": "true" },
    s("rect", { class: "frame", x: -4, y: -4, width: w * 64 + 8, height: hgt * 64 + 8, rx: 8 }), cells);
}

function piles(counts) {
  const tall = Math.max(...counts);
  return s("svg", { class: "mini board layout-piles", viewBox: `0 0 ${counts.length * 80} ${tall * 28 + 8}`, "aria-hidden": "true" },
    counts.flatMap((count, x) => [...Array(count).keys()].map((y) =>
      s("g", { transform: `translate(${x * 80 + 40} ${(tall - y - 0.5) * 28 + 4})` }, man("piles", "nobody", "")))));
}

function points() {
  const line = (d) => s("path", { class: "link", d });
  const stone = (x, y, holder) => s("g", { transform: `translate(${x} ${y})` }, man("points", holder, ""));
  return s("svg", { class: "mini board layout-points", viewBox: "-36 -36 272 272", "aria-hidden": "true" },
    line("M0 0H200V200H0zM100 0V200M0 100H200M0 0L200 200M200 0L0 200"), stone(0, 200, "first"), stone(100, 100, "first"), stone(200, 0, "second"), stone(0, 0, "second"), stone(200, 100, "first"));
}

function dice() {
  const pip = (x, y) => s("circle", { class: "pip", cx: x, cy: y, r: 9 });
  return s("svg", { class: "mini board", viewBox: "0 0 200 160", "aria-hidden": "true" },
    s("g", { transform: "rotate(-8 70 80)" }, s("rect", { class: "die", x: 22, y: 32, width: 92, height: 92, rx: 16 }), [[45, 55], [91, 55], [68, 78], [45, 101], [91, 101]].map(([x, y]) => pip(x, y))),
    s("g", { transform: "rotate(10 150 90)" }, s("rect", { class: "die", x: 118, y: 60, width: 66, height: 66, rx: 12 }), pip(151, 93)));
}

/** Every ending of three and four men; the stronger side comes first. */
const ENDINGS = (() => {
  const men = [..."QRBNP"];
  const pairs = men.flatMap((a, i) => men.slice(i).map((b) => [a, b]));
  return [...men.map((a) => `K${a}K`), ...pairs.map(([a, b]) => `K${a}${b}K`), ...pairs.map(([a, b]) => `K${a}K${b}`)];
})();

const CARDS = [
  { id: "tictactoe", name: "Tic-tac-toe", spec: "tictactoe", picture: () => miniature("grid", ["x.o", ".x.", "o.."]) , form: "board" },
  { id: "connect4", name: "Connect Four", spec: "connect4", picture: () => miniature("drop", [".....", "..x..", ".oxo.", "xoxxo"]), form: "board" },
  { id: "mnk", name: "Any m,n,k board", spec: "mnk:5x4,k=4,obstacles=c2+d3", picture: () => miniature("grid", ["....x", ".x#..", ".o.#.", "o...."]), form: "board" },
  { id: "nim", name: "Nim", spec: "nim:3+4+5", picture: () => piles([3, 4, 5]), form: "nim" },
  { id: "chess", name: "Chess endings", spec: "chess:KQKR", picture: () => miniature("chess", ["....", ".k.r", "....", "QK.."]), form: "chess" },
  { id: "morris", name: "Morris", spec: "morris:tapatan", picture: points, form: "morris" },
  { id: "pig", name: "Pig", spec: "pig:50", picture: dice, form: "pig" },
  { id: "einstein", name: "EinStein würfelt nicht", spec: "einstein:3x3", picture: () => miniature("grid", ["xx.", "x.o", ".oo"]), form: "other" },
  { id: "hypergammon", name: "Hypergammon", spec: "hypergammon", picture: dice, form: "other" },
];

const cardOf = (spec) => {
  const name = spec.split(":")[0];
  if (name === "connect") return "connect4";
  if (name === "piglet") return "pig";
  return CARDS.some((card) => card.id === name) ? name : "mnk";
};

export class Setup {
  constructor(app) {
    this.app = app;
    this.dialog = $("#dialog");
  }

  open() {
    this.spec = this.app.state.game;
    this.picked = cardOf(this.spec);
    this.input = h("input", { id: "spec-input", value: this.spec, spellcheck: false, autocapitalize: "off", oninput: () => this.typed() });
    this.message = h("p", { class: "note", id: "spec-message", role: "status" });
    this.form = h("div", { class: "setup-form" });
    this.cards = h("div", { class: "cards", role: "group", "aria-label": "Games" });
    const form = h("form", { class: "spec-form", onsubmit: (event) => { event.preventDefault(); this.accept(); } },
      h("label", { htmlFor: "spec-input" }, "Spec"), this.input, h("button", { type: "submit", class: "main", id: "accept" }, "Play it"));
    put(this.dialog, h("div", { class: "dialog-head" }, h("h2", {}, "Choose a game"), h("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => this.dialog.close() }, "×")),
      h("div", { class: "chooser" }, this.cards, h("div", { class: "setup-side" }, this.form, form, this.message)));
    this.dialog.className = "choose";
    this.drawCards();
    this.drawForm();
    this.dialog.setAttribute("aria-label", "Choose a game");
    this.dialog.showModal();
    this.cards.querySelector("[aria-pressed=true]")?.focus();
    this.check();
  }

  drawCards() {
    const about = new Map(this.app.known.games.map((family) => [family.name, family.about]));
    put(this.cards, CARDS.filter((card) => about.has(card.id)).map((card) =>
      h("button", { type: "button", class: "game-card", "data-card": card.id, "aria-pressed": String(card.id === this.picked),
        onclick: () => this.pick(card) }, card.picture(), h("strong", {}, card.name), h("small", {}, about.get(card.id)))));
  }

  pick(card) {
    this.picked = card.id;
    this.set(card.spec);
    for (const other of this.cards.children) other.setAttribute("aria-pressed", String(other.dataset.card === card.id));
    this.drawForm();
  }

  /** Another spec, from the form or a card. */
  set(spec) {
    this.spec = spec;
    this.input.value = spec;
    this.check();
  }

  typed() {
    this.spec = this.input.value.trim();
    const card = cardOf(this.spec);
    if (card !== this.picked || card === "mnk" || this.painter) {
      this.picked = card;
      for (const other of this.cards.children) other.setAttribute("aria-pressed", String(other.dataset.card === card));
      this.drawForm();
    }
    this.check();
  }

  /** Asks the server what it thinks of the spec. */
  check() {
    clearTimeout(this.timer);
    const { spec } = this;
    this.timer = setTimeout(async () => {
      try {
        const position = spec.startsWith("chess:") ? "" : undefined;
        if (position === "") return this.say("Men start on random squares.", true);
        const view = await api.view({ game: spec });
        if (spec === this.spec) this.say(view.warning ?? (view.game === spec ? "" : `the same as ${view.game}`), true);
      } catch (error) {
        if (spec === this.spec) this.say(error.words ?? error.message, false);
      }
    }, 150);
  }

  say(words, good) {
    this.message.textContent = words || "\u00a0";
    this.message.classList.toggle("wrong", !good);
  }

  async accept() {
    const spec = this.input.value.trim();
    try {
      if (!spec.startsWith("chess:")) await api.view({ game: spec });
      this.dialog.close();
      await this.app.open(spec);
      this.app.board.enter();
    } catch (error) {
      this.say(error.words ?? error.message, false);
      this.input.focus();
    }
  }

  drawForm() {
    this.painter = null;
    const kind = CARDS.find((card) => card.id === this.picked)?.form ?? "other";
    this[kind]();
  }

  number(label, value, min, max, changed) {
    return h("label", { class: "number" }, label, h("input", { type: "number", min, max, value, oninput: (event) => {
      const n = Number.parseInt(event.target.value, 10);
      if (n >= min && n <= max) changed(n);
    } }));
  }

  flag(label, on, changed) {
    return h("label", { class: "flag" }, h("input", { type: "checkbox", checked: on, onchange: (event) => changed(event.target.checked) }), label);
  }

  board() {
    const board = parseBoard(this.spec);
    if (!board || board.width > MOST_SIDE || board.height > MOST_SIDE) {
      put(this.form, h("p", { class: "note" }, board ? `Boards up to ${MOST_SIDE}x${MOST_SIDE} can be painted; larger ones are typed.` : "Write the size as in mnk:5x4,k=4 (columns x rows)."));
      return;
    }
    const told = () => {
      columns.querySelector("input").value = board.width;
      rows.querySelector("input").value = board.height;
      this.set(writeBoard(board));
    };
    this.painter = new Painter(board, told);
    const columns = this.number("Columns", board.width, 1, MOST_SIDE, (n) => this.painter.resize(n, board.height));
    const rows = this.number("Rows", board.height, 1, MOST_SIDE, (n) => this.painter.resize(board.width, n));
    const again = () => { this.painter.draw(); told(); };
    put(this.form, h("div", { class: "settings" }, columns, rows,
      this.number("In a row", board.k, 1, 99, (n) => { board.k = n; told(); }),
      this.flag("stones fall", board.gravity, (on) => { board.gravity = on; again(); }),
      this.flag("misère", board.misere, (on) => { board.misere = on; told(); })), this.painter.element,
    h("p", { class: "note" }, "Paint with the mouse, or arrows and Enter; drag the corner to resize."));
  }

  nim() {
    const [head, ...options] = this.spec.split(",");
    let counts = (head.split(":")[1] ?? "3+4+5").split("+").map(Number).filter((n) => n > 0);
    let normal = options.includes("normal");
    const told = () => { this.set(`nim:${counts.join("+")}${normal ? ",normal" : ""}`); draw(); };
    const draw = () => put(this.form, h("div", { class: "settings" },
      counts.map((count, i) => h("span", { class: "pile" }, h("button", { type: "button", "aria-label": `Pile ${i + 1}: one less`, onclick: () => { counts = counts.map((n, j) => (j === i ? n - 1 : n)).filter((n) => n > 0); told(); } }, "−"),
        h("output", {}, String(count)), h("button", { type: "button", "aria-label": `Pile ${i + 1}: one more`, onclick: () => { counts = counts.map((n, j) => (j === i ? n + 1 : n)); told(); } }, "+"))),
      h("button", { type: "button", onclick: () => { counts = [...counts, 1]; told(); } }, "Another pile")),
    this.flag("who takes the last match wins", normal, (on) => { normal = on; told(); }), h("div", { class: "preview" }, counts.length ? piles(counts.slice(0, 12).map((n) => Math.min(n, 30))) : null));
    draw();
  }

  chess() {
    const material = this.spec.split(":")[1] ?? "KQKR";
    put(this.form, h("div", { class: "choices-grid", role: "group", "aria-label": "Endings" }, ENDINGS.map((ending) =>
      h("button", { type: "button", "aria-pressed": String(ending === material), onclick: () => { this.set(`chess:${ending}`); this.chess(); } }, ending))),
    h("p", { class: "note" }, "White has the men between the kings. Any ending of up to five men can be typed; a position of your own goes in under Share."));
  }

  morris() {
    const kinds = [["morris:three,lines=6", "Three men, 6 lines"], ["morris:three,lines=8", "Three men, 8 lines"], ["morris:tapatan", "Tapatan"], ["morris:six,men=3", "Six, 3 men"],
      ["morris:six,men=4", "Six, 4 men"], ["morris:six,men=6", "Six, 6 men"], ["morris:six,men=4,flying", "Six, 4 men, flying"],
      ["morris:nine", "Nine men"], ["morris:nine,flying=off", "Nine men, no flying"]];
    put(this.form, h("div", { class: "choices-grid two" }, kinds.map(([spec, name]) =>
      h("button", { type: "button", "aria-pressed": String(spec === this.spec), onclick: () => { this.set(spec); this.morris(); } }, name))));
  }

  pig() {
    const coin = this.spec.startsWith("piglet");
    const goal = Number(this.spec.split(":")[1] ?? (coin ? 10 : 100));
    put(this.form, h("div", { class: "settings" }, this.number("Goal", goal, 1, 1000, (n) => this.set(`${coin ? "piglet" : "pig"}:${n}`)),
      this.flag("a coin instead of a die", coin, (on) => { this.set(on ? "piglet:10" : "pig:50"); this.pig(); })));
  }

  other() {
    const family = this.app.known.games.find((known) => known.name === this.spec.split(":")[0]);
    put(this.form, h("p", { class: "note" }, family?.parameters || "Type the spec below."));
  }
}
