// @ts-check

// Board editor: places obstacles and stones with the mouse or the keyboard; dragging the corner resizes it.

import { $, announce, around, beneath, h, put, s } from "./dom.js";
import { given } from "./given.js";
import { man } from "./men.js";
import { inSentence, namesOf } from "./scene.js";

const U = 64;
export const MOST_SIDE = 20;

/**
 * @param {number} column
 * @returns {string}
 */
const letters = (column) =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : "") + String.fromCharCode(97 + (column % 26));
/**
 * @param {number} x
 * @param {number} y
 */
const cellName = (x, y) => `${letters(x)}${y + 1}`;

/** Tools of the palette; those of the players are labelled with their names. */
/** @type {{ key: string, label: string, holder: Holder | null }[]} */
export const TOOLS = [
  { key: "obstacles", label: "Obstacle", holder: "nobody" },
  { key: "x", label: "", holder: "first" },
  { key: "o", label: "", holder: "second" },
  { key: "", label: "Erase", holder: null },
];

/**
 * The kind of picture that a board has.
 * @param {BoardSpec} board
 * @returns {Face}
 */
export const boardLayout = ({ width, height, gravity }) =>
  gravity ? "drop" : Math.min(width, height) >= 9 ? "go" : "grid";

/**
 * The board that a spec describes, or null for other kinds of games.
 * @param {string} spec
 * @returns {BoardSpec | null}
 */
export function parseBoard(spec) {
  const [head, ...options] = spec.trim().split(",");
  const known = /^(tictactoe|mnk|connect4|connect)(?::(\d+)x(\d+))?$/.exec(head);
  if (!known) return null;
  const [, name, w, hgt] = known;
  const falls = name.startsWith("connect");
  const board = {
    width: Number(w ?? (falls ? 7 : 3)),
    height: Number(hgt ?? (falls ? 6 : 3)),
    k: falls ? 4 : 3,
    gravity: falls,
    misere: false,
    turn: "",
    cells: new Map(),
  };
  for (const option of options) {
    const [key, value] = option.split("=");
    if (key === "k") board.k = Number(value);
    else if (key === "gravity") board.gravity = true;
    else if (key === "misere") board.misere = true;
    else if (key === "turn") board.turn = value;
    else if (["obstacles", "x", "o"].includes(key))
      for (const cell of (value ?? "").split("+")) board.cells.set(cell, key);
  }
  return board;
}

/**
 * The spec string of a board.
 * @param {BoardSpec} board
 */
export function writeBoard(board) {
  const size = `${board.width}x${board.height}`;
  const parts = [
    board.gravity
      ? board.k === 4
        ? `connect4:${size}`
        : `connect:${size},k=${board.k}`
      : `mnk:${size},k=${board.k}`,
  ];
  for (const key of ["obstacles", "x", "o"]) {
    const cells = [];
    for (let x = 0; x < board.width; x += 1) {
      for (let y = 0; y < board.height; y += 1)
        if (board.cells.get(cellName(x, y)) === key) cells.push(cellName(x, y));
    }
    if (cells.length) parts.push(`${key}=${cells.join("+")}`);
  }
  if (board.turn) parts.push(`turn=${board.turn}`);
  if (board.misere) parts.push("misere");
  return parts.join(",");
}

export class Painter {
  /** @type {{ x: number, y: number, width: number, height: number, cell: number } | undefined} */
  drag;
  /** @type {string | undefined} */
  brush;

