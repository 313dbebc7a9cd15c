// @ts-check

// Search tree page: expanded by clicking, coloured by value, with forced lines folded and symmetric moves
// merged. The drawing is derived from the recorded search; clicking an unexpanded leaf requests a deeper
// search.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, put, style } from "./dom.js";
import { choice, complain, heading } from "./lesson.js";
import { fullName } from "./names.js";
import { lastSpots } from "./scene.js";
import { TreePicture, childrenOf } from "./tree-picture.js";
import { bound, long, sign } from "./worth.js";

/**
 * Removes the value of a horizon node without an evaluation: it is unknown, not a draw.
 * @template {TraceNode} N
 * @param {N} node
 * @param {string} evals
 * @returns {N}
 */
const blank = (node, evals) =>
  !evals && node.worth && "opinion" in node.worth ? { ...node, worth: null } : node;

/**
 * A node with the moves that lead to it.
 * @typedef {TraceNode & { path: string[] }} RecordNode
 */

/**
 * A drawn node: its index, the moves folded into its branch, and the number of hidden children.
 * @typedef {RecordNode & { raw: number, forced: number, hiding: number, more?: number }} DrawnNode
 */

/** Most children drawn for a node. */
const WIDE = 40;
const METHODS = [
  ["alphabeta", "alpha-beta"],
  ["minimax", "minimax"],
];
const DICE = [
  ["expectiminimax", "full search"],
  ["star1", "Star1"],
  ["star2", "Star2"],
];
/** @type {[CounterName, string][]} */
const COUNTERS = [
  ["nodes", "positions visited"],
  ["static_evaluations", "leaves among them"],
  ["alpha_cutoffs", "alpha cutoffs"],
  ["beta_cutoffs", "beta cutoffs"],
  ["best_payoff_cutoffs", "cutoffs at the best payoff"],
  ["dice_cutoffs", "chance cutoffs"],
];

/** The recorded search, with the moves to each node; grows when a leaf is expanded. */
class Record {
  /**
   * @param {Trace} trace
   * @param {string[]} path
   */
  constructor(trace, path) {
    /** @type {RecordNode[]} */
    this.nodes = trace.nodes.map((node) => ({ ...node, path }));
    this.kids = childrenOf(this.nodes);
    this.lay(0);
  }

  /** @param {number} from */
  lay(from) {
    for (const child of this.kids[from]) {
      this.nodes[child].path = [...this.nodes[from].path, this.nodes[child].move ?? ""];
      this.lay(child);
    }
  }

  /**
   * Attaches the tree of another search below a node.
   * @param {number} at
   * @param {Trace} trace
   */
  graft(at, trace) {
    const base = this.nodes.length - 1;
    /** @param {TraceNode} node */
    const parentOf = (node) => (node.parent ? node.parent + base : at);
    trace.nodes.slice(1).forEach((node) => {
      this.nodes.push({
        ...node,
        path: [],
        parent: parentOf(node),
        ...(node.twin === undefined ? {} : { twin: node.twin + base }),
      });
      this.kids.push([]);
    });
    trace.nodes.slice(1).forEach((node, k) => this.kids[parentOf(node)].push(base + 1 + k));
    const [root] = trace.nodes;
    Object.assign(this.nodes[at], {
      fate: root.fate,
      worth: root.worth,
      bound: root.bound,
      left_out: 0,
      cut_left_out: 0,
    });
    this.lay(at);
  }

  /**
   * Whether a node is unexpanded: not finished, and without recorded children.
   * @param {number} i
   */
  endless(i) {
    const node = this.nodes[i];
    return !this.kids[i].length && node.fate !== "finished";
  }
}

/**
 * The nodes to draw: open nodes with their children, symmetric moves merged, forced lines folded.
 * @param {Record} record
 * @param {Set<number>} open
 * @param {{ merge?: boolean, fold?: boolean }} [options]
 * @returns {DrawnNode[]}
 */
export function drawn(record, open, { merge = true, fold = true } = {}) {
  /** @type {DrawnNode[]} */
  const list = [];
  /** @param {number} i */
  const own = (i) => record.kids[i].filter((child) => !merge || record.nodes[child].twin === undefined);
  /** @param {number} i */
  const twins = (i) =>
    merge
      ? (record.kids[record.nodes[i].parent ?? 0]?.filter((other) => record.nodes[other].twin === i).length ??
        0)
      : 0;
  /**
   * @param {number} i
   * @param {number | null} parent
   * @param {string | null} words
   * @param {number} forced
   */
  const add = (i, parent, words, forced) => {
    const place = list.length;
    list.push({ ...record.nodes[i], raw: i, parent, label: words, forced, hiding: 0 });
    if (!open.has(i)) {
      list[place].hiding = own(i).length;
      return;
    }
    const children = own(i);
    for (const child of children.slice(0, WIDE)) {
      const count = twins(child);
      const names = [`${record.nodes[child].move}${count ? ` ×${count + 1}` : ""}`];
      let end = child;
      while (fold && own(end).length === 1 && record.kids[end].length === 1) {
        [end] = own(end);
        names.push(record.nodes[end].move ?? "");
      }
      add(
        end,
        place,
        names.length > 2 ? `${names[0]} … ${names[names.length - 1]}` : names.join(" "),
        names.length - 1,
      );
    }
    list[place].more = Math.max(0, children.length - WIDE);
  };
  add(0, null, null, 0);
  return list;
}

