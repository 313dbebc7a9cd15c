// @ts-check

// Lesson 6: transpositions and perfect indexing of positions. Clicking the board ranks it, dragging a slider
// unranks a number.

import * as api from "./api.js";
import { h, put, s, toast } from "./dom.js";

const GAME = "tictactoe";
const CELLS = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"];
/** @param {number | string} number */
const figure = (number) => Number(number).toLocaleString("en");

/**
 * @param {number} n
 * @param {number} k
 */
const choose = (n, k) => {
  let result = 1;
  for (let i = 0; i < k; i += 1) result = (result * (n - i)) / (i + 1);
  return k > n || k < 0 ? 0 : Math.round(result);
};

/**
 * The rank of a set among sets of its size (combinatorial number system): element i adds C(place, i + 1).
 * @param {number[]} places
 */
export function subsetTerms(places) {
  return places.map((place, i) => ({ place, count: i + 1, adds: choose(place, i + 1) }));
}

/**
 * The terms of a board's number: earlier tiers, shape, colouring.
 * @param {string[]} cells
 */
export function terms(cells) {
  const filled = cells.flatMap((sign, place) => (sign === "." ? [] : [place]));
  const firsts = filled.flatMap((place, i) => (cells[place] === "x" ? [i] : []));
  /** @param {number} n */
  const tier = (n) => choose(9, n) * choose(n, Math.ceil(n / 2));
  const before = filled.map((_, n) => tier(n)).reduce((sum, size) => sum + size, 0);
  const shape = subsetTerms(filled);
  const colouring = subsetTerms(firsts);
  /** @param {{ adds: number }[]} list */
  const sum = (list) => list.reduce((total, { adds }) => total + adds, 0);
  const colourings = choose(filled.length, Math.ceil(filled.length / 2));
  return {
    stones: filled.length,
    before,
    shape,
    colouring,
    shapeRank: sum(shape),
    colourRank: sum(colouring),
    colourings,
    number: before + sum(shape) * colourings + sum(colouring),
    shapes: choose(9, filled.length),
  };
}

/**
 * The text of a position: rows from the top.
 * @param {string[]} cells
 */
const written = (cells) =>
  [2, 1, 0].map((row) => ["a", "b", "c"].map((_, column) => cells[column * 3 + row]).join("")).join("/");
/** @param {string} text */
const read = (text) => {
  const rows = text.split(" ")[0].split("/");
  return CELLS.map((_, place) => rows[2 - (place % 3)][Math.floor(place / 3)]);
};

class Grid {
  /**
   * @param {HTMLElement} host
   * @param {(place: number) => unknown} click
   */
  constructor(host, click) {
    this.cells = CELLS.map((name, place) => {
      const [x, y] = [Math.floor(place / 3) * 92 + 8, (2 - (place % 3)) * 92 + 8];
      const stone = s("g", { transform: `translate(${x + 42} ${y + 42})` });
      const adds = s("text", { class: "adds", x: x + 42, y: y + 78 });
      const group = s(
        "g",
        {
          class: "spot open rank-cell",
          role: "button",
          tabindex: 0,
          "data-spot": name,
          onclick: () => click(place),
          onkeydown: (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            event.stopPropagation();
            click(place);
          },
        },
        s("rect", { class: "cell", x, y, width: 84, height: 84, rx: 10 }),
        s("text", { class: "cell-place", x: x + 12, y: y + 20 }, `${place} `),
        stone,
        adds,
      );
      return { group, stone, adds };
    });
    this.svg = s(
      "svg",
      { class: "rank-board", viewBox: "0 0 284 284", role: "group", "aria-label": "A board to rank" },
      this.cells.map(({ group }) => group),
    );
    host.append(this.svg);
  }

