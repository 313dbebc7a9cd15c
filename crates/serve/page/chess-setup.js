// @ts-check

// Chess position editor: drag men between squares, place them from the palette, paste a FEN, or pick an
// ending.

import { $, announce, beneath, h, put, s } from "./dom.js";
import { given } from "./given.js";
import { man } from "./men.js";
import { MEN } from "./scene.js";
import { fits, readFen, scattered, writeFen } from "./start.js";

/** Every ending of three and four men; the stronger side comes first. */
export const ENDINGS = (() => {
  const men = [..."QRBNP"];
  const pairs = men.flatMap((a, i) => men.slice(i).map((b) => [a, b]));
  return [
    ...men.map((a) => `K${a}K`),
    ...pairs.map(([a, b]) => `K${a}K${b}`),
    ...pairs.map(([a, b]) => `K${a}${b}K`),
  ];
})();

const ORDER = "KQRBNP";

/**
 * The name of the ending on the board, or "" if a king is missing.
 * @param {Map<number, string>} men
 */
export function materialOf(men) {
  /** @param {string[]} letters */
  const side = (letters) => letters.sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)).join("");
  const white = side([...men.values()].filter((letter) => letter === letter.toUpperCase()));
  const black = side(
    [...men.values()]
      .filter((letter) => letter !== letter.toUpperCase())
      .map((letter) => letter.toUpperCase()),
  );
  return /^K[^K]*$/.test(white) && /^K[^K]*$/.test(black) ? white + black : "";
}

/** @param {number} square */
const squareName = (square) => String.fromCharCode(97 + (square % 8)) + ((square >> 3) + 1);

export class ChessPainter {
  /** @type {Map<number, string>} */
  men;
  /** @type {string} */
  toMove;
  /** @type {SVGGElement} */
  float;
  /** @type {{ square: number, letter: string | undefined } | null} */
  drag = null;

