// @ts-check

// Lesson 2: minimax. Values rise from the leaves to the root in the order of the recursion.

import { h, put } from "./dom.js";
import { mini } from "./mini.js";
import { TreePicture, childrenOf, pathTo, stepsOf } from "./tree-picture.js";
import { isEnd, long, short } from "./worth.js";

/** @type {{ [name: string]: { words: string, place: Place, depth: number } }} */
const TREES = {
  nim: { words: "II-Nim", place: { game: "nim:2+2" }, depth: 9 },
  ttt: {
    words: "Tic-tac-toe, nearly over",
    place: { game: "tictactoe", position: "xo./ox./.xo x" },
    depth: 9,
  },
};

const WHO = { first: "▲ First", second: "▼ Second", chance: "" };

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const ground = h("div", { class: "beside-tree" });
  const host = h("div", { class: "tree-host" });
  put(lesson.stage, host, ground);
  const picture = new TreePicture(host);
  /** @param {string} name */
  const open = async (name) => {
    const { place, depth } = TREES[name];
    const trace = await lesson.tree(place, { method: "minimax", depth, most: 400 });
    lesson.trace = trace;
    picture.load(trace);
    lesson.command(
      `outplay show ${place.game}${place.position ? ` --position '${place.position}'` : ""} --tree ` +
        `--minimax --depth ${depth}`,
    );
    lesson.run(stepsFor(trace));
  };

  /** @param {Trace} trace */
  const stepsFor = (trace) => {
    const { nodes } = trace;
    const kids = childrenOf(nodes);
    const leaves = stepsOf(trace).filter((step) => step.kind === "leave");
    const order = leaves.map((step) => step.i);
    /**
     * @param {number} done
     * @param {number} [here]
     * @param {boolean} [hide]
     */
    const draw = (done, here, hide) => () => {
      const known = new Set(order.slice(0, done));
      /** @type {Set<number>} */
      const path = new Set();
      for (let at = here ?? null; at !== null; at = nodes[at].parent) path.add(at);
      picture.paint((i) => ({
        seen: true,
        done: known.has(i),
        here: i === here,
        path: path.has(i) && i !== here,
        hide: hide && i === here,
        principal: done === order.length && nodes[i].principal,
      }));
      put(
        ground,
        here === undefined
          ? null
          : h(
              "figure",
              {},
              mini(nodes[here].position),
              h("figcaption", { class: "note" }, pathTo(nodes, here).join(", ") || "the root"),
            ),
      );
    };
    /** @type {LessonStep[]} */
    const steps = [
      {
        words: [
          "This is the whole game tree: every move, to the end of the game. At ▲ the first player chooses, " +
            "at ▼ the second. A square is a finished game.",
          "What is the root worth? That is not known yet. The rules give us only the values of the " +
            "leaves.",
        ],
        draw: draw(0, undefined),
      },
    ];
    let asked = 0;
    order.forEach((i, done) => {
      const node = nodes[i];
      if (node.fate === "finished") {
        const value = isEnd(node.worth) ? node.worth.value : "draw";
        const end = { draw: "a draw", win: "First wins", loss: "Second wins" }[value];
        steps.push({
          words: [`The game is over here. By the rules, V = ${short(node.worth)}: ${end}.`],
          draw: draw(done + 1, i),
        });
        return;
      }
      const values = kids[i].map((child) => short(nodes[child].worth));
      const best = node.turn === "first" ? "largest" : "smallest";
      const right = short(node.worth);
      const told = `${WHO[node.turn]} chooses the ${best} of ${values.join(", ")}: ${right}.`;
      const ask = values.length > 1 && (asked < 3 || i === 0);
      if (ask) {
        asked += 1;
        const gives = kids[i].map((child) => `\`${nodes[child].move}\` gives ${short(nodes[child].worth)}`);
        steps.push({
          words: [`The values of all moves from here are known: ${gives.join(", ")}.`],
          draw: draw(done, i, true),
          question: {
            text: `${node.turn === "first" ? "First" : "Second"} is to move. What is this position worth?`,
            choices: ["+1", "0", "−1"].map((text) => ({
              text,
              right: text === right,
              why:
                text === right
                  ? `Right: ${told}`
                  : node.turn === "first"
                    ? "First chooses, and wants the largest value."
                    : "Values are from First's point of view. Second chooses, and wants the smallest value.",
            })),
          },
        });
      }
      steps.push({
        words: [
          told,
          values.length === 1 ? "With only one move, there is nothing to choose." : "",
          i === 0
            ? `That is the root. With best play on both sides: ${long(node.worth)}. The thick line shows ` +
              "one such game."
            : "",
        ].filter(Boolean),
        draw: draw(done + 1, i),
      });
    });
    steps.push({
      words: [
        `Done: ${trace.counters.nodes} positions were visited, ${trace.counters.static_evaluations} of ` +
          `them leaves. The root is worth ${short(nodes[0].worth)}.`,
        "The recursion never stores the tree: it only keeps the path from the root to the current " +
          "position. That takes the memory of one game, not of all games.",
        "But it plays through *every* game. With b moves per position and d plies, that is b to the " +
          "power of d. The next lesson skips most of them.",
      ],
      draw: draw(order.length, 0),
    });
    return steps;
  };

  lesson.choose("Tree", TREES, "nim", open);
  await open("nim");
}
