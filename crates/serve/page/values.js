// @ts-check

// Values of the current position: requested as a stream, with hints and previews of the best line.
//
// If exact values are out of reach, heuristic estimates come first and are marked as such.

import * as api from "./api.js";
import { announce, toast } from "./dom.js";
import { given } from "./given.js";
import { trail } from "./scene.js";
import { long, mean, proven, seen, sentence, within } from "./verdict.js";

/** Milliseconds before a line is requested, so that a passing pointer sends no request. */
const BEAT = 250;
/** Plies of a line drawn on the board: more where stones stay in place than where men move. */
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
  /** @type {Verdict | null} the value of the position, if it is proven before the answer arrives */
  verdict = null;
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

  /** Clears all values for a new position. */
  forget() {
    this.answer = null;
    this.found = new Map();
    this.opinions = new Map();
    this.verdict = null;
    this.progress = null;
    this.failed = null;
  }

  /** Aborts all requests. */
  leave() {
    this.stop();
    this.stop = () => {};
    this.following?.abort();
  }

  /**
   * Streams the values of the current position.
   * @param {AbortSignal} signal
   */
  watch(signal) {
    if (this.answer) return;
    const { app } = this;
    const place = given(app.place);
    this.stop();
    this.progress = { stage: "searching" };
    // Positions that cannot be solved in time get estimates first.
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
    const hear = ({ move, opinion, depth, over, value }) => {
      if (!value) this.opinions.set(move, { opinion, depth });
      if (over) return;
      this.put({ ...(this.found.get(move) ?? { move, distance: null }), value: value ?? "unknown" });
      app.drawSoon();
    };
    this.stop = api.opinions(place, {
      move: hear,
      progress: () => {},
      done: (answer) => {
        if (signal.aborted) return;
        answer.moves.forEach(hear);
        this.verdict = answer.value ?? null;
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

  /** Moves with an estimate instead of a value, the most promising first. */
  get guesses() {
    const list = [...this.found.values()].flatMap(({ move, value, own, opinion, depth = 0 }) =>
      value === "unknown" && own === undefined && opinion !== undefined ? [{ move, opinion, depth }] : [],
    );
    // Estimates from deeper searches come first.
    return list.sort((a, b) => b.depth - a.depth || b.opinion - a.opinion).map(({ move }) => move);
  }

  /** What is proven about the position before its answer arrives; null if nothing is. */
  get proven() {
    if (this.verdict) return { value: this.verdict, distance: null };
    return proven([...this.found.values()], given(this.app.view).scene.moves.length);
  }

  /** @param {PositionAnswer} answer */
  hear(answer) {
    const { app } = this;
    const { found, proven: earlier } = this;
    this.found = new Map();
    for (const move of answer.moves.map((known) => seen(known, app.toMove))) {
      const before = found.get(move.move);
      // What was proven stays so, even if the answer ran out of time before it.
      const lost = move.value === "unknown" && mean(move) === null;
      this.put(lost && before && before.value !== "unknown" ? before : move);
    }
    this.answer = { ...seen(answer, app.toMove), moves: [...this.found.values()] };
    const { value, bounds } = this.answer;
    const guess = this.guesses[0];
    if (value === "unknown" && mean(this.answer) === null && earlier) Object.assign(this.answer, earlier);
    else if (guess !== undefined && value === "unknown")
      this.answer.opinion = within(this.opinions.get(guess)?.opinion, bounds);
    this.progress = null;
    this.failed = null;
    app.keep();
  }

  /**
   * The answer for the current position; requests it if necessary.
   * @param {AbortSignal} [signal]
   */
  async know(signal) {
    if (!this.answer) {
      const answer = await api.position(given(this.app.place), signal);
      if (!signal?.aborted) this.hear(answer);
    }
    return this.answer;
  }

  /** Draws and announces a good move. */
  async hint() {
    const { app } = this;
    if (!app.live) return;
    const { signal } = app;
    app.busy(true);
    // The hint has priority; the analysis of this position resumes afterwards.
    const watching = Boolean(this.progress);
    this.leave();
    try {
      // If no exact value can be expected, a strong player answers sooner.
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
      const [word] = app.write([best]);
      toast(
        "Hint: " +
          `${word}${value && (value.value !== "unknown" || mean(value) !== null) ? `, ${long(value)}` : ""}`,
      );
    } catch (error) {
      if (!api.isAbort(error)) app.complain(error);
    } finally {
      app.busy(false);
      if (!signal.aborted && watching && !this.answer) this.watch(signal);
    }
  }

  /**
   * Previews a move: the line of best play after it, as far as it is known or quickly found.
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
   * Extends a line by best moves while the preview is shown.
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
