// @ts-check

// Proof explorer: the reader plays against a proof, which replies to every move.

import * as api from "./api.js";
import { Board } from "./board.js";
import { h, put, style } from "./dom.js";
import { PROVED } from "./games.js";
import { choice, complain, heading, rich } from "./lesson.js";
import { linesOf, meaning } from "./lesson-proof.js";

const SIGN = { first: "x", second: "o" };

/** @type {HTMLElement} */
let place;
/** @type {AbortController | undefined} */
let asking;
let key = "";

/** @param {ViewContext} options */
const keyOf = ({ app: { state }, extra }) =>
  JSON.stringify([state.game, state.position, state.moves, extra.of, extra.by]);

/**
 * The root's scene with the stones played so far.
 * @param {Scene} scene
 * @param {ProofStone[]} stones
 * @param {boolean} over
 */
function withWalk(scene, stones, over) {
  const by = new Map(stones.map((stone) => [stone.cell, stone.by]));
  const spots = scene.spots.map((spot) => ({ ...spot, holder: by.get(spot.name) ?? spot.holder }));
  const moves = over ? [] : scene.moves.filter((gesture) => !by.has(gesture.move));
  return { ...scene, spots, moves, decisive: [] };
}

/**
 * Whether the server is expected to prove a position; false for invalid positions.
 * @param {WholePlace} place
 * @param {AbortSignal} signal
 */
const isProvable = ({ game, position, moves }, signal) =>
  api.view({ game, position, moves }, signal).then(
    (view) => view.proof_expected,
    () => false,
  );

