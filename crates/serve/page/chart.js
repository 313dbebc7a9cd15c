// @ts-check

// Line chart with confidence bands, for the course of a match.

import { s } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 220, 52, 16, 16, 34];

/**
 * Round numbers between two ends.
 * @param {number} low
 * @param {number} high
 */
function ticks(low, high, count = 4) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5].map((times) => times * power).find((size) => size >= rough) ?? 10 * power;
  const list = [];
  for (let at = Math.ceil(low / step) * step; at <= high + 1e-9; at += step) list.push(Number(at.toFixed(9)));
  return list;
}

/**
 * A chart. `series` is a list of {name, points: [[x, y, low, high]], kind}; `y` has `low`, `high` and
 * `text(value)`; `rules` is a list of {at, name, kind}: horizontal lines.
 * @param {object} options
 * @param {{ name?: string, points: number[][], kind?: string }[]} options.series
 * @param {string} options.x
 * @param {{ low: number, high: number, text(value: number): string }} options.y
 * @param {{ at: number, name: string, kind?: string, under?: boolean }[]} [options.rules]
 * @param {string} options.label
 */
export function chart({ series, x, y, rules = [], label }) {
  const all = series.flatMap((one) => one.points);
  const right = Math.max(1, ...all.map(([at]) => at));
  const [low, high] = [
    Math.min(y.low, ...rules.map((rule) => rule.at)),
    Math.max(y.high, ...rules.map((rule) => rule.at)),
  ];
  /** @param {number} at */
  const across = (at) => LEFT + (at / right) * (WIDTH - LEFT - RIGHT);
  /** @param {number} value */
  const up = (value) =>
    TOP + (1 - (Math.max(low, Math.min(high, value)) - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
  /** @param {number[][]} points */
  const path = (points) =>
    points
      .map(([at, value], i) => `${i ? "L" : "M"}${across(at).toFixed(1)} ${up(value).toFixed(1)}`)
      .join("");
  const grid = ticks(low, high).map((value) => [
    s("path", { class: "chart-grid", d: `M${LEFT} ${up(value)}H${WIDTH - RIGHT}` }),
    s("text", { class: "chart-text end", x: LEFT - 8, y: up(value) + 4 }, y.text(value)),
  ]);
  const below = ticks(0, right, 6)
    .filter((at) => Number.isInteger(at))
    .map((at) => s("text", { class: "chart-text mid", x: across(at), y: HEIGHT - BOTTOM + 18 }, String(at)));
  const bands = series
    .filter((one) => one.points.length && one.points[0].length > 2)
    .map((one) => {
      const upper = one.points.map(([at, , , top]) => [at, top]);
      const lower = one.points.map(([at, , bottom]) => [at, bottom]).reverse();
      return s("path", {
        class: `chart-band ${one.kind ?? "s0"}`,
        d: `${path(upper)}${path(lower).replace("M", "L")}Z`,
      });
    });
  const lines = series.map((one, i) =>
    s("path", { class: `chart-line ${one.kind ?? `s${i % 8}`}`, d: path(one.points) }),
  );
  const ends = series
    .filter((one) => one.points.length)
    .map((one, i) => {
      const [at, value] = one.points[one.points.length - 1];
      return s("circle", {
        class: `chart-dot ${one.kind ?? `s${i % 8}`}`,
        cx: across(at),
        cy: up(value),
        r: 4,
      });
    });
  const named = rules.map((rule) => [
    s("path", { class: `chart-rule ${rule.kind ?? ""}`, d: `M${LEFT} ${up(rule.at)}H${WIDTH - RIGHT}` }),
    s("text", { class: "chart-text", x: LEFT + 6, y: up(rule.at) + (rule.under ? 14 : -5) }, rule.name),
  ]);
  return s(
    "svg",
    { class: "course-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    grid,
    below,
    s("text", { class: "chart-text end", x: WIDTH - RIGHT, y: HEIGHT - 2 }, x),
    bands,
    named,
    lines,
    ends,
  );
}
