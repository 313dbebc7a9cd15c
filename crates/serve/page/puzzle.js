// @ts-check

// Puzzles: a position and a line in which every move is the only right one; and retries of the player's own
// mistakes.
//
// Both set `app.challenge`, which receives the board's moves instead of the game.

import * as api from "./api.js";
import { $, announce, h, put, style } from "./dom.js";
import { given } from "./given.js";
import { fullName } from "./names.js";
import { firstHint } from "./puzzle-hint.js";
import { Diary, LEVELS, allSets, fetchPuzzle, nextSeed, today } from "./puzzle-sets.js";
import { spoken } from "./scene.js";
import { symbol } from "./symbol.js";
import { long, mean, plies, seen } from "./verdict.js";

/** Milliseconds before the opponent's reply, so that the player's own move is seen first. */
const BEAT = 450;
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
/** @param {string} text */
const capital = (text) => text[0].toUpperCase() + text.slice(1);

export class Puzzle {
  /** @type {App} */
  app;
  /** @type {Map<string, PuzzleEntry[]> | undefined} */
  sets;
  key = "";
  failed = "";
  retryKey = "";
  tryWords = "";
  drawn = "";

  /** @param {ValueHistory} history */
  constructor(history) {
    this.card = $("#puzzle");
    this.history = history;
    this.diary = new Diary();
    this.wish = { level: "", theme: "" };
  }

  /**
   * Requests the puzzle of the address before the board is drawn.
   * @param {App} app
   * @param {AbortSignal} signal
   */
  async prepare(app, signal) {
    this.app = app;
    app.next = () => this.next();
    if (app.state.view === "puzzle") {
      await this.fetch(app, signal);
      app.challenge = (gesture) => this.answer(gesture);
      app.tip = () => this.hint();
    } else if (app.state.view === "retry") {
      const key = write(app);
      if (this.retryKey !== key) {
        this.retryKey = key;
        app.retried = null;
      }
      app.challenge = (gesture) => this.retry(gesture);
    }
  }

  /**
   * @param {App} app
   * @param {AbortSignal} signal
   */
  async fetch(app, signal) {
    style("puzzle.css");
    this.sets = await allSets(signal);
    const set = this.sets.get(app.state.game);
    if (app.state.seed === "") {
      app.state.seed = nextSeed(set, this.diary, app.state.game) ?? String(Math.floor(Math.random() * 1e6));
      const params = new URLSearchParams(location.search);
      params.set("seed", app.state.seed);
      history.replaceState(null, "", `?${params}`);
    }
    const key = `${app.state.seed.startsWith("day-") ? "" : app.state.game}|${app.state.seed}`;
    if (this.key === key && app.puzzle) return;
    this.key = key;
    this.failed = "";
    app.puzzle = null;
    this.card.hidden = false;
    app.drawHeader();
    this.drawPuzzle(app);
    $("#status").textContent = "Looking for a puzzle …";
    try {
      const puzzle = await fetchPuzzle(app.state.game, app.state.seed, signal);
      if (signal.aborted) {
        this.key = "";
        return;
      }
      app.state.game = puzzle.game;
      const steps = puzzle.steps?.length ? puzzle.steps : [{ move: puzzle.solution }];
      app.puzzle = { ...puzzle, steps, at: 0, tried: [], solved: false, clean: true, words: "" };
    } catch (error) {
      if (api.isAbort(error)) {
        this.key = "";
        return;
      }
      app.puzzle = null;
      this.failed = api.wordsOf(error);
    }
  }

  /**
   * Opens another puzzle of the chosen kind, of this game or another.
   * @param {string} [game]
   */
  next(game = this.app.state.game) {
    const number = this.app.puzzle?.game === game ? this.app.puzzle.number : undefined;
    this.key = "";
    this.app.puzzle = null;
    const seed =
      nextSeed(this.sets?.get(game), this.diary, game, { ...this.wish, not: number }) ??
      (this.sets?.has(game) ? `set-${number ?? 0}` : String(Math.floor(Math.random() * 1e6)));
    return this.app.go({ game, seed, view: "puzzle", moves: [], at: null, position: "" });
  }

  ofToday() {
    this.key = "";
    this.app.puzzle = null;
    return this.app.go({ seed: `day-${today()}`, view: "puzzle", moves: [], at: null, position: "" });
  }

