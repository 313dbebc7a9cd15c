// @ts-check

// Lesson 5: heuristic evaluation and the horizon effect, with search depth increasing one ply at a time.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, put, s } from "./dom.js";
import { lastSpots, trail } from "./scene.js";
import { isEnd, long, rank, short, signed } from "./worth.js";

const JUDGE = "lines";
/** @type {{ [name: string]: { words: string, place: Place & { moves: string[] }, depth: number } }} */
const PLACES = {
  behind: {
    words: "Beyond the horizon",
    place: { game: "connect4:5x4", moves: [..."23413142552"] },
    depth: 9,
  },
  trusted: {
    words: "Eight plies too few",
    place: { game: "connect4:5x4", moves: [..."41134342"].concat("3") },
    depth: 10,
  },
};

/**
 * Chart of evaluations by depth: one dot each, above the middle if First is considered better.
 * @param {Trace[]} traces
 * @param {number} shown
 * @param {number} [hidden]
 */
function chart(traces, shown, hidden) {
  /** @param {number} depth */
  const x = (depth) => 46 + (depth - 1) * (520 / Math.max(1, traces.length - 1));
  /** @param {Worth | null | undefined} worth */
  const y = (worth) => 110 - 84 * Math.max(-1.05, Math.min(1.05, rank(worth)));
  /** @type {SVGElement[]} */
  const parts = [
    s("rect", { class: "sky", x: 24, y: 6, width: 568, height: 104 }),
    s("rect", { class: "sea", x: 24, y: 110, width: 568, height: 104 }),
    s("line", { class: "axis", x1: 24, x2: 592, y1: 110, y2: 110 }),
    s("text", { class: "tick start", x: 30, y: 22 }, "First better"),
    s("text", { class: "tick start", x: 30, y: 208 }, "Second better"),
  ];
  const points = traces
    .slice(0, hidden ? shown - 1 : shown)
    .map((trace, i) => [x(i + 1), y(trace.nodes[0].worth)]);
  parts.push(s("polyline", { class: "opinion-line", points: points.map((point) => point.join()).join(" ") }));
  traces.forEach((trace, i) => {
    const worth = trace.nodes[0].worth;
    parts.push(s("text", { class: "tick", x: x(i + 1), y: 234 }, String(i + 1)));
    if (i >= shown) return;
    const riddle = hidden === i + 1;
    parts.push(
      s("circle", {
        class:
          `opinion ${isEnd(worth) && !riddle ? `tone-${worth.value}` : ""} ` +
          `${i === shown - 1 ? "here" : ""}`,
        "data-depth": i + 1,
        "data-worth": riddle ? "" : short(worth),
        cx: x(i + 1),
        cy: riddle ? 110 : y(worth),
        r: i === shown - 1 ? 10 : 7,
      }),
    );
    parts.push(
      s(
        "text",
        {
          class: "opinion-text",
          x: x(i + 1),
          y: (riddle ? 110 : y(worth)) + (riddle || rank(worth) > 0 ? -16 : 26),
        },
        riddle ? "?" : short(worth),
      ),
    );
  });
  parts.push(s("text", { class: "tick", x: 308, y: 252 }, "search depth in plies"));
  return s(
    "svg",
    {
      class: "opinions",
      viewBox: "0 0 612 258",
      role: "img",
      "aria-label": traces
        .slice(0, shown)
        .map((trace, i) => `${i + 1} plies: ${long(trace.nodes[0].worth)}`)
        .join("; "),
    },
    parts,
  );
}

