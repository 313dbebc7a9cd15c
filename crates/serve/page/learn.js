// @ts-check

// Learn: list of the nine lessons, each a module that is loaded when the lesson is opened.
//
// A lesson module exports `begin(lesson)`: it fills `lesson.stage` with a board or a picture, requests steps
// of the real solvers from the server, and passes them to `lesson.run(steps)`. A step has `words`, `draw()`
// and optionally a `question`.

import { isAbort } from "./api.js";
import { h, put, s, style } from "./dom.js";
import { Lesson } from "./lesson.js";

export const LESSONS = [
  {
    name: "game",
    title: "What is a game?",
    lead: "S, I, Succs, T and V describe a game completely. Here they are for two piles of two matches.",
    load: () => import("./lesson-game.js"),
  },
  {
    name: "minimax",
    title: "Minimax",
    lead: "If both play as well as possible, who wins? Values rise from the leaves of the tree to its root.",
    load: () => import("./lesson-minimax.js"),
  },
  {
    name: "alphabeta",
    title: "Alpha-beta",
    lead: "Much of the tree cannot affect the result. Watch the window, and guess what will be cut off.",
    load: () => import("./lesson-alphabeta.js"),
  },
  {
    name: "order",
    title: "Move ordering",
    lead:
      "With good moves first, alpha-beta searches twice as deep in the same time. With bad moves first, " +
      "it saves next to nothing.",
    load: () => import("./lesson-order.js"),
  },
  {
    name: "horizon",
    title: "Evaluation and the horizon",
    lead:
      "If a game is too long to search to the end, a heuristic evaluates where the search stops. It cannot " +
      "see beyond that horizon.",
    load: () => import("./lesson-horizon.js"),
  },
  {
    name: "tables",
    title: "Positions as numbers",
    lead:
      "Different move orders lead to the same position. Give each position a number, and solve it only " +
      "once.",
    load: () => import("./lesson-tables.js"),
  },
  {
    name: "loops",
    title: "Games with cycles",
    lead: "If positions can repeat, minimax never ends. Work backwards from checkmate, wave by wave.",
    load: () => import("./lesson-loops.js"),
  },
  {
    name: "chance",
    title: "Dice",
    lead: "Chance does not choose: a roll is worth the mean of its outcomes. Some rolls can be skipped.",
    load: () => import("./lesson-chance.js"),
  },
  {
    name: "proof",
    title: "How a proof is checked",
    lead:
      "A program claims that the first player wins. Why should you believe it? Read its proof, and try to " +
      "break it.",
    load: () => import("./lesson-proof.js"),
  },
];

const DONE = "outplay-lessons";

/** Names of the lessons whose questions have all been answered in this browser. */
export function finished() {
  try {
    return new Set(JSON.parse(localStorage.getItem(DONE) ?? "[]"));
  } catch {
    return new Set();
  }
}

/** @param {string} name */
function finish(name) {
  try {
    localStorage.setItem(DONE, JSON.stringify([...finished().add(name)]));
  } catch {
    // Private windows have no storage.
  }
}

/** @type {Lesson | null} */
let lesson = null;
let shown = "";
/** @type {HTMLElement} */
let place;

