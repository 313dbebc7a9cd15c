// @ts-check

// Game chooser: cards with pictures, settings for each game, and the equivalent spec.

import * as api from "./api.js";
import { ChessPainter, ENDINGS, materialOf } from "./chess-setup.js";
import { $, h, put } from "./dom.js";
import { CARDS } from "./gallery.js";
import { given } from "./given.js";
import { fullName, nameOfGame } from "./names.js";
import { MOST_SIDE, Painter, boardLayout, parseBoard, writeBoard } from "./paint.js";
import { namesOf } from "./scene.js";
import { morris, piles } from "./thumbnails.js";

/** @param {string} spec */
const cardOf = (spec) => {
  const name = spec.split(":")[0];
  if (name === "connect") return "connect4";
  if (name === "piglet") return "pig";
  if (/^mnk:(1[3-9]|[2-9]\d)x/.test(spec) && /k=5/.test(spec)) return "gomoku";
  return CARDS.some((card) => card.id === name) ? name : "mnk";
};

export class Setup {
  spec = "";
  position = "";
  picked = "";
  /** @type {HTMLInputElement} */
  input;
  /** @type {HTMLElement} */
  message;
  /** @type {HTMLElement} */
  form;
  /** @type {HTMLElement} */
  cards;
  /** @type {Painter | null} */
  painter = null;
  /** @type {ChessPainter | null} */
  men = null;
  /** @type {number | undefined} */
  timer;
  /** Whether a tap on a card starts its game, as on phones, rather than showing its set-up. */
  quick = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.dialog = $("#dialog");
  }

  open() {
    this.spec = this.app.state.game;
    this.position = "";
    this.picked = cardOf(this.spec);
    this.input = h("input", {
      id: "spec-input",
      value: this.spec,
      spellcheck: false,
      autocapitalize: "off",
      oninput: () => this.typed(),
    });
    this.message = h("p", { class: "note", id: "spec-message", role: "status" });
    this.form = h("div", { class: "setup-form" });
    this.cards = h("div", { class: "cards", role: "group", "aria-label": "Games" });
    const form = h(
      "form",
      {
        class: "spec-form",
        onsubmit: (event) => {
          event.preventDefault();
          this.accept();
        },
      },
      h("label", { htmlFor: "spec-input" }, "Spec"),
      this.input,
      h("button", { type: "submit", class: "main", id: "accept" }, "Play"),
    );
    put(
      this.dialog,
      h(
        "div",
        { class: "dialog-head" },
        h("h2", {}, "Choose a game"),
        h(
          "button",
          { type: "button", class: "quiet set-up", id: "set-up", onclick: () => this.toggle() },
          "Set up a board",
        ),
        h(
          "button",
          { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => this.dialog.close() },
          "×",
        ),
      ),
      h(
        "div",
        { class: "chooser" },
        this.cards,
        h("div", { class: "setup-side" }, this.form, form, this.message),
      ),
    );
    this.quick = matchMedia("(max-width: 900px)").matches;
    this.drawMode();
    this.drawCards();
    this.drawForm();
    this.dialog.setAttribute("aria-label", "Choose a game");
    this.dialog.showModal();
    $("[aria-pressed=true]", this.cards)?.focus();
    this.check();
  }

  drawCards() {
    const about = new Map(this.app.known.games.map((family) => [family.name, family.about]));
    put(
      this.cards,
      CARDS.filter((card) => about.has(card.spec.split(":")[0])).map((card) =>
        h(
          "button",
          {
            type: "button",
            class: "game-card",
            "data-card": card.id,
            "aria-pressed": String(card.id === this.picked),
            onclick: () => (this.quick ? this.start(card) : this.pick(card)),
          },
          card.picture(),
          h("strong", {}, card.name),
          h("small", {}, card.about),
        ),
      ),
    );
  }

  /** Phones show either the cards, which start a game, or the set-up of the picked one. */
  toggle() {
    this.quick = !this.quick;
    this.drawMode();
    if (!this.quick) this.form.scrollIntoView({ block: "nearest" });
  }

  drawMode() {
    this.dialog.className = this.quick ? "choose quick" : "choose";
    $("#set-up", this.dialog)?.setAttribute("aria-pressed", String(!this.quick));
  }

  /** @param {import("./gallery.js").Card} card */
  async start(card) {
    this.dialog.close();
    await this.app.open(card.spec);
  }

  /** @param {import("./gallery.js").Card} card */
  pick(card) {
    this.picked = card.id;
    this.position = "";
    this.set(card.spec);
    for (const other of this.cards.children)
      other.setAttribute("aria-pressed", String(other.getAttribute("data-card") === card.id));
    this.drawForm();
  }

  /**
   * Sets the spec, from the form or a card.
   * @param {string} spec
   */
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
      for (const other of this.cards.children)
        other.setAttribute("aria-pressed", String(other.getAttribute("data-card") === card));
      this.drawForm();
    }
    this.check();
  }

  /** Checks the spec on the server. */
  check() {
    clearTimeout(this.timer);
    const { spec } = this;
    this.timer = setTimeout(async () => {
      try {
        if (spec.startsWith("chess:"))
          return this.say(this.men?.trouble || fullName(spec), !this.men?.trouble);
        const view = await api.view({ game: spec });
        if (spec === this.spec)
          this.say(view.warning ?? (view.game === spec ? "" : `Same as ${view.game}`), true);
      } catch (error) {
        if (spec === this.spec) this.say(api.wordsOf(error), false);
      }
    }, 150);
  }

  /**
   * @param {string} words
   * @param {boolean} good
   */
  say(words, good) {
    this.message.textContent = words || "\u00a0";
    this.message.classList.toggle("wrong", !good);
  }

  async accept() {
    const spec = this.input.value.trim();
    try {
      const position =
        spec.startsWith("chess:") && this.men && `chess:${materialOf(this.men.men)}` === spec
          ? this.men.fen()
          : "";
      if (position || !spec.startsWith("chess:")) await api.view({ game: spec, position });
      this.dialog.close();
      await this.app.open(spec, { position });
      this.app.board.enter();
    } catch (error) {
      this.say(api.wordsOf(error), false);
      this.input.focus();
    }
  }

  drawForm() {
    this.painter = null;
    this.men = null;
    const kind = CARDS.find((card) => card.id === this.picked)?.form ?? "other";
    this[kind]();
  }

  /**
   * @param {string} label
   * @param {number} value
   * @param {number} min
   * @param {number} max
   * @param {(n: number) => void} changed
   */
  number(label, value, min, max, changed) {
    return h(
      "label",
      { class: "number" },
      label,
      h("input", {
        type: "number",
        min,
        max,
        value,
        oninput: (event) => {
          const n = Number.parseInt(event.target.value, 10);
          if (n >= min && n <= max) changed(n);
        },
      }),
    );
  }

  /**
   * @param {string} label
   * @param {boolean} on
   * @param {(on: boolean) => void} changed
   */
  flag(label, on, changed) {
    return h(
      "label",
      { class: "flag" },
      h("input", { type: "checkbox", checked: on, onchange: (event) => changed(event.target.checked) }),
      label,
    );
  }

  board() {
    const board = parseBoard(this.spec);
    if (!board || board.width > MOST_SIDE || board.height > MOST_SIDE) {
      put(
        this.form,
        h(
          "p",
          { class: "note" },
          board
            ? `The editor supports boards up to ${MOST_SIDE}x${MOST_SIDE}. For larger boards, type the spec.`
            : "Enter the size as columns x rows, for example mnk:5x4,k=4.",
        ),
      );
      return;
    }
    const told = () => {
      given(columns.querySelector("input")).value = String(board.width);
      given(rows.querySelector("input")).value = String(board.height);
      this.set(writeBoard(board));
    };
    const painter = new Painter(board, told);
    this.painter = painter;
    const columns = this.number("Columns", board.width, 1, MOST_SIDE, (n) => painter.resize(n, board.height));
    const rows = this.number("Rows", board.height, 1, MOST_SIDE, (n) => painter.resize(board.width, n));
    const again = () => {
      painter.draw();
      told();
    };
    put(
      this.form,
      h(
        "div",
        { class: "settings" },
        columns,
        rows,
        this.number("In a row", board.k, 1, 99, (n) => {
          board.k = n;
          told();
        }),
        this.flag("stones fall", board.gravity, (on) => {
          board.gravity = on;
          again();
        }),
        this.flag("misère", board.misere, (on) => {
          board.misere = on;
          told();
        }),
        this.turn(board, told),
      ),
      painter.element,
      h(
        "p",
        { class: "note" },
        "Paint with the mouse, or with the arrow keys and Enter. Drag the corner to resize.",
      ),
    );
  }

  /**
   * Buttons for the side to move on an edited board.
   * @param {BoardSpec} board
   * @param {() => void} told
   */
  turn(board, told) {
    const group = h("span", { class: "segmented", role: "group", "aria-label": "To move" });
    const draw = () => {
      const names = namesOf(boardLayout(board));
      put(
        group,
        [
          ["", "By stone count"],
          ["x", `${names.first} to move`],
          ["o", `${names.second} to move`],
        ].map(([turn, words]) =>
          h(
            "button",
            {
              type: "button",
              "data-turn": turn || "count",
              "aria-pressed": String(board.turn === turn),
              onclick: () => {
                board.turn = turn;
                draw();
                told();
              },
            },
            words,
          ),
        ),
      );
    };
    draw();
    return group;
  }

  nim() {
    const [head, ...options] = this.spec.split(",");
    let counts = (head.split(":")[1] ?? "3+4+5")
      .split("+")
      .map(Number)
      .filter((n) => n > 0);
    let normal = options.includes("normal");
    const told = () => {
      this.set(`nim:${counts.join("+")}${normal ? ",normal" : ""}`);
      draw();
    };
    const draw = () =>
      put(
        this.form,
        h(
          "div",
          { class: "settings" },
          counts.map((count, i) =>
            h(
              "span",
              { class: "pile" },
              h(
                "button",
                {
                  type: "button",
                  "aria-label": `Pile ${i + 1}: remove a match`,
                  onclick: () => {
                    counts = counts.map((n, j) => (j === i ? n - 1 : n)).filter((n) => n > 0);
                    told();
                  },
                },
                "−",
              ),
              h("output", {}, String(count)),
              h(
                "button",
                {
                  type: "button",
                  "aria-label": `Pile ${i + 1}: add a match`,
                  onclick: () => {
                    counts = counts.map((n, j) => (j === i ? n + 1 : n));
                    told();
                  },
                },
                "+",
              ),
            ),
          ),
          h(
            "button",
            {
              type: "button",
              onclick: () => {
                counts = [...counts, 1];
                told();
              },
            },
            "Add a pile",
          ),
        ),
        this.flag("taking the last match wins", normal, (on) => {
          normal = on;
          told();
        }),
        h(
          "div",
          { class: "preview" },
          counts.length ? piles(counts.slice(0, 12).map((n) => Math.min(n, 30))) : null,
        ),
      );
    draw();
  }

  chess() {
    const material = this.spec.split(":")[1] ?? "KQKR";
    const list = h("div", { class: "choices-grid", role: "group", "aria-label": "Endings" });
    /** @param {string} now */
    const draw = (now) =>
      put(
        list,
        ENDINGS.map((ending) =>
          h(
            "button",
            {
              type: "button",
              "data-ending": ending,
              "aria-pressed": String(ending === now),
              onclick: () => {
                given(this.men).scatter(ending);
                draw(ending);
              },
            },
            nameOfGame(`chess:${ending}`).name,
          ),
        ),
      );
    const start = this.position || (this.app.state.game === this.spec ? (this.app.view?.position ?? "") : "");
    const men = new ChessPainter(start, () => {
      const now = materialOf(men.men);
      draw(now);
      this.position = men.fen();
      this.set(now ? `chess:${now}` : this.spec);
    });
    this.men = men;
    draw(material);
    if (!start) men.scatter(material);
    else this.position = men.fen();
    put(this.form, list, men.element);
  }

  einstein() {
    put(
      this.form,
      h(
        "div",
        { class: "choices-grid", role: "group", "aria-label": "Board sizes" },
        ["3x3", "4x4", "5x5"].map((size) =>
          h(
            "button",
            {
              type: "button",
              "aria-pressed": String(this.spec === `einstein:${size}`),
              onclick: () => {
                this.set(`einstein:${size}`);
                this.einstein();
              },
            },
            size.replace("x", " × "),
          ),
        ),
      ),
      h("p", { class: "note" }, "The die decides which cube moves. Larger boards have more cubes."),
    );
  }

  morris() {
    const kinds = [
      ["morris:three,lines=6", "Three Men’s, 6 lines", "three"],
      ["morris:three,lines=8", "Three Men’s, 8 lines", "lines8"],
      ["morris:tapatan", "Tapatan", "lines8"],
      ["morris:six,men=3", "Six Men’s, 3 men each", "six"],
      ["morris:six,men=4", "Six Men’s, 4 men each", "six"],
      ["morris:six,men=6", "Six Men’s Morris", "six"],
      ["morris:six,men=4,flying", "Six Men’s, 4 men, flying", "six"],
      ["morris:nine", "Nine Men’s Morris", "nine"],
      ["morris:nine,flying=off", "Nine Men’s, no flying", "nine"],
    ];
    put(
      this.form,
      h(
        "div",
        { class: "choices-grid", role: "group", "aria-label": "Variants" },
        kinds.map(([spec, name]) =>
          h(
            "button",
            {
              type: "button",
              "aria-pressed": String(spec === this.spec),
              onclick: () => {
                this.set(spec);
                this.morris();
              },
            },
            name,
          ),
        ),
      ),
      h("div", { class: "preview" }, morris(kinds.find(([spec]) => spec === this.spec)?.[2] ?? "six")),
    );
  }

  pig() {
    const coin = this.spec.startsWith("piglet");
    const goal = Number(this.spec.split(":")[1] ?? (coin ? 10 : 100));
    put(
      this.form,
      h(
        "div",
        { class: "settings" },
        this.number("Goal", goal, 1, 1000, (n) => this.set(`${coin ? "piglet" : "pig"}:${n}`)),
        this.flag("use a coin instead of a die", coin, (on) => {
          this.set(on ? "piglet:10" : "pig:50");
          this.pig();
        }),
      ),
    );
  }

  other() {
    const family = this.app.known.games.find((known) => known.name === this.spec.split(":")[0]);
    put(this.form, h("p", { class: "note" }, family?.parameters || "Type the spec below."));
  }
}
