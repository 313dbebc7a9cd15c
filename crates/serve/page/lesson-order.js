// @ts-check

// Lesson 4: move ordering. The number of leaves that alpha-beta visits with different move orders.

import { isAbort } from "./api.js";
import { h, put, s } from "./dom.js";
import { given } from "./given.js";
import { choice } from "./lesson.js";
import { TreePicture } from "./tree-picture.js";
import { short } from "./worth.js";

const SMALL = { game: "connect:3x4,k=4" };
const LARGE = { game: "connect4" };
const JUDGE = "lines";
const B = 7;
const DEPTHS = [1, 2, 3, 4, 5, 6];
/**
 * A kind of search: its key, its label, and the options of the request.
 * @typedef {[string, string, TreeOptions]} Row
 */

/**
 * A bar: its key, its label, and its length.
 * @typedef {[string, string, number]} Bar
 */

/** @type {Row[]} */
const ROWS = [
  ["minimax", "minimax, all leaves", { method: "minimax" }],
  ["worst", "alpha-beta, worst move first", { order: "worst" }],
  ["rules", "alpha-beta, in the order of the rules", { order: "rules" }],
  ["best", "alpha-beta, best move first", { order: "best" }],
];
/** @param {number} number */
const figure = (number) => number.toLocaleString("en");

/**
 * Leaves that alpha-beta visits with the best order (Knuth and Moore 1975).
 * @param {number} b
 * @param {number} d
 */
export const least = (b, d) => b ** Math.ceil(d / 2) + b ** Math.floor(d / 2) - 1;

/**
 * Bars on a logarithmic scale.
 * @param {Bar[]} rows
 * @param {string} [hidden]
 */
