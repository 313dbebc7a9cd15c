// @ts-check

// Table statistics: positions won, drawn and lost by ply, example positions for each bar, and the longest and
// hardest wins.

import * as api from "./api.js";
import { announce, h, put, style } from "./dom.js";
import { QUICK } from "./games.js";
import { fullName } from "./names.js";
import { about, address, fileName } from "./place-api.js";
import { Still } from "./still.js";
import { symbol } from "./symbol.js";
import { long, plies as inMoves, seen } from "./verdict.js";

/** @param {number | string} count */
const n = (count) => Number(count).toLocaleString("en");
/** @type {{ [value: string]: string }} */
const WORD = { win: "won", draw: "drawn", loss: "lost" };

/** @type {AbortController | undefined} */
let asking;

/**
 * @param {HTMLElement} element
 * @param {ViewContext} context
 */
export async function mount(element, context) {
  asking = new AbortController();
  const { signal } = asking;
  const { game } = context.app.state;
  const name = fullName(game);
  context.title(`Statistics, ${name}`);
  await style("place.css");
  const body = h("div", { class: "stats-body" }, h("p", { class: "note", role: "status" }, "Counting …"));
  put(
    element,
    h(
      "div",
      { class: "place-page" },
      h(
        "header",
        { class: "place-head" },
        h("h1", {}, name),
        h("p", { class: "place-lead" }, "All positions of the game, by value."),
      ),
      body,
    ),
  );
  try {
    const { statistics: report, solvable, chance } = await about("/knowledge", game, {}, signal);
    if (!report) {
      if (!signal.aborted) absent(body, context, solvable, chance);
      return;
    }
    const picture = await fetch(address("/stats.svg", game), { signal }).then((answer) => answer.text());
    if (!signal.aborted) show(body, context, report, picture, signal);
  } catch (error) {
    if (!signal.aborted) put(body, h("p", { class: "wrong" }, api.wordsOf(error)));
  }
}

export function unmount() {
  asking?.abort();
}

/**
 * The message for a game without statistics, with what to do about it.
 * @param {HTMLElement} body
 * @param {ViewContext} context
 * @param {boolean} solvable
 * @param {boolean} dice
 */
function absent(body, context, solvable, dice) {
  const explore = h(
    "button",
    { type: "button", class: "main", onclick: () => context.go({ view: "explore", extra: {} }) },
    solvable && !dice ? "Solve it in Explore" : "Explore this game",
  );
  const words = dice
    ? "Games with dice have probabilities instead of wins, draws and losses. Explore shows the " +
      "probabilities of every position."
    : solvable
      ? "This game has not been solved here yet, so there are no statistics. To solve it, open Explore " +
        "and use the Table card; this takes seconds to minutes."
      : "This game has too many positions to count here. Smaller games have statistics.";
  /**
   * @param {string} game
   * @param {string} name
   */
  const small = (game, name) =>
    h(
      "button",
      { type: "button", onclick: () => context.go({ game, position: "", moves: [], at: null, extra: {} }) },
      name,
    );
  put(
    body,
    h(
      "section",
      { class: "card" },
      h("p", {}, words),
      h(
        "p",
        { class: "actions" },
        explore,
        QUICK.map(([game, name]) => context.app.state.game !== game && small(game, name)),
      ),
    ),
  );
}

/**
 * @param {HTMLElement} body
 * @param {ViewContext} context
 * @param {StatsReport} report
 * @param {string} picture
 * @param {AbortSignal} signal
 */
function show(body, context, report, picture, signal) {
  const { game } = report;
  const { legal, win, draw, loss, finished } = report.positions;
  const view = report.merged ? "the player to move" : "the first player";
  const figures = h("figure", { class: "stats-picture" });
  const drawing = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
  figures.append(document.adoptNode(drawing));
  // The page has its own heading, so the picture's is cropped.
  drawing.setAttribute("viewBox", "0 64 960 596");
  const examples = h(
    "section",
    { class: "card", id: "examples", "aria-live": "polite" },
    h("h2", {}, "Example positions"),
    h("p", { class: "note" }, "Click a bar to see positions of that kind."),
  );
  const records = h(
    "section",
    { class: "card" },
    h("h2", {}, "Records"),
    h("p", { class: "note" }, "Reading the table …"),
  );
  put(
    body,
    h(
      "section",
      { class: "card" },
      h(
        "p",
        { class: "tallies" },
        h("strong", {}, n(legal)),
        " positions; for ",
        view,
        " ",
        /** @type {[Verdict, number][]} */ ([
          ["win", win],
          ["draw", draw],
          ["loss", loss],
        ]).map(([value, count], i) => [
          i > 0 && ", ",
          h("span", { class: `tally ${value}` }, symbol(value), `${n(count)} ${WORD[value]}`),
        ]),
        `. In ${n(finished)} of them the game is over.`,
      ),
      figures,
      h(
        "p",
        { class: "actions" },
        h(
          "a",
          {
            class: "button",
            href: address("/stats.svg", game),
            download: fileName(`${game}-statistics`, "svg"),
          },
          "Download as SVG",
        ),
        h(
          "a",
          {
            class: "button",
            href: address("/stats.csv", game),
            download: fileName(`${game}-statistics`, "csv"),
          },
          "Download as CSV",
        ),
        h(
          "button",
          { type: "button", onclick: () => context.go({ view: "explore", extra: {} }) },
          "Explore the game",
        ),
      ),
    ),
    examples,
    records,
  );
  bars(figures, (tier, value, bar) => choose(context, report, examples, tier, value, bar, signal));
  showRecords(context, game, records, signal);
  const { tier, value } = context.extra;
  if (tier && value)
    choose(
      context,
      report,
      examples,
      tier,
      value,
      figures.querySelector(`[data-tier="${CSS.escape(tier)}"][data-value="${CSS.escape(value)}"]`),
      signal,
    );
}

