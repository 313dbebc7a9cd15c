// @ts-check

// Drawings of men, stones and other pieces. The players differ in mark as well as in colour: a ring and a
// plus on discs and cubes, a cross and a ring on small boards, white and black men. Colours come from
// style.css, gradients from `defs`.

import { s } from "./dom.js";

/**
 * The visual style of a scene: one word for each kind of board.
 * @param {Scene} scene
 * @returns {Face}
 */
export function face(scene) {
  const { layout, width, height, spots, links } = scene;
  if (layout === "points") return links?.length ? "points" : "race";
  if (layout !== "grid") return layout;
  if (spots.some((spot) => spot.label)) return "cubes";
  return Math.min(width, height) >= 9 ? "go" : "grid";
}

/** @type {[string, "linear" | "radial", string[]][]} */
const GRADIENTS = [
  ["board-face", "linear", ["var(--board-top)", "var(--board-foot)"]],
  ["wood-face", "linear", ["var(--wood-top)", "var(--wood-foot)"]],
  ["felt-face", "linear", ["var(--felt-top)", "var(--felt-foot)"]],
  ["first-face", "radial", ["#ffe28f", "#f2bd3a", "#c98f12"]],
  ["second-face", "radial", ["#f391a1", "#d6455d", "#98273d"]],
  ["black-face", "radial", ["#6b7280", "#2a2f37", "#101317"]],
  ["white-face", "radial", ["#ffffff", "#f1efe9", "#c9c5ba"]],
  ["match-face", "linear", ["#f0d3a0", "#cfa566"]],
  ["tip-face", "radial", ["#ee7663", "#c23a2b", "#8d2418"]],
];

