// @ts-check

// Lesson 3: alpha-beta pruning step by step, with the search window, reasons for cutoffs, and questions.

import { h, put, s } from "./dom.js";
import { mini } from "./mini.js";
import { TreePicture, pathTo, stepsOf } from "./tree-picture.js";
import { bound, rank, short, sign } from "./worth.js";

/** @type {{ [name: string]: { words: string, place: Place, depth: number, eval?: string } }} */
const TREES = {
  first: { words: "First moves", place: { game: "connect:3x4,k=4" }, depth: 3, eval: "lines" },
  second: {
    words: "Second moves",
    place: { game: "connect:3x4,k=3", moves: ["2"] },
    depth: 3,
    eval: "lines",
  },
  deep: { words: "To the end", place: { game: "tictactoe", position: "..x/.x./oxo o" }, depth: 9 },
};

const NAMES = { first: "▲ First", second: "▼ Second", chance: "" };

/**
 * The search window as an interval on the axis of values.
 * @param {Worth | null} alpha
 * @param {Worth | null} beta
 * @param {Worth | null | undefined} value
 */
function windowPicture(alpha, beta, value) {
  /** @param {number} number */
  const clamp = (number) =>
    Math.max(-1.15, Math.min(1.15, Math.abs(number) > 1.05 ? Math.sign(number) * 1.1 : number));
  /**
   * @param {Worth | null | undefined} worth
   * @param {number} fallback
   */
  const x = (worth, fallback) => 200 + 165 * (worth ? clamp(rank(worth)) : fallback);
  const [left, right] = [x(alpha, -1.18), x(beta, 1.18)];
  const closed = left >= right;
  /** @type {SVGElement[]} */
  const parts = [
    s("line", { class: "axis", x1: 4, x2: 396, y1: 34, y2: 34 }),
    s("line", { class: "axis", x1: 200, x2: 200, y1: 28, y2: 40 }),
    s("rect", {
      class: closed ? "window closed" : "window",
      x: Math.min(left, right) - (closed ? 3 : 0),
      y: 20,
      width: Math.max(6, Math.abs(right - left)),
      height: 28,
      rx: 5,
    }),
    s("text", { class: "window-side", x: Math.max(30, left), y: 14 }, `α ${bound(alpha, "alpha")}`),
    s("text", { class: "window-side", x: Math.min(370, right), y: 66 }, `β ${bound(beta, "beta")}`),
  ];
  if (value) parts.push(s("circle", { class: "window-value", cx: x(value, 0), cy: 34, r: 7 }));
  return s(
    "svg",
    {
      class: "window-picture",
      viewBox: "0 0 400 72",
      role: "img",
      "aria-label": `window from ${bound(alpha, "alpha")} to ${bound(beta, "beta")}`,
    },
    parts,
  );
}

/**
 * The reason for a cutoff, in terms of the two players.
 * @param {SearchStep} step
 */
function because(step) {
  const [alpha, beta] = [bound(step.alpha, "alpha"), bound(step.beta, "beta")];
  if (step.why === "alpha")
    return (
      `Second is already sure of ${beta} here, and First of ${alpha} elsewhere: β ≤ α. First will ` +
      "never let the game get here, so the remaining moves cannot matter."
    );
  if (step.why === "beta")
    return (
      `First is already sure of ${alpha} here, and Second of ${beta} elsewhere: α ≥ β. Second will ` +
      "never let the game get here, so the remaining moves cannot matter."
    );
  return "Nothing better is possible here: this is a win, and no win is faster.";
}

/**
 * Maps each node of the minimax tree to the alpha-beta node that is reached by the same moves.
 * @param {TraceNode[]} whole
 * @param {TraceNode[]} nodes
 */