  /**
   * Checks a move of the player.
   * @param {Gesture} gesture
   */
  async answer(gesture) {
    const { app } = this;
    const { puzzle } = app;
    if (!puzzle || puzzle.solved || puzzle.waiting) return;
    const step = puzzle.steps[puzzle.at];
    if (gesture.move !== step.move) {
      if (puzzle.clean) this.diary.miss();
      puzzle.clean = false;
      const [word] = app.write([gesture.move]);
      puzzle.words = `${word} is not the solution. Try again.`;
      announce(puzzle.words);
      await app.refresh();
      await this.explain(puzzle, gesture.move, word);
      return;
    }
    puzzle.tried = [...puzzle.tried, step.move];
    puzzle.at += 1;
    if (!step.reply) {
      this.done(puzzle);
      announce(puzzle.words);
      await app.refresh();
      $("button.main", this.card)?.focus({ preventScroll: true });
      return;
    }
    await this.reply(puzzle, step, "Right.");
  }

  /**
   * Plays the opponent's reply after a short pause.
   * @param {PuzzleState} puzzle
   * @param {PuzzleStep} step
   * @param {string} words
   */
  async reply(puzzle, step, words) {
    const { app } = this;
    puzzle.waiting = true;
    puzzle.words = words;
    await app.refresh();
    await pause(matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : BEAT);
    puzzle.waiting = false;
    if (app.puzzle !== puzzle) return;
    const answer = app.write([given(step.reply)])[0];
    puzzle.tried = [...puzzle.tried, given(step.reply)];
    const left = puzzle.steps.length - puzzle.at;
    const more = left === 1 ? "one more move" : `${left} more moves`;
    puzzle.words = `${words} The reply was ${answer}; ${more} to find.`;
    announce(puzzle.words);
    await app.refresh();
  }

  /** @param {PuzzleState} puzzle */
  done(puzzle) {
    puzzle.solved = true;
    puzzle.words = !puzzle.clean
      ? "Solved, but not at the first attempt."
      : puzzle.hinted
        ? "Solved, with a hint."
        : "Solved.";
    this.diary.solve(puzzle, puzzle.clean, puzzle.hinted);
  }

  /** Marks the man or the region of the move to find; asked again, the move itself. */
  hint() {
    const { app } = this;
    const { puzzle } = app;
    if (!puzzle || puzzle.solved || puzzle.waiting || !app.view || app.stale) return;
    const step = puzzle.steps[puzzle.at];
    const gesture = app.scene.moves.find((known) => known.move === step.move);
    if (!gesture) return;
    const second = puzzle.hinted && puzzle.hintAt === puzzle.at;
    puzzle.hinted = true;
    puzzle.hintAt = puzzle.at;
    const { spots, words } = second
      ? { spots: gesture.path, words: `The move is ${app.write([step.move])[0]}.` }
      : firstHint(app.scene, gesture);
    /** @type {ReasonMark[]} */
    const marks = spots.map((spot) => ({ spot, name: "", kind: "key", by: puzzle.to_move }));
    app.board.reasons(marks, []);
    puzzle.words = words;
    this.drawPuzzle(app);
    announce(words);
  }

  /**
   * Shows the value of a wrong move once it is known.
   * @param {PuzzleState} puzzle
   * @param {string} mv
   * @param {string} word the move as players write it
   */
  async explain(puzzle, mv, word) {
    if (puzzle.kind === "fours") {
      puzzle.words = `${word} is not the solution: it does not start a forced win by fours.`;
      this.drawPuzzle(this.app);
      return;
    }
    try {
      const { moves } = await api.position(given(this.app.place), this.app.signal);
      const tried = moves.find((move) => move.move === mv);
      if (!tried || puzzle.solved || this.app.puzzle !== puzzle || !puzzle.words.startsWith(word)) return;
      const value = seen(tried, puzzle.to_move);
      puzzle.words =
        value.value === "win" && value.distance
          ? `${word} is not the solution: it also wins, but takes ${plies(value.distance)}.`
          : `${word} is not the solution: ${long(value)}.`;
      this.drawPuzzle(this.app);
    } catch (error) {
      if (!api.isAbort(error) && !(error instanceof api.ApiError)) throw error;
    }
  }

  /** Plays the right move for the player, who can continue from there. */
  async give() {
    const { app } = this;
    const { puzzle } = app;
    if (!puzzle || puzzle.waiting) return;
    const step = puzzle.steps[puzzle.at];
    if (puzzle.clean) this.diary.miss();
    puzzle.clean = false;
    puzzle.given = true;
    const [word] = app.write([step.move]);
    puzzle.tried = [...puzzle.tried, step.move];
    puzzle.at += 1;
    if (step.reply) {
      await this.reply(puzzle, step, `The move is ${word}.`);
      return;
    }
    puzzle.solved = true;
    puzzle.words = `The move is ${word}.`;
    await app.refresh();
  }

  again() {
    const puzzle = given(this.app.puzzle);
    Object.assign(puzzle, { at: 0, tried: [], solved: false, clean: false, hintAt: -1, words: "" });
    return this.app.refresh();
  }

