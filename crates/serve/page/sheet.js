// @ts-check

// Move list: numbered, with annotation glyphs and branches; can be copied as text, record or link.

import * as api from "./api.js";
import { $, around, beneath, copy, h, put } from "./dom.js";
import { glyphOf, isOnly } from "./glyphs.js";
import { moveText } from "./move-text.js";
import { fullName } from "./names.js";

/** Most moves of a branch that are shown. */
const BRANCH = 8;

export class Sheet {
  /** @type {App} */
  app;
  key = "";

  /** @param {ValueHistory} history */
  constructor(history) {
    this.card = $("#sheet");
    this.history = history;
    this.list = h("ol", { class: "sheet", "aria-label": "Moves" });
    this.list.addEventListener("click", (event) => this.clicked(event));
    /**
     * @param {string} words
     * @param {() => unknown} act
     * @param {string} id
     */
    const take = (words, act, id) => h("button", { type: "button", class: "quiet", id, onclick: act }, words);
    put(
      this.card,
      h("h2", {}, "Moves"),
      this.list,
      h(
        "p",
        { class: "actions" },
        take("Copy text", () => copy(this.text(), "Moves"), "copy-text"),
        take("Save file", () => this.save(), "save-record"),
        take("Copy link", () => copy(location.href, "Link"), "copy-link"),
      ),
    );
  }

  /** @param {App} app */
  draw(app) {
    this.app = app;
    const { state } = app;
    const { moves } = state;
    this.card.hidden = state.view === "puzzle" || state.view === "retry" || !moves.length;
    if (this.card.hidden) return;
    const branches = app.record.branches(moves);
    const signs = this.signs();
    const key = [
      state.game,
      moves.join(),
      app.view?.begins,
      app.plies.length,
      app.moves.length,
      signs.join(),
      [...branches].map(([at, lines]) => at + lines.map((line) => line.join(" ")).join("/")).join(),
    ].join("|");
    if (key === this.key) return;
    this.key = key;
    put(this.list, app.view?.chance ? this.flow(signs, branches) : this.pairs(signs, branches));
    // Only the list scrolls, never the page.
    const here = this.list.querySelector("[aria-current]")?.closest("li");
    if (here)
      this.list.scrollTop = Math.max(0, here.offsetTop - this.list.offsetTop - this.list.clientHeight / 2);
  }

  /** The glyph of each move, where values are known and not hidden. */
  signs() {
    const { app, history } = this;
    const { game, position, moves } = app.state;
    if (app.playing && !app.valuesShown && !app.over) return moves.map(() => "");
    const plies = history.settled || history.plies.length ? history.plies : [];
    return moves.map((mv, i) => {
      const mistake = plies[i + 1]?.mistake;
      if (mistake) return glyphOf(mistake);
      return isOnly(app.kept.get(api.query({ game, position, moves: moves.slice(0, i) })), mv) ? "!" : "";
    });
  }

  /**
   * A clickable move.
   * @param {string} words
   * @param {number} ply
   * @param {string} sign
   */
  move(words, ply, sign) {
    const here = this.app.moves.length === ply;
    const glyph = sign && h("span", { class: `glyph ${sign === "!" ? "good" : "bad"}` }, sign);
    const said = { "!": ", the only move", "?": ", a mistake", "??": ", a blunder" }[sign] ?? "";
    return h(
      "button",
      {
        type: "button",
        "data-ply": ply,
        class: ply > this.app.moves.length ? "after" : "",
        "aria-current": here ? "step" : false,
        "aria-label": `${words}${said}`,
      },
      words,
      glyph,
    );
  }

  /**
   * Rows of two moves, one of each player.
   * @param {string[]} signs
   * @param {Map<number, string[][]>} branches
   */
  pairs(signs, branches) {
    const { moves } = this.app.state;
    const { written } = this.app;
    const shift = this.app.view?.begins === "second" ? 1 : 0;
    const rows = [];
    for (let i = -shift; i < moves.length; i += 2) {
      const number = (i + shift) / 2 + 1;
      /** @param {number} ply */
      const cell = (ply) =>
        ply >= 0 && ply < moves.length
          ? this.move(written[ply], ply + 1, signs[ply])
          : h("span", { class: "number" }, ply < 0 ? "…" : "");
      rows.push(h("li", {}, h("span", { class: "number" }, String(number)), cell(i), cell(i + 1)));
      for (const ply of [i, i + 1])
        rows.push(...this.besides(branches, ply, `${number}${(ply + shift) % 2 ? "…" : "."}`));
    }
    return rows;
  }

