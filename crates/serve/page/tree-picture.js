// @ts-check

// Search tree as a picture: ▲ first player, ▼ second player, ● chance nodes, squares are leaves.
//
//         ▲            children are in the order in which they were tried;
//       ╱ ┆ ╲          branches that were cut off are dashed;
//      ▼  ▼  ✂         the line of best play is thick
//
// The caller supplies the visible state of each node, because a replayed search reveals them step by step.

import { around, h, put, s } from "./dom.js";
import { given } from "./given.js";
import { long, rank, short, sign, tone } from "./worth.js";

const LEVEL = 84;
const UNIT = 46;
/** Width of a letter on a branch, in pixels. */
const LETTER = 7;
const MARGIN = 30;

/** Shapes of the nodes, centred on the origin. */
const SHAPES = {
  first: "M0-17L19 14H-19Z",
  second: "M0 17L19-14H-19Z",
  chance: "",
  leaf: "M-17-13H17V13H-17Z",
};

/**
 * The children of every node, in the order tried.
 * @param {{ parent: number | null }[]} nodes
 * @returns {number[][]}
 */
export function childrenOf(nodes) {
  /** @type {number[][]} */
  const lists = nodes.map(() => []);
  nodes.forEach((node, i) => node.parent !== null && lists[node.parent].push(i));
  return lists;
}

/**
 * The moves from the root to a node.
 * @param {TraceNode[]} nodes
 * @param {number} i
 * @returns {string[]}
 */
export function pathTo(nodes, i) {
  /** @type {string[]} */
  const path = [];
  /** @type {TraceNode} */
  let node = nodes[i];
  while (node.parent !== null) {
    path.unshift(node.move ?? "");
    node = nodes[node.parent];
  }
  return path;
}

/** @param {TraceNode} node */
const isLeaf = (node) => node.fate === "finished" || node.fate === "horizon";

/**
 * A probability as a common fraction, or with two decimals.
 * @param {number} probability
 */
export function odds(probability) {
  for (const below of [2, 3, 4, 6, 8, 9, 12, 18, 36]) {
    const above = probability * below;
    if (Math.abs(above - Math.round(above)) < 1e-6) return `${Math.round(above)}/${below}`;
  }
  return probability.toFixed(2);
}

export class TreePicture {
  /** @type {{ nodes: TraceNode[] }} */
  trace;
  /** @type {TraceNode[]} */
  nodes = [];
  /** @type {number[][]} */
  kids = [];
  /** @type {Map<number, [number, number]>} */
  at = new Map();
  /** @type {Map<number, { group: SVGGElement, text: SVGTextElement, fold: SVGTextElement }>} */
  drawn = new Map();
  /** @type {Map<number, SVGGElement>} */
  edges = new Map();
  width = 0;
  height = 0;
  focus = 0;
  // The drawn nodes; read by tests.
  /** @type {TraceNode[]} */
  list = [];

  /**
   * `on.pick(i)` is called when node i is clicked.
   * @param {HTMLElement} host
   * @param {{ pick?(i: number): unknown }} [on]
   */
  constructor(host, on = {}) {
    this.on = on;
    this.svg = s("svg", { class: "tree", role: "group", "aria-label": "Search tree" });
    this.scroll = h("div", { class: "tree-scroll", tabindex: -1 }, this.svg);
    host.append(this.scroll);
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
  }

  /**
   * Loads a tree. `shown(i)` returns whether a node is drawn.
   * @param {{ nodes: TraceNode[] }} trace
   * @param {(i: number) => boolean} [shown]
   */
  load(trace, shown = () => true) {
    this.trace = trace;
    this.nodes = trace.nodes;
    this.kids = childrenOf(this.nodes);
    this.place(shown);
    this.build();
  }

