// @ts-check

// Small pictures of positions, drawn from their text without a request; used by search trees.

import { h, s } from "./dom.js";

const CELL = 22;

/** @param {string[]} rows */
function board(rows) {
  const width = rows[0].length;
  /** @type {SVGElement[]} */
  const parts = [s("rect", { class: "mini-ground", width: width * CELL, height: rows.length * CELL, rx: 4 })];
  rows.forEach((row, y) =>
    [...row].forEach((sign, x) => {
      const [cx, cy] = [(x + 0.5) * CELL, (y + 0.5) * CELL];
      parts.push(
        s("rect", {
          class: sign === "#" ? "mini-cell blocked" : "mini-cell",
          x: x * CELL + 1,
          y: y * CELL + 1,
          width: CELL - 2,
          height: CELL - 2,
          rx: 3,
        }),
      );
      if (sign === "x")
        parts.push(s("path", { class: "stone-x", d: `M${cx - 5} ${cy - 5}l10 10m0-10l-10 10` }));
      if (sign === "o") parts.push(s("circle", { class: "stone-o", cx, cy, r: 5.5 }));
    }),
  );
  return s(
    "svg",
    {
      class: "mini-board",
      viewBox: `-1 -1 ${width * CELL + 2} ${rows.length * CELL + 2}`,
      width: width * CELL * 1.4,
      role: "img",
      "aria-label": rows.join(" / "),
    },
    parts,
  );
}

/** @param {number[]} sizes */
function piles(sizes) {
  if (!sizes.some(Boolean)) return h("p", { class: "note" }, "no matches left");
  const most = Math.max(1, ...sizes);
  const parts = sizes.flatMap((size, pile) =>
    Array.from({ length: size }, (_, i) =>
      s("rect", { class: "match", x: pile * 46 + i * 9, y: 4, width: 5, height: 40, rx: 2 }),
    ),
  );
  return s(
    "svg",
    {
      class: "mini-board",
      viewBox: `-4 0 ${sizes.length * 46 + most * 4} 48`,
      width: 150,
      role: "img",
      "aria-label": `piles of ${sizes.join(", ")}`,
    },
    parts,
  );
}

/**
 * A picture chosen by the format of the text: a board, piles of matches, scores, or the text itself.
 * @param {string | undefined} position
 */
export function mini(position) {
  if (!position) return null;
  const [ground] = position.split(" ");
  if (/^[.xo#\d/]*[.xo#/][.xo#\d/]*$/.test(ground)) {
    return board(ground.split("/").map((row) => row.replace(/\d+/g, (count) => ".".repeat(Number(count)))));
  }
  if (/^[\d+]*$/.test(ground)) return piles(ground.split("+").filter(Boolean).map(Number));
  const points = /^(\d+)-(\d+) ([AB]) (\d+)/.exec(position);
  if (points) {
    const side = points[3] === "A" ? "First" : "Second";
    const text = `First ${points[1]} · Second ${points[2]} · ${side}'s turn: ${points[4]}`;
    return h("p", { class: "mini-text" }, text);
  }
  return h("code", { class: "mini-text" }, position);
}