  /**
   * Rows of one turn each, with rolls in small print.
   * @param {string[]} signs
   * @param {Map<number, string[][]>} branches
   */
  flow(signs, branches) {
    const { app } = this;
    const { moves } = app.state;
    const { plies } = app;
    /** @param {number} ply */
    const by = (ply) => plies[ply]?.by ?? "first";
    /** @type {HTMLElement[]} */
    const rows = [];
    /** @type {number[]} */
    let turn = [];
    let number = 0;
    const close = () => {
      if (!turn.length) return;
      number += 1;
      const mark = by(turn[0]) === "first" ? "●" : "✚";
      rows.push(
        h(
          "li",
          {},
          h("span", { class: "number", title: app.names[by(turn[0])] }, `${number} ${mark}`),
          h(
            "span",
            { class: "flow" },
            turn.map((ply) => {
              const button = this.move(moves[ply], ply + 1, signs[ply]);
              if (plies[ply]?.chance) button.classList.add("roll");
              return button;
            }),
          ),
        ),
      );
      for (const ply of turn) rows.push(...this.besides(branches, ply, `${number}.`));
      turn = [];
    };
    moves.forEach((_, ply) => {
      if (turn.length && by(ply) !== by(turn[0])) close();
      turn.push(ply);
    });
    close();
    return rows;
  }

  /**
   * The branches of a ply.
   * @param {Map<number, string[][]>} branches
   * @param {number} ply
   * @param {string} number
   */
  besides(branches, ply, number) {
    return (branches.get(ply) ?? []).map((line) => {
      const shown = this.app.write(line, this.app.state.position).slice(ply, ply + BRANCH);
      return h(
        "li",
        { class: "branch" },
        h(
          "button",
          { type: "button", "data-line": line.join(" "), "data-ply": ply + 1, title: "Go to this branch" },
          `${number} ${shown.join(" ")}${line.length > ply + BRANCH ? " …" : ""}`,
        ),
      );
    });
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    // A redraw between press and release detaches the clicked move, so the one under the pointer is used.
    const button = around(event, "[data-ply]") ?? beneath(event, "[data-ply]");
    if (!button || !this.list.contains(button)) return;
    const ply = Number(button.dataset.ply);
    if (button.dataset.line) {
      const moves = button.dataset.line.split(" ");
      this.app.go({ moves, at: ply < moves.length ? ply : null });
    } else this.app.jump(ply);
  }

  /** The game as text. */
  text() {
    const { app } = this;
    const { game, position, moves } = app.state;
    const words = app.view?.chance ? moves.join(" ") : moveText(app.written, app.view?.begins ?? "first");
    const head = [
      fullName(game),
      `Game: ${game}`,
      position && `Position: ${position}`,
      app.over && `Result: ${$("#status").textContent}`,
    ];
    return `${head.filter(Boolean).join("\n")}\n\n${words}\n`;
  }

  /** The game with its branches as a JSON record. */
  record() {
    const { app } = this;
    const { game, position, moves, first, second } = app.state;
    const branches = [...app.record.branches(moves).values()].flat();
    const signs = this.signs();
    return {
      game,
      ...(position ? { position } : {}),
      players: { first, second },
      moves,
      outcome: app.state.at === null && app.view ? app.view.outcome : null,
      glyphs: Object.fromEntries(signs.flatMap((sign, i) => (sign ? [[i + 1, sign]] : []))),
      branches,
      link: location.href,
    };
  }

  save() {
    const address = URL.createObjectURL(
      new Blob([`${JSON.stringify(this.record(), null, 2)}\n`], { type: "application/json" }),
    );
    h("a", { href: address, download: `${this.app.state.game.replace(/[^\w.-]+/g, "-")}.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}
