// @ts-check

// Board geometry and background: positions of the spots, body, lines, holes and coordinates.

import { s } from "./dom.js";

const U = 64;
/** @type {{ [face in Face]?: string }} */
const BODIES = { points: "wood", go: "light-wood", chess: "wood" };

/**
 * @param {number} column
 * @returns {string}
 */
export const letters = (column) =>
  (column >= 26 ? letters(Math.floor(column / 26) - 1) : "") + String.fromCharCode(97 + (column % 26));

/**
 * The positions of a scene's spots, the size of the picture, and the font size of the coordinates.
 * @param {Scene} scene
 * @param {Face} kind
 * @returns {Metrics}
 */
export function metrics(scene, kind) {
  const { width, height } = scene;
  /**
   * @param {number} dx
   * @param {number} dy
   * @param {number} left
   * @param {number} top
   * @param {number} right
   * @param {number} bottom
   * @param {Partial<Metrics>} [more]
   * @returns {Metrics}
   */
  const of = (dx, dy, left, top, right, bottom, more = {}) => {
    const full = left + width * dx + right;
    const tall = top + height * dy + bottom;
    return {
      dx,
      dy,
      left,
      top,
      width: full,
      height: tall,
      print: 14,
      at: (spot) => [left + (spot.x + 0.5) * dx, top + (height - 0.5 - spot.y) * dy],
      ...more,
    };
  };
  if (kind === "drop") return of(U, U, 14, 46, 14, 42, { print: 15 });
  if (kind === "piles") return of(104, 24, 20, 26, 20, 52, { print: 18 });
  if (kind === "race") {
    // Two rows of points; a stack grows from the edge inwards.
    const m = of(58, 190, 22, 26, 22, 26, { print: 15 });
    return {
      ...m,
      height: 26 + 2 * 190 + 26,
      at: (spot) => [m.left + (spot.x + 0.5) * 58, spot.y ? 26 + 30 : 26 + 380 - 30],
    };
  }
  if (kind === "points") {
    const print = (width * 104 + 60) * 0.03;
    return of(104, 104, 6 + 1.5 * print, 6, 6, 6 + 1.5 * print, { print });
  }
  const print = Math.max(width, height) * U * 0.034;
  const gutter = 1.8 * print;
  return of(U, U, gutter, 0.6 * gutter, 0.6 * gutter, gutter, { print });
}

/**
 * @param {string} kind
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {number} rx
 */
const rect = (kind, x, y, width, height, rx) => s("rect", { class: kind, x, y, width, height, rx });

/**
 * The static parts of the board: body, lines, coordinates.
 * @param {Scene} scene
 * @param {Face} kind
 * @param {Metrics} m
 */
export function ground(scene, kind, m) {
  const { width, height } = scene;
  /** @type {SVGElement[]} */
  const parts = [];
  /**
   * @param {number} x
   * @param {number} y
   * @param {string} text
   */
  const label = (x, y, text, more = "") =>
    parts.push(s("text", { class: `coordinate ${more}`, x, y, "font-size": m.print }, text));
  const [w, hgt] = [width * m.dx, height * m.dy];
  if (kind === "drop") {
    parts.push(rect("body board-body", 2, m.top - 10, w + 24, hgt + 20, 22));
    for (let column = 0; column < width; column += 1)
      label(m.left + (column + 0.5) * m.dx, m.height - 12, String(column + 1), "outside");
  } else if (kind === "piles") {
    parts.push(rect("body cloth", 2, 2, m.width - 4, m.height - 4, 18));
  } else if (kind === "race") {
    raceTable(parts, m);
  } else {
    parts.push(rect(`body ${BODIES[kind] ?? "board-body"}`, 2, 2, m.width - 4, m.height - 4, 18));
    if (kind === "go") goLines(parts, scene, m);
    if (kind === "cubes") goals(parts, scene, m);
    /**
     * @param {[number, number]} options
     * @param {string} word
     */
    const join = ([a, b], word) => {
      const [x1, y1] = m.at(scene.spots[a]);
      const [x2, y2] = m.at(scene.spots[b]);
      parts.push(s("line", { class: word, x1, y1, x2, y2 }));
    };
    for (const pair of scene.lines ?? []) join(pair, "link counts");
    for (const pair of scene.links ?? []) join(pair, "link");
    for (let column = 0; column < width; column += 1)
      label(m.left + (column + 0.5) * m.dx, m.height - 0.5 * m.print, letters(column));
    for (let row = 0; row < height; row += 1)
      label(
        Math.max(m.print * 0.9, m.left * 0.48),
        m.top + (height - row - 0.5) * m.dy + m.print * 0.35,
        String(row + 1),
      );
  }
  return s("g", { class: "ground", "aria-hidden": "true" }, parts);
}

/**
 * Lines through the cell centres, and star points.
 * @param {SVGElement[]} parts
 * @param {Scene} scene
 * @param {Metrics} m
 */
