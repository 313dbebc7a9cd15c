// @ts-check

// Thumbnails of the games, drawn as SVG.

import { die } from "./dice.js";
import { s } from "./dom.js";
import { disc, man } from "./men.js";

/**
 * @param {number} x
 * @param {number} y
 * @param {...Child} parts
 */
const at = (x, y, ...parts) => s("g", { transform: `translate(${x} ${y})` }, parts);
/**
 * @param {Face} kind
 * @param {number} width
 * @param {number} height
 * @param {...Child} parts
 */
const picture = (kind, width, height, ...parts) =>
  s(
    "svg",
    { class: `mini board face-${kind}`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
    parts,
  );
/**
 * @param {string} kind
 * @param {number} width
 * @param {number} height
 */
const body = (kind, width, height, rx = 16) => s("rect", { class: `body ${kind}`, width, height, rx });

/** @type {{ [letter: string]: string }} */
const HOLDERS = { x: "first", o: "second", "#": "nobody" };

/**
 * A man in a picture: its coordinates and its owner.
 * @typedef {[number, number, Side]} Man
 */

/**
 * A board of cells: rows from the top, `x` `o` `#` and dots, letters for men, digits for cubes.
 * @param {Face} kind
 * @param {string[]} rows
 */
export function cells(kind, rows) {
  const [w, hgt] = [rows[0].length * 64 + 16, rows.length * 64 + 16];
  const inside = rows.flatMap((row, y) =>
    [...row].map((letter, x) => {
      const cube = /[1-6]/.test(letter)
        ? ["first", letter]
        : /[a-f]/.test(letter) && kind === "cubes"
          ? ["second", String(letter.charCodeAt(0) - 96)]
          : null;
      const holder = /** @type {Holder | null} */ (
        cube?.[0] ?? HOLDERS[letter] ?? (letter === "." ? null : /[A-Z]/.test(letter) ? "first" : "second")
      );
      const label = cube ? cube[1] : kind === "chess" && holder ? letter.toUpperCase() : "";
      const bed =
        kind === "drop"
          ? s("circle", { class: "hole", r: 26 })
          : kind === "chess"
            ? s("rect", { class: (x + y) % 2 ? "cell dark" : "cell", x: -32, y: -32, width: 64, height: 64 })
            : s("rect", { class: "cell", x: -29, y: -29, width: 58, height: 58, rx: 8 });
      return at(x * 64 + 40, y * 64 + 40, bed, ...man(kind, holder, label));
    }),
  );
  return picture(kind, w, hgt, body(kind === "chess" ? "wood" : "board-body", w, hgt), inside);
}

export function go() {
  const lines = [0, 1, 2, 3, 4].map((i) =>
    s("path", { class: "grid-line", d: `M${40 + i * 60} 16v272M16 ${40 + i * 60}h272` }),
  );
  /** @type {Man[]} */
  const stones = [
    [1, 1, "second"],
    [2, 2, "first"],
    [3, 1, "first"],
    [1, 3, "first"],
    [2, 1, "second"],
    [3, 3, "second"],
  ];
  return picture(
    "go",
    304,
    304,
    body("light-wood", 304, 304),
    lines,
    stones.map(([x, y, side]) => at(40 + x * 60, 40 + y * 60, ...man("go", side, ""))),
  );
}

/** @param {number[]} counts */
export function piles(counts) {
  const tall = Math.max(...counts);
  const [w, hgt] = [counts.length * 92 + 20, tall * 24 + 24];
  return picture(
    "piles",
    w,
    hgt,
    body("cloth", w, hgt),
    counts.flatMap((count, x) =>
      [...Array(count).keys()].map((y) => at(x * 92 + 56, hgt - 24 - y * 24, ...man("piles", "nobody", ""))),
    ),
  );
}

/**
 * A morris board with some men.
 * @param {string} kind
 */
export function morris(kind) {
  /** @param {string} d */
  const line = (d) => s("path", { class: "link", d, fill: "none" });
  /** @type {{ [kind: string]: string }} */
  const three = {
    three: "M40 40h240v240h-240zM160 40v240M40 160h240",
    lines8: "M40 40h240v240h-240zM160 40v240M40 160h240M40 40l240 240M280 40l-240 240",
    six: "M40 40h240v240h-240zM100 100h120v120h-120zM160 40v60M160 220v60M40 160h60M220 160h60",
    nine:
      "M40 40h240v240h-240zM80 80h160v160h-160zM120 120h80v80h-80zM160 40v80M160 200v80M40 160h80M200 " +
      "160h80",
  };
  /** @type {Man[]} */
  const men =
    kind === "three" || kind === "lines8"
      ? [
          [40, 280, "first"],
          [160, 160, "first"],
          [280, 40, "second"],
          [40, 40, "second"],
          [280, 160, "first"],
        ]
      : [
          [40, 40, "first"],
          [160, 40, "second"],
          [280, 160, "first"],
          [160, 280, "second"],
          [40, 160, "first"],
        ];
  return picture(
    "points",
    320,
    320,
    body("wood", 320, 320, 22),
    line(three[kind] ?? three.three),
    men.map(([x, y, side]) => at(x, y, ...disc(side, 27))),
  );
}

export function race() {
  const wedges = [...Array(6).keys()].flatMap((i) => [
    s("path", { class: `wedge${i % 2 ? " odd" : ""}`, d: `M${26 + i * 52} 22h46l-23 92z` }),
    s("path", { class: `wedge${i % 2 ? "" : " odd"}`, d: `M${26 + i * 52} 258h46l-23-92z` }),
  ]);
  return picture(
    "race",
    360,
    280,
    body("wood", 360, 280, 20),
    s("rect", { class: "felt", x: 18, y: 16, width: 324, height: 248, rx: 8 }),
    wedges,
    /** @type {Man[]} */ ([
      [205, 46, "first"],
      [257, 46, "first"],
      [309, 46, "first"],
      [205, 234, "second"],
      [257, 234, "second"],
      [257, 192, "second"],
    ]).map(([x, y, side]) => at(x, y, ...disc(side, 22))),
    at(76, 140, die(6)),
    at(130, 140, die(5)),
  );
}

export function pig() {
  return picture(
    "text",
    240,
    170,
    s("rect", { class: "body felt", width: 240, height: 170, rx: 16 }),
    s("g", { transform: "translate(84 88) rotate(-10) scale(1.700)" }, die(5)),
    s("g", { transform: "translate(176 98) rotate(12) scale(1.100)" }, die(1)),
  );
}