  /**
   * @param {BoardSpec} board
   * @param {() => unknown} changed
   */
  constructor(board, changed) {
    this.board = board;
    this.changed = changed;
    this.tool = TOOLS[0];
    this.svg = s("svg", { class: "paint", role: "group", "aria-label": "Board editor" });
    this.focus = "a1";
    this.palette = h("div", { class: "segmented palette", role: "group", "aria-label": "Palette" });
    this.element = h("div", { class: "painter" }, this.palette, this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("pointermove", (event) => this.moved(event));
    this.svg.addEventListener("pointerup", () => this.up());
    this.svg.addEventListener("pointercancel", () => this.up());
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.draw();
  }

  get layout() {
    return boardLayout(this.board);
  }

  /** @param {{ label: string, holder: Holder | null }} tool */
  label({ label, holder }) {
    return label || namesOf(this.layout)[holder === "second" ? "second" : "first"];
  }

  draw() {
    const { width, height } = this.board;
    const { layout } = this;
    put(
      this.palette,
      TOOLS.map((tool, i) =>
        h(
          "button",
          {
            type: "button",
            "data-tool": tool.key || "erase",
            "aria-pressed": String(this.tool === tool),
            title: `${this.label(tool)} (${i + 1})`,
            onclick: () => {
              this.tool = tool;
              this.draw();
            },
          },
          s(
            "svg",
            { class: `token face-${layout}`, viewBox: "-32 -32 64 64", "aria-hidden": "true" },
            tool.holder
              ? man(layout, tool.holder, "")
              : s("path", { class: "eraser", d: "M-14 8L4-14 16-4-2 16h-12z" }),
          ),
          this.label(tool),
        ),
      ),
    );
    this.svg.setAttribute("viewBox", `0 0 ${width * U + 20} ${height * U + 20}`);
    this.svg.setAttribute("class", `paint board face-${layout}`);
    const cells = [];
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) cells.push(this.cell(x, y, layout));
    put(
      this.svg,
      s("rect", {
        class: `body ${layout === "go" ? "light-wood" : "board-body"}`,
        x: 2,
        y: 2,
        width: width * U + 8,
        height: height * U + 8,
        rx: 10,
      }),
      cells,
      s(
        "g",
        {
          class: "corner",
          role: "slider",
          "aria-label": "Drag to resize",
          "aria-valuetext": `${width} columns, ${height} rows`,
          "data-corner": 1,
          transform: `translate(${width * U + 8} ${height * U + 8})`,
        },
        s("circle", { r: 11 }),
        s("path", { d: "M-4 4L4-4M0 5L5 0" }),
      ),
    );
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {Face} layout
   */
  cell(x, y, layout) {
    const name = cellName(x, y);
    const key = this.board.cells.get(name);
    const holder = TOOLS.find((tool) => tool.key === key && key)?.holder ?? null;
    return s(
      "g",
      {
        class: "spot open",
        role: "button",
        "data-cell": name,
        tabindex: name === this.focus ? 0 : -1,
        "aria-label":
          `${name}, ` +
          `${holder ? inSentence(this.label(given(TOOLS.find((tool) => tool.holder === holder)))) : "empty"}`,
        transform: `translate(${6 + (x + 0.5) * U} ${6 + (this.board.height - y - 0.5) * U})`,
      },
      s("rect", {
        class: layout === "go" ? "cell ruled" : "cell",
        x: -U / 2 + 2,
        y: -U / 2 + 2,
        width: U - 4,
        height: U - 4,
        rx: 6,
      }),
      layout === "drop" && s("circle", { class: "hole", r: 27 }),
      s("g", { class: "stone" }, man(layout, holder, "")),
    );
  }

  /**
   * @param {string} name
   * @param {string} key
   */
  set(name, key) {
    if (key) this.board.cells.set(name, key);
    else this.board.cells.delete(name);
    this.draw();
    this.changed();
  }

  /** @param {MouseEvent} event */
  under(event) {
    return beneath(event, "[data-cell]")?.dataset.cell;
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (around(event, "[data-corner]")) {
      this.drag = {
        x: event.clientX,
        y: event.clientY,
        width: this.board.width,
        height: this.board.height,
        cell: this.svg.getBoundingClientRect().width / (this.board.width + 20 / U),
      };
    } else {
      const name = this.under(event);
      if (!name) return;
      // Painting the same content again erases it.
      this.brush = this.board.cells.get(name) === this.tool.key ? "" : this.tool.key;
      this.focus = name;
      this.set(name, this.brush);
    }
    event.preventDefault();
    this.svg.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  moved(event) {
    if (this.drag) {
      const { x, y, width, height, cell } = this.drag;
      /**
       * @param {number} from
       * @param {number} by
       */
      const side = (from, by) => Math.max(1, Math.min(MOST_SIDE, from + Math.round(by / cell)));
      this.resize(side(width, event.clientX - x), side(height, event.clientY - y));
    } else if (this.brush !== undefined) {
      const name = this.under(event);
      if (name && (this.board.cells.get(name) ?? "") !== this.brush) this.set(name, this.brush);
    }
  }

  up() {
    this.drag = undefined;
    this.brush = undefined;
  }

  /**
   * Resizes the board; cells outside it are dropped.
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    if (width === this.board.width && height === this.board.height) return;
    this.board.width = width;
    this.board.height = height;
    /** @type {Set<string>} */
    const inside = new Set();
    for (let x = 0; x < width; x += 1) for (let y = 0; y < height; y += 1) inside.add(cellName(x, y));
    for (const name of [...this.board.cells.keys()]) if (!inside.has(name)) this.board.cells.delete(name);
    if (!inside.has(this.focus)) this.focus = "a1";
    this.draw();
    this.changed();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const name = around(event, "[data-cell]")?.dataset.cell;
    if (!name) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way) {
      const { width, height } = this.board;
      const column = given(/^[a-z]+/.exec(name))[0];
      const x = [...Array(width).keys()].findIndex((c) => letters(c) === column);
      const y = Number(name.slice(column.length)) - 1;
      this.focus = cellName(
        Math.max(0, Math.min(width - 1, x + way[0])),
        Math.max(0, Math.min(height - 1, y + way[1])),
      );
      this.refocus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.focus = name;
      this.set(name, this.board.cells.get(name) === this.tool.key ? "" : this.tool.key);
      this.refocus();
      announce(given($(`[data-cell="${name}"]`, this.svg)).getAttribute("aria-label"));
    } else if (["1", "2", "3", "4"].includes(event.key)) {
      this.tool = TOOLS[Number(event.key) - 1];
      this.draw();
      this.refocus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  refocus() {
    for (const cell of this.svg.querySelectorAll("[data-cell]"))
      cell.setAttribute("tabindex", cell.getAttribute("data-cell") === this.focus ? "0" : "-1");
    $(`[data-cell="${this.focus}"]`, this.svg)?.focus();
  }
}