  /** @param {Gesture} gesture */
  async retry(gesture) {
    const { app } = this;
    const played = app.state.moves[app.state.at ?? -1];
    try {
      const answer = given(await app.know(app.signal));
      const best = answer.moves.find((move) => answer.best.includes(move.move));
      const tried = answer.moves.find((move) => move.move === gesture.move);
      const own = tried ? mean(tried) : null;
      const [word] = app.write([gesture.move]);
      const keeps =
        tried && best && tried.value === best.value && (own === null || own >= (mean(best) ?? own) - 1e-9);
      const verdict = keeps
        ? { right: true, words: `${word} is right: ${long(tried)}.` }
        : { right: false, words: `${word} is not better: ${tried ? long(tried) : "no value"}.` };
      if (gesture.move === played) verdict.words = `${word} is the move you played. Look for another one.`;
      this.tryWords = verdict.words;
      if (verdict.right) app.retried = verdict;
      announce(verdict.words);
      await app.refresh();
    } catch (error) {
      if (!api.isAbort(error)) app.complain(error);
    }
  }

  /** @param {App} app */
  draw(app) {
    const { view } = app.state;
    this.card.hidden = view !== "puzzle" && view !== "retry";
    if (view === "puzzle") this.drawPuzzle(app);
    if (view === "retry") this.drawRetry(app);
  }

  /** @param {App} app */
  drawPuzzle(app) {
    const { puzzle } = app;
    // An unchanged card is not redrawn: replacing a button while it is pressed would lose the click.
    const key = JSON.stringify([
      app.state.game,
      app.state.seed,
      puzzle?.position,
      puzzle?.at,
      puzzle?.solved,
      puzzle?.given,
      puzzle?.words,
      this.failed,
      this.wish,
      this.diary.kept,
      this.sets?.size,
    ]);
    if (key === this.drawn) return;
    this.drawn = key;
    if (!puzzle) {
      put(
        this.card,
        h("h2", {}, "Puzzles"),
        h("p", { class: "note", role: "status" }, this.failed || "Looking for a puzzle …"),
        this.failed && h("p", { class: "note" }, "Puzzle sets are available for the games below."),
        this.choices(app),
      );
      return;
    }
    const { difficulty, steps, at, solved, date } = puzzle;
    const line = app.write(
      steps.flatMap(({ move, reply }) => (reply ? [move, reply] : [move])),
      puzzle.position,
    );
    const level = difficulty?.level ?? 0;
    const dots =
      level > 0 &&
      h(
        "span",
        { class: "level-dots", role: "img", "aria-label": `Difficulty ${level} of 5` },
        "●".repeat(level),
        h("span", {}, "●".repeat(5 - level)),
      );
    const effort =
      difficulty &&
      `A search visits ${difficulty.nodes.toLocaleString("en")} ` +
        `${difficulty.nodes === 1 ? "position" : "positions"} to find it. ${difficulty.refutations} ` +
        "wrong moves have no immediate refutation.";
    // Solved puzzles have a tick, others a question mark.
    put(
      this.card,
      date && h("p", { class: "puzzle-day" }, `Puzzle of the day, ${date}`),
      h(
        "h2",
        {},
        solved && !puzzle.given
          ? symbol("win")
          : h("span", { class: "puzzle-sign", "aria-hidden": "true" }, "?"),
        spoken(puzzle.task, app.names),
      ),
      h(
        "p",
        { class: "puzzle-meta" },
        dots,
        level > 0 && h("span", { title: effort }, LEVELS[level]),
        h(
          "span",
          { class: "note" },
          steps.length > 1 ? `${steps.length} moves to find` : `one right move out of ${puzzle.choices}`,
        ),
      ),
      steps.length > 1 &&
        h(
          "ol",
          { class: "puzzle-steps", "aria-label": "Moves found" },
          steps.map((_, i) =>
            h(
              "li",
              { class: i < at ? "found" : "" },
              i < at ? h("code", {}, line[2 * i]) : h("span", { "aria-hidden": "true" }, "…"),
            ),
          ),
        ),
      h(
        "p",
        {
          class:
            solved || puzzle.words.startsWith("Right")
              ? "right"
              : puzzle.hintAt === puzzle.at && /^(Look|It is one|The move is)/.test(puzzle.words)
                ? "note"
                : "wrong",
          role: "status",
        },
        puzzle.words || "\u00a0",
      ),
      solved &&
        h(
          "p",
          { class: "themes" },
          (puzzle.themes ?? []).map((theme) => h("span", { class: "theme" }, theme)),
        ),
      solved && effort && h("p", { class: "note" }, effort),
      h(
        "p",
        { class: "actions" },
        h(
          "button",
          { type: "button", class: solved ? "main" : "", onclick: () => this.next() },
          "Next puzzle",
        ),
        !solved && h("button", { type: "button", onclick: () => this.give() }, "Show the move"),
        solved && h("button", { type: "button", onclick: () => this.again() }, "Try again"),
        solved &&
          h(
            "button",
            {
              type: "button",
              id: "explore-puzzle",
              onclick: () => app.go({ view: "explore", position: puzzle.position, moves: [], at: null }),
            },
            "Explore this position",
          ),
      ),
      this.choices(app),
    );
  }