/** @param {ViewContext} context */
async function show(context) {
  asking?.abort();
  const { signal } = (asking = new AbortController());
  const { app, extra } = context;
  key = keyOf(context);
  const game = extra.of ?? ((await isProvable(app.state, signal)) ? app.state.game : PROVED[0][0]);
  if (signal.aborted) return;
  const here =
    game === app.state.game ? { game, position: app.state.position, moves: app.state.moves } : { game };
  const stage = h(
    "section",
    { class: "stage", "aria-label": "Board" },
    h("p", { class: "note pulse" }, "Searching for a proof …"),
  );
  const told = h("div", { class: "card" });
  const tools = h("div", { class: "lesson-tools" });
  put(
    place,
    h(
      "article",
      { class: "learn proof-page" },
      heading(
        context,
        "proof",
        "Play against a proof",
        "A proof has a reply to every move. Play anywhere, and see which step replies and why.",
      ),
      h(
        "div",
        { class: "lesson" },
        stage,
        h("aside", { class: "told", "aria-label": "The proof" }, told, tools),
      ),
    ),
  );
  put(
    tools,
    choice("Board", PROVED, game, (name) => context.go({ view: "proof", extra: { of: name } })),
  );

  let proved;
  let view;
  try {
    [proved, view] = await Promise.all([api.prove(here, signal), api.view(here, signal)]);
  } catch (error) {
    complain(stage, error);
    return;
  }
  const { proof } = proved;
  if (!proof) {
    put(
      stage,
      h(
        "p",
        { class: "wrong" },
        "No proof was found within the time limit of this server. Choose a smaller board.",
      ),
    );
    return;
  }
  const lines = linesOf(proof);
  /** @param {number} step */
  const line = (step) => lines.find((known) => known.step === step)?.text ?? "";
  const claims = lines
    .filter(({ text }) => /^[xo] (wins|holds) by \d/.test(text))
    .map(({ text }) => /** @type {Side} */ (text[0] === "x" ? "first" : "second"));
  // For a draw both sides may have a strategy; the reader plays against one of them.
  const player = claims.find((side) => side === extra.by) ?? claims[claims.length - 1];
  const me = player === "first" ? "second" : "first";
  /** @type {string[]} */
  let moves = [];
  if (claims.length > 1)
    tools.append(
      choice(
        "The proof plays",
        claims.map((side) => [side, SIGN[side]]),
        player,
        (by) => context.go({ view: "proof", extra: { ...extra, by } }),
      ),
    );
  const host = h("div", { class: "board-host" });
  const status = h("p", { class: "status-line", role: "status" });
  put(
    stage,
    status,
    host,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", "data-undo": "", onclick: () => go(moves.slice(0, -1)) }, "⟲ Take back"),
      h("button", { type: "button", "data-again": "", onclick: () => go([]) }, "Start over"),
    ),
  );
  const board = new Board(host, { play: (gesture) => go([...moves, gesture.move]), look: () => {} });
  /** @param {WalkAnswer} walk */
  const stonesTold = (walk) =>
    walk.stones.map((stone) =>
      h(
        "li",
        {},
        h("strong", {}, `${SIGN[stone.by]} ${stone.cell}`),
        stone.step === null
          ? " — you"
          : [
              " — step ",
              h(
                "code",
                {},
                line(stone.step).length > 60 ? `${line(stone.step).slice(0, 60)} …` : line(stone.step),
              ),
            ],
      ),
    );

  /** @param {string[]} list */
  const go = async (list) => {
    let walk;
    try {
      walk = await api.walk(proof, player, list, signal);
    } catch (error) {
      complain(status, error);
      return;
    }
    const before = moves;
    moves = list;
    context.app.walk = walk;
    const full = walk.stones.length >= view.scene.moves.length;
    const last = walk.stones
      .slice(-2)
      .map((stone) => view.scene.spots.findIndex((spot) => spot.name === stone.cell));
    board.show(withWalk(view.scene, walk.stones, walk.over), {
      live: !walk.over && !full,
      mover: me,
      values: false,
      last,
      label: "The board of the proof",
    });
    const mine = walk.stones[walk.stones.length - 1];
    const idle = moves.length > before.length && mine?.by === me;
    put(
      status,
      walk.over
        ? `${SIGN[player]} has completed a line. You could not have stopped it.`
        : full
          ? "The board is full and neither side has a line: a draw, as claimed."
          : idle
            ? `The proof needs no reply to ${mine.cell}. You may move again.`
            : `You play ${SIGN[me]}. ${walk.wins ? "Can you stop it?" : "Can you make a line?"}`,
    );
    const waiting = walk.over ? [] : walk.waiting;
    put(
      told,
      h("h2", {}, proved.value === "draw" ? "Claim: a draw" : `Claim: ${SIGN[player]} wins`),
      h(
        "p",
        { class: "note" },
        `${proved.steps.toLocaleString("en")} steps. You play ${SIGN[me]}, the proof plays ${SIGN[player]}.`,
      ),
      walk.stones.length > 0 && h("ol", { class: "walk-list" }, stonesTold(walk)),
      waiting.length > 0 && [
        h("h2", {}, "Waiting for your move"),
        waiting.map((part) =>
          h(
            "div",
            { class: "walk-step", "data-step": part.step },
            h("p", {}, "Step ", h("code", {}, String(part.step)), ": ", rich(meaning(line(part.step))), "."),
            part.arms.length > 0 &&
              h(
                "div",
                { class: "actions" },
                part.arms
                  .slice(0, 14)
                  .flatMap((arm) => arm.cells.slice(0, 4).map((cell) => ({ cell, step: arm.step })))
                  .filter(({ cell }) => !walk.stones.some((stone) => stone.cell === cell))
                  .slice(0, 16)
                  .map(({ cell, step }) =>
                    h(
                      "button",
                      {
                        type: "button",
                        class: "quiet",
                        "data-what-if": cell,
                        title: `step ${step}`,
                        onclick: () => go([...moves, cell]),
                      },
                      `What if ${cell}?`,
                    ),
                  ),
              ),
            part.pairs.length > 0 &&
              h("p", { class: "note" }, `pairs: ${part.pairs.map((pair) => pair.join("–")).join(", ")}`),
            part.threats.length > 0 && h("p", { class: "note" }, `threatens ${part.threats.join(", ")}`),
          ),
        ),
      ],
    );
    place.dataset.ready = "yes";
  };
  await go([]);
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
  if (key !== keyOf(context)) await show(context);
}

export function unmount() {
  asking?.abort();
}