/** Adds the gradients and patterns that boards share to the document, once. */
export function defs() {
  if (document.getElementById("defs")) return;
  /** @param {string[]} colours */
  const stops = (colours) =>
    colours.map((colour, i) => s("stop", { offset: i / (colours.length - 1), "stop-color": colour }));
  const made = GRADIENTS.map(([id, kind, colours]) =>
    kind === "linear"
      ? s("linearGradient", { id, x1: 0, y1: 0, x2: 0, y2: 1 }, stops(colours))
      : s("radialGradient", { id, cx: 0.36, cy: 0.3, r: 0.85 }, stops(colours)),
  );
  const hatch = s(
    "pattern",
    { id: "hatch", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    s("rect", { class: "hatch-ground", width: 9, height: 9 }),
    s("path", { class: "hatch-line", d: "M0 0V9" }),
  );
  document.body.append(
    s("svg", { id: "defs", class: "away", "aria-hidden": "true" }, s("defs", {}, made, hatch)),
  );
}

const cross = () => s("path", { class: "first line", d: "M-15-15L15 15M15-15L-15 15" });
const ring = () => s("circle", { class: "second line", r: 16 });
/**
 * @param {Side} holder
 * @param {number} r
 */
const mark = (holder, r) =>
  holder === "first"
    ? s("circle", { class: "inlay", r: r * 0.64 })
    : s("path", { class: "inlay", d: `M${-r * 0.36} 0h${r * 0.72}M0 ${-r * 0.36}v${r * 0.72}` });

/**
 * A disc with its owner's mark.
 * @param {Side} holder
 */
export function disc(holder, r = 26) {
  return [s("circle", { class: `${holder} disc`, r }), mark(holder, r)];
}

/**
 * @param {Side} holder
 * @param {string} label
 */
function cube(holder, label) {
  return [
    s("rect", { class: `${holder} disc`, x: -24, y: -24, width: 48, height: 48, rx: 11 }),
    s("rect", {
      class: "inlay",
      x: -18,
      y: -18,
      width: 36,
      height: 36,
      rx: 7,
      "stroke-dasharray": holder === "second" ? "3 5" : null,
    }),
    s("text", { class: `on-disc ${holder}`, y: 9 }, label),
  ];
}

// Silhouettes on a square from -24 to 24, feet at 21.
const FOOT = "M-17 21h34v-5h-34z";
/** @type {{ [letter: string]: string }} */
const SHAPES = {
  P: "M-12 15h24c0-7-6-9-7-16h4v-4h-4.500a8 8 0 1 0-9 0H-9v4h4c-1 7-7 9-7 16z",
  R: "M-13 15h26l-3-5v-15l4-4v-11h-7v5h-3.500v-5h-7v5H-7v-5h-7v11l4 4v15z",
  N: "M-13 15h26c2-14 0-26-11-32l-1-5-5 4c-6 2-9 8-13 14l-2 6c0 3 4 5 7 3l4-3c3 0 5-1 7-2-1 6-10 7-12 15z",
  B:
    "M-12 15h24c-1-5-4-6-5-8 5-3 7-8 5-13-2-4-5-7-8-9a4.500 4.500 0 1 0-8 0c-3 2-6 5-8 9-2 5 0 10 5 13-1 " +
    "2-4 3-5 8z",
  Q: "M-14 15h28l5-25-9 10-3-16-7 14-7-14-3 16-9-10z",
  K: "M-13 15h26c5-7 8-11 6-16-3-6-10-6-17-1v-8h5v-5h-5v-6h-4v6h-5v5h5v8c-7-5-14-5-17 1-2 5 1 9 6 16z",
};
/** @type {{ [letter: string]: string }} */
const DETAILS = {
  N: "M-4-10h.1",
  B: "M-4-4h8M0-8v8",
  Q: "M-13 9h26",
  K: "M-11 10h22",
  R: "M-9 9h18M-9-6h18",
};

/**
 * @param {Side} holder
 * @param {string} label
 */
function chessman(holder, label) {
  const parts = [s("path", { class: `man ${holder}`, d: `${SHAPES[label] ?? SHAPES.P}${FOOT}` })];
  if (DETAILS[label]) parts.push(s("path", { class: `detail ${holder}`, d: DETAILS[label] }));
  return parts;
}

const match = () => [
  s("rect", { class: "match", x: -34, y: -4.5, width: 62, height: 9, rx: 3 }),
  s("ellipse", { class: "tip", cx: 29, rx: 9, ry: 6.5 }),
];

/**
 * The checkers of one point, stacked; `up` is the direction in which the stack grows.
 * @param {Side} holder
 * @param {string} label
 * @param {boolean} [up]
 */
function stack(holder, label, up) {
  const count = Number(label || 1);
  return [...Array(count).keys()].map((i) =>
    s("g", { transform: `translate(0 ${(up ? -1 : 1) * i * 44})` }, disc(holder, 22)),
  );
}

/**
 * The drawing of a spot's content, centred on the origin. `kind` is a `face`.
 * @param {Face} kind
 * @param {Holder | null} holder
 * @param {string} label
 * @param {boolean} [up]
 * @returns {SVGElement[]}
 */
export function man(kind, holder, label, up) {
  if (!holder) return [];
  if (holder === "nobody") {
    if (kind === "piles") return label ? [s("text", { class: "count", y: 10 }, label)] : match();
    if (kind === "drop") return [s("circle", { class: "obstacle", r: 27 })];
    return [s("rect", { class: "obstacle", x: -27, y: -27, width: 54, height: 54, rx: 8 })];
  }
  if (kind === "chess") return chessman(holder, label);
  if (kind === "race") return stack(holder, label, up);
  if (kind === "go") return [s("circle", { class: `${holder} pebble`, r: 28 })];
  if (kind === "grid" && !label) return [holder === "first" ? cross() : ring()];
  if (label && kind !== "drop") return cube(holder, label);
  return disc(holder, kind === "points" ? 27 : 26);
}

/**
 * A small picture of a player, for text around the board.
 * @param {Face} kind
 * @param {Side} holder
 */
export function token(kind, holder) {
  const shown = kind === "text" || kind === "piles" || kind === "points" || kind === "cubes" ? "drop" : kind;
  return s(
    "svg",
    { class: `token face-${shown}`, viewBox: "-32 -32 64 64", "aria-hidden": "true" },
    man(shown, holder, shown === "chess" ? "K" : ""),
  );
}