/** @param {Lesson} lesson */
export async function begin(lesson) {
  const ground = h("div", { class: "small-board" });
  const host = h("div", { class: "chart" });
  put(lesson.stage, ground, host);
  const board = new Board(ground, { play: () => {}, look: () => {} });

  /** @param {string} name */
  const open = async (name) => {
    const { place, depth } = PLACES[name];
    const depths = Array.from({ length: depth }, (_, i) => i + 1);
    const [view, truth, seen, ...traces] = await Promise.all([
      api.view(place, lesson.signal),
      api.position(place, lesson.signal),
      api.evaluation(place, JUDGE, lesson.signal),
      ...depths.map((plies) => lesson.tree(place, { depth: plies, eval: JUDGE, most: 400 })),
    ]);
    lesson.traces = traces;
    const mover = view.to_move;
    const [who, other] = mover === "first" ? ["First", "Second"] : ["Second", "First"];
    const winner = truth.value === "win" ? who : other;
    /** @param {Trace} trace */
    const line = (trace) => {
      /** @type {string[]} */
      const list = [];
      for (
        let at = 0;
        at !== undefined;
        at = trace.nodes.findIndex((node, i) => i > at && node.parent === at && node.principal)
      ) {
        if (at < 0) break;
        const { move } = trace.nodes[at];
        if (move) list.push(move);
      }
      return list;
    };
    /**
     * @param {number} shown
     * @param {number} [hidden]
     */
    const draw = (shown, hidden) => () => {
      board.show(view.scene, {
        live: false,
        mover,
        label: "The position",
        values: false,
        last: lastSpots(view.scene, place.moves[place.moves.length - 1]),
      });
      board.ghosts(shown ? trail(view.scene, line(traces[shown - 1]).slice(0, 6)) : []);
      put(
        host,
        shown
          ? [h("p", { class: "chart-title" }, "Result of the search by depth"), chart(traces, shown, hidden)]
          : parts(),
      );
    };
    const parts = () => [
      h("p", { class: "chart-title" }, `What the evaluation “${JUDGE}” counts for ${who}`),
      h(
        "table",
        { class: "parts" },
        h(
          "tbody",
          {},
          seen.parts
            .filter((part) => part.value !== 0 || part.count !== 0)
            .map((part) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, part.name ?? part.feature ?? ""),
                h("td", {}, String(part.count ?? part.value ?? "").replace("-", "−")),
                h("td", {}, part.weight === undefined ? "" : `× ${part.weight}`),
              ),
            ),
          h(
            "tr",
            {},
            h("th", { scope: "row" }, "score"),
            h("td", {}, signed(seen.score)),
            h("td", {}, `opinion ${signed(seen.opinion)}`),
          ),
        ),
      ),
    ];
    const flips = traces.findIndex((trace) => isEnd(trace.nodes[0].worth));
    const opinions = traces.map((trace) => trace.nodes[0].worth);
    const wrong = opinions
      .slice(0, flips)
      .filter((worth) => rank(worth) * (winner === "First" ? 1 : -1) < 0).length;
    lesson.command(
      `outplay show ${place.game} --moves ${place.moves.join("")} --tree --depth ${flips + 1} --eval ` +
        `${JUDGE}`,
      `outplay query ${place.game} --moves ${place.moves.join("")}`,
    );
    /** @type {LessonStep[]} */
    const steps = [
      {
        words: [
          `${who} is to move. Who is better? A program that cannot search to the end uses an ` +
            "*evaluation function*: a weighted sum of features that are easy to count.",
          "Its number is an opinion, not a proof. It is shown in hundredths: +100 would be a certain win " +
            "for First, −100 for Second.",
        ],
        draw: draw(0),
      },
      {
        words: [
          "One ply ahead: the search makes every move, evaluates the result, and picks the best for " +
            `${who}: ${long(opinions[0])}.`,
        ],
        draw: draw(1),
      },
    ];
    for (let plies = 2; plies < flips + 1; plies += 1) {
      steps.push({
        words: [
          `${plies} plies ahead: ${long(opinions[plies - 1])}. The moves that the search expects are ` +
            "drawn on the board.",
          plies % 2
            ? ""
            : "Evaluations often swing between even and odd depths: the player who moved last looks better.",
        ].filter(Boolean),
        draw: draw(plies),
      });
    }
    steps.push({
      words: [`${flips} plies were not enough to see the end. Now search one ply deeper.`],
      draw: draw(flips + 1, flips + 1),
      question: {
        text: "What does the search find?",
        choices: [
          {
            text: "First wins by force",
            right: winner === "First",
            why: `${winner === "First" ? "Right" : "No"}: ${winner} wins, ${flips + 1} plies from here.`,
          },
          {
            text: "Second wins by force",
            right: winner === "Second",
            why: `${winner === "Second" ? "Right" : "No"}: ${winner} wins, ${flips + 1} plies from here.`,
          },
          {
            text: "Still only an opinion",
            why: "One more ply, and the line reaches four in a row: the result is no longer an opinion.",
          },
        ],
      },
    });
    const before =
      wrong === flips
        ? "wrong about who is better"
        : `only an opinion, and ${wrong} of ${flips} pointed the wrong way`;
    steps.push({
      words: [
        `${long(opinions[flips])}. Every shallower search was ${before}.`,
        "This is the *horizon effect*: the search cannot see beyond its depth, and a losing player can " +
          "push the loss beyond the horizon with delaying moves.",
      ],
      draw: draw(flips + 1),
      question: {
        text: "What is the smallest depth, in plies, at which the search finds the true result?",
        number: flips + 1,
        why:
          `${flips + 1}: with best play the game ends ${truth.distance} plies from here, and the search ` +
          "has to reach that end.",
        hint: () => "Look for the first point that is a proven result.",
      },
    });
    lesson.run(steps);
  };

  lesson.choose("Position", PLACES, "behind", open);
  await open("behind");
}
