// Lesson 3: alpha-beta step by step. The window is drawn as a window, cuts say why, and the reader guesses the next one.

import { h, put, s } from "./dom.js";
import { choice } from "./lesson.js";
import { mini } from "./mini.js";
import { TreePicture, pathTo, stepsOf } from "./tree-picture.js";
import { bound, rank, short, sign } from "./worth.js";

const TREES = {
  first: { words: "First moves", place: { game: "connect:3x4,k=4" }, depth: 3, eval: "lines" },
  second: { words: "Second moves", place: { game: "connect:3x4,k=3", moves: ["2"] }, depth: 3, eval: "lines" },
  deep: { words: "To the end", place: { game: "tictactoe", position: "..x/.x./oxo o" }, depth: 9 },
};

const NAMES = { first: "▲ First", second: "▼ Second" };

/** The window as a stretch of the line of all values. */
function windowPicture(alpha, beta, value) {
  const clamp = (number) => Math.max(-1.15, Math.min(1.15, Math.abs(number) > 1.05 ? Math.sign(number) * 1.1 : number));
  const x = (worth, fallback) => 200 + 165 * (worth ? clamp(rank(worth)) : fallback);
  const [left, right] = [x(alpha, -1.18), x(beta, 1.18)];
  const closed = left >= right;
  const parts = [
    s("line", { class: "axis", x1: 4, x2: 396, y1: 34, y2: 34 }),
    s("line", { class: "axis", x1: 200, x2: 200, y1: 28, y2: 40 }),
    s("rect", { class: closed ? "window closed" : "window", x: Math.min(left, right) - (closed ? 3 : 0), y: 20, width: Math.max(6, Math.abs(right - left)), height: 28, rx: 5 }),
    s("text", { class: "window-side", x: Math.max(30, left), y: 14 }, `α ${bound(alpha, "alpha")}`),
    s("text", { class: "window-side", x: Math.min(370, right), y: 66 }, `β ${bound(beta, "beta")}`),
  ];
  if (value) parts.push(s("circle", { class: "window-value", cx: x(value, 0), cy: 34, r: 7 }));
  return s("svg", { class: "window-picture", viewBox: "0 0 400 72", role: "img", "aria-label": `window from ${bound(alpha, "alpha")} to ${bound(beta, "beta")}` }, parts);
}

/** Why the rest cannot matter, in words of the two players. */
function because(step) {
  const [alpha, beta] = [bound(step.alpha, "alpha"), bound(step.beta, "beta")];
  if (step.why === "alpha") return `Second already has ${beta} here, and First has ${alpha} elsewhere: β ≤ α. First will never let the game come here, so the rest cannot matter.`;
  if (step.why === "beta") return `First already has ${alpha} here, and Second has ${beta} elsewhere: α ≥ β. Second will never let the game come here, so the rest cannot matter.`;
  return "Nothing better is possible here: a win is a win, and none is sooner.";
}