/** SVG paths of the small pictures in the list. */
/** @type {{ [lesson: string]: string }} */
const PICTURES = {
  game: "M16 14v36M24 14v36M40 14v36M48 14v36",
  minimax: "M32 10L20 30M32 10L44 30M20 30L12 52M20 30L28 52M44 30L36 52M44 30L52 52",
  alphabeta: "M32 10L18 34M32 10L46 34M18 34L10 54M18 34L26 54M46 34L38 54M42 48l14-14M42 34l14 14",
  order: "M12 52h40M16 46V38M26 46V30M36 46V22M46 46V12",
  horizon: "M6 44h52M16 44a16 16 0 0 1 32 0M32 14v6M12 24l4 4M52 24l-4 4",
  tables: "M12 12h40v40H12zM12 25h40M12 39h40M25 12v40M39 12v40",
  loops: "M32 12a20 20 0 1 1-19 14M13 14v12h12",
  chance: "M14 14h36v36H14zM23 23h.1M41 23h.1M32 32h.1M23 41h.1M41 41h.1",
  proof: "M14 34l12 12 24-28",
};

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
function list(element, context) {
  const done = finished();
  /** @param {string} path */
  const svg = (path) =>
    s(
      "svg",
      { class: "lesson-picture", viewBox: "0 0 64 64", "aria-hidden": "true" },
      s("path", { d: path }),
    );
  put(
    element,
    h(
      "div",
      { class: "learn" },
      h(
        "header",
        { class: "learn-head" },
        h("h1", {}, "Learn how games are solved"),
        h(
          "p",
          { class: "lead" },
          "Nine short lessons. The solvers compute every number while you watch, and each lesson asks you " +
            "a few questions. Use the arrow keys to step forwards and back.",
        ),
      ),
      h(
        "ol",
        { class: "lessons" },
        LESSONS.map((about, i) =>
          h(
            "li",
            {},
            h(
              "a",
              {
                class: "lesson-card",
                href: `?view=learn&lesson=${about.name}`,
                "data-lesson": about.name,
                onclick: (event) => open(event, context, about.name),
              },
              svg(PICTURES[about.name]),
              h(
                "span",
                { class: "lesson-number" },
                `${i + 1}`,
                done.has(about.name) &&
                  h("span", { class: "lesson-done", title: "All questions answered" }, " ✓ done"),
              ),
              h("strong", {}, about.title),
              h("span", { class: "note" }, about.lead),
            ),
          ),
        ),
      ),
      h("h2", {}, "More to explore"),
      h(
        "div",
        { class: "further" },
        further(
          context,
          "rules",
          "Rules of the games",
          "Every game in a few sentences, with a board to try it on.",
        ),
        further(
          context,
          "tree",
          "The tree of any position",
          "Expand it move by move. Colours show the winner and the branches that alpha-beta cuts off.",
        ),
        further(
          context,
          "proof",
          "Walk through a proof",
          "Play against a proof and see its reply to every move.",
        ),
      ),
    ),
  );
}

/**
 * @param {ViewContext} context
 * @param {string} view
 * @param {string} title
 * @param {string} words
 */
function further(context, view, title, words) {
  return h(
    "a",
    {
      class: "lesson-card flat",
      href: `?view=${view}`,
      "data-further": view,
      onclick: (event) => {
        event.preventDefault();
        context.go({ view, extra: {} });
      },
    },
    h("strong", {}, title),
    h("span", { class: "note" }, words),
  );
}

/**
 * @param {MouseEvent} event
 * @param {ViewContext} context
 * @param {string} name
 */
function open(event, context, name) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  context.go({ view: "learn", extra: { lesson: name } });
}

/** @param {ViewContext} context */
async function show(context) {
  const name = context.extra.lesson ?? "";
  const at = LESSONS.findIndex((about) => about.name === name);
  if (at < 0) {
    shown = "";
    list(place, context);
    return;
  }
  const about = LESSONS[at];
  shown = name;
  context.title(about.title);
  /** @param {number} step */
  const beside = (step) => LESSONS[at + step];
  lesson = new Lesson(place, {
    ...about,
    number: at + 1,
    of: LESSONS.length,
    before: beside(-1),
    after: beside(1),
    open: (event, other) => open(event, context, other),
    extra: context.extra,
    note: (extra) => context.go({ view: "learn", extra: { lesson: name, ...extra } }, "replace"),
    all: (event) => {
      event.preventDefault();
      context.go({ view: "learn", extra: {} });
    },
    done: () => finish(name),
  });
  context.app.lesson = lesson;
  const mine = lesson;
  try {
    const module = await about.load();
    if (lesson === mine) await module.begin(mine);
  } catch (error) {
    if (lesson === mine && !isAbort(error)) mine.fail(error);
  }
  mine.element.dataset.ready = "yes";
}

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
export async function mount(element, context) {
  await style("learn.css");
  place = element;
  await show(context);
  scrollTo(0, 0);
}

/** @param {ViewContext} context */
export async function update(context) {
  const name = context.extra.lesson ?? "";
  if (name === shown && lesson) {
    lesson.goTo(Number(context.extra.step ?? 0), false);
    return;
  }
  leave();
  await show(context);
  scrollTo(0, 0);
}

function leave() {
  lesson?.end();
  lesson = null;
}

export function unmount() {
  leave();
  shown = "";
}
