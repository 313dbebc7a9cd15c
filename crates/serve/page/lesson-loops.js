// @ts-check

// Lesson 7: retrograde analysis of chess endings. Two boards, one per side to move; each square stands for
// the position with the black king there, and is coloured in the wave in which the solver decides it.

import * as api from "./api.js";
import { h, put, s } from "./dom.js";
import { choice } from "./lesson.js";
import { man } from "./men.js";

const FILES = "abcdefgh";
const SQUARES = Array.from({ length: 64 }, (_, i) => FILES[i % 8] + (8 - Math.floor(i / 8)));
/** @type {{ [name: string]: { words: string, man: string } }} */
const ENDINGS = { KRK: { words: "King and rook", man: "R" }, KQK: { words: "King and queen", man: "Q" } };
const SIDES = [
  ["w", "White to move"],
  ["b", "Black to move"],
];
/** @param {number} number */
const figure = (number) => number.toLocaleString("en");

/**
 * The FEN of a position: white king, white man, black king.
 * @param {Map<string, string>} men
 * @param {string} side
 */
function fen(men, side) {
  const rows = [];
  for (let row = 0; row < 8; row += 1) {
    let text = "";
    let gap = 0;
    for (let column = 0; column < 8; column += 1) {
      const sign = men.get(SQUARES[row * 8 + column]);
      if (!sign) {
        gap += 1;
        continue;
      }
      text += (gap || "") + sign;
      gap = 0;
    }
    rows.push(text + (gap || ""));
  }
  return `${rows.join("/")} ${side} - - 0 1`;
}

class Boards {
  /**
   * @param {HTMLElement} host
   * @param {(name: string) => void} pick
   */
  constructor(host, pick) {
    this.boards = SIDES.map(([side, words]) => {
      const cells = SQUARES.map((name, i) => {
        const [x, y] = [(i % 8) * 40, Math.floor(i / 8) * 40];
        const rect = s("rect", { class: "wave-cell", x, y, width: 40, height: 40 });
        const text = s("text", { class: "wave-number", x: x + 20, y: y + 26 });
        const piece = s("g", { transform: `translate(${x + 20} ${y + 20}) scale(.62)` });
        const group = s(
          "g",
          { class: "wave-spot", "data-square": side + name, onclick: () => pick(name) },
          rect,
          text,
          piece,
        );
        return { group, rect, text, piece, name, dark: (i + Math.floor(i / 8)) % 2 === 1 };
      });
      const svg = s(
        "svg",
        { class: "wave-board", viewBox: "-1 -1 322 322", role: "img" },
        cells.map(({ group }) => group),
      );
      return { side, words, cells, svg };
    });
    put(
      host,
      this.boards.map(({ words, svg }) =>
        h("figure", { class: "wave-figure" }, h("figcaption", {}, words), svg),
      ),
    );
  }

