// @ts-check

// Lesson 1: the formal definition of a game, (S, I, Succs, T, V), for Nim with two piles of two matches.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, put, s } from "./dom.js";
import { given } from "./given.js";

const GAME = "nim:2+2";
const [DX, DY] = [148, 150];

/**
 * Layout of the states: one column per number of matches left, A above B.
 * @param {string[]} states
 */
function spread(states) {
  /** @param {string} name */
  const left = (name) => [...name].filter((sign) => sign === "i").length;
  const columns = Map.groupBy(states, (name) => left(name));
  const order = [...columns.keys()].sort((a, b) => b - a);
  /** @type {Map<string, [number, number]>} */
  const places = new Map();
  order.forEach((count, column) => {
    for (const side of ["A", "B"]) {
      const list = given(columns.get(count)).filter((name) => name.endsWith(side));
      list.forEach((name, row) =>
        places.set(name, [80 + column * DX, (side === "A" ? 60 : 60 + DY) + row * 56]),
      );
    }
  });
  return { places, width: 160 + (order.length - 1) * DX, height: 60 + 2 * DY };
}

class Graph {
  /** @type {Map<string, { group: SVGGElement, value: SVGTextElement }>} */
  nodes = new Map();
  /** @type {{ from: string, to: string, arrow: SVGLineElement }[]} */
  arrows = [];

  /**
   * @param {HTMLElement} host
   * @param {Textbook} book
   * @param {(name: string) => void} pick
   */
  constructor(host, book, pick) {
    this.book = book;
    this.succs = new Map(book.successors);
    this.payoff = new Map(book.terminals);
    const { places, width, height } = spread(book.positions);
    const marker = s(
      "marker",
      {
        id: "arrow",
        viewBox: "0 0 10 10",
        refX: 9,
        refY: 5,
        markerWidth: 7,
        markerHeight: 7,
        orient: "auto-start-reverse",
      },
      s("path", { d: "M0 0L10 5L0 10z", class: "arrow-head" }),
    );
    for (const [from, list] of this.succs) {
      for (const to of list) {
        const [[x1, y1], [x2, y2]] = [given(places.get(from)), given(places.get(to))];
        const length = Math.hypot(x2 - x1, y2 - y1);
        const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
        const arrow = s("line", {
          class: "arrow",
          x1: x1 + ux * 46,
          y1: y1 + uy * 26,
          x2: x2 - ux * 50,
          y2: y2 - uy * 28,
          "marker-end": "url(#arrow)",
        });
        this.arrows.push({ from, to, arrow });
      }
    }
    for (const [name, [x, y]] of places) {
      const value = s("text", { class: "state-value", y: 36 });
      const group = s(
        "g",
        {
          class: "state",
          role: "button",
          tabindex: 0,
          "data-node": name,
          transform: `translate(${x} ${y})`,
          onclick: () => pick(name),
          onkeydown: (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            pick(name);
          },
        },
        s("rect", { x: -46, y: -20, width: 92, height: 40, rx: 20 }),
        s("text", { y: 6 }, name),
        value,
      );
      this.nodes.set(name, { group, value });
    }
    this.svg = s(
      "svg",
      {
        class: "states",
        viewBox: `0 0 ${width} ${height}`,
        role: "group",
        "aria-label": "All states of II-Nim, and moves between them",
      },
      s("defs", {}, marker),
      this.arrows.map(({ arrow }) => arrow),
      [...this.nodes.values()].map(({ group }) => group),
    );
    host.append(h("div", { class: "tree-scroll" }, this.svg));
  }

