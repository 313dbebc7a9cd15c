// @ts-check

// Lesson 9: proof checking. A proof is verified step by step by a program that shares no code with the search
// that found it; the reader can edit the proof and watch the checker reject it.

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { given } from "./given.js";
import { mini } from "./mini.js";

const BOARDS = {
  "mnk:4x3,k=3": { words: "4×3, three in a row" },
  "mnk:4x4,k=3": { words: "4×4, three in a row" },
  tictactoe: { words: "Tic-tac-toe" },
};
/** @param {number} number */
const figure = (number) => number.toLocaleString("en");

/**
 * The rows of the proof's board with additional stones.
 * @param {string} proof
 * @param {ProofStone[]} stones
 */
export function withStones(proof, stones) {
  const rows = given(/^board (\S+)/m.exec(proof)?.[1])
    .split("/")
    .map((row) => [...row]);
  for (const { cell, by } of stones) {
    const [, letters, number] = given(/^([a-z]+)(\d+)$/.exec(cell));
    const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 96, 0) - 1;
    rows[rows.length - Number(number)][column] = by === "first" ? "x" : "o";
  }
  return rows.map((row) => row.join("")).join("/");
}

/**
 * The lines of a proof, each with the number of its step.
 * @param {string} proof
 */
export function linesOf(proof) {
  return proof
    .trim()
    .split("\n")
    .map((text) => ({ text, step: /^\d+ /.test(text) ? Number.parseInt(text, 10) : null }));
}