  /**
   * Layout: leaves side by side, parents centred above their children.
   * @param {(i: number) => boolean} shown
   */
  place(shown) {
    const { nodes, kids } = this;
    const words = nodes
      .filter((node) => kids[node.parent ?? 0]?.length > 1)
      .map((node) => this.label(node).length);
    const unit = Math.max(UNIT, Math.min(110, Math.max(0, ...words) * LETTER + 6));
    this.at = new Map();
    let next = 0;
    let deepest = 0;
    /**
     * @param {number} i
     * @param {number} level
     * @returns {number}
     */
    const visit = (i, level) => {
      deepest = Math.max(deepest, level);
      const below = kids[i].filter(shown);
      const xs = below.map((child) => visit(child, level + 1));
      const x = xs.length ? (xs[0] + xs[xs.length - 1]) / 2 : next++;
      this.at.set(i, [MARGIN + (x + 0.5) * unit, MARGIN + level * LEVEL]);
      return x;
    };
    if (nodes.length) visit(0, 0);
    this.width = 2 * MARGIN + Math.max(next, 1) * unit;
    this.height = 2 * MARGIN + deepest * LEVEL + 12;
  }

  build() {
    const { nodes, at } = this;
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.style.setProperty("--tree-width", `${this.width}px`);
    this.drawn = new Map();
    this.edges = new Map();
    const edges = [];
    const groups = [];
    for (const [i, [x, y]] of at) {
      const node = nodes[i];
      if (node.parent !== null) edges.push(this.edge(i, node, given(at.get(node.parent)), [x, y]));
      const shape = isLeaf(node) ? "leaf" : node.turn;
      const body =
        shape === "chance"
          ? s("circle", { class: "shape", r: 17 })
          : s("path", { class: "shape", d: SHAPES[shape] });
      const text = s("text", { class: "worth", y: shape === "first" ? 10 : shape === "second" ? 0 : 5 });
      const fold = s("text", { class: "fold", y: 34 });
      const group = s(
        "g",
        {
          class: "node",
          role: "button",
          tabindex: i === 0 ? 0 : -1,
          "data-node": i,
          transform: `translate(${x} ${y})`,
        },
        s("circle", { class: "halo", r: 25 }),
        body,
        text,
        fold,
      );
      groups.push(group);
      this.drawn.set(i, { group, text, fold });
    }
    put(this.svg, s("g", { class: "edges", "aria-hidden": "true" }, edges), groups);
    this.focus = 0;
  }

  /**
   * The label of a branch: the move, with its probability below chance nodes.
   * @param {TraceNode} node
   */
  label(node) {
    return node.probability !== undefined
      ? `${node.move} ${odds(node.probability)}`
      : (node.label ?? node.move ?? "");
  }

  /**
   * @param {number} i
   * @param {TraceNode} node
   * @param {number[]} options2
   * @param {number[]} options3
   */
  edge(i, node, [x1, y1], [x2, y2]) {
    const line = s("line", { x1, y1: y1 + 14, x2, y2: y2 - 17 });
    // Labels are near the lower end, where branches are furthest apart.
    const words = s(
      "text",
      { class: "edge-move", x: x1 + (x2 - x1) * 0.8, y: y1 + 20 + (y2 - y1 - 34) * 0.68 },
      this.label(node),
    );
    const edge = s("g", { class: "edge", "data-edge": i }, line, words);
    this.edges.set(i, edge);
    return edge;
  }

  /**
   * Shows the progress of a search. `state(i)` is `{seen, done, worth, bound, here, path, cut, fold, hide}`
   * for each node: `seen` visited, `done` value known, `here` current node, `path` ancestor of it, `cut`
   * cut off, `hide` value hidden for a question.
   * @param {(i: number) => NodeLook} state
   */
  paint(state) {
    for (const [i, { group, text, fold }] of this.drawn) {
      const node = this.nodes[i];
      const told = state(i) ?? {};
      const worth = told.done && !told.hide ? (told.worth ?? node.worth) : null;
      const classes = [
        "node",
        told.seen ? "seen" : "ahead",
        told.done && worth ? `tone-${tone(worth)}` : "tone-unknown",
      ];
      if (told.here) classes.push("here");
      if (told.path) classes.push("path");
      if (told.cut) classes.push("cut");
      if (told.principal) classes.push("principal");
      if (told.twin) classes.push("twin");
      group.setAttribute("class", classes.join(" "));
      text.textContent = told.cut ? "✂" : told.hide ? "?" : worth ? short(worth) : "";
      text.classList.toggle("narrow", text.textContent.length > 4);
      fold.textContent = told.fold ?? "";
      const name = [
        node.move ?? "root",
        told.cut
          ? "cut off"
          : told.hide
            ? "value hidden"
            : worth
              ? `${sign(node)}${long(worth)}`
              : "not known yet",
        told.fold,
      ];
      group.setAttribute("aria-label", name.filter(Boolean).join(", "));
      if ("open" in told) group.setAttribute("aria-expanded", String(told.open));
      const edge = this.edges.get(i);
      edge?.setAttribute(
        "class",
        [
          "edge",
          told.cut ? "cut" : told.seen ? "seen" : "ahead",
          told.path || told.here ? "path" : "",
          told.principal ? "principal" : "",
        ].join(" "),
      );
      if (told.here) this.reveal(i);
    }
  }

