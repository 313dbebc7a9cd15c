// @ts-check

// Lesson 8: chance nodes (expectiminimax), and pruning with Star1 and Star2.

import * as api from "./api.js";
import { h, put } from "./dom.js";
import { mini } from "./mini.js";
import { TreePicture, childrenOf, odds, pathTo, stepsOf } from "./tree-picture.js";
import { bound, rootValue, short, sign, trimmed } from "./worth.js";

/** @type {{ [name: string]: { words: string, place: Place, depth: number } }} */
const GAMES = {
  piglet: { words: "Piglet, first to 2 points", place: { game: "piglet:2" }, depth: 7 },
  near: { words: "Piglet to 3, score 1 to 2", place: { game: "piglet:3", position: "1-2 A 1" }, depth: 7 },
};
const METHODS = {
  expectiminimax: { words: "Full search" },
  star1: { words: "Star1" },
  star2: { words: "Star2" },
};
const WHO = { first: "First", second: "Second", chance: "Chance" };

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const ground = h("div", { class: "beside-tree" });
  const host = h("div", { class: "tree-host" });
  put(lesson.stage, host, ground);
  const picture = new TreePicture(host);
  let game = "piglet";
  let method = "expectiminimax";

  const open = async () => {
    const { place, depth } = GAMES[game];
    /** @param {string} name */
    const ask = (name) => lesson.tree(place, { method: name, depth, most: 300 });
    const [plain, chosen, answer] = await Promise.all([
      ask("expectiminimax"),
      ask(method),
      api.position(place, lesson.signal),
    ]);
    lesson.trace = chosen;
    picture.load(chosen);
    lesson.command(
      `outplay show ${place.game}${place.position ? ` --position '${place.position}'` : ""} --tree ` +
        `--depth ${depth} --method ${method === "expectiminimax" ? "expectimax" : method}`,
    );
    lesson.run(stepsFor(chosen, plain, place, answer.mean));
  };

  /**
   * @param {Trace} trace
   * @param {Trace} plain
   * @param {Place} place
   * @param {number | undefined} value the exact mean payoff of First at the root
   */
  const stepsFor = (trace, plain, place, value) => {
    const { nodes } = trace;
    const kids = childrenOf(nodes);
    const list = stepsOf(trace);
    /** @type {Set<number>} */
    const seen = new Set();
    /** @type {Set<number>} */
    const done = new Set();
    /** @type {Set<number>} */
    const cut = new Set();
    const steps = [];
    let asked = 0;
    /**
     * @param {number} here
     * @param {boolean} [hide]
     */
    const paint = (here, hide) => {
      const now = { seen: new Set(seen), done: new Set(done), cut: new Set(cut) };
      return () => {
        /** @type {Set<number>} */
        const path = new Set();
        for (let at = nodes[here].parent; at !== null && at !== undefined; at = nodes[at].parent)
          path.add(at);
        picture.paint((i) => ({
          seen: now.seen.has(i),
          done: now.done.has(i),
          here: i === here,
          path: path.has(i),
          cut: now.cut.has(i),
          hide: hide && i === here,
        }));
        put(
          ground,
          h(
            "figure",
            {},
            mini(nodes[here].position),
            h("figcaption", { class: "note" }, pathTo(nodes, here).join(", ") || "the root"),
          ),
        );
      };
    };
    steps.push({
      words: [
        "First chooses at ▲, Second at ▼, and chance decides at ●. Branches below ● have probabilities.",
        "Piglet: toss a coin as often as you dare. Heads adds a point to your turn, tails loses the " +
          "points of the turn, and holding keeps them. The first player to reach " +
          `${place.game.split(":")[1]} points wins.`,
      ],
      draw: () => {
        picture.paint((i) => ({ seen: true, done: false, here: i === 0 }));
        put(ground);
      },
    });
    for (const step of list) {
      const node = nodes[step.i];
      if (step.kind === "enter") {
        seen.add(step.i);
        if (node.glance)
          steps.push({
            words: [
              `Star2 only probes \`${node.move}\`: a single reply already gives a lower or upper bound on ` +
                "its value.",
            ],
            draw: paint(step.i),
          });
        continue;
      }
      if (step.kind === "cut") {
        const children = step.cut ?? [];
        children.forEach((child) => cut.add(child));
        const reason =
          step.why === "dice"
            ? "Whatever the remaining rolls are worth, the mean stays outside the window."
            : "One of the players has a better option elsewhere.";
        const count = children.length;
        const left = count === 1 ? `\`${nodes[children[0]].move}\` is` : `${count} branches are`;
        steps.push({
          words: [
            `✂ ${left} left out. ${reason}`,
            `The window is (${bound(node.window[0], "alpha")}, ${bound(node.window[1], "beta")}).`,
          ],
          draw: paint(step.i),
        });
        continue;
      }
      const children = kids[step.i].filter((child) => nodes[child].worth && !nodes[child].glance);
      if (!children.length) {
        done.add(step.i);
        steps.push({
          words: [
            node.fate === "finished"
              ? `The game is over: ${short(node.worth)}.`
              : `The search stops here, at its horizon, and counts the position as 0.`,
          ],
          draw: paint(step.i),
        });
        continue;
      }
      if (node.turn !== "chance") {
        done.add(step.i);
        const best = node.turn === "first" ? "largest" : "smallest";
        steps.push({
          words: [
            children.length === 1
              ? `${WHO[node.turn]} has one move: ${sign(node)}${short(node.worth)}.`
              : `${WHO[node.turn]} chooses the ${best} of ` +
                `${children.map((child) => short(nodes[child].worth)).join(", ")}: ` +
                `${sign(node)}${short(node.worth)}.`,
          ],
          draw: paint(step.i),
        });
        continue;
      }
      const mean = node.worth && "mean" in node.worth ? node.worth.mean : 0;
      const sum = children
        .map((child) => `${odds(nodes[child].probability ?? 0)} × ${short(nodes[child].worth)}`)
        .join(" + ")
        .replaceAll("+ −", "− ");
      const exact = node.bound === "exact" && children.length === kids[step.i].length;
      if (exact && asked < 3 && (asked > 0 || children.some((child) => short(nodes[child].worth) !== "0"))) {
        asked += 1;
        const rolls = children.map((child) => {
          const { move, probability = 0, worth } = nodes[child];
          return `${move}: ${short(worth)} with probability ${odds(probability)}`;
        });
        steps.push({
          words: ["All rolls are known. Chance does not choose: the position is worth the *mean*."],
          draw: paint(step.i, true),
          question: {
            text: `What is it worth? ${rolls.join(", ")}.`,
            number: Number(mean.toFixed(4)),
            within: 0.006,
            why: `${sum} = ${trimmed(mean)}.`,
            hint: () => "Multiply each value by its probability, then add.",
          },
        });
      }
      done.add(step.i);
      steps.push({
        words: [
          exact ? `The mean: ${sum} = ${trimmed(mean)}.` : `The mean so far: ${sign(node)}${trimmed(mean)}.`,
        ],
        draw: paint(step.i),
      });
    }
    const [all, some] = [plain.counters, trace.counters];
    steps.push({
      words: [
        `${rootValue(trace, value)} ${some.nodes} positions were visited, ` +
          `${some.static_evaluations} of them ` +
          `leaves${method === "expectiminimax" ? "" : `; the full search visits ${all.nodes}`}.`,
        method === "expectiminimax"
          ? "Can rolls be skipped, as alpha-beta skips moves? A mean depends on all of its parts, so the " +
            "search needs bounds on every value: here −1 and +1. Choose Star1 below."
          : `${some.dice_cutoffs} times a chance node was cut off early. Both searches return ` +
            `${short(nodes[0].worth)}: nothing that matters was left out.`,
      ],
      draw: paint(0),
      question: {
        text:
          "A roll is worth +0.5 with probability 1/2, and otherwise something between −1 and +1. Second is " +
          "already sure of −0.3 elsewhere. Does the other half have to be searched?",
        choices: [
          {
            text: "No: even −1 makes the mean −0.25, more than Second accepts",
            right: true,
            why: "Right: 1/2 × 0.5 + 1/2 × −1 = −0.25. Second prefers −0.3. That is Star1.",
          },
          {
            text: "Yes: it could still change the choice",
            why: "What is the smallest possible mean? 1/2 × 0.5 + 1/2 × −1.",
          },
        ],
      },
    });
    return steps;
  };

  lesson.choose("Game", GAMES, game, (name) => {
    game = name;
    return open();
  });
  lesson.choose("Search", METHODS, method, (name) => {
    method = name;
    return open();
  });
  await open();
}
