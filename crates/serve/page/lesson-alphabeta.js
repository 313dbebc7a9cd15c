// @ts-check

// Lesson 3: alpha-beta step by step. The window is drawn as a window, cuts say why, and the reader guesses
// the next one.

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
 * The window as a stretch of the line of all values.
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
 * Why the rest cannot matter, in words of the two players.
 * @param {SearchStep} step
 */
function because(step) {
  const [alpha, beta] = [bound(step.alpha, "alpha"), bound(step.beta, "beta")];
  if (step.why === "alpha")
    return (
      `Second already has ${beta} here, and First has ${alpha} elsewhere: β ≤ α. First will never let ` +
      "the game come here, so the rest cannot matter."
    );
  if (step.why === "beta")
    return (
      `First already has ${alpha} here, and Second has ${beta} elsewhere: α ≥ β. Second will never let ` +
      "the game come here, so the rest cannot matter."
    );
  return "Nothing better is possible here: a win is a win, and none is sooner.";
}

/**
 * For each position of minimax' tree the same position of alpha-beta's, by the moves that lead there.
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
    // The picture is minimax' tree, so that nothing in it tells what will be cut off.
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
    // What can be seen after each step, and the words for it.
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
            `${name}: ${NAMES[node.turn]} chooses. It has to be worth more than α = ` +
            `${bound(alpha, "alpha")} and less than β = ${bound(beta, "beta")} to matter.`;
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
            words = `The root is worth ${short(node.worth)}, exactly as minimax says.`;
          } else {
            const side = above.turn === "first" ? 0 : 1;
            const window = windows[node.parent ?? 0];
            const limit = window[side];
            const better =
              step.better &&
              (!limit || (side ? rank(node.worth) < rank(limit) : rank(node.worth) > rank(limit)));
            if (better) window[side] = node.worth ?? null;
            const who = side ? "Second" : "First";
            const end = node.fate === "finished" ? "ends the game:" : "is a leaf, and the evaluation says";
            const change = better
              ? `The best for ${who} so far: ${side ? "β" : "α"} becomes ${short(node.worth)}.`
              : `No better for ${who}: the window stays.`;
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
        // Below what was cut off there is nothing but the picture.
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
          h("figcaption", { class: "note" }, "the window: only values between α and β can matter"),
        ),
      );
    };
    const { counters } = trace;
    return [
      {
        words: [
          "Alpha-beta is minimax with a *window*. α is what First is already sure of, β what Second is " +
            "already sure of. A position outside the window will never be reached between good players.",
          "Step through the search. Where the tree is pale, it has not been yet. Now and then you are " +
            "asked what it will do next.",
        ],
        draw: () => {
          paint(0)();
          picture.paint((i) => ({ here: i === 0 }));
        },
      },
      ...states.map(({ words }, k) => ({ words, draw: paint(k), question: questions.get(k) })),
      {
        words: [
          `Alpha-beta looked at ${counters.static_evaluations} leaves; minimax looks at ` +
            `${whole.counters.static_evaluations}. The root is worth ${short(nodes[0].worth)} for both.`,
          `It made ${counters.alpha_cutoffs} alpha cuts and ${counters.beta_cutoffs} beta cuts` +
            (counters.best_payoff_cutoffs
              ? `, and stopped ${counters.best_payoff_cutoffs} times where nothing better was possible.`
              : "."),
        ],
        draw: paint(states.length - 1),
        question: {
          text: "Can a cut ever change the value of the root?",
          choices: [
            {
              text: "Yes, if a very good move is cut off",
              why:
                "A move that is cut off may be very good for its player. That is why the other one will " +
                "not let the game come here.",
            },
            {
              text: "No, never",
              right: true,
              why: "Right: only positions are left out that one of the players would avoid anyway.",
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
 * Moments to ask "what happens next?": before cuts, and a few times where the search goes on.
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
    // Where the window has no sides yet there is nothing to guess.
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
        { text: "It looks at it", right: !isCut, why: isCut ? `No. ${why}` : `Right. ${why}` },
        { text: "It cuts it off", right: isCut, why: isCut ? `Right. ${why}` : `No. ${why}` },
      ],
    });
  });
  return questions;
}