  /**
   * Controls for the choice of puzzles, with the player's progress.
   * @param {App} app
   */
  choices(app) {
    const { streak, best, days } = this.diary.kept;
    const set = this.sets?.get(app.state.game);
    /**
     * @param {string} id
     * @param {string} label
     * @param {string[][]} options
     * @param {string} value
     * @param {(value: string) => unknown} act
     */
    const select = (id, label, options, value, act) =>
      h(
        "label",
        { class: "puzzle-choice" },
        h("span", {}, label),
        h(
          "select",
          { id, onchange: (event) => act(event.target.value) },
          options.map(([key, name]) => h("option", { value: key, selected: key === value }, name)),
        ),
      );
    const games = [...(this.sets?.keys() ?? [])];
    const themes = [
      ...new Set(
        (set ?? []).flatMap(({ themes: list }) => list.map((theme) => theme.replace(/ in \d+$/, ""))),
      ),
    ].sort();
    const levels = [...new Set((set ?? []).map(({ level }) => level))].sort();
    const solvedHere = (set ?? []).filter(({ number }) => this.diary.has(app.state.game, number)).length;
    /** @param {"level" | "theme"} key */
    const wish = (key) => (/** @type {string} */ value) => {
      this.wish = { ...this.wish, [key]: value };
      return this.next();
    };
    return h(
      "div",
      { class: "puzzle-choices" },
      h(
        "p",
        { class: "puzzle-streak" },
        h("strong", {}, `${streak} in a row`),
        best > streak && h("span", { class: "note" }, `best ${best}`),
        days > 1 && h("span", { class: "note" }, `${days} days in a row`),
        set && h("span", { class: "note" }, `${solvedHere} of ${set.length} solved`),
      ),
      select(
        "puzzle-game",
        "Game",
        [
          ...(games.includes(app.state.game) ? [] : [[app.state.game, fullName(app.state.game)]]),
          ...games.map((game) => [game, fullName(game)]),
        ],
        app.state.game,
        (game) => {
          this.wish = { level: "", theme: "" };
          return this.next(game);
        },
      ),
      set &&
        select(
          "puzzle-level",
          "Level",
          [["", "Any"], ...levels.map((level) => [String(level), LEVELS[level]])],
          this.wish.level,
          wish("level"),
        ),
      set &&
        select(
          "puzzle-theme",
          "Theme",
          [["", "Any"], ...themes.map((theme) => [theme, capital(theme)])],
          this.wish.theme,
          wish("theme"),
        ),
      h("button", { type: "button", id: "daily", onclick: () => this.ofToday() }, "Puzzle of the day"),
    );
  }

  /** @param {App} app */
  drawRetry(app) {
    const { state } = app;
    this.drawn = "";
    const mistakes = this.history.mistakes;
    const at = state.at ?? -1;
    const rest = mistakes.filter((ply) => ply > at);
    const after = rest[0];
    put(
      this.card,
      h("h2", {}, "Retry your mistake"),
      h(
        "p",
        {},
        `At move ${app.number(at)} you played `,
        h("code", {}, app.written[at] ?? ""),
        ". Find a better move.",
      ),
      h("p", { class: app.retried ? "right" : "wrong", role: "status" }, this.tryWords || "\u00a0"),
      h(
        "p",
        { class: "actions" },
        after !== undefined &&
          h(
            "button",
            { type: "button", class: app.retried ? "main" : "", onclick: () => this.step(after) },
            "Next mistake",
          ),
        !app.retried && h("button", { type: "button", onclick: () => this.reveal() }, "Show the move"),
        h("button", { type: "button", onclick: () => app.go({ view: "explore" }) }, "Explore the game"),
      ),
    );
  }

  /** @param {number} ply */
  step(ply) {
    this.tryWords = "";
    this.app.retried = null;
    return this.app.go({ at: ply });
  }

  reveal() {
    this.app.retried = { right: false };
    this.tryWords = "The best moves are marked with a ring.";
    return this.app.refresh();
  }
}

/** @param {App} app */
const write = (app) => `${app.state.game}|${app.state.moves.join()}|${app.state.at}`;