  /**
   * Shows some states and arrows. `mark` returns extra classes; `values` shows the payoffs below the states.
   * @param {object} options
   * @param {(name: string) => boolean} [options.states]
   * @param {(from: string, to: string) => boolean} [options.arrows]
   * @param {(name: string) => string} [options.mark]
   * @param {boolean} [options.values]
   */
  show({ states = () => true, arrows = () => false, mark = () => "", values = false }) {
    for (const [name, { group, value }] of this.nodes) {
      const payoff = this.payoff.get(name);
      const tone = payoff !== undefined && values ? (payoff > 0 ? "tone-win" : "tone-loss") : "";
      group.setAttribute("class", `state ${states(name) ? "" : "ahead"} ${tone} ${mark(name)}`);
      value.textContent =
        values && payoff !== undefined ? `V = ${payoff > 0 ? "+" : "−"}${Math.abs(payoff)}` : "";
      group.setAttribute("aria-label", `${name}${this.payoff.has(name) ? ", the game is over" : ""}`);
    }
    for (const { from, to, arrow } of this.arrows)
      arrow.setAttribute("class", `arrow ${arrows(from, to) ? "" : "ahead"}`);
  }
}

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const book = given((await api.rules(GAME, lesson.signal)).textbook);
  const host = h("div", { class: "states-host" });
  const ground = h("div", { class: "small-board" });
  put(lesson.stage, host, ground);
  const graph = new Graph(host, book, (name) => picked(name));
  /** @param {string} name */
  const succs = (name) => graph.succs.get(name) ?? [];
  /** @param {string[]} names */
  const list = (names) => names.map((name) => `\`${name}\``).join(", ");

  let free = false;
  /** @param {string} name */
  const picked = (name) => {
    if (!free) return;
    graph.show({
      arrows: (from) => from === name,
      mark: (other) => (other === name ? "here" : ""),
      values: true,
    });
    put(
      lesson.say,
      h(
        "p",
        {},
        "Succs of ",
        h("code", {}, name),
        " = { ",
        succs(name).join(" , ") || "empty: the game is over",
        " }",
      ),
    );
  };

  // A game to play; the graph follows the current state.
  /** @type {string[][]} */
  let [moves, names] = [[], []];
  const board = new Board(ground, { play: (gesture) => play([...moves, gesture.move]), look: () => {} });
  /**
   * The lecture's notation of a position: matches as letters, then the player to move.
   * @param {string} position
   */
  const named = (position) => {
    const [piles, side] = position.split(" ");
    const matches = piles.split("+").map((size) => "i".repeat(Number(size)) || "_");
    return `(${matches.join()})-${side}`;
  };
  /** @param {string[]} played */
  const play = async (played) => {
    const view = await api.view({ game: GAME, moves: played }, lesson.signal);
    const here = named(view.position);
    names = [...names.slice(0, played.length), here];
    moves = played;
    const { outcome } = view;
    const over = outcome !== null;
    board.show(view.scene, {
      live: !over,
      mover: view.to_move,
      label: "Two piles of matches",
      values: false,
    });
    graph.show({
      arrows: (from, to) => names.some((name, i) => name === from && names[i + 1] === to),
      mark: (name) => (name === here ? "here" : ""),
      values: over,
    });
    put(
      lesson.say,
      h(
        "p",
        {},
        over
          ? `The game is over in ${here}: V = ${outcome > 0 ? "+1, A wins" : "−1, B wins"}.`
          : `The state is ${here}. Take matches; you play both sides.`,
      ),
      h("p", {}, h("button", { type: "button", "data-again": "", onclick: () => play([]) }, "Start over")),
    );
  };
  const hide = () => {
    free = false;
    ground.hidden = true;
  };
  /** @param {Parameters<Graph["show"]>[0]} what */
  const draw = (what) => () => {
    hide();
    graph.show(what);
  };
  const middle = book.positions.find((name) => succs(name).length === 3) ?? book.start;
  const ends = book.terminals.map(([name]) => name);

  lesson.command(`outplay show ${GAME} --all`);
  lesson.run([
    {
      words: [
        "There are two piles of two matches. Players A and B take turns taking any number of matches from " +
          "*one* pile. The player who takes the last match loses.",
        "The lecture calls this game II-Nim. Let us define it so that a machine can play it.",
      ],
      draw: draw({ states: (name) => name === book.start }),
    },
    {
      words: [
        "*S* is the set of all states. A state consists of the piles and the player to move: " +
          "`(i , ii)-B` means piles of one and two matches, B to move.",
        "The order of the piles does not matter: one and two is the same as two and one.",
      ],
      draw: draw({}),
      question: {
        text: "How many states are in S?",
        number: book.positions.length,
        why: `${book.positions.length}: six combinations of piles, times two players to move.`,
        hint: (said) =>
          said < book.positions.length
            ? "More. A to move and B to move are different states."
            : "Fewer. The order of the piles does not matter.",
      },
    },
    {
      words: [`*I* is the initial state: \`${book.start}\`. A moves first.`],
      draw: draw({ mark: (name) => (name === book.start ? "here" : "") }),
    },
    {
      words: [
        "*Succs* maps a state to its successors, the states that one move leads to. From the start: " +
          `${list(succs(book.start))}.`,
        "Taking one match from the left pile or from the right pile leads to the same state.",
      ],
      draw: draw({
        arrows: (from) => from === book.start,
        mark: (name) => (name === book.start ? "here" : ""),
      }),
    },
    {
      words: [`Now look at \`${middle}\`.`],
      draw: draw({ mark: (name) => (name === middle ? "here" : "") }),
      question: {
        text: `How many states are in Succs of ${middle}?`,
        number: succs(middle).length,
        why: `${succs(middle).length}: ${succs(middle).join(", ")}.`,
        hint: () => "Take the single match, or one of the pair, or both of the pair.",
      },
    },
    {
      words: [
        "All moves of the game at once. Every arrow leads from A to B or from B to A, and always to " +
          "fewer matches: this game has no cycles.",
        "Click a state to see where it leads.",
      ],
      draw: () => {
        hide();
        free = true;
        graph.show({ arrows: () => true });
      },
    },
    {
      words: [`*T* is the set of terminal states, in which the game is over: ${list(ends)}.`],
      draw: draw({ arrows: () => true, mark: (name) => (ends.includes(name) ? "here" : "") }),
    },
    {
      words: ["*V* is what A wins from B in each of them. What A gains, B loses: the game is zero-sum."],
      draw: draw({ arrows: () => true, values: true }),
      question: {
        text: "V of (_ , _)-A is +1. Why does A win when nothing is left and it is A's turn?",
        choices: [
          {
            text: "Because B took the last match, and taking it loses",
            right: true,
            why: "Right: it is A's turn, so B moved last.",
          },
          { text: "Because A can take the next match", why: "There is no match left to take." },
          {
            text: "Because A moves first",
            why: "Moving first does not win by itself. Who made the last move?",
          },
        ],
      },
    },
    {
      words: ["That is the whole game: (S, I, Succs, T, V). Play it, and watch the state change."],
      draw: () => {
        free = false;
        ground.hidden = false;
        play([]);
      },
    },
    {
      words: [
        "The lecture is about *two-player zero-sum discrete finite deterministic games of perfect " +
          "information*.",
      ],
      draw: draw({ arrows: () => true, values: true }),
      question: {
        text: "Pig is played with a die. Which of these terms does not apply to it?",
        choices: [
          { text: "zero-sum", why: "One player wins and the other loses: it is zero-sum." },
          {
            text: "deterministic",
            right: true,
            why: "Right: chance decides as well. Lesson 8 is about that.",
          },
          { text: "perfect information", why: "Both players see everything that has happened." },
        ],
      },
    },
  ]);
}
