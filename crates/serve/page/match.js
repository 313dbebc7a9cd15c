// @ts-check

// Live view of a match or league: boards, score with confidence interval, SPRT, standings.

import { wordsOf } from "./api.js";
import { $, announce, h, put } from "./dom.js";
import { chart } from "./chart.js";
import { nameOf } from "./levels.js";
import { face, token } from "./men.js";
import { fullName } from "./names.js";
import { drop, follow, post, STATES } from "./place-api.js";
import { Still } from "./still.js";

/** @param {number} share */
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)} %`;
/** @param {number} value */
export const points = (value) => `${Math.floor(value) || (value % 1 ? "" : 0)}${value % 1 ? "½" : ""}`;
/** @param {number} elo */
export const signed = (elo) => `${elo < 0 ? "−" : "+"}${Math.abs(elo).toFixed(0)}`;
/**
 * An Elo interval in words; one of the bounds may be missing.
 * @param {number | null} low
 * @param {number | null} high
 */
export const between = (low, high) =>
  low === null
    ? `at most ${signed(high ?? 0)}`
    : high === null
      ? `at least ${signed(low)}`
      : `between ${signed(low)} and ${signed(high)}`;

/**
 * A board on the screen, and the game on it.
 * @typedef {Pick<MatchBoard, "number" | "first" | "second" | "payoff" | "plies" | "position"> & {
 *   still: Still,
 *   title: HTMLElement,
 *   result: HTMLElement,
 * }} LiveBoard
 */

export class Contest {
  /** @type {MatchNews} */
  news;
  /** @type {HTMLElement} */
  count;
  /** @type {HTMLElement} */
  trouble;
  shown = "";
  drawn = -1;
  left = false;
  /** @type {(() => void) | undefined} */
  first;
  /** @type {(() => void) | undefined} */
  stop;
  /** @type {Map<number, { first: number, second: number, payoff: number }>} */
  results = new Map();
  /** @type {MatchPoint[]} */
  course = [];
  /** @type {LiveBoard[]} */
  boards = [];
  /** @type {RunState | ""} */
  state = "";

  /**
   * @param {HTMLElement} body
   * @param {ViewContext} context
   * @param {string} id
   */
  constructor(body, context, id) {
    this.body = body;
    this.context = context;
    this.id = id;
    this.head = h("div", { class: "contest-head" });
    this.floor = h("div", { class: "boards", role: "group", "aria-label": "Boards" });
    this.score = h("section", { class: "card", id: "score" });
    this.graph = h("section", { class: "card", id: "course" });
    put(
      body,
      this.head,
      h("div", { class: "contest" }, this.floor, h("div", { class: "contest-side" }, this.score, this.graph)),
    );
    this.watch();
    /** @type {Promise<void>} */
    this.ready = new Promise((done) => (this.first = done));
  }

  watch() {
    this.stop?.();
    this.stop = follow(`/match/${encodeURIComponent(this.id)}/stream`, {
      match: (news) => this.hear(news),
      done: (news) => this.hear(news),
      lost: () => this.lost(),
    });
  }

  leave() {
    this.left = true;
    this.stop?.();
  }

  /** Handles a broken stream: the match does not exist, or the server is unreachable. */
  async lost() {
    const answer = await fetch(`/api/v1/match/${encodeURIComponent(this.id)}`).catch(() => null);
    if (this.left || !answer || answer.ok) return;
    this.stop?.();
    const { error, cure } = await answer.json();
    put(
      this.body,
      h(
        "section",
        { class: "card" },
        h("p", {}, `${error}.`),
        h("p", { class: "note" }, cure),
        h(
          "p",
          { class: "actions" },
          h(
            "button",
            { type: "button", class: "main", onclick: () => this.context.go({ view: "arena", extra: {} }) },
            "Set up a match",
          ),
        ),
      ),
    );
    this.first?.();
  }

  /** @param {MatchNews} news */
  hear(news) {
    if (this.left) return;
    // A reconnected stream sends all results again.
    if (news.results.length === news.games) this.results.clear();
    for (const [number, first, second, payoff] of news.results)
      this.results.set(number, { first, second, payoff });
    if (!this.course.length || (news.points.length && news.points[0][0] <= 2)) this.course = news.points;
    else this.course.push(...news.points);
    const before = this.state;
    this.state = news.state;
    this.news = news;
    if (this.shown !== `${news.state}${news.mine}`) this.drawHead();
    this.count.textContent = `${news.games} of ${news.planned} games, ${news.seconds.toFixed(0)} s`;
    for (const board of news.boards) this.drawBoard(board);
    this.drawResults();
    if (news.games !== this.drawn || before !== news.state) {
      this.drawn = news.games;
      this.drawScore();
      this.drawCourse();
    }
    if (before && before !== news.state && ["done", "stopped", "failed"].includes(news.state))
      announce(this.verdict());
    this.first?.();
  }

  get names() {
    // Players with the same name get a number.
    const names = this.news.players.map(nameOf);
    return names.map((name, i) =>
      names.indexOf(name) !== names.lastIndexOf(name) ? `${name} (${i + 1})` : name,
    );
  }

  drawHead() {
    const { news, names, id } = this;
    this.shown = `${news.state}${news.mine}`;
    this.context.title(names.join(" : "));
    /**
     * @param {string} label
     * @param {string} path
     * @param {string} method
     * @param {boolean} [main]
     */
    const act = (label, path, method, main) =>
      h(
        "button",
        {
          type: "button",
          class: main ? "main" : "",
          id: label === "Stop" ? "stop" : "resume",
          onclick: async ({ currentTarget: button }) => {
            button.disabled = true;
            try {
              await (method === "DELETE" ? drop(path) : post(path));
              if (method !== "DELETE") this.watch();
            } catch (error) {
              this.trouble.textContent = wordsOf(error);
              button.disabled = false;
            }
          },
        },
        label,
      );
    this.count = h("span", { class: "note" });
    this.trouble = h(
      "p",
      { class: "note wrong", role: "alert" },
      news.error ? `${news.error}. ${news.cure ?? ""}` : "",
    );
    put(
      this.head,
      h("h2", { class: "contest-title" }, names.length > 2 ? `League of ${names.length}` : names.join(" : ")),
      h(
        "p",
        { class: "contest-line" },
        h("span", { class: `chip ${news.state}` }, STATES[news.state]),
        h("span", {}, fullName(news.game)),
        this.count,
      ),
      h(
        "p",
        { class: "actions" },
        news.mine && news.state === "running" && act("Stop", `/match/${id}`, "DELETE"),
        news.mine &&
          (news.state === "stopped" || news.state === "failed") &&
          act("Resume", `/match/${id}/resume`, "POST", true),
        h(
          "a",
          { class: "button", href: `/api/v1/match/${id}/record`, download: `match-${id}.jsonl` },
          "Download the games",
        ),
        h(
          "button",
          { type: "button", onclick: () => this.context.go({ view: "arena", extra: {} }) },
          "New match",
        ),
      ),
      this.trouble,
    );
  }

  /** @param {MatchBoard} options */
  drawBoard({ slot, number, first, second, scene, last, to_move: toMove, plies, payoff, position }) {
    const { names } = this;
    const now = { number, first, second, payoff, plies, position };
    if (!this.boards[slot]) {
      const still = new Still();
      const title = h("p", { class: "board-title" });
      const result = h("p", { class: "note board-result" });
      const open = h(
        "button",
        { type: "button", class: "live-board", onclick: () => this.explore(slot) },
        title,
        still.element,
        result,
      );
      this.boards[slot] = { still, title, result, ...now };
      this.floor.append(open);
    }
    const board = this.boards[slot];
    Object.assign(board, now);
    put(
      board.title,
      h("span", { class: "seat" }, token(face(scene), "first"), names[first]),
      h("span", { class: "seat" }, token(face(scene), "second"), names[second]),
    );
    board.still.show(scene, {
      toMove,
      last: last ?? "",
      label:
        `Game ${number + 1}: ${names[first]} against ${names[second]}, after ${plies} ` +
        (plies === 1 ? "move" : "moves"),
    });
  }

  drawResults() {
    for (const board of this.boards.filter(Boolean)) {
      const ended = this.results.get(board.number);
      const said = ended
        ? ended.payoff > 0
          ? `${this.names[board.first]} won`
          : ended.payoff < 0
            ? `${this.names[board.second]} won`
            : "drawn"
        : this.state === "done"
          ? "not counted"
          : `move ${board.plies}`;
      board.result.textContent = `Game ${board.number + 1} · ${said}`;
    }
  }

  /** @param {number} slot */
  explore(slot) {
    const { position } = this.boards[slot];
    this.context.go({
      view: "explore",
      game: this.news.game,
      position,
      moves: [],
      at: null,
      values: null,
      extra: {},
    });
  }

  /** The current standing in one sentence. */
  verdict() {
    const { news, names } = this;
    const rows = news.standings.players;
    if (!news.games) return "No game has finished yet.";
    if (rows.length === 2) {
      const [a, b] = rows;
      const lead = a.score === b.score ? "The score is level" : `${names[a.score > b.score ? 0 : 1]} leads`;
      const test =
        news.sprt &&
        {
          accepted:
            `; the test concludes that ${names[0]} is stronger by ${news.sprt.elo1} Elo rather than ` +
            `${news.sprt.elo0}`,
          rejected: `; the test concludes that ${names[0]} is not stronger by ${news.sprt.elo1} Elo`,
          open: "",
        }[news.sprt.decision];
      return `${lead}, ${points(a.wins + a.draws / 2)} : ${points(b.wins + b.draws / 2)}${test || ""}.`;
    }
    const best = [...rows.keys()].sort((p, q) => rows[q].score - rows[p].score)[0];
    return (
      `${names[best]} leads with ${points(rows[best].wins + rows[best].draws / 2)} of ` +
      `${rows[best].games} points.`
    );
  }

  drawScore() {
    const { news, names } = this;
    const rows = news.standings.players;
    const parts = [h("h2", {}, this.verdict())];
    if (rows.length === 2) {
      const [a] = rows;
      const { low, high } = a.strength;
      const [, score, from, to] = this.course[this.course.length - 1] ?? [0, 0.5, 0, 1];
      parts.push(
        h(
          "div",
          {
            class: "share-bar",
            role: "img",
            "aria-label":
              `${names[0]} scores ${percent(score)}; 95 % confidence interval ${percent(from)} to ` +
              percent(to),
          },
          h("span", { class: "share-first" }),
          h("span", { class: "share-bounds" }),
        ),
        h(
          "p",
          { class: "note" },
          `${names[0]} scores ${percent(score)}; the 95 % confidence interval is ${percent(from, 0)} to ` +
            `${percent(to, 0)}`,
          low !== null || high !== null ? `, or ${between(low, high)} Elo.` : ".",
        ),
        h("p", {}, `${a.wins} won, ${a.draws} drawn, ${a.losses} lost.`),
      );
    }
    const ratings = news.standings.ratings ?? [];
    const order = [...rows.keys()].sort((p, q) => rows[q].score - rows[p].score);
    /** @param {...Child} content */
    const cell = (...content) => h("td", {}, ...content);
    const cross = news.standings.cross_table;
    if (rows.length > 2 && cross) {
      parts.push(
        h(
          "div",
          { class: "scroller" },
          h(
            "table",
            { class: "standings" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                ["Player", "Points", "Won", "Drawn", "Lost", "Elo (95 % interval)"].map((head) =>
                  h("th", { scope: "col" }, head),
                ),
              ),
            ),
            h(
              "tbody",
              {},
              order.map((i) =>
                h(
                  "tr",
                  {},
                  h("th", { scope: "row" }, h("span", { class: `hue s${i % 8}` }), names[i]),
                  cell(`${points(rows[i].wins + rows[i].draws / 2)} of ${rows[i].games}`),
                  cell(String(rows[i].wins)),
                  cell(String(rows[i].draws)),
                  cell(String(rows[i].losses)),
                  cell(
                    ratings[i] && rows[i].games
                      ? `${signed(ratings[i].elo)} (${signed(ratings[i].low)} to ${signed(ratings[i].high)})`
                      : "",
                  ),
                ),
              ),
            ),
          ),
        ),
        h("h3", {}, "Head-to-head results"),
        h(
          "div",
          { class: "scroller" },
          h(
            "table",
            { class: "standings cross" },
            h(
              "thead",
              {},
              h(
                "tr",
                {},
                h("td", {}),
                order.map((i) => h("th", { scope: "col" }, names[i])),
              ),
            ),
            h(
              "tbody",
              {},
              order.map((i) =>
                h(
                  "tr",
                  {},
                  h("th", { scope: "row" }, names[i]),
                  order.map((j) => cell(i === j ? "·" : cross.games[i][j] ? points(cross.points[i][j]) : "")),
                ),
              ),
            ),
          ),
        ),
      );
    }
    put(this.score, parts);
    if (rows.length === 2) {
      const [, score, from, to] = this.course[this.course.length - 1] ?? [0, 0.5, 0, 1];
      const bar = $(".share-bar", this.score);
      for (const [key, value] of Object.entries({ "--score": score, "--from": from, "--to": to }))
        bar?.style.setProperty(key, String(value));
    }
  }

  drawCourse() {
    const { news, names } = this;
    const share = { low: 0, high: 1, text: (/** @type {number} */ value) => percent(value, 0) };
    if (names.length === 2) {
      const { sprt } = news;
      put(
        this.graph,
        h("h2", {}, `Score of ${names[0]}`),
        chart({
          series: [
            { points: this.course.map(([games, score, low, high]) => [games, score, low, high]), kind: "s0" },
          ],
          x: "games",
          y: share,
          rules: [{ at: 0.5, name: "even" }],
          label: "The score with its 95 % confidence interval, pair by pair",
        }),
        sprt && [
          h("h2", { class: "next" }, "Sequential test (SPRT)"),
          chart({
            series: [
              { points: [[0, 0], ...this.course.map(([games, , , , ratio]) => [games, ratio])], kind: "s1" },
            ],
            x: "games",
            y: { low: sprt.low, high: sprt.high, text: (value) => value.toFixed(1) },
            rules: [
              { at: sprt.high, name: `stronger by ${sprt.elo1} Elo`, kind: "win", under: true },
              { at: sprt.low, name: `not stronger than ${sprt.elo0} Elo`, kind: "loss" },
            ],
            label: "Log-likelihood ratio between its two bounds",
          }),
          h(
            "p",
            { class: "note" },
            sprt.decision === "open"
              ? "Not decided yet: the line has to reach one of the bounds."
              : "Decided: no more games are needed.",
          ),
        ],
      );
      return;
    }
    const lines = names.map((name, i) => {
      let [won, played] = [0, 0];
      const list = [];
      for (const [, { first, second, payoff }] of this.results) {
        if (first !== i && second !== i) continue;
        played += 1;
        won += (Math.sign(first === i ? payoff : -payoff) + 1) / 2;
        list.push([played, won / played]);
      }
      return { points: list, kind: `s${i % 8}`, name };
    });
    put(
      this.graph,
      h("h2", {}, "Share of points, game by game"),
      chart({
        series: lines,
        x: "games played",
        y: share,
        label: "Each player’s share of points over the course of the league",
      }),
      h(
        "p",
        { class: "hues" },
        lines.map(({ name, kind }) => h("span", {}, h("span", { class: `hue ${kind}` }), name)),
      ),
    );
  }
}