  /**
   * @param {string[]} cells
   * @param {ReturnType<typeof terms>} parts
   * @param {boolean} legend
   */
  show(cells, parts, legend) {
    cells.forEach((sign, place) => {
      const { group, stone, adds } = this.cells[place];
      put(
        stone,
        sign === "x"
          ? s("path", { class: "stone-x", d: "M-17-20L17 14M17-20L-17 14" })
          : sign === "o"
            ? s("circle", { class: "stone-o", cy: -3, r: 18 })
            : null,
      );
      const term = parts.shape.find((known) => known.place === place);
      adds.textContent = legend && term ? `C(${term.place},${term.count}) = ${term.adds}` : "";
      group.setAttribute(
        "aria-label",
        `${place} ${adds.textContent} cell ${CELLS[place]}, ${sign === "." ? "empty" : sign}`,
      );
    });
  }
}

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const host = h("div", { class: "rank-host" });
  const sums = h("div", { class: "rank-sums", "aria-live": "polite" });
  put(lesson.stage, host, sums);
  lesson.stage.classList.add("row");
  let cells = Array(9).fill(".");
  let legend = false;
  const [whole, tree] = await Promise.all([
    api.index({ game: GAME }, undefined, lesson.signal),
    lesson.tree({ game: GAME }, { method: "minimax", depth: 9, most: 1 }),
  ]);
  lesson.whole = whole;
  const size = Number(whole.size);
  const grid = new Grid(host, (place) => click(place));
  const slider = h("input", {
    type: "range",
    min: 0,
    max: size - 1,
    value: 0,
    "aria-label": "The number",
    oninput: (event) => unrank(Number(event.target.value)),
  });
  const field = h("input", {
    type: "text",
    inputmode: "numeric",
    class: "rank-number",
    value: "0",
    "aria-label": "Number",
    onchange: (event) => unrank(Number(event.target.value)),
  });
  put(
    lesson.tools,
    h(
      "div",
      { class: "tool rank-tool" },
      h("span", { class: "tool-name" }, "Number"),
      field,
      slider,
      h(
        "button",
        { type: "button", class: "quiet", "data-clear": "", onclick: () => show(Array(9).fill(".")) },
        "Clear the board",
      ),
    ),
  );

  /** @param {number} place */
  const click = (place) => {
    const next = [...cells];
    const count = next.filter((sign) => sign !== ".").length;
    // Only a stone of the player who moved last can be removed, so that the stone counts stay legal.
    if (next[place] === ".") next[place] = count % 2 ? "o" : "x";
    else if (next[place] === (count % 2 ? "x" : "o")) next[place] = ".";
    else return toast("Remove a stone of the other player first.");
    return show(next);
  };
  /** @param {string[]} next */
  const show = (next) => {
    cells = next;
    return ask(written(cells));
  };
  let asking = 0;
  /**
   * Requests the number of a board, or the board of a number.
   * @param {string} position
   * @param {string} [number]
   */
  const ask = async (position, number) => {
    if (position) grid.show(cells, terms(cells), legend);
    const mine = (asking += 1);
    const told = await api.index({ game: GAME, position }, number, lesson.signal).catch(() => null);
    if (mine !== asking || !told?.position) return;
    cells = read(told.position);
    lesson.ranked = told;
    slider.value = String(told.number);
    field.value = String(told.number);
    const parts = terms(cells);
    grid.show(cells, parts, legend);
    /**
     * @param {string} words
     * @param {number} value
     * @param {string} why
     */
    const row = (words, value, why, kind = "") =>
      h(
        "div",
        { class: `sum-row ${kind}` },
        h("span", {}, words),
        h("strong", {}, figure(value)),
        h("span", { class: "note" }, why),
      );
    put(
      sums,
      h(
        "p",
        { class: "rank-big" },
        h("span", { class: "note" }, "number "),
        h("strong", { "data-number": told.number }, figure(told.number)),
        h("span", { class: "note" }, ` of ${figure(size)}`),
      ),
      row(
        "positions with fewer stones",
        parts.before,
        parts.stones ? `tiers 0 to ${parts.stones - 1}` : "none",
      ),
      row(
        `shape ${figure(parts.shapeRank)} × ${figure(parts.colourings)} colourings`,
        parts.shapeRank * parts.colourings,
        "which cells are filled",
      ),
      row("colouring", parts.colourRank, "which of the stones are x"),
      row(
        "sum",
        parts.number,
        Number(told.number) === parts.number ? "✓ same as the server's number" : "",
        "total",
      ),
      told.unreached && h("p", { class: "note" }, `No game reaches this board: ${told.unreached}.`),
    );
  };
  /** @param {number} number */
  const unrank = (number) =>
    Number.isInteger(number) && number >= 0 && number < size && ask("", String(number));

  /** @param {string | null} text */
  const board = (text) => () => show(text === null ? cells : read(text));
  const paths = "x.x/.o./...";
  /** @param {number} number */
  const target = (number) => Number(lesson.ranked?.number ?? -1) === number;
  const wanted = 1000;
  lesson.command(`outplay index ${GAME} --rank "${paths}"`, `outplay index ${GAME} --unrank ${wanted}`);
  /** @param {string} text */
  const rankOf = async (text) =>
    Number((await api.index({ game: GAME, position: text }, undefined, lesson.signal)).number);
  const [empty, child] = await Promise.all([rankOf(".../.../..."), rankOf("x../.../...")]);
  lesson.run(
    /** @type {LessonStep[]} */ ([
      {
        words: [
          "`a3 b2 c3` and `c3 b2 a3` are different games, but they lead to the same board. The tree " +
            "contains this position twice, with everything below it.",
        ],
        draw: board(paths),
      },
      {
        words: [
          `Minimax on tic-tac-toe visits ${figure(tree.counters.nodes)} positions. Yet there are only ` +
            `${figure(size)} ways to put the right number of x and o on nine cells.`,
          "Solve each *position* once, store its value, and look it up the next time. That is a table.",
        ],
        draw: board(paths),
        question: {
          text: "By roughly what factor does that reduce the work?",
          choices: [
            { text: "3 times", why: `What is ${figure(tree.counters.nodes)} divided by ${figure(size)}?` },
            {
              text: "90 times",
              right: true,
              why:
                `Right: ${figure(tree.counters.nodes)} / ${figure(size)} is about ` +
                `${Math.round(tree.counters.nodes / size)}.`,
            },
            { text: "6,000 times", why: "That is the number of positions, not the ratio." },
          ],
        },
      },
      {
        words: [
          "A table is an array, so every position needs a number: its index. No two positions may share a " +
            "number, no number should be wasted, and a move must always lead to a *larger* number.",
          "Then a sweep from the last number to the first solves every child before its parent.",
        ],
        draw: board(".../.../..."),
        question: {
          text: "Click a corner of the empty board. Does the number increase?",
          choices: [
            {
              text: "Yes, always: boards with more stones come later",
              right: true,
              why:
                `Right: the empty board has number ${empty}, and an x in the corner has number ${child}. ` +
                "Boards with fewer stones come first.",
            },
            {
              text: "No, it can decrease",
              why: "Try it: every tier starts where the tier with one stone less ends.",
            },
          ],
        },
      },
      {
        words: [
          "First comes the *tier*: all boards with fewer stones come before this one. With n stones there " +
            "are C(9, n) shapes, and C(n, ⌈n/2⌉) ways to colour each.",
        ],
        draw: board("x../.o./..."),
      },
      {
        words: [
          "Then comes the *shape*: which cells are filled. The small numbers, 0 to 8, are the places of " +
            "the cells. The first filled cell adds C(place, 1), the second C(place, 2), and so on. The sum " +
            "is the number of shapes that come before this one.",
        ],
        draw: () => {
          legend = true;
          board("x.x/.o./...")();
        },
      },
      {
        words: [
          "Last comes the *colouring*: which of the stones, in the same order, are x? The same rule " +
            "numbers these subsets.",
          "Click cells and watch the sum. It is always the number that the program uses.",
        ],
        draw: board(null),
        question: {
          text: "Place stones until the number is exactly 1, then check.",
          check: () => target(1),
          why: "Right: the first board after the empty one has a single x at place 0.",
        },
      },
      {
        words: [
          "The way back is called *unranking*: take the last tier that fits, then the last shape, then the " +
            "colouring. Drag the slider below: each number is a board, and each board has one number. " +
            "There are no gaps.",
        ],
        draw: board(null),
        question: {
          text: `Which board has number ${figure(wanted)}? Drag the slider or type the number, then check.`,
          check: () => target(wanted),
          why: "Right: the board was unranked by arithmetic alone, without a list of boards.",
        },
      },
      {
        words: [
          `Nine cells give ${figure(size)} numbers, of which games reach 5,478. By the same method ` +
            "Connect Four has 70,728,639,995,483 numbers, with column heights as the shape.",
          "A table of that size does not fit on today’s computers, but smaller boards do: this page " +
            "solves 5x5 completely.",
        ],
        draw: board("xox/oxo/.x."),
        question: {
          text: "Could this work for chess endings, in which pieces move back and forth?",
          choices: [
            {
              text: "Yes, exactly like this",
              why: "A move must always lead to a larger number. But a king can move back.",
            },
            {
              text: "Numbers, yes; a single sweep, no",
              right: true,
              why:
                "Right: positions can be numbered, but a child does not always have a larger number. The " +
                "next lesson shows what to do.",
            },
          ],
        },
      },
    ]).map((step) => (step.question?.check ? { ...step, question: checked(lesson, step.question) } : step)),
  );
}

/**
 * A question that is answered on the board, with a button that checks it.
 * @param {Lesson} lesson
 * @param {Question} question
 */
function checked(lesson, question) {
  return {
    ...question,
    choices: [
      {
        text: "Check the board",
        get right() {
          return Boolean(question.check?.());
        },
        get why() {
          return question.check?.()
            ? (question.why ?? "")
            : `Not yet: the number is ${figure(lesson.ranked?.number ?? 0)}.`;
        },
      },
    ],
  };
}