  /**
   * Scrolls a node into view.
   * @param {number} i
   */
  reveal(i) {
    const [x] = this.at.get(i) ?? [0];
    const scale = this.svg.clientWidth / this.width || 1;
    const { scroll } = this;
    if (x * scale < scroll.scrollLeft + 40 || x * scale > scroll.scrollLeft + scroll.clientWidth - 40)
      scroll.scrollLeft = x * scale - scroll.clientWidth / 2;
  }

  /** @param {Event} event */
  clicked(event) {
    const group = around(event, "[data-node]");
    if (group) this.on.pick?.(Number(group.dataset.node));
  }

  /**
   * Arrow keys move the focus: up to the parent, down to the first child, sideways to siblings.
   * @param {KeyboardEvent} event
   */
  pressed(event) {
    const group = around(event, "[data-node]");
    if (!group || !this.on.pick || event.ctrlKey || event.metaKey || event.altKey) return;
    const i = Number(group.dataset.node);
    const { parent } = this.nodes[i];
    const siblings = parent === null ? [i] : this.kids[parent].filter((child) => this.drawn.has(child));
    /** @param {number} step */
    const beside = (step) => siblings[siblings.indexOf(i) + step];
    /** @type {{ [key: string]: number | null | undefined }} */
    const to = {
      ArrowUp: parent,
      ArrowDown: this.kids[i].find((child) => this.drawn.has(child)),
      ArrowLeft: beside(-1),
      ArrowRight: beside(1),
    };
    if (event.key === "Enter" || event.key === " ") this.on.pick(i);
    else if (event.key in to) this.enter(to[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Focuses a node.
   * @param {number | null | undefined} i
   */
  enter(i) {
    if (i === null || i === undefined) return;
    const drawn = this.drawn.get(i);
    if (!drawn) return;
    this.drawn.get(this.focus)?.group.setAttribute("tabindex", "-1");
    this.focus = i;
    drawn.group.setAttribute("tabindex", "0");
    drawn.group.focus();
    this.reveal(i);
  }
}

/**
 * The steps of a recorded search: nodes entered, nodes left with a value, and cutoffs.
 * @param {Trace} trace
 * @returns {SearchStep[]}
 */
export function stepsOf(trace) {
  const { nodes } = trace;
  const kids = childrenOf(nodes);
  /** @type {SearchStep[]} */
  const steps = [];
  /** @param {number} i */
  const visit = (i) => {
    steps.push({ kind: "enter", i });
    let best = null;
    const list = kids[i];
    for (const [place, child] of list.entries()) {
      if (nodes[child].fate === "cut") {
        steps.push({
          kind: "cut",
          i,
          cut: list.slice(place),
          why: nodes[child].cut,
          alpha: nodes[child].window[0],
          beta: nodes[child].window[1],
        });
        break;
      }
      visit(child);
      const worth = nodes[child].worth;
      const better =
        best === null || (nodes[i].turn === "first" ? rank(worth) > rank(best) : rank(worth) < rank(best));
      if (better && nodes[i].turn !== "chance") best = worth;
      steps[steps.length - 1].better = better;
      steps[steps.length - 1].next = list[place + 1];
    }
    steps.push({ kind: "leave", i });
  };
  if (nodes.length) visit(0);
  return steps;
}