  /**
   * `changed` is called after every change of the position.
   * @param {string} fen
   * @param {() => unknown} changed
   */
  constructor(fen, changed) {
    this.changed = changed;
    ({ men: this.men, toMove: this.toMove } = readFen(fen));
    this.tool = "K";
    this.focus = 0;
    this.svg = s("svg", {
      class: "paint board face-chess",
      viewBox: "0 0 524 524",
      role: "group",
      "aria-label": "Position editor",
    });
    this.palette = h("div", { class: "segmented palette men", role: "group", "aria-label": "Men" });
    this.turn = h("span", { class: "segmented", role: "group", "aria-label": "To move" });
    this.text = h("input", {
      class: "fen",
      id: "fen",
      spellcheck: false,
      "aria-label": "Position as FEN",
      onchange: () => this.paste(),
    });
    this.element = h("div", { class: "painter" }, this.palette, this.svg, this.turn, this.text);
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.moved(event));
    this.svg.addEventListener("pointerup", (event) => this.up(event));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.draw();
  }

  fen() {
    return writeFen(this.men, this.toMove);
  }

  /**
   * The men of an ending on random squares.
   * @param {string} material
   */
  scatter(material) {
    ({ men: this.men } = readFen(scattered(material)));
    this.toMove = "w";
    this.told();
  }

  told() {
    this.draw();
    this.changed();
  }

  paste() {
    const { men, toMove } = readFen(this.text.value);
    if (!men.size) return;
    [this.men, this.toMove] = [men, toMove];
    this.told();
  }

  draw() {
    const tools = [..."KQRBNP", ..."kqrbnp", ""];
    put(
      this.palette,
      tools.map((letter) =>
        h(
          "button",
          {
            type: "button",
            "data-tool": letter || "erase",
            "aria-pressed": String(this.tool === letter),
            "aria-label": letter
              ? `${letter === letter.toUpperCase() ? "White" : "Black"} ${MEN[letter.toUpperCase()]}`
              : "Erase",
            onclick: () => {
              this.tool = letter;
              this.draw();
            },
          },
          s(
            "svg",
            { class: "token face-chess", viewBox: "-32 -32 64 64", "aria-hidden": "true" },
            letter ? this.drawn(letter) : s("path", { class: "eraser", d: "M-14 8L4-14 16-4-2 16h-12z" }),
          ),
        ),
      ),
    );
    put(
      this.turn,
      [
        ["w", "White to move"],
        ["b", "Black to move"],
      ].map(([turn, words]) =>
        h(
          "button",
          {
            type: "button",
            "data-turn": turn,
            "aria-pressed": String(this.toMove === turn),
            onclick: () => {
              this.toMove = turn;
              this.told();
            },
          },
          words,
        ),
      ),
    );
    const squares = [...Array(64).keys()].map((square) =>
      s(
        "g",
        {
          class: "spot open",
          role: "button",
          "data-square": square,
          tabindex: square === this.focus ? 0 : -1,
          "aria-label": `${squareName(square)}, ${this.words(this.men.get(square))}`,
          transform: `translate(${38 + (square % 8) * 64} ${38 + (7 - (square >> 3)) * 64})`,
        },
        s("rect", {
          class: ((square % 8) + (square >> 3)) % 2 === 0 ? "cell dark" : "cell",
          x: -32,
          y: -32,
          width: 64,
          height: 64,
        }),
        s("g", { class: "stone" }, this.drawn(this.men.get(square))),
      ),
    );
    this.float = s("g", { class: "over floating" });
    put(this.svg, s("rect", { class: "body wood", width: 524, height: 524, rx: 14 }), squares, this.float);
    this.text.value = this.fen();
  }

  /** @param {string | undefined} letter */
  drawn(letter) {
    return letter
      ? man("chess", letter === letter.toUpperCase() ? "first" : "second", letter.toUpperCase())
      : [];
  }

  /** @param {string | undefined} letter */
  words(letter) {
    return letter
      ? `${letter === letter.toUpperCase() ? "white" : "black"} ${MEN[letter.toUpperCase()]}`
      : "empty";
  }

  /** @param {MouseEvent} event */
  under(event) {
    const square = beneath(event, "[data-square]");
    return square && this.svg.contains(square) ? Number(square.dataset.square) : null;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const square = this.under(event);
    if (square === null) return;
    event.preventDefault();
    this.focus = square;
    this.svg.setPointerCapture(event.pointerId);
    this.drag = { square, letter: this.tool === "" ? undefined : this.men.get(square) };
  }

  /** @param {PointerEvent} event */
  moved(event) {
    if (!this.drag?.letter) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      given(this.svg.getScreenCTM()).inverse(),
    );
    put(this.float, this.drawn(this.drag.letter));
    this.float.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    const square = this.under(event);
    // A man dropped outside the board is removed.
    if (drag.letter && square !== drag.square) {
      this.men.delete(drag.square);
      if (square !== null) this.men.set(square, drag.letter);
      this.told();
    } else if (square !== null) this.put(square);
  }

  /**
   * Puts the chosen man on a square, or removes it if it is already there.
   * @param {number} square
   */
  put(square) {
    if (!this.tool || this.men.get(square) === this.tool) this.men.delete(square);
    else {
      // Each colour has one king, so placing it again moves it.
      if (/k/i.test(this.tool))
        for (const [other, letter] of this.men) if (letter === this.tool) this.men.delete(other);
      this.men.set(square, this.tool);
    }
    this.told();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: 8, ArrowDown: -8 }[event.key];
    if (way) {
      const next = this.focus + way;
      const across = Math.abs((next % 8) - (this.focus % 8)) > 1;
      if (next < 0 || next > 63 || across) return;
      this.focus = next;
      this.draw();
    } else if (event.key === "Enter" || event.key === " ") {
      this.put(this.focus);
      announce(this.words(this.men.get(this.focus)));
    } else return;
    $(`[data-square="${this.focus}"]`, this.svg)?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  /** The reason why the position is not valid, or "". */
  get trouble() {
    if (!materialOf(this.men)) return "Each side needs exactly one king.";
    if (this.men.size > 5) return "Only endings with up to five men are supported.";
    if (this.toMove === "w" && !fits(this.men)) return "Black is in check, so it cannot be White’s turn.";
    return "";
  }
}
