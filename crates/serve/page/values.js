// @ts-check

// What the position on the screen is worth: asked for, heard bit by bit, and what a move would lead to.
//
// Where exact values are out of reach, the program's opinions come first, and are marked as what they are.

import * as api from "./api.js";
import { announce, toast } from "./dom.js";
import { given } from "./given.js";
import { trail } from "./scene.js";
import { long, mean, seen, sentence } from "./verdict.js";

/** Before a line is followed, so that a pointer that only passes asks for nothing. */
const BEAT = 250;
/** Plies of a line that are shown on the board: stones stay where they are put, but men move on. */
/** @type {{ [layout in Layout]?: number }} */
const LINE = { grid: 12, drop: 12, piles: 1 };
const FEW = 5;
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Values {
  /** @type {SeenPosition | null} */
  answer = null;
  /** @type {Map<string, SeenMove>} */
  found = new Map();
  /** @type {Map<string, { opinion: number, depth: number }>} */
  opinions = new Map();
  /** @type {Progress | null} */
  progress = null;
  /** @type {string | null} */
  failed = null;
  /** @type {AbortController | undefined} */
  following;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.stop = () => {};
    this.forget();
  }

  /** Another position: nothing is known of it yet. */
  forget() {
    this.answer = null;
    this.found = new Map();
    this.opinions = new Map();
    this.progress = null;
    this.failed = null;
  }

  /** Ends whatever is under way. */
  leave() {
    this.stop();
    this.stop = () => {};
    this.following?.abort();
  }

  /**
   * Listens for the values of the position on the screen.
   * @param {AbortSignal} signal
   */
  watch(signal) {
    if (this.answer) return;
    const { app } = this;
    const place = given(app.place);
    this.stop();
    this.progress = { stage: "searching" };
    // A position that nobody can solve in time is judged first.
    if (given(app.view).exact === false && app.toMove !== "chance") this.judge(place, signal);
    else this.search(place, signal);
  }

  /**
   * @param {WholePlace} place
   * @param {AbortSignal} signal
   */
  search(place, signal) {
    const { app } = this;
    this.stop = api.stream(place, {
      move: (answer) => {
        this.put(seen(answer, app.toMove));
        app.drawSoon();
      },
      progress: (progress) => {
        this.progress = progress;
        app.drawSoon();
      },
      done: (answer) => {
        if (signal.aborted) return;
        this.hear(answer);
        app.draw();
        if (app.state.view === "explore") announce(sentence(given(this.answer), app.toMove, app.names));
      },
      fail: (error) => {
        if (signal.aborted) return;
        this.progress = null;
        this.failed = api.wordsOf(error);
        app.draw();
      },
    });
  }

  /**
   * @param {WholePlace} place
   * @param {AbortSignal} signal
   */
  judge(place, signal) {
    const { app } = this;
    /** @param {Opinion} options */
    const hear = ({ move, opinion, depth, over }) => {
      this.opinions.set(move, { opinion, depth });
      if (over) return;
      this.put(this.found.get(move) ?? { move, value: "unknown", distance: null });
      app.drawSoon();
    };
    this.stop = api.opinions(place, {
      move: hear,
      progress: () => {},
      done: (answer) => {
        if (signal.aborted) return;
        answer.moves.forEach(hear);
        app.draw();
        this.search(place, signal);
      },
      fail: () => !signal.aborted && this.search(place, signal),
    });
  }

  /** @param {SeenMove} answer */
  put(answer) {
    this.found.set(answer.move, { ...answer, ...this.opinions.get(answer.move) });
  }

  /** Moves without a value, the most promising first. */
  get guesses() {
    const list = [...this.found.values()].flatMap(({ move, value, own, opinion, depth = 0 }) =>
      value === "unknown" && own === undefined && opinion !== undefined ? [{ move, opinion, depth }] : [],
    );
    // What was looked at deeper is believed first.
    return list.sort((a, b) => b.depth - a.depth || b.opinion - a.opinion).map(({ move }) => move);
  }

  /** @param {PositionAnswer} answer */
  hear(answer) {
    const { app } = this;
    const moves = answer.moves.map((move) => seen(move, app.toMove));
    this.found = new Map();
    moves.forEach((move) => this.put(move));
    this.answer = { ...seen(answer, app.toMove), moves: [...this.found.values()] };
    const guess = this.guesses[0];
    if (guess !== undefined && this.answer.value === "unknown")
      this.answer.opinion = this.opinions.get(guess)?.opinion;
    this.progress = null;
    this.failed = null;
    app.keep();
  }

  /**
   * The answer for the position on the screen, waiting for it if need be.
   * @param {AbortSignal} [signal]
   */
  async know(signal) {
    if (!this.answer) {
      const answer = await api.position(given(this.app.place), signal);
      if (!signal?.aborted) this.hear(answer);
    }
    return this.answer;
  }

  /** A good move, drawn and told. */
  async hint() {
    const { app } = this;
    if (!app.live) return;
    const { signal } = app;
    app.busy(true);
    // Whoever waits comes first: the analysis of this position goes on afterwards.
    const watching = Boolean(this.progress);
    this.leave();
    try {
      // Where no exact value can be expected, a strong player's opinion is there sooner.
      /** @type {Pick<SeenPosition, "best" | "moves">} */
      let answer =
        this.answer ??
        (given(app.view).exact === false ? { best: [], moves: [] } : given(await this.know(signal)));
      if (!answer.best.length) {
        const strongest = app.levels.findLast((level) => level !== "perfect") ?? "random";
        const choice = await api.choose(given(app.place), strongest, 1, signal);
        answer = { ...answer, best: [choice.move] };
      }
      const [best] = answer.best;
      if (!best) return;
      app.board.ghosts(trail(app.scene, [best]));
      const value = answer.moves.find((move) => move.move === best);
      toast(
        "Hint: " +
          `${best}${value && (value.value !== "unknown" || mean(value) !== null) ? `, ${long(value)}` : ""}`,
      );
    } catch (error) {
      if (!api.isAbort(error)) app.complain(error);
    } finally {
      app.busy(false);
      if (!signal.aborted && watching && !this.answer) this.watch(signal);
    }
  }

  /**
   * Shows where a move leads: the line of best play after it, as far as it is known or soon found.
   * @param {Gesture | null | undefined} gesture
   */
  look(gesture) {
    this.following?.abort();
    const { app } = this;
    if (!app.view || app.reasons) return;
    if (!gesture || !app.valuesShown || !this.answer) {
      app.board.ghosts([]);
      return;
    }
    const known = this.answer.line?.[0] === gesture.move ? this.answer.line : [gesture.move];
    app.board.ghosts(trail(app.view.scene, known.slice(0, this.plies)));
    if (known.length < 2 && app.state.view === "explore" && app.view.exact !== false)
      this.follow([gesture.move]);
  }

  get plies() {
    return LINE[this.app.scene.layout] ?? FEW;
  }

  /**
   * Goes on with a line, best move by best move, while somebody looks.
   * @param {string[]} line
   */
  async follow(line) {
    const { app } = this;
    const { signal } = (this.following = new AbortController());
    const place = given(app.place);
    await pause(BEAT);
    try {
      const most = this.plies;
      while (line.length < most && !signal.aborted) {
        const answer = await api.position({ ...place, moves: [...place.moves, ...line] }, signal);
        if (signal.aborted || app.reasons || !answer.best.length) return;
        line.push(
          ...(answer.line.length ? answer.line : answer.best.slice(0, 1)).slice(0, most - line.length),
        );
        app.board.ghosts(trail(app.scene, line));
      }
    } catch (error) {
      if (!api.isAbort(error) && !(error instanceof api.ApiError)) throw error;
    }
  }
}