/** @type {HTMLElement} */
let place;
/** @type {AbortController | undefined} */
let asking;
let key = "";

/** @param {{ state: State, moves?: string[] }} options */
const placeOf = ({ state, moves }) => ({
  game: state.game,
  position: state.position,
  moves: moves ?? state.moves,
});

/** @param {ViewContext} context */
async function show(context) {
  asking?.abort();
  const { signal } = (asking = new AbortController());
  const { app, extra } = context;
  const where = placeOf(app);
  key = JSON.stringify([where, extra]);
  let about;
  try {
    about = await api.view(where, signal);
  } catch (error) {
    complain(place, error);
    return;
  }
  const dice = about.chance;
  const depth = Math.max(1, Math.min(16, Number(extra.depth) || (dice ? 3 : 4)));
  const method = extra.method ?? (dice ? "star2" : "alphabeta");
  const evals = extra.eval ?? "";
  const stage = h("section", { class: "stage pickable", "aria-label": "Tree" });
  const beside = h("div", { class: "card", "aria-live": "polite" });
  const count = h("div", { class: "card" });
  const tools = h("div", { class: "lesson-tools" });
  /** @param {Extra} changes */
  const go = (changes) => context.go({ view: "tree", extra: { ...extra, ...changes } });
  const from = where.moves.length
    ? `after ${where.moves.join(" ")}`
    : where.position
      ? `at ${where.position}`
      : "from the start";
  put(
    place,
    h(
      "article",
      { class: "learn tree-page" },
      heading(
        context,
        "tree",
        "Search tree of this position",
        `${fullName(where.game)} ${from}. Click a node to expand or collapse it. First chooses at ▲, ` +
          `Second at ▼${dice ? ", chance at ●" : ""}.`,
      ),
      h(
        "div",
        { class: "lesson" },
        stage,
        h("aside", { class: "told", "aria-label": "About the tree" }, beside, count, tools),
      ),
    ),
  );
  put(
    tools,
    choice(
      "Depth in plies",
      [2, 3, 4, 6, 8].map((plies) => [String(plies), String(plies)]),
      String(depth),
      (value) => go({ depth: value }),
    ),
    choice("Search", dice ? DICE : METHODS, method, (value) => go({ method: value })),
    !dice &&
      choice(
        "Move order",
        [
          ["rules", "rules"],
          ["best", "best first"],
          ["worst", "worst first"],
        ],
        extra.order ?? "rules",
        (value) => go({ order: value }),
      ),
    about.evals.includes("lines") &&
      choice(
        "Evaluation at the horizon",
        [
          ["", "none"],
          ["lines", "count lines"],
        ],
        evals,
        (value) => go({ eval: value }),
      ),
  );
  put(stage, h("p", { class: "note pulse" }, "Searching …"));

  const options = { depth, method, eval: evals, order: extra.order, most: 600 };
  let trace;
  try {
    trace = await api.tree(where, options, signal);
  } catch (error) {
    complain(stage, error);
    return;
  }
  const record = new Record(trace, where.moves);
  const open = new Set([0]);
  let here = 0;
  /** @type {DrawnNode[]} */
  let shown = [];
  put(stage);
  const picture = new TreePicture(stage, { pick: (i) => pick(i) });
  stage.append(
    h(
      "ul",
      { class: "legend" },
      ["win", "draw", "loss"].map((value) =>
        h(
          "li",
          {},
          h("span", { class: `swatch ${value}` }),
          { win: "First wins", draw: "draw", loss: "Second wins" }[value],
        ),
      ),
      h("li", {}, "┄ ✂ cut off"),
      h("li", {}, "×2: symmetric moves, merged"),
    ),
  );
  context.app.tree = { record, open, picture, trace };

  const draw = () => {
    const list = drawn(record, open).map((node) => blank(node, evals));
    picture.load({ nodes: list });
    /** @param {DrawnNode} node */
    const more = (node) =>
      node.hiding
        ? `+${node.hiding}`
        : record.endless(node.raw) && node.fate !== "cut"
          ? "…"
          : node.more
            ? `+${node.more} more`
            : node.forced
              ? `${node.forced} forced`
              : "";
    picture.paint((i) => ({
      seen: list[i].fate !== "cut",
      done: list[i].fate !== "cut",
      cut: list[i].fate === "cut",
      here: list[i].raw === here,
      principal: list[i].principal,
      fold: more(list[i]),
      open: open.has(list[i].raw),
    }));
    shown = list;
    picture.list = list;
    const at = list.findIndex((node) => node.raw === here);
    picture.focus = Math.max(0, at);
    picture.drawn.get(0)?.group.setAttribute("tabindex", at === 0 ? "0" : "-1");
    picture.drawn.get(picture.focus)?.group.setAttribute("tabindex", "0");
  };
  const board = h("div", { class: "board-host" });
  const words = h("div", {});
  put(beside, h("h2", {}, "Position"), board, words);
  const view = new Board(board, { play: () => {}, look: () => {} });
  const tell = async () => {
    const node = record.nodes[here];
    const [alpha, beta] = node.window ?? [null, null];
    const moves = node.path;
    put(
      words,
      h(
        "p",
        { class: "status-line" },
        node.fate === "cut"
          ? "✂ cut off"
          : blank(node, evals).worth
            ? `${sign(node)}${long(node.worth)}`
            : `not decided within ${depth} plies`,
      ),
      node.reason && h("p", { class: "note" }, `${node.reason}.`),
      (alpha || beta) &&
        h(
          "p",
          { class: "note" },
          `searched with the window (${bound(alpha, "alpha")}, ${bound(beta, "beta")})`,
        ),
      node.left_out
        ? h(
            "p",
            { class: "note" },
            `${node.left_out.toLocaleString("en")} positions below are not drawn; click to search further`,
          )
        : null,
      h(
        "div",
        { class: "actions" },
        h(
          "button",
          { type: "button", onclick: () => context.go({ view: "explore", moves, at: null, extra: {} }) },
          "Explore this position",
        ),
        here !== 0 &&
          h(
            "button",
            { type: "button", onclick: () => context.go({ view: "tree", moves, at: null, extra }) },
            "Make this the root",
          ),
      ),
    );
    try {
      const seen = await api.view({ ...where, moves }, signal);
      if (record.nodes[here].path === moves)
        view.show(seen.scene, {
          live: false,
          mover: seen.to_move,
          values: false,
          last: lastSpots(seen.scene, moves[moves.length - 1]),
          label: moves.join(" ") || "the root",
        });
    } catch (error) {
      complain(words, error);
    }
  };
  const total = { ...trace.counters };
  const tellCounters = () =>
    put(
      count,
      h("h2", {}, "Counters"),
      h(
        "dl",
        { class: "counters" },
        COUNTERS.filter(([name]) => total[name] || name === "nodes").flatMap(([name, label]) => [
          h("dt", {}, label),
          h("dd", { "data-counter": name }, total[name].toLocaleString("en")),
        ]),
      ),
      h(
        "p",
        { class: "note" },
        `${trace.method}, ${trace.depth} plies ahead. `,
        trace.note ? `${trace.note.split(";")[0]}.` : "The whole search is recorded.",
      ),
    );

  /**
   * Expands or collapses a node; requests a deeper search below an unexpanded leaf.
   * @param {number} i
   */
  const pick = async (i) => {
    const { raw } = shown[i];
    here = raw;
    const node = record.nodes[raw];
    if (record.endless(raw)) {
      try {
        const below = await api.tree(
          { ...where, moves: node.path },
          { ...options, depth: Math.min(4, depth), most: 200 },
          signal,
        );
        if (!record.kids[raw].length) record.graft(raw, below);
        for (const [name] of COUNTERS) total[name] += below.counters[name];
        tellCounters();
      } catch (error) {
        if (api.isAbort(error)) return;
      }
      open.add(raw);
    } else if (open.has(raw)) open.delete(raw);
    else open.add(raw);
    draw();
    picture.enter(shown.findIndex((other) => other.raw === raw));
    tell();
  };
  // The first nodes of the principal variation are expanded.
  /** @type {number | undefined} */
  let best = 0;
  for (let left = 2; left && best !== undefined; left -= 1) {
    open.add(best);
    best = record.kids[best].find((child) => record.nodes[child].principal);
  }
  draw();
  tellCounters();
  await tell();
  place.dataset.ready = "yes";
}

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
export async function mount(element, context) {
  await style("learn.css");
  place = element;
  await show(context);
}

/** @param {ViewContext} context */
export async function update(context) {
  if (key !== JSON.stringify([placeOf(context.app), context.extra])) await show(context);
}

export function unmount() {
  asking?.abort();
}