function goLines(parts, scene, m) {
  const { width, height } = scene;
  /**
   * @param {number} x
   * @param {number} y
   */
  const at = (x, y) => m.at({ x, y });
  for (let x = 0; x < width; x += 1)
    parts.push(s("path", { class: "grid-line", d: `M${at(x, 0)}L${at(x, height - 1)}` }));
  for (let y = 0; y < height; y += 1)
    parts.push(s("path", { class: "grid-line", d: `M${at(0, y)}L${at(width - 1, y)}` }));
  /** @param {number} n */
  const marks = (n) =>
    (n >= 13 ? [3, n % 2 ? (n - 1) / 2 : null, n - 4] : n % 2 ? [(n - 1) / 2] : []).filter((i) => i !== null);
  for (const x of marks(width))
    for (const y of marks(height)) {
      const [cx, cy] = at(x, y);
      parts.push(s("circle", { class: "star", cx, cy, r: 6 }));
    }
}

/**
 * The goal corners of the cubes, opposite to their own.
 * @param {SVGElement[]} parts
 * @param {Scene} scene
 * @param {Metrics} m
 */
function goals(parts, scene, m) {
  /**
   * @param {number} x
   * @param {number} y
   * @param {Side} side
   */
  const goal = (x, y, side) => {
    const [cx, cy] = m.at({ x, y });
    parts.push(
      s(
        "g",
        { class: `goal ${side}`, transform: `translate(${cx} ${cy})` },
        s("rect", { x: -29, y: -29, width: 58, height: 58, rx: 12 }),
      ),
    );
  };
  goal(scene.width - 1, 0, "first");
  goal(0, scene.height - 1, "second");
}

/**
 * @param {SVGElement[]} parts
 * @param {Metrics} m
 */
function raceTable(parts, m) {
  parts.push(rect("body wood", 2, 2, m.width - 4, m.height - 4, 18));
  /**
   * @param {number} column
   * @param {number} columns
   */
  const field = (column, columns, inset = 0) =>
    parts.push(
      rect("felt", m.left + column * m.dx - 4 + inset, m.top - 6, columns * m.dx + 6 - inset, 392, 8),
    );
  field(0, 6);
  field(7, 6);
  field(13, 1, 10);
  for (let column = 0; column < 13; column += 1) {
    if (column === 6) continue;
    const x = m.left + column * m.dx;
    const odd = column % 2 ? " odd" : "";
    parts.push(
      s("path", { class: `wedge${odd}`, d: `M${x + 3} ${m.top - 2}h52l-26 158z` }),
      s("path", { class: `wedge${odd ? "" : " odd"}`, d: `M${x + 3} ${m.top + 382}h52l-26-158z` }),
    );
    const number = column < 6 ? 13 + column : 12 + column;
    const middle = x + m.dx / 2;
    parts.push(
      s("text", { class: "coordinate", x: middle, y: 16, "font-size": 13 }, String(number)),
      s("text", { class: "coordinate", x: middle, y: m.height - 7, "font-size": 13 }, String(25 - number)),
    );
  }
  for (const [column, word] of /** @type {[number, string][]} */ ([
    [6, "bar"],
    [13, "off"],
  ])) {
    const x = m.left + (column + 0.5) * m.dx;
    parts.push(s("text", { class: "coordinate", x, y: m.top + 195, "font-size": 13 }, word));
  }
}

/**
 * An empty spot, centred on the origin.
 * @param {Face} kind
 * @param {{ x: number, y: number }} spot
 * @param {Metrics} m
 */
export function bed(kind, spot, m) {
  const { dx, dy } = m;
  if (kind === "drop")
    return [
      s("rect", { class: "cell", x: -dx / 2, y: -dy / 2, width: dx, height: dy }),
      s("circle", { class: "hole", r: 27 }),
    ];
  if (kind === "points")
    return [s("circle", { class: "cell", r: 40 }), s("circle", { class: "hole", r: 10 })];
  if (kind === "go") return [s("rect", { class: "cell", x: -dx / 2, y: -dy / 2, width: dx, height: dy })];
  if (kind === "race") {
    const half = spot.y ? [-34, 194] : [-160, 194];
    return [s("rect", { class: "cell", x: -dx / 2, y: half[0], width: dx, height: half[1] })];
  }
  if (kind === "piles") return [s("rect", { class: "cell", x: -dx / 2, y: -dy / 2, width: dx, height: dy })];
  if (kind === "chess")
    return [
      s("rect", {
        class: (spot.x + spot.y) % 2 === 0 ? "cell dark" : "cell",
        x: -dx / 2,
        y: -dy / 2,
        width: dx,
        height: dy,
      }),
    ];
  return [s("rect", { class: "cell", x: -29, y: -29, width: 58, height: 58, rx: 8 })];
}