/** @type {{ [key: string]: number }} */
const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };

/**
 * Makes the bars selectable with the mouse and the keyboard.
 * @param {HTMLElement} figure
 * @param {(tier: string, value: string, bar: Element) => unknown} act
 */
function bars(figure, act) {
  /** @type {NodeListOf<SVGElement>} */
  const found = figure.querySelectorAll("[data-tier]");
  const list = [...found];
  list.forEach((bar, i) => {
    const { tier = "", value = "" } = bar.dataset;
    bar.setAttribute("role", "button");
    bar.setAttribute("tabindex", i ? "-1" : "0");
    bar.setAttribute("aria-label", bar.querySelector("title")?.textContent ?? "");
    const chosen = () => act(tier, value, bar);
    bar.addEventListener("click", chosen);
    bar.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (event.key === "Enter" || event.key === " ") chosen();
      else if (step && list[i + step]) list[i + step].focus();
      else return;
      event.preventDefault();
    });
    bar.addEventListener("focus", () =>
      list.forEach((other) => other.setAttribute("tabindex", other === bar ? "0" : "-1")),
    );
  });
}

/**
 * @param {ViewContext} context
 * @param {StatsReport} report
 * @param {HTMLElement} panel
 * @param {string} tier
 * @param {string} value
 * @param {Element | null} bar
 * @param {AbortSignal} signal
 */
async function choose(context, report, panel, tier, value, bar, signal, seed = 0) {
  panel
    .closest(".stats-body")
    ?.querySelectorAll("[aria-pressed]")
    .forEach((other) => other.removeAttribute("aria-pressed"));
  bar?.setAttribute("aria-pressed", "true");
  if (context.extra.tier !== tier || context.extra.value !== value) {
    context.extra = { ...context.extra, tier, value };
    const words = new URLSearchParams(location.search);
    words.set("tier", tier);
    words.set("value", value);
    history.replaceState(null, "", `?${words}`);
  }
  const whose = report.merged ? "the player to move" : "the first player";
  const head = h("h2", {}, `Ply ${tier.replace(/^0+(?=\d)/, "")}: ${WORD[value]} for ${whose}`);
  put(panel, head, h("p", { class: "note" }, "Searching …"));
  try {
    const { examples } = await about(
      "/stats/examples",
      report.game,
      { tier, value, seed: String(seed) },
      signal,
    );
    if (signal.aborted) return;
    put(
      panel,
      head,
      examples.length
        ? gallery(context, report.game, examples, signal)
        : h("p", { class: "note" }, "None were found quickly: such positions are rare."),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          {
            type: "button",
            onclick: () => choose(context, report, panel, tier, value, bar, signal, seed + 1),
          },
          "Show others",
        ),
      ),
    );
    announce(`${examples.length} positions`);
  } catch (error) {
    if (!signal.aborted) put(panel, head, h("p", { class: "note wrong" }, api.wordsOf(error)));
  }
}

/**
 * Small boards that open in Explore.
 * @param {ViewContext} context
 * @param {string} game
 * @param {Example[]} examples
 * @param {AbortSignal} signal
 */
function gallery(context, game, examples, signal) {
  return h(
    "div",
    { class: "example-row" },
    examples.map((example) => {
      const still = new Still();
      const open = () =>
        context.go({
          view: "explore",
          game,
          position: example.position,
          moves: [],
          at: null,
          values: null,
          extra: {},
        });
      const worth = long(seen(example, example.to_move));
      const words = h("span", { class: "caption" });
      const card = h("button", { type: "button", class: "example", onclick: open }, still.element, words);
      api
        .view({ game, position: example.position }, signal)
        .then((view) => {
          const over = view.outcome !== null;
          const who = (
            view.scene.layout === "chess"
              ? { first: "White", second: "Black" }
              : { first: "First", second: "Second" }
          )[example.to_move];
          const keep =
            example.choices > 1 ? `, ${example.keeping} of ${example.choices} moves keep the value` : "";
          const told = over ? "the game is over" : `${who} to move: ${worth}${keep}`;
          still.show(view.scene, { toMove: example.to_move, label: `${example.position}; ${told}` });
          put(words, symbol(example.value ?? "unknown"), told);
        })
        .catch(() => put(words, example.position));
      return card;
    }),
  );
}

/**
 * @param {ViewContext} context
 * @param {string} game
 * @param {HTMLElement} panel
 * @param {AbortSignal} signal
 */
async function showRecords(context, game, panel, signal) {
  try {
    const records = await about("/stats/records", game, {}, signal);
    if (signal.aborted) return;
    const { longest, hardest, longest_plies: plies, longest_count: count } = records;
    put(
      panel,
      h("h2", {}, "Longest wins"),
      plies
        ? h(
            "p",
            { class: "note" },
            `${n(count)} ${count === 1 ? "position takes" : "positions take"} ${inMoves(plies)} to win, ` +
              "more than any other.",
          )
        : h("p", { class: "note" }, "This table does not store distances."),
      gallery(context, game, longest, signal),
      hardest.length > 0 && [
        h("h2", { class: "next" }, "Hardest wins"),
        h(
          "p",
          { class: "note" },
          "Positions in which few moves win and the win takes long, from a few thousand sampled positions.",
        ),
        gallery(context, game, hardest, signal),
      ],
    );
  } catch (error) {
    if (!signal.aborted)
      put(panel, h("h2", {}, "Records"), h("p", { class: "note wrong" }, api.wordsOf(error)));
  }
}
