// @ts-check

// Value marks on the board: pills on spots, scores above columns, numbered ghosts of coming moves.

import { s } from "./dom.js";
import { strokes } from "./symbol.js";
import { about, aboutBrief, brief, mean, movesTo, scoreText, short } from "./verdict.js";

/**
 * The value to show on each playable spot: that of the best move through it.
 * @param {Map<number, Gesture[]>} next
 * @param {Look} options
 */
export function markedSpots(next, { answers, best }) {
  /** @type {Map<number, SpotMark>} */
  const marks = new Map();
  if (!answers) return marks;
  for (const [spot, gestures] of next) {
    let shown = null;
    for (const gesture of gestures) {
      const answer = answers.get(gesture.move);
      if (answer && (!shown || best?.has(gesture.move))) {
        if (!shown?.best) shown = { answer, best: Boolean(best?.has(gesture.move)) };
      }
    }
    if (shown) marks.set(spot, shown);
  }
  return marks;
}

/**
 * A value pill for a spot: symbol and distance, with a ring around the best.
 * @param {SeenMove} answer
 * @param {boolean} best
 */
export function pill(answer, best) {
  const value = mean(answer);
  const guess = value === null && answer.value === "unknown" && typeof answer.opinion === "number";
  if (value !== null || guess) {
    const text = guess ? aboutBrief(answer) : brief(answer);
    const width = 14 + text.length * 9;
    return [
      best && s("rect", { class: "ring", x: -width / 2 - 4, y: -17, width: width + 8, height: 34, rx: 15 }),
      s("rect", {
        class: `pill ${guess ? "guess" : "mean"}`,
        x: -width / 2,
        y: -13,
        width,
        height: 26,
        rx: 12,
      }),
      s("text", { class: "pill-text", y: 6 }, text),
    ];
  }
  const distance = answer.value === "draw" || answer.value === "unknown" ? "" : movesTo(answer);
  const width = 26 + (distance ? distance.length * 10 + 3 : 0);
  return [
    best && s("rect", { class: "ring", x: -width / 2 - 4, y: -17, width: width + 8, height: 34, rx: 17 }),
    s(
      "g",
      { class: answer.value === "loss" && !best ? "quiet" : null },
      s("rect", { class: `pill ${answer.value}`, x: -width / 2, y: -13, width, height: 26, rx: 13 }),
      s("g", { transform: `translate(${-width / 2 + 13} 0) scale(.8)` }, strokes(answer.value)),
      distance && s("text", { class: "pill-text", x: 9.5, y: 6 }, distance),
    ),
  ];
}

/**
 * The text above a column: its score, or its value in games without scores.
 * @param {SpotMark} options
 */
export function score({ answer, best }) {
  if (answer.value === "unknown" && mean(answer) === null) {
    return typeof answer.opinion === "number"
      ? s("text", { class: "score guess", y: 6 }, about(answer))
      : null;
  }
  const text = typeof answer.score === "number" ? scoreText(answer.score) : short(answer);
  return s("text", { class: `score ${answer.value}${best ? " best" : ""}`, y: 6 }, text);
}

/**
 * Numbered coming moves: stones for placements, arrows for moves. `steps` have `path`, `by` and `forced`.
 * @param {Scene} scene
 * @param {Metrics} m
 * @param {LineMove[]} steps
 */
export function numbered(scene, m, steps) {
  /** @type {Map<number, number>} */
  const seen = new Map();
  return steps.flatMap(({ path, by, forced }, i) => {
    if (!path.length) return [];
    const end = path.length === 1 ? path[0] : path[1];
    const [x, y] = m.at(scene.spots[end]);
    const times = seen.get(end) ?? 0;
    seen.set(end, times + 1);
    const number = s("text", { class: "ghost-number", y: 7 }, String(i + 1));
    const transform = `translate(${x + times * 16} ${y + times * 16})`;
    const classes = `ghost ${by}${forced ? " forced" : ""}`;
    const r = scene.layout === "piles" ? 12 : 22;
    if (path.length === 1) return [s("g", { class: classes, transform }, s("circle", { r }), number)];
    const [x1, y1] = m.at(scene.spots[path[0]]);
    return [
      s(
        "g",
        { class: classes },
        s("line", { x1, y1, x2: x, y2: y }),
        s("g", { transform }, s("circle", { r: 14 }), number),
      ),
    ];
  });
}

/**
 * The explanation of a value: marked spots, joined pairs, and the line of play with forced moves drawn solid.
 * @param {Scene} scene
 * @param {Metrics} m
 * @param {ReasonMark[]} marks
 * @param {LineMove[]} line
 */
export function reasons(scene, m, marks, line) {
  /** @param {ReasonMark} mark */
  const at = (mark) => m.at(scene.spots[mark.spot]);
  const pairs = Map.groupBy(
    marks.filter((mark) => mark.pair !== undefined),
    (mark) => mark.pair,
  );
  const joined = [...pairs.values()].map((pair) =>
    s("polyline", { class: "reason-line pair", points: pair.map((mark) => at(mark).join()).join(" ") }),
  );
  const piles = scene.layout === "piles";
  const rings = marks.map((mark) => {
    const [cx, cy] = at(mark);
    return piles
      ? s("rect", { class: `reason ${mark.kind}`, x: cx - 42, y: cy - 11, width: 84, height: 22, rx: 8 })
      : s("circle", { class: `reason ${mark.kind}`, cx, cy, r: 28 });
  });
  return [joined, rings, numbered(scene, m, piles ? [] : line)];
}
