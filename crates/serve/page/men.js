// What lies on spots. The players differ in shape as well as in colour: a cross and a ring, a full disc and a ringed
// one, white men and black men.

import { s } from "./dom.js";

const UNIT = 64;

const cross = () => s("path", { class: "first line", d: "M-17-17L17 17M17-17L-17 17" });
const ring = () => s("circle", { class: "second line", r: 18 });

function disc(holder, label) {
  const parts = [s("circle", { class: `${holder} disc`, r: 25 })];
  if (holder === "second") parts.push(s("circle", { class: "inlay", r: label ? 21 : 14 }));
  if (label) parts.push(s("text", { class: "on-disc", y: 8 }, label));
  return parts;
}

// Silhouettes on a square from -24 to 24, feet at 21.
const FOOT = "M-17 21h34v-5h-34z";
const SHAPES = {
  P: "M-12 15h24c0-7-6-9-7-16h4v-4h-4.500a8 8 0 1 0-9 0H-9v4h4c-1 7-7 9-7 16z",
  R: "M-13 15h26l-3-5v-15l4-4v-11h-7v5h-3.500v-5h-7v5H-7v-5h-7v11l4 4v15z",
  N: "M-13 15h26c2-14 0-26-11-32l-1-5-5 4c-6 2-9 8-13 14l-2 6c0 3 4 5 7 3l4-3c3 0 5-1 7-2-1 6-10 7-12 15z",
  B: "M-12 15h24c-1-5-4-6-5-8 5-3 7-8 5-13-2-4-5-7-8-9a4.500 4.500 0 1 0-8 0c-3 2-6 5-8 9-2 5 0 10 5 13-1 2-4 3-5 8z",
  Q: "M-14 15h28l5-25-9 10-3-16-7 14-7-14-3 16-9-10z",
  K: "M-13 15h26c5-7 8-11 6-16-3-6-10-6-17-1v-8h5v-5h-5v-6h-4v6h-5v5h5v8c-7-5-14-5-17 1-2 5 1 9 6 16z",
};
const DETAILS = {
  N: "M-4-10h.1",
  B: "M-4-4h8M0-8v8",
  Q: "M-13 9h26",
  K: "M-11 10h22",
  R: "M-9 9h18M-9-6h18",
};

function chessman(holder, label) {
  const parts = [s("path", { class: `man ${holder}`, d: `${SHAPES[label] ?? SHAPES.P}${FOOT}` })];
  if (DETAILS[label]) parts.push(s("path", { class: `detail ${holder}`, d: DETAILS[label] }));
  return parts;
}

/** The drawing of what lies on a spot, around its middle. */
export function man(layout, holder, label) {
  if (!holder) return [];
  if (holder === "nobody") {
    if (layout === "piles" && !label) return [s("rect", { class: "match", x: -26, y: -9, width: 52, height: 18, rx: 6 }),
      s("circle", { class: "tip", cx: 20, r: 6 })];
    if (layout === "piles") return [s("text", { class: "count", y: 10 }, label)];
    return [s("rect", { class: "obstacle", x: -UNIT / 2 + 3, y: -UNIT / 2 + 3, width: UNIT - 6, height: UNIT - 6, rx: 5 })];
  }
  if (layout === "chess") return chessman(holder, label);
  if (layout === "grid" && !label) return [holder === "first" ? cross() : ring()];
  return disc(holder, label);
}

/** A small picture of a player, for text around the board. */
export function token(layout, holder) {
  const kind = layout === "text" || layout === "piles" ? "drop" : layout;
  return s("svg", { class: `token layout-${kind}`, viewBox: "-32 -32 64 64", "aria-hidden": "true" },
    man(kind, holder, kind === "chess" ? "K" : ""));
}