function bars(rows, hidden) {
  const most = 5.2;
  /** @param {number} count */
  const x = (count) => 12 + (Math.log10(Math.max(1, count)) / most) * 520;
  const grid = [0, 1, 2, 3, 4, 5].flatMap((power) => [
    s("line", { class: "axis", x1: x(10 ** power), x2: x(10 ** power), y1: 8, y2: rows.length * 52 + 4 }),
    s("text", { class: "tick", x: x(10 ** power), y: rows.length * 52 + 22 }, figure(10 ** power)),
  ]);
  const list = rows.flatMap(([name, words, count], i) => [
    s("text", { class: "bar-name", x: 12, y: i * 52 + 20 }, words),
    s("rect", {
      class: `bar-length ${name}`,
      "data-bar": name,
      "data-count": hidden === name ? "" : count,
      x: 12,
      y: i * 52 + 26,
      width: hidden === name ? 0 : Math.max(2, x(count) - 12),
      height: 18,
      rx: 4,
    }),
    s(
      "text",
      { class: "bar-count", x: (hidden === name ? 12 : x(count)) + 8, y: i * 52 + 41 },
      hidden === name ? "?" : figure(count),
    ),
  ]);
  return s(
    "svg",
    {
      class: "bars",
      viewBox: `0 0 640 ${rows.length * 52 + 30}`,
      role: "img",
      "aria-label": rows
        .map(([name, words, count]) => `${words}: ${hidden === name ? "?" : count} leaves`)
        .join("; "),
    },
    grid,
    list,
  );
}

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const host = h("div", { class: "tree-host" });
  const chart = h("div", { class: "chart" });
  put(lesson.stage, host, chart);
  const picture = new TreePicture(host);

  // Four searches of one small tree, and twenty-four of Connect Four on 7x6.
  /** @type {Map<string, Trace>} */
  const small = new Map();
  await Promise.all(
    ROWS.map(async ([name, , options]) =>
      small.set(name, await lesson.tree(SMALL, { depth: 3, eval: JUDGE, ...options })),
    ),
  );
  /** @type {Map<string, number>} */
  const counts = new Map();
  /**
   * @param {number} depth
   * @param {Row} options
   * @param {number} [seed]
   * @returns {Promise<number>}
   */
  const leaves = async (depth, [name, , options], seed) => {
    const key = `${depth} ${name} ${seed ?? ""}`;
    if (!counts.has(key))
      counts.set(
        key,
        (await lesson.tree(LARGE, { depth, eval: JUDGE, most: 1, seed, ...options })).counters
          .static_evaluations,
      );
    return given(counts.get(key));
  };
  /**
   * @param {number} depth
   * @returns {Promise<Bar[]>}
   */
  const rowsAt = (depth) => Promise.all(ROWS.map(async (row) => [row[0], row[1], await leaves(depth, row)]));
  /** @type {Map<number, Bar[]>} */
  const known = new Map();
  for (const depth of DEPTHS.slice(0, 4)) known.set(depth, await rowsAt(depth));
  lesson.counts = known;

  /** @param {string} name */
  const tree = (name) => () => {
    host.hidden = false;
    chart.hidden = true;
    const trace = given(small.get(name));
    lesson.trace = trace;
    picture.load(trace);
    picture.paint((i) => ({
      seen: trace.nodes[i].fate !== "cut",
      done: trace.nodes[i].fate !== "cut",
      cut: trace.nodes[i].fate === "cut",
      principal: trace.nodes[i].principal,
    }));
  };
  /**
   * @param {number} depth
   * @param {string} [hidden]
   */
  const showBars = (depth, hidden) => () => {
    host.hidden = true;
    chart.hidden = false;
    /** @param {Bar[]} rows */
    const draw = (rows) =>
      put(
        chart,
        h(
          "p",
          { class: "chart-title" },
          `Connect Four, ${depth} ${depth === 1 ? "ply" : "plies"} ahead: leaves visited`,
        ),
        bars(rows, hidden),
        h("p", { class: "note" }, "Logarithmic scale: each grid line is ten times the previous one."),
      );
    const rows = known.get(depth);
    if (rows) return draw(rows);
    put(chart, h("p", { class: "note pulse" }, "Counting …"));
    return rowsAt(depth)
      .then((found) => {
        known.set(depth, found);
        if (lesson.current === at) draw(found);
      })
      .catch((error) => !isAbort(error) && lesson.fail(error));
  };
  /** @type {LessonStep | null} */
  let at = null;
  /** @param {string} name */
  const count = (name) => given(small.get(name)).counters.static_evaluations;
  const six = DEPTHS[DEPTHS.length - 1];
  /**
   * @param {string[]} words
   * @param {() => unknown} draw
   * @param {Question} [question]
   */
  const step = (words, draw, question) => {
    /** @type {LessonStep} */
    const made = { words, question };
    made.draw = () => {
      at = made;
      draw();
    };
    return made;
  };

  lesson.command(
    `outplay show ${LARGE.game} --tree --minimax --depth 4 --eval ${JUDGE}`,
    `outplay show ${LARGE.game} --tree --depth 4 --eval ${JUDGE}`,
  );
  lesson.run([
    step(
      [`Three columns, three plies ahead: minimax visits all ${count("minimax")} leaves.`],
      tree("minimax"),
    ),
    step(
      [
        `Alpha-beta with moves in the order of the rules: ${count("rules")} leaves. Dashed branches ` +
          "were cut off.",
      ],
      tree("rules"),
    ),
    step(
      [
        "Now every position tries its *worst* move first. A bad first move gives a poor bound, so almost " +
          "nothing can be cut off afterwards.",
      ],
      tree("worst"),
      {
        text: `With the worst moves first, how many of the ${count("minimax")} leaves are visited?`,
        number: count("worst"),
        why: `${count("worst")}: ${count("worst") === count("minimax") ? "all of them" : "nearly all"}.`,
        hint: () => "Count the squares without ✂.",
      },
    ),
    step(
      [
        `And with the *best* move first: ${count("best")} leaves. One good reply is enough to refute a ` +
          "bad move, and it is tried first.",
        `All four searches agree that the root is worth ${short(given(small.get("best")).nodes[0].worth)}.`,
      ],
      tree("best"),
    ),
    step(
      [
        "How much does that save in a real game? Connect Four has seven moves in every position of the " +
          "first six plies. Let us search deeper and deeper.",
      ],
      showBars(1),
    ),
    ...DEPTHS.slice(1, 4).map((depth) =>
      step(
        [
          `${depth} plies: minimax visits 7 to the power of ${depth}, ${figure(B ** depth)}, leaves. ` +
            `The best order needs ${figure(least(B, depth))}.`,
          depth === 4 ? "That is b^⌈d/2⌉ + b^⌊d/2⌋ − 1: at every other ply *one* move is enough." : "",
        ].filter(Boolean),
        showBars(depth),
      ),
    ),
    step(["Six plies: 7 to the power of 6 is 117,649."], showBars(six, "best"), {
      text: "How many leaves does alpha-beta need with the best move first? (7³ + 7³ − 1)",
      number: least(B, six),
      why:
        `${least(B, six)}: about the square root of the work of minimax. In the same time, alpha-beta ` +
        "searches twice as deep.",
      hint: () => "7³ is 343.",
    }),
    step(
      [
        `${figure(B ** six)} leaves, or only ${least(B, six)}.`,
        "The best move is not known in advance, or there would be nothing to search. But good guesses " +
          "are cheap: captures first, central moves first, the best move of the previous iteration " +
          "(one ply less), the move that refuted a sibling (killer move).",
      ],
      showBars(six),
      {
        text:
          "A program has time for about 700 leaves. How many plies can it search with the best order, and " +
          "how many with minimax?",
        choices: [
          {
            text: "6 and 3",
            right: true,
            why: `Right: ${least(B, six)} leaves for six plies, 343 for three.`,
          },
          { text: "6 and 5", why: "Minimax needs 16,807 leaves for five plies." },
          {
            text: "4 and 3",
            why: `The best order needs ${least(B, 4)} leaves for four plies: there is room for more.`,
          },
        ],
      },
    ),
  ]);
  let seed = 1;
  put(
    lesson.tools,
    choice("Random order", [["shuffle", "Try a random order, 5 plies"]], "", async () => {
      const found = await leaves(5, ["shuffled", "", { order: "shuffled" }], seed);
      put(
        told,
        `Random order ${seed}: ${figure(found)} of ${figure(B ** 5)} leaves; the best order needs ` +
          `${figure(least(B, 5))}.`,
      );
      seed += 1;
    }),
  );
  const told = h("p", { class: "note", role: "status" });
  lesson.tools.append(told);
}