function matched(whole, nodes) {
  /**
   * @param {TraceNode[]} list
   * @param {number} i
   */
  const key = (list, i) => pathTo(list, i).join(" ");
  const known = new Map(nodes.map((_, i) => [key(nodes, i), i]));
  return whole.map((_, i) => known.get(key(whole, i)));
}

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const ground = h("div", { class: "beside-tree" });
  const host = h("div", { class: "tree-host" });
  put(lesson.stage, host, ground);
  const picture = new TreePicture(host);

  /** @param {string} name */
  const open = async (name) => {
    const { place, depth, eval: judge } = TREES[name];
    const options = { depth, eval: judge, most: 600 };
    const [trace, whole] = await Promise.all([
      lesson.tree(place, { ...options, method: "alphabeta" }),
      lesson.tree(place, { ...options, method: "minimax" }),
    ]);
    lesson.trace = trace;
    // The picture shows the full minimax tree, so that it does not reveal the coming cutoffs.
    picture.load(whole);
    const at = place.position
      ? ` --position '${place.position}'`
      : place.moves
        ? ` --moves ${place.moves.join(",")}`
        : "";
    lesson.command(
      `outplay show ${place.game}${at} --tree --depth ${depth}${judge ? ` --eval ${judge}` : ""}`,
    );
    lesson.run(stepsFor(trace, whole));
  };

  /**
   * @param {Trace} trace
   * @param {Trace} whole
   */
  const stepsFor = (trace, whole) => {
    const { nodes } = trace;
    const of = matched(whole.nodes, nodes);
    const list = stepsOf(trace);
    /** @param {number} i */
    const leaf = (i) => ["finished", "horizon"].includes(nodes[i].fate);
    /** @type {Set<number>[]} */
    const [seen, done, cut] = [new Set(), new Set(), new Set()];
    const windows = nodes.map((node) => /** @type {SearchWindow} */ ([...node.window]));
    // The visible state after each step, with its text.
    const states = list
      .map((step) => {
        const { i } = step;
        const node = nodes[i];
        const above = node.parent === null ? null : nodes[node.parent];
        const name = i === 0 ? "The root" : `\`${node.move}\``;
        let here = i;
        let words;
        if (step.kind === "enter") {
          seen.add(i);
          const [alpha, beta] = windows[i];
          words =
            `${name}: ${NAMES[node.turn]} chooses. To matter, its value has to be more than α = ` +
            `${bound(alpha, "alpha")} and less than β = ${bound(beta, "beta")}.`;
        } else if (step.kind === "cut") {
          const left = step.cut ?? [];
          left.forEach((child) => cut.add(child));
          const count = left.length + (node.cut_left_out ?? 0);
          words =
            `✂ ${count === 1 ? `\`${nodes[left[0]].move}\` is` : `${count} moves are`} cut off. ` +
            `${because(step)}`;
        } else {
          done.add(i);
          here = node.parent ?? i;
          if (!above) {
            words = `The root is worth ${short(node.worth)}, exactly as in minimax.`;
          } else {
            const side = above.turn === "first" ? 0 : 1;
            const window = windows[node.parent ?? 0];
            const limit = window[side];
            const better =
              step.better &&
              (!limit || (side ? rank(node.worth) < rank(limit) : rank(node.worth) > rank(limit)));
            if (better) window[side] = node.worth ?? null;
            const who = side ? "Second" : "First";
            const end = node.fate === "finished" ? "ends the game:" : "is a leaf, and its evaluation is";
            const change = better
              ? `The best for ${who} so far: ${side ? "β" : "α"} becomes ${short(node.worth)}.`
              : `Not better for ${who}: the window stays the same.`;
            words = `${name} ${leaf(i) ? end : "gives"} ${sign(node)}${short(node.worth)}. ${change}`;
          }
        }
        return {
          step,
          words,
          here,
          seen: new Set(seen),
          done: new Set(done),
          cut: new Set(cut),
          window: /** @type {SearchWindow} */ ([...windows[here]]),
          value: step.kind === "leave" ? node.worth : null,
        };
      })
      .filter(({ step }) => !(step.kind === "enter" && leaf(step.i)));
    const questions = pickQuestions(states, nodes);
    /** @param {number} k */
    const paint = (k) => () => {
      const state = states[k];
      /** @type {Set<number>} */
      const path = new Set();
      for (let at = nodes[state.here].parent; at !== null && at !== undefined; at = nodes[at].parent)
        path.add(at);
      const last = k === states.length - 1;
      picture.paint((j) => {
        const i = of[j];
        // Nodes below a cutoff exist only in the minimax tree.
        if (i === undefined) return { seen: false };
        return {
          seen: state.seen.has(i) || state.done.has(i),
          done: state.done.has(i),
          worth: nodes[i].worth,
          here: i === state.here,
          path: path.has(i),
          cut: state.cut.has(i),
          principal: last && nodes[i].principal,
        };
      });
      put(
        ground,
        h(
          "figure",
          {},
          mini(nodes[state.here].position),
          h("figcaption", { class: "note" }, pathTo(nodes, state.here).join(", ") || "the root"),
        ),
        h(
          "figure",
          { class: "wide" },
          windowPicture(...state.window, state.value),
          h("figcaption", { class: "note" }, "the window: only values between α and β matter"),
        ),
      );
    };
    const { counters } = trace;
    return [
      {
        words: [
          "Alpha-beta is minimax with a *window*. α is what First is already sure of, β is what Second is " +
            "already sure of. Good players never reach a position outside the window.",
          "Step through the search. The pale part of the tree has not been searched yet. Now and then you " +
            "are asked what the search does next.",
        ],
        draw: () => {
          paint(0)();
          picture.paint((i) => ({ here: i === 0 }));
        },
      },
      ...states.map(({ words }, k) => ({ words, draw: paint(k), question: questions.get(k) })),
      {
        words: [
          `Alpha-beta visited ${counters.static_evaluations} leaves; minimax visits ` +
            `${whole.counters.static_evaluations}. The root is worth ${short(nodes[0].worth)} in both.`,
          `It made ${counters.alpha_cutoffs} alpha cutoffs and ${counters.beta_cutoffs} beta cutoffs` +
            (counters.best_payoff_cutoffs
              ? `, and stopped ${counters.best_payoff_cutoffs} times where nothing better was possible.`
              : "."),
        ],
        draw: paint(states.length - 1),
        question: {
          text: "Can a cutoff ever change the value of the root?",
          choices: [
            {
              text: "Yes, if a very good move is cut off",
              why:
                "A move that is cut off may be very good for its player. That is why the opponent will " +
                "not let the game get here.",
            },
            {
              text: "No, never",
              right: true,
              why: "Right: only positions that one of the players would avoid anyway are left out.",
            },
          ],
        },
      },
    ];
  };

  lesson.choose("Tree", TREES, "first", open);
  await open("first");
}

/**
 * Steps with a question about the next step: before cutoffs, and a few where the search continues.
 * @param {{ step: SearchStep, window: SearchWindow }[]} states
 * @param {TraceNode[]} nodes
 */
function pickQuestions(states, nodes) {
  /** @type {Map<number, Question>} */
  const questions = new Map();
  let [cuts, others] = [0, 0];
  states.forEach(({ step, window: [alpha, beta] }, k) => {
    const next = states[k + 1]?.step;
    const above = nodes[step.i].parent;
    if (step.kind !== "leave" || above === null || step.next === undefined || !next) return;
    const isCut = next.kind === "cut" && next.i === above;
    // Without both bounds there is nothing to guess.
    if (!isCut && !(alpha && beta)) return;
    if (isCut ? (cuts += 1) > 4 : (others += 1) > 3) return;
    const name = nodes[step.next].move;
    const why = isCut
      ? because(next)
      : `The window is still open: α = ${bound(alpha, "alpha")} is less than β = ${bound(beta, "beta")}. ` +
        `\`${name}\` could matter.`;
    questions.set(k, {
      text: `What does alpha-beta do with the next move, ${name}?`,
      cut: isCut,
      choices: [
        { text: "It searches it", right: !isCut, why: isCut ? `No. ${why}` : `Right. ${why}` },
        { text: "It cuts it off", right: isCut, why: isCut ? `Right. ${why}` : `No. ${why}` },
      ],
    });
  });
  return questions;
}