  /**
   * Colours every square that has been decided by wave `wave`.
   * @param {object} options
   * @param {Map<string, string>} options.men
   * @param {Map<string, ValuedPosition>} options.values
   * @param {number} options.wave
   * @param {string} options.label
   * @param {boolean} [options.hide]
   */
  show({ men, values, wave, label, hide }) {
    for (const { side, words, cells, svg } of this.boards) {
      let count = 0;
      for (const cell of cells) {
        const value = values.get(side + cell.name);
        const known = value?.legal && value.value && value.value !== "draw" && (value.distance ?? 0) <= wave;
        const fresh = known && value.distance === wave;
        const drawn = value?.legal && value.value === "draw" && wave === Infinity;
        if (known) count += 1;
        const classes = [
          "wave-cell",
          cell.dark ? "dark" : "",
          known ? `tone-${value.value}` : drawn ? "tone-draw" : "",
          fresh && !hide ? "fresh" : "",
          value?.legal || men.has(cell.name) ? "" : "impossible",
        ];
        cell.rect.setAttribute("class", hide && fresh ? "wave-cell riddle" : classes.join(" "));
        cell.text.textContent = men.has(cell.name)
          ? ""
          : hide && fresh
            ? "?"
            : known
              ? String(value.distance)
              : drawn
                ? "="
                : "";
        const sign = men.get(cell.name);
        put(cell.piece, sign ? man("chess", "first", sign) : null);
      }
      svg.setAttribute("aria-label", `${words}: ${count} positions are decided. ${label}`);
    }
  }
}

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const host = h("div", { class: "waves" });
  const counts = h("div", { class: "chart wave-counts" });
  put(lesson.stage, host, counts);
  let ending = "KRK";
  /** @type {Map<string, string>} */
  let men = new Map();
  /** @type {Map<string, ValuedPosition>} */
  let values = new Map();
  /** @type {WavesAnswer} */
  let waves;
  let moving = "K";
  const boards = new Boards(host, (name) => place(name));

  const ask = async () => {
    const list = SIDES.flatMap(([side]) =>
      SQUARES.filter((name) => !men.has(name)).map((name) => [
        side + name,
        fen(new Map([...men, [name, "k"]]), side),
      ]),
    );
    const told = await api.values(
      `chess:${ending}`,
      list.map(([, text]) => text),
      lesson.signal,
    );
    values = new Map(list.map(([key], i) => [key, told.values[i]]));
    lesson.values = values;
  };

  /**
   * Moves a man to another square and restarts the waves.
   * @param {string} name
   */
  const place = async (name) => {
    const from = [...men].find(([, sign]) => sign === moving)?.[0];
    if (men.has(name) || !from) return;
    const next = new Map(men);
    next.delete(from);
    next.set(name, moving);
    men = next;
    try {
      await ask();
      build(lesson.at);
    } catch (error) {
      if (!api.isAbort(error)) lesson.fail(error);
    }
  };

  /** @param {number} wave */
  const bars = (wave) => {
    const list = waves.waves;
    const most = Math.max(...list.map(({ win, loss }) => win + loss));
    const width = 600 / list.length;
    return s(
      "svg",
      {
        class: "wave-bars",
        viewBox: "0 0 620 128",
        role: "img",
        "aria-label": `Positions of the whole ending by wave; current wave: ${wave}`,
      },
      list.map(({ distance, win, loss }, i) =>
        s("rect", {
          class:
            `wave-bar ${win ? "tone-win" : "tone-loss"} ` +
            `${distance === wave ? "fresh" : distance > wave ? "ahead" : ""}`,
          x: 10 + i * width + 1,
          y: 104 - 98 * ((win + loss) / most),
          width: width - 2,
          height: 98 * ((win + loss) / most),
          rx: 2,
        }),
      ),
      s("line", { class: "axis", x1: 8, x2: 612, y1: 104, y2: 104 }),
      list
        .filter(({ distance }) => distance % 4 === 0)
        .map(({ distance }) =>
          s(
            "text",
            {
              class: "tick",
              x: 10 + (list.findIndex((other) => other.distance === distance) + 0.5) * width,
              y: 122,
            },
            String(distance),
          ),
        ),
    );
  };

  /** @param {number} [at] */
  const build = (at) => {
    const list = waves.waves;
    const last = list[list.length - 1].distance;
    const deepest = Math.max(
      ...[...values.values()].map((value) =>
        value.value === "loss" || value.value === "win" ? (value.distance ?? 0) : 0,
      ),
    );
    /** @param {number} wave */
    const here = (wave) =>
      [...values].filter(([, value]) => value.legal && value.distance === wave && value.value !== "draw");
    /**
     * @param {number} wave
     * @param {boolean} [hide]
     */
    const draw = (wave, hide) => () => {
      boards.show({
        men,
        values,
        wave,
        hide,
        label: wave === Infinity ? "All waves have passed." : `Wave ${wave}.`,
      });
      const told = list.find(({ distance }) => distance === wave);
      put(
        counts,
        h("p", { class: "chart-title" }, "All positions of this ending, by wave"),
        bars(wave),
        h(
          "p",
          {
            class: "note",
            "data-wave": wave === Infinity ? last : wave,
            "data-count": told ? told.win + told.loss : "",
          },
          told
            ? `wave ${wave}: ${figure(told.win + told.loss)} of ${figure(waves.positions)} positions`
            : `${figure(waves.positions)} positions, ${figure(waves.draws)} of them draws`,
        ),
      );
    };
    const name = ending === "KRK" ? "rook" : "queen";
    /** @type {LessonStep[]} */
    const steps = [
      {
        words: [
          `White has a king and a ${name}, Black has only a king. Pieces can move back and forth, so ` +
            "minimax would never end, and no order of the positions puts all children before their parents.",
          "So start where the result is known, at checkmate, and work *backwards*.",
        ],
        draw: draw(-1),
      },
      {
        words: [
          "Each square of these boards stands for one position: the one with the black king there. On the " +
            "left White is to move, on the right Black. Faded squares are illegal positions.",
        ],
        draw: draw(-1),
      },
    ];
    for (let wave = 0; wave <= deepest; wave += 1) {
      const told = list.find(({ distance }) => distance === wave) ?? { win: 0, loss: 0 };
      const count = here(wave).length;
      const sentence =
        wave === 0
          ? "Wave 0: Black is checkmated, by the rules."
          : wave % 2
            ? `Wave ${wave}: White to move, and *one* move leads into wave ${wave - 1}. That is enough: ` +
              `a win in ${wave}.`
            : `Wave ${wave}: Black to move, and *every* move leads into an earlier wave, at best into ` +
              `wave ${wave - 1}: a loss in ${wave}.`;
      const step = {
        words: [
          sentence,
          `On these boards: ${count === 0 ? "none" : count}. In the whole ending: ` +
            `${figure(told.win + told.loss)}.`,
        ],
        draw: draw(wave),
      };
      if (wave === 1) {
        steps.push({
          words: ["Next is wave 1, with White to move."],
          draw: draw(0),
          question: {
            text: "Which positions with White to move are decided now?",
            choices: [
              {
                text: "Those in which every move mates",
                why: "White may choose. One move is enough.",
              },
              { text: "Those in which some move mates", right: true, why: "Right: White picks that move." },
              {
                text: "Those with the black king in a corner",
                why: "A corner helps, but only the moves count.",
              },
            ],
          },
        });
      }
      if (wave === 2) {
        steps.push({
          words: ["Wave 2 has Black to move, and Black does not want to lose."],
          draw: draw(1),
          question: {
            text: "When is a position with Black to move lost in 2?",
            choices: [
              {
                text: "If every move leads to a position that White wins in 1",
                right: true,
                why:
                  "Right: no move of Black helps. The solver keeps a counter of the moves that are not yet " +
                  "known to lose.",
              },
              {
                text: "If some move leads to a position that White wins in 1",
                why: "Black would choose another move.",
              },
            ],
          },
        });
      }
      steps.push(step);
    }
    steps.push({
      words: [
        `Further waves add nothing on these boards. In the whole ending the last wave is ${last}: ` +
          `the longest mate takes ${last} plies.`,
        `Positions that no wave reaches are draws: ${figure(waves.draws)} of ${figure(waves.positions)} ` +
          `positions, in which Black takes the ${name} or is stalemated.`,
      ],
      draw: draw(Infinity),
      question: {
        text: "How many plies does the longest mate of this ending take? (One less with White to move.)",
        number: last,
        why: `${last} plies with Black to move, ${last - 1} with White to move.`,
        hint: () => "It is the number of the last wave.",
      },
    });
    lesson.run(steps, at);
  };

  /** @param {string} name */
  const open = async (name) => {
    ending = name;
    moving = "K";
    men = new Map([
      ["c3", "K"],
      ["b2", ENDINGS[name].man],
    ]);
    [waves] = await Promise.all([api.waves(`chess:${name}`, lesson.signal), ask()]);
    lesson.waves = waves;
    lesson.command(
      `outplay solve chess:${name} --no-save`,
      `outplay query chess:${name} --position '${fen(new Map([...men, ["a1", "k"]]), "b")}'`,
    );
    tools();
    build(lesson.started ? 0 : undefined);
  };
  const tools = () => {
    const field = h("input", {
      type: "text",
      id: "square",
      name: "square",
      maxLength: 2,
      placeholder: "e4",
      autocomplete: "off",
    });
    put(
      lesson.tools,
      choice(
        "Ending",
        Object.entries(ENDINGS).map(([name, { words }]) => [name, words]),
        ending,
        (name) => open(name).catch((error) => !api.isAbort(error) && lesson.fail(error)),
      ),
      choice(
        "Clicking moves",
        [
          ["K", "the white king"],
          [ENDINGS[ending].man, ending === "KRK" ? "the rook" : "the queen"],
        ],
        moving,
        (sign) => (moving = sign),
      ),
      h(
        "form",
        {
          class: "tool",
          onsubmit: (event) => {
            event.preventDefault();
            const square = field.value.trim().toLowerCase();
            if (SQUARES.includes(square)) place(square);
          },
        },
        h("label", { class: "tool-name", for: "square" }, "or enter a square"),
        h("div", { class: "ask-number" }, field, h("button", { type: "submit" }, "Move")),
      ),
    );
  };
  await open("KRK");
}