export async function begin(lesson) {
  const ground = h("div", { class: "beside-tree" });
  const host = h("div", { class: "tree-host" });
  put(lesson.stage, host, ground);
  const picture = new TreePicture(host);
  let minimax = null;

  const open = async (name) => {
    const { place, depth, eval: judge } = TREES[name];
    const options = { depth, eval: judge, most: 400 };
    const [trace, whole] = await Promise.all([lesson.tree(place, { ...options, method: "alphabeta" }), lesson.tree(place, { ...options, method: "minimax" })]);
    lesson.trace = trace;
    minimax = whole;
    picture.load(trace);
    const at = place.position ? ` --position '${place.position}'` : place.moves ? ` --moves ${place.moves.join(",")}` : "";
    lesson.command(`outplay show ${place.game}${at} --tree --depth ${depth}${judge ? ` --eval ${judge}` : ""}`);
    lesson.run(stepsFor(trace, place));
  };

  const stepsFor = (trace, place) => {
    const { nodes } = trace;
    const list = stepsOf(trace);
    const states = [];
    // What can be seen after each step: which nodes were entered, left, cut; and the window at the node at work.
    const seen = new Set();
    const done = new Set();
    const cut = new Set();
    const windows = nodes.map((node) => [...node.window]);
    const words = [];
    list.forEach((step) => {
      const node = nodes[step.i];
      let here = step.i;
      let value = null;
      let text;
      if (step.kind === "enter") {
        seen.add(step.i);
        const [alpha, beta] = windows[step.i];
        const name = step.i === 0 ? "The root" : `\`${node.move}\``;
        if (node.fate === "finished" || node.fate === "horizon") {
          value = node.worth;
          done.add(step.i);
          text = [`${name} is a leaf: ${node.fate === "finished" ? "the game is over" : "the evaluation says"} ${short(node.worth)}.`];
        } else {
          text = [`${name}: ${NAMES[node.turn]} chooses. It has to be worth more than α = ${bound(alpha, "alpha")} and less than β = ${bound(beta, "beta")} to matter.`];
        }
      } else if (step.kind === "leave") {
        done.add(step.i);
        if (node.fate === "finished" || node.fate === "horizon") {
          here = node.parent ?? step.i;
        } else {
          here = node.parent ?? step.i;
        }
        value = node.worth;
        const above = node.parent === null ? null : nodes[node.parent];
        if (!above) {
          text = [`The root is worth ${short(node.worth)}, exactly as minimax says.`];
        } else {
          const side = above.turn === "first" ? "α" : "β";
          const window = windows[node.parent];
          const better = above.turn === "first" ? !window[0] || rank(node.worth) > rank(window[0]) : !window[1] || rank(node.worth) < rank(window[1]);
          if (better && step.better) {
            window[above.turn === "first" ? 0 : 1] = node.worth;
            text = [`\`${node.move}\` gives ${sign(node)}${short(node.worth)}: the best for ${above.turn === "first" ? "First" : "Second"} so far, so ${side} becomes ${short(node.worth)}.`];
          } else {
            text = [`\`${node.move}\` gives ${sign(node)}${short(node.worth)}: no better for ${above.turn === "first" ? "First" : "Second"}. The window stays.`];
          }
        }
      } else {
        step.cut.forEach((child) => cut.add(child));
        const count = step.cut.length + (nodes[step.i].cut_left_out ?? 0);
        text = [`✂ ${count === 1 ? `\`${nodes[step.cut[0]].move}\` is` : `${count} moves are`} cut off. ${because(step)}`];
      }
      states.push({ seen: new Set(seen), done: new Set(done), cut: new Set(cut), here, window: [...windows[here]], value });
      words.push(text);
    });
    const leaf = (step) => ["finished", "horizon"].includes(nodes[step.i].fate);
    // Entering and leaving a leaf are one step for the reader.
    const kept = list.map((step, k) => k).filter((k) => !(list[k].kind === "enter" && leaf(list[k])));
    const questions = pickQuestions(list, kept, nodes, states);
    const paint = (k) => () => {
      const state = states[k];
      const path = new Set();
      for (let at = nodes[state.here].parent; at !== null && at !== undefined; at = nodes[at].parent) path.add(at);
      const last = k === states.length - 1;
      picture.paint((i) => ({ seen: state.seen.has(i), done: state.done.has(i), here: i === state.here, path: path.has(i), cut: state.cut.has(i), principal: last && nodes[i].principal }));
      put(ground, h("figure", {}, mini(place.game, nodes[state.here].position), h("figcaption", { class: "note" }, pathTo(nodes, state.here).join(", ") || "the root")),
        h("figure", { class: "wide" }, windowPicture(state.window[0], state.window[1], state.value), h("figcaption", { class: "note" }, "the window: only values between α and β can matter")));
    };
    const first = { words: ["Alpha-beta is minimax with a *window*. α is what First is already sure of, β what Second is already sure of. A position outside the window will never be reached between good players.", "Step through the search. Where the tree is pale, it has not been yet. Now and then you are asked what it will do next."], draw: () => {
      paint(0)();
      picture.paint((i) => ({ seen: false, done: false, here: i === 0 }));
    } };
    const steps = kept.map((k) => ({ words: words[k], draw: paint(k), question: questions.get(k) }));
    const end = trace.counters;
    steps.push({ words: [`Alpha-beta looked at ${end.static_evaluations} leaves; minimax looks at ${minimax.counters.static_evaluations}. The root is worth ${short(nodes[0].worth)} for both.`,
      `It made ${end.alpha_cutoffs} alpha cuts and ${end.beta_cutoffs} beta cuts${end.best_payoff_cutoffs ? `, and stopped ${end.best_payoff_cutoffs} times where nothing better was possible` : ""}.`], draw: paint(states.length - 1),
      question: { text: "Can a cut ever change the value of the root?", choices: [
        { text: "Yes, if a very good move is cut off", why: "A move that is cut off may be very good for its player. That is why the other one will not let the game come here." },
        { text: "No, never", right: true, why: "Right: only positions are left out that one of the players would avoid anyway." }] } });
    return [first, ...steps];
  };

  put(lesson.tools, choice("Tree", Object.entries(TREES).map(([name, { words }]) => [name, words]), "first", (name) => open(name).catch((error) => error.name !== "AbortError" && lesson.fail(error))));
  await open("first");
}

/** Moments to ask "what happens next?": before cuts, and a few times where the search goes on. */
function pickQuestions(list, kept, nodes, states) {
  const questions = new Map();
  let [cuts, others] = [0, 0];
  kept.forEach((k, place) => {
    const step = list[k];
    const next = list[kept[place + 1]];
    const above = nodes[step.i].parent;
    if (step.kind !== "leave" || above === null || step.next === undefined || !next) return;
    const isCut = next.kind === "cut" && next.i === above;
    if (isCut ? (cuts += 1) > 4 : (others += 1) > 3 || !nodes[above].window.some(Boolean)) return;
    const [alpha, beta] = states[k].window;
    const name = nodes[step.next].move;
    const why = isCut ? because(next) : `The window is still open: α = ${bound(alpha, "alpha")} is less than β = ${bound(beta, "beta")}. \`${name}\` could matter.`;
    questions.set(k, { text: `What does alpha-beta do with the next move, ${name}?`, cut: isCut, choices: [
      { text: "It looks at it", right: !isCut, why: isCut ? `No. ${why}` : `Right. ${why}` },
      { text: "It cuts it off", right: isCut, why: isCut ? `Right. ${why}` : `No. ${why}` }] });
  });
  return questions;
}