/** The meaning of each kind of step. */
/** @type {{ [kind: string]: string }} */
const MEANING = {
  fours:
    "a sequence of threats: each leaves the opponent exactly one reply, until there are two threats at once",
  plays: "the attacker plays this cell and continues with that step",
  replies: "for *every* reply of the opponent there is a step that continues; the checker tries them all",
  pairs:
    "a pairing: the defender always replies in the other cell of the pair, so that no line is ever filled",
  sum: "a counting argument: the attacker's lines are too few and too long to be filled in time",
  answers: "for *every* move of the attacker there is a step that continues",
  blocks: "like `answers`, without counter-threats by the defender",
  takes: "the defender takes this cell and continues with that step",
  completes: "the defender completes a line",
  split: "the lines split into independent parts; the defender replies in the part where the attacker played",
};
/** @param {string} line */
export const meaning = (line) => MEANING[line.split(" ")[1]] ?? "";

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const text = h("ol", { class: "proof-lines", tabindex: 0, "aria-label": "The proof" });
  const ground = h("div", { class: "beside-tree" });
  const editor = h("div", { class: "proof-edit" });
  put(lesson.stage, ground, text, editor);

  /** @param {string} game */
  const open = async (game) => {
    const proved = await api.prove({ game }, lesson.signal);
    const proof = proved.proof ?? "";
    const told = await api.check(proof, lesson.signal);
    lesson.proved = proved;
    lesson.told = told;
    const lines = linesOf(proof);
    /** @param {number} step */
    const line = (step) => lines.find((known) => known.step === step)?.text ?? "";
    /**
     * @param {number | null} step
     * @param {ProofStone[]} [stones]
     */
    const show = (step, stones = []) => {
      editor.hidden = true;
      text.hidden = false;
      put(
        text,
        lines.map((known) =>
          h(
            "li",
            {
              class: known.step !== null && known.step === step ? "here" : known.step === null ? "head" : "",
            },
            h("code", {}, known.text),
          ),
        ),
      );
      text.querySelector(".here")?.scrollIntoView({ block: "nearest" });
      put(
        ground,
        h(
          "figure",
          {},
          mini(withStones(proof, stones)),
          h(
            "figcaption",
            { class: "note" },
            stones.map(({ cell, by }) => `${by === "first" ? "x" : "o"} ${cell}`).join(", ") ||
              "the empty board",
          ),
        ),
      );
    };
    const value =
      proved.value === "win"
        ? "x, who moves first, wins"
        : proved.value === "draw"
          ? "with best play it is a draw"
          : "o wins";
    /** @type {LessonStep[]} */
    const steps = [
      {
        words: [
          `The proof search visited ${figure(proved.nodes)} positions of this board. Its result: ` +
            `${value}. Should you believe it? The search is clever, and clever programs have bugs.`,
          "So it writes down *why*. This text is the whole proof.",
        ],
        draw: () => show(null),
      },
      {
        words: [
          "The header states the board, the claim and the side whose strategy proves it. Then come " +
            `${figure(proved.steps)} numbered steps. A step refers only to steps above it, so a proof ` +
            "cannot be circular.",
        ],
        draw: () => show(null),
      },
    ];
    // Each kind of step is explained once.
    /** @type {Set<string>} */
    const explained = new Set();
    const seen = told.seen.slice(0, 40);
    let asked = false;
    seen.forEach((followed) => {
      const written = line(followed.step);
      const kind = written.split(" ")[1];
      const role = followed.attacks ? "attacker" : "defender";
      const stone = followed.attacks === (followed.attacker === "first") ? "x" : "o";
      const words = [
        `The checker follows step \`${followed.step}\` with the ${role} (${stone}) to move: \`${written}\`.`,
      ];
      if (!explained.has(kind)) {
        explained.add(kind);
        words.push(`\`${kind}\` means: ${meaning(written)}.`);
      } else if (followed.stones.length) {
        const last = followed.stones[followed.stones.length - 1];
        words.push(`The last stone was ${last.by === "first" ? "x" : "o"} on \`${last.cell}\`.`);
      }
      /** @type {LessonStep} */
      const step = { words, draw: () => show(followed.step, followed.stones) };
      if (kind === "replies" && !asked) {
        asked = true;
        const free = withStones(proof, followed.stones).replace(/[^.]/g, "").length;
        step.question = {
          text: "How many replies does the opponent have here? The checker has to try each of them.",
          number: free,
          why:
            `${free} empty cells. The step lists some of them; \`else\` covers the others. The checker ` +
            "tries each.",
          hint: () => "Count the empty cells.",
        };
      }
      steps.push(step);
    });
    const partly = told.seen.length < told.followed || seen.length < told.seen.length;
    steps.push({
      words: [
        `The proof ${told.valid ? "holds" : "fails"}: ${figure(told.steps)} steps, ` +
          `checked at ${figure(told.followed)} positions` +
          (partly ? ` (the first ${seen.length} were shown).` : "."),
        "The checker knows nothing about the search. It needs the rules and a few hundred lines of code.",
      ],
      draw: () => show(null),
      question: {
        text: "The search had a bug, but the checker accepts its proof. Is the claim true?",
        choices: [
          {
            text: "Yes, if the checker is correct",
            right: true,
            why:
              "Right: it does not matter how a proof was found. Only the small checker has to be " +
              "trusted, and there are two of them, written independently.",
          },
          {
            text: "No, a buggy search cannot be trusted",
            why: "The search cannot. But the proof stands on its own: every step was checked.",
          },
        ],
      },
    });
    steps.push({
      words: [
        "Now break it. Change a cell, delete a reply or change the claim, and check the result. The " +
          "checker reports where the proof fails.",
        h(
          "p",
          {},
          h("button", { type: "button", "data-spoil": "", onclick: () => spoil() }, "Break it for me"),
        ),
      ],
      draw: () => {
        show(null);
        text.hidden = true;
        editor.hidden = false;
        area.value = proof;
        put(result);
      },
      question: {
        text: "Change the proof so that the checker rejects it.",
        why: "Right: the checker finds the false step and names it.",
      },
    });
    const area = h("textarea", {
      class: "proof-text",
      rows: Math.min(18, lines.length + 2),
      spellcheck: false,
      "aria-label": "Editable proof",
    });
    const result = h("p", { class: "feedback", role: "status" });
    const spoil = () => {
      const list = lines.filter(
        (known) => known.step !== null && /[a-z]+\d+/.test(known.text.slice(known.text.indexOf(" "))),
      );
      const victim = list[Math.floor(Math.random() * list.length)];
      const cells = [...victim.text.matchAll(/\b[a-z]\d+\b/g)];
      const hit = cells[cells.length - 1];
      const other = hit[0] === "a1" ? "b1" : "a1";
      area.value = proof.replace(
        victim.text,
        victim.text.slice(0, hit.index) + other + victim.text.slice(hit.index + hit[0].length),
      );
      check();
    };
    const check = async () => {
      try {
        const verdict = await api.check(area.value, lesson.signal);
        lesson.verdictOfReader = verdict;
        const same = area.value.trim() === proof.trim();
        result.className = `feedback ${verdict.valid ? "right" : "wrong"}`;
        put(
          result,
          verdict.valid
            ? `✓ The proof holds (${verdict.steps} steps, ${verdict.followed} positions).`
            : `✗ ${verdict.error}`,
        );
        if (!verdict.valid) lesson.answer(true, `The checker rejects it: ${verdict.error}.`);
        else if (!same)
          lesson.answer(false, "It still holds. Not every change breaks a proof: try another one.");
      } catch (error) {
        if (!api.isAbort(error)) put(result, api.wordsOf(error));
      }
    };
    put(
      editor,
      area,
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "main", "data-check": "", onclick: () => check() }, "Check it"),
        h(
          "button",
          {
            type: "button",
            onclick: () => {
              area.value = proof;
              put(result);
            },
          },
          "Restore",
        ),
      ),
      result,
    );
    lesson.command(`outplay solve ${game} --method proof --proof FILE`, "outplay check FILE");
    lesson.run(steps);
  };

  lesson.choose("Board", BOARDS, "mnk:4x3,k=3", open);
  await open("mnk:4x3,k=3");
}
