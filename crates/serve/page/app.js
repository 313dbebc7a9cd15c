// @ts-check

// Application state and its update cycle: address, board, values, and the side to move.
//
//   go(changes) → address → view → board → values (stream) → history → the computer's move
//
// Invariant: a change aborts everything it makes stale (open streams, pending requests) before the next
// request is sent.

import * as api from "./api.js";
import { ask } from "./ask.js";
import { Board } from "./board.js";
import { $ } from "./dom.js";
import { given } from "./given.js";
import { learn, middling } from "./levels.js";
import { read, write } from "./link.js";
import { face } from "./men.js";
import { moveNumber } from "./move-text.js";
import { fullName, nameOfGame } from "./names.js";
import { remember } from "./offline.js";
import { arrange } from "./piles.js";
import { knownPlies } from "./plies.js";
import { predicted } from "./predict.js";
import { GameRecord } from "./record.js";
import { sanLine } from "./san.js";
import { randomMoves } from "./start.js";
import { lastSpots, names } from "./scene.js";
import { headline, subline } from "./status.js";
import { Turns } from "./turn.js";
import { Values } from "./values.js";
import { Stage, known } from "./views.js";
import { ending, mean, sentence, share } from "./verdict.js";

/** Positions whose answers are cached for the glyphs of the move list. */
const KEPT = 400;
/** The storage key of the game that waits while puzzles are on the screen. */
const PARKED = "parked";

export class App {
  /** @type {View | null} */
  view = null;
  // The moves that the view describes.
  /** @type {string[]} */
  listed = [];
  /** @type {PuzzleState | null} */
  puzzle = null;
  /** @type {((gesture: Gesture) => unknown) | null} */
  challenge = null;
  /** @type {{ right: boolean, words?: string } | null} */
  retried = null;
  /** @type {{ words: string[] } | null} */
  reasons = null;
  /** @type {unknown} */
  warned = null;
  /** @type {Promise<void> | undefined} */
  current;
  /** @type {AbortController | undefined} */
  asking;
  /** @type {number | null} */
  pending = null;
  /** @type {(() => unknown) | undefined} */
  next;
  /** @type {(() => unknown) | undefined} */
  tip;
  /** @type {Part[]} */
  parts = [];
  /** @type {Map<string, SeenPosition | null>} */
  kept = new Map();
  /** @type {number[]} */
  last = [];
  fresh = false;
  /** @type {{ key: string, scene: Scene, path: number[], fresh: boolean } | null} */
  expected = null;
  thinking = false;
  // Data shown by lessons, trees, proofs and rules; read by tests.
  /** @type {Lesson | null | undefined} */
  lesson;
  /** @type {unknown} */
  tree;
  /** @type {WalkAnswer | undefined} */
  walk;
  /** @type {unknown} */
  trial;
  /** @type {Pick<State, "game" | "position" | "moves" | "at" | "first" | "second"> | null} */
  parked = null;

  /** @param {Games} info */
  constructor(info) {
    this.known = info;
    learn(info.named_levels);
    this.state = read(location.search);
    this.board = new Board($("#board"), {
      play: (gesture) => this.play(gesture),
      look: (gesture) => this.look(gesture),
    });
    // The bar is as tall as the board, without what stands below it.
    $(".stand", this.board.host)?.append($("#bar"));
    this.values = new Values(this);
    this.turns = new Turns(this);
    this.record = new GameRecord();
    this.parked = readParked();
    this.stage = new Stage($("#place"));
    this.shown = ""; // the place that the board shows
    addEventListener("popstate", () => {
      this.state = read(location.search);
      this.refresh();
    });
    addEventListener("pagehide", () => this.leave());
  }

  /** Players from the weakest to the strongest, for the game on the screen. */
  get levels() {
    return this.view?.levels?.length ? this.view.levels : this.known.levels;
  }

  /**
   * Adds a part of the screen with `draw(app)`.
   * @param {Part} part
   */
  add(part) {
    this.parts.push(part);
  }

  // Derived state.

  /** Whether a game is being played, as on the first screen, rather than analysed. */
  get playing() {
    return this.state.view === "play" || this.state.view === "home";
  }

  /** Whether the board asks for a move: a puzzle, or one's own mistake. */
  get puzzling() {
    return this.state.view === "puzzle" || this.state.view === "retry";
  }

  /** Whether a new game would discard one that is being played. */
  get running() {
    return this.playing && this.state.moves.length > 0 && !(this.over && this.state.at === null);
  }

  get moves() {
    return this.state.at === null ? this.state.moves : this.state.moves.slice(0, this.state.at);
  }

  get place() {
    if (this.state.view === "puzzle") {
      return this.puzzle
        ? { game: this.puzzle.game, position: this.puzzle.position, moves: this.puzzle.tried }
        : null;
    }
    return { game: this.state.game, position: this.state.position, moves: this.moves };
  }

  get toMove() {
    return this.view?.to_move;
  }

  get over() {
    return this.view && this.view.outcome !== null;
  }

  get answer() {
    return this.values.answer;
  }

  /** @param {SeenPosition | null} answer */
  set answer(answer) {
    this.values.answer = answer;
  }

  get found() {
    return this.values.found;
  }

  get progress() {
    return this.values.progress;
  }

  get failed() {
    return this.values.failed;
  }

  get linePlies() {
    return this.values.plies;
  }

  /** Whether the board still shows the position before the last change; it accepts no moves then. */
  get stale() {
    const { place } = this;
    return !place || api.query(place) !== this.shown;
  }

  /** Whether the game has moves that the view does not describe. */
  get unlisted() {
    return this.state.view !== "puzzle" && this.state.moves.join(" ") !== this.listed.join(" ");
  }

  /** The player to move: "human", a player's spec, or null at chance nodes and after the end. */
  get mover() {
    if (!this.view || this.over || this.toMove === "chance") return null;
    return this.playing && this.toMove ? this.state[this.toMove] : "human";
  }

  /** Whether a person may move on the board now. */
  get live() {
    if (!this.view || this.over || this.stale) return false;
    if (this.state.view === "puzzle") return !this.puzzle?.solved && this.toMove !== "chance";
    if (this.state.view === "retry") return !this.retried;
    if (this.toMove === "chance") return this.state.view === "explore";
    return this.mover === "human";
  }

  get valuesShown() {
    if (this.state.view === "puzzle") return Boolean(this.puzzle?.solved);
    if (this.state.view === "retry") return Boolean(this.retried);
    return (
      this.state.values ??
      (this.state.view === "explore" || (this.state.view === "home" && !this.moves.length))
    );
  }

  /** Names of the two sides, such as colours. */
  get names() {
    return this.view ? names(this.view.scene) : { first: "Yellow", second: "Red" };
  }

  get humans() {
    return Number(this.state.first === "human") + Number(this.state.second === "human");
  }

  /** The side of the only human player, or null. */
  get own() {
    if (!this.playing || this.humans !== 1) return null;
    return this.state.first === "human" ? "first" : "second";
  }

  /** The moves of the game, also those after the position on the screen, as far as they are known. */
  get plies() {
    return knownPlies(this.view, this.listed, this.state.moves);
  }

  /** The moves of the game as players write them. */
  get written() {
    return this.write(this.state.moves, this.state.position);
  }

  /**
   * Moves from a position, by default the one on the screen, as players write them.
   * @param {string[]} moves
   * @param {string} [position]
   */
  write(moves, position = this.view?.position ?? "") {
    return this.face === "chess" ? sanLine(position, moves) : moves;
  }

  /**
   * The number of a move in the list of moves.
   * @param {number} i its place, from 0
   */
  number(i) {
    const { begins = "first", chance = false } = this.view ?? {};
    return moveNumber(i, { begins, chance, plies: this.plies });
  }

  /** Whether the game has no start of its own, such as a chess ending. */
  get startless() {
    const family = this.state.game.trim().split(/[:,]/)[0].toLowerCase();
    return this.known.games.some(({ name, startless }) => name === family && startless);
  }

  // Changes.

  /**
   * Changes the state. `how` is "push" for changes that Back should undo, "replace" otherwise.
   * @param {Partial<State>} changes
   * @param {HistoryStep} [how]
   * @returns {Promise<void>}
   */
  go(changes, how = "push") {
    this.state = { ...this.state, ...changes };
    const address = write(this.state);
    if (address !== location.search)
      history[how === "push" ? "pushState" : "replaceState"](null, "", address);
    return this.refresh();
  }

  /**
   * Shows the board in a view. A game that was left for the puzzles is on it again.
   * @param {"play" | "explore"} view
   */
  show(view) {
    return this.go({ ...this.parked, view, values: null });
  }

  /** Leaves the game on the screen for the puzzles; it waits. */
  openPuzzles() {
    const { game, position, moves, at, first, second, view } = this.state;
    if (view === "puzzle") return Promise.resolve();
    this.parked ??= { game, position, moves, at, first, second };
    writeParked(this.parked);
    return this.go({ view: "puzzle", values: null, moves: [], at: null, position: "" });
  }

  /**
   * Opens another game at its start.
   * @param {string} game
   * @param {Partial<State>} [changes]
   */
  open(game, changes = {}) {
    // A level of this game is a level of the other one, not the same spec.
    /** @param {string} player */
    const carry = (player) =>
      this.levels.includes(player) && !["random", "perfect"].includes(player) ? "" : player;
    const { first, second, view } = this.state;
    const to = ["explore", "puzzle"].includes(view) ? view : "play";
    return this.go({
      game,
      first: carry(first),
      second: carry(second),
      position: "",
      moves: [],
      at: null,
      seed: "",
      view: to,
      ...changes,
    });
  }

  /** @param {Gesture} gesture */
  play(gesture) {
    if (this.challenge) return this.challenge(gesture);
    if (!this.live) return undefined;
    this.turns.made(gesture);
    const moves = [...this.moves, gesture.move];
    const scene = predicted(this.scene, gesture, this.toMove);
    const { game, position } = this.state;
    const key = api.query({ game, position, moves });
    this.expected = scene && { key, scene, path: gesture.path, fresh: true };
    const shown = this.go({ moves, at: null, view: this.state.view === "home" ? "play" : this.state.view });
    // The move is on the board at once; the server's answer confirms or corrects it.
    if (this.expected && this.view) this.drawBoard();
    return shown;
  }

  /** The position that the board shows until the server has confirmed the last move, or null. */
  get ahead() {
    const { expected, place } = this;
    return expected && place && this.stale && expected.key === api.query(place) ? expected : null;
  }

  /**
   * Plays a typed move once the board is up to date; returns an error message, or "" on success.
   * @param {string} word
   */
  async playWord(word) {
    while (this.stale && this.current) {
      const { current } = this;
      await current;
      if (current === this.current) break;
    }
    const list = this.view?.scene.moves ?? [];
    const written = list.map((legal) => this.write([legal.move])[0]);
    const said = word.toLowerCase();
    // Moves may be typed in either notation.
    const gesture =
      list.find((legal) => legal.move.toLowerCase() === said) ??
      list.find((_, i) => written[i].replace(/[+#]$/, "").toLowerCase() === said.replace(/[+#]$/, ""));
    if (!this.live) return this.over ? "The game is over." : "It is not your turn.";
    if (!gesture) {
      const legal = written.slice(0, 8);
      if (list.length > 8) legal.push("…");
      return `${word} is not a legal move here. Legal moves: ${legal.join(" ")}`;
    }
    this.play(gesture);
    return "";
  }

  /**
   * Brings the screen up to date with the state; `current` resolves when the board shows it.
   * @returns {Promise<void>}
   */
  refresh() {
    this.current = this.renew();
    return this.current;
  }

  /** @returns {Promise<void>} */
  async renew() {
    this.leave();
    const signal = (this.asking = new AbortController()).signal;
    const elsewhere = Boolean(known(this.state.view));
    $("#screen").hidden = elsewhere;
    if (!elsewhere && this.state.view !== "puzzle" && this.parked) {
      this.parked = null;
      writeParked(null);
    }
    if (elsewhere) {
      await this.visit();
      return;
    }
    this.stage.clear();
    const { place } = this;
    this.challenge = null;
    for (const part of this.parts) await part.prepare?.(this, signal);
    if (signal.aborted) return undefined;
    if (this.startless && !this.state.position && !this.state.moves.length && this.state.view !== "puzzle") {
      const position = await this.drawStart(signal);
      if (signal.aborted) return undefined;
      this.state = { ...this.state, position };
      history.replaceState(null, "", write(this.state));
    }
    const where = this.place;
    if (where) {
      const key = api.query(where);
      if (key !== this.shown || !this.view || this.unlisted) {
        if (!(await this.fetchView(where, key, signal))) return undefined;
      }
    } else if (place) {
      this.view = null;
    }
    this.draw();
    if (this.view && this.wanted) this.values.watch(signal);
    this.turns.next(signal);
    return undefined;
  }

  /**
   * A random start position, or "" if the server has none.
   * @param {AbortSignal} signal
   */
  drawStart(signal) {
    return api.start(this.state.game, Math.floor(Math.random() * 2 ** 32), signal).then(
      ({ position }) => position,
      () => "",
    );
  }

  /**
   * Shows a view that is not about the board.
   * @returns {Promise<unknown>}
   */
  visit() {
    const { view, extra } = this.state;
    this.complain(null);
    this.drawHeader();
    /** @param {string} words */
    const title = (words) => (document.title = `${words} — outplay`);
    title(given(known(view)).title);
    return this.stage
      .show(view, { app: this, extra, go: (changes, how) => this.go(changes, how), title })
      .catch((error) => this.complain(error));
  }

  /**
   * @param {WholePlace} place
   * @param {string} key
   * @param {AbortSignal} signal
   */
  async fetchView(place, key, signal) {
    try {
      const before = { view: this.view, shown: this.shown };
      const listed = this.state.view === "puzzle" ? place.moves : this.state.moves;
      const view = await api.view({ ...place, moves: listed }, signal, place.moves.length);
      if (signal.aborted) return false;
      if (before.view?.game !== view.game || !place.moves.length) this.turns.clear();
      this.view = view;
      this.expected = null;
      remember(view);
      learn(view.named_levels ?? []);
      this.listed = listed;
      this.shown = key;
      this.values.forget();
      this.reasons = null;
      this.complain(this.warned ?? null);
      this.warned = null;
      this.settle(view);
      this.trace(place, before, signal);
      if (this.state.view !== "puzzle")
        this.record.add(this.state.game, this.state.position, this.state.moves);
      return true;
    } catch (error) {
      if (api.isAbort(error) || signal.aborted) return false;
      if (error instanceof api.ApiError && place.moves.length && this.state.view !== "puzzle")
        return this.salvage(error, signal);
      this.refused(error);
      return false;
    }
  }

  /**
   * Shows a game up to its first illegal move, with a message that names the move.
   * @param {unknown} error
   * @param {AbortSignal} signal
   */
  async salvage(error, signal) {
    const { game, position, moves } = this.state;
    let [good, bad] = [-1, moves.length];
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      const fits = await api.view({ game, position, moves: moves.slice(0, middle) }, signal).then(
        () => true,
        () => false,
      );
      if (signal.aborted) return false;
      if (fits) good = middle;
      else bad = middle;
    }
    if (good < 0 || good === moves.length) {
      this.refused(error);
      return false;
    }
    this.warned = new api.ApiError(
      400,
      `Move ${good + 1}, ${moves[good]}, is not legal here. The game is shown up to the move before it.`,
    );
    const at = this.state.at !== null && this.state.at < good ? this.state.at : null;
    await this.go({ moves: moves.slice(0, good), at }, "replace");
    return false;
  }

  /**
   * Finds the spots of the last move, and whether the move has just been made.
   * @param {WholePlace} place
   * @param {{ view: View | null | undefined, shown: string }} before
   * @param {AbortSignal} signal
   */
  trace(place, before, signal) {
    const word = place.moves[place.moves.length - 1];
    const parent = api.query({ ...place, moves: place.moves.slice(0, -1) });
    const fresh = before.shown === parent && place.moves.length > 0 ? before.view : null;
    const path = fresh?.scene.moves.find((gesture) => gesture.move === word)?.path;
    // A roll moves no piece, so the move before it stays marked.
    const plies = given(this.view).plies.slice(0, place.moves.length);
    const roll = plies.at(-1)?.chance;
    this.fresh = Boolean(fresh);
    if (roll && fresh) return;
    this.last = path?.length ? path : lastSpots(this.scene, word);
    if (this.scene.layout === "piles") return;
    const at = plies.findLastIndex((ply) => !ply.chance);
    if (fresh || at < 0) return;
    // A position opened from a link marks its last move too.
    api.view({ ...place, moves: place.moves.slice(0, at) }, signal).then(
      (view) => {
        const found = view.scene.moves.find((gesture) => gesture.move === place.moves[at])?.path;
        if (signal.aborted || !found?.length || api.query(place) !== this.shown) return;
        this.last = found;
        this.draw();
      },
      () => {},
    );
  }

  /**
   * Fills in the defaults that the address left open: the canonical spec and a medium-strength player.
   * @param {View} view
   */
  settle(view) {
    const open = this.state.view !== "puzzle" && view.game !== this.state.game;
    if (open) this.state.game = view.game;
    const { first, second } = this.state;
    this.state = {
      ...this.state,
      first: first || middling(this.levels),
      second: second || middling(this.levels),
    };
    history.replaceState(null, "", write(this.state));
    if (open) this.shown = api.query(given(this.place));
  }

  /**
   * Reports an error from the server; the board keeps the last valid position.
   * @param {unknown} error
   */
  refused(error) {
    this.expected = null;
    this.complain(error);
    if (this.view && this.state.view !== "puzzle") {
      // The screen still shows the last valid position, so the address should too.
      const shown = new URLSearchParams(this.shown);
      this.state = {
        ...this.state,
        game: shown.get("game") ?? this.state.game,
        position: shown.get("position") ?? "",
        moves: (shown.get("moves") ?? "").split(" ").filter(Boolean),
        at: null,
      };
      history.replaceState(null, "", write(this.state));
      this.draw();
    } else {
      this.drawHeader();
      $("#status").textContent = "Nothing to show";
      $("#elsewhere").hidden = false;
      document.body.dataset.view = "nothing";
    }
  }

  /** @param {unknown} error */
  complain(error) {
    const line = $("#trouble");
    line.hidden = !error;
    line.textContent = error ? api.wordsOf(error) : "";
  }

  /** Aborts everything in progress for the current screen. */
  leave() {
    this.values.leave();
    this.asking?.abort();
    this.busy(false);
  }

  /** Whether values have to be requested for this position, shown or not. */
  get wanted() {
    return !this.answer && (this.valuesShown || this.state.view === "explore" || this.state.view === "home");
  }

  /** Caches the answer for the glyphs of the move list. */
  keep() {
    if (this.kept.size > KEPT) this.kept.clear();
    this.kept.set(this.shown, this.answer);
  }

  /** @param {AbortSignal} [signal] */
  know(signal) {
    return this.values.know(signal);
  }

  hint() {
    return this.state.view === "puzzle" ? this.tip?.() : this.values.hint();
  }

  /** @param {Gesture | null | undefined} gesture */
  look(gesture) {
    this.values.look(gesture);
  }

  /** @param {boolean} on */
  busy(on) {
    this.thinking = on;
    $("#thinking").hidden = !on;
  }

  // Undo and redo.

  /**
   * Whether a move was a decision of a human player.
   * @param {number} ply
   */
  decides(ply) {
    const made = this.plies[ply];
    if (made?.chance) return false;
    return this.own === null || made?.by === this.own;
  }

  undo() {
    if (this.board.path.length && this.board.stepBack()) return undefined;
    let at = this.moves.length - 1;
    if (at < 0) return undefined;
    // Against the computer, and with dice, undo goes back to the player's own last decision.
    if (this.playing) while (at > 0 && !this.decides(at)) at -= 1;
    return this.go({ at }, "push");
  }

  redo() {
    const { moves } = this.state;
    let at = this.moves.length + 1;
    if (at > moves.length) return undefined;
    if (this.playing) while (at < moves.length && !this.decides(at)) at += 1;
    return this.go({ at: at < moves.length ? at : null }, "push");
  }

  /** @param {number} ply */
  jump(ply) {
    const { moves } = this.state;
    return this.go({
      at: ply < moves.length ? ply : null,
      view: this.state.view === "retry" ? "explore" : this.state.view,
    });
  }

  swap() {
    if (this.puzzling) return undefined;
    return this.go({ first: this.state.second, second: this.state.first, view: "play" });
  }

  /**
   * Starts a new game, from the start or from a random position.
   * @param {boolean} shuffled
   */
  async again(shuffled) {
    if (this.state.view === "puzzle") return this.next?.();
    if (this.running && !(await askForNew())) return undefined;
    this.turns.clear();
    const view = this.state.view === "retry" ? "play" : this.state.view;
    const moves = shuffled && !this.startless ? await randomMoves(this.state.game) : [];
    return this.go({ position: "", moves, at: null, view });
  }

  /**
   * Starts a game as one of the sides, against the computer's level on the screen.
   * @param {Side} side
   */
  begin(side) {
    const { first, second } = this.state;
    const level = [second, first].find((player) => player && player !== "human") ?? middling(this.levels);
    const players = side === "first" ? { first: "human", second: level } : { first: level, second: "human" };
    this.turns.clear();
    return this.go({ ...players, view: "play", moves: [], at: null, values: null });
  }

  toggleValues() {
    if (this.puzzling) return undefined;
    return this.go({ values: !this.valuesShown }, "replace");
  }

  // Drawing.

  drawSoon() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      if (!known(this.state.view)) this.draw();
    });
  }

  drawHeader() {
    const { game, view } = this.state;
    const { name, detail } = nameOfGame(game);
    $("#elsewhere").hidden = true;
    document.body.dataset.view = view;
    $("#game-name").textContent = name;
    $("#game-detail").textContent = detail;
    $("#game").title = `${game}: choose a game (g)`;
    const current = view === "home" ? "play" : view;
    for (const tab of document.querySelectorAll(".tabs [data-view]"))
      tab.setAttribute("aria-current", String(tab.getAttribute("data-view") === current));
  }

  draw() {
    this.drawHeader();
    document.title = `${fullName(this.state.game)} — outplay`;
    if (this.view) this.drawBoard();
    for (const part of this.parts) part.draw(this);
  }

  drawBoard() {
    const { state } = this;
    const place = this.place ?? { game: state.game, position: "", moves: [] };
    const { ahead } = this;
    const { scene, last } = ahead
      ? { scene: ahead.scene, last: ahead.path }
      : arrange(this.scene, place, this.last, this.turns.picks);
    const shown = this.moves;
    const best = this.answer ? new Set(this.answer.best) : null;
    const rolled = given(this.view)
      .plies.slice(0, place.moves.length)
      .findLast((ply) => ply.chance);
    const who = this.own ? { ...this.names, [this.own]: "You" } : this.names;
    this.board.show(scene, {
      live: this.live,
      why: this.whyNot(),
      waiting: Boolean(ahead),
      mover: this.toMove,
      owner: this.view?.turn_of,
      names: who,
      answers: this.found,
      guesses: this.values.guesses,
      best,
      // When all moves tie, nothing has a ring.
      tells: !best || best.size < scene.moves.length,
      values: this.valuesShown && !ahead,
      last,
      rolled: rolled?.move ?? null,
      fresh: ahead ? ahead.fresh : this.fresh,
      label: `${fullName(state.game)}, ${headline(this)}`,
    });
    if (ahead) ahead.fresh = false;
    else this.fresh = false;
    $("#screen").dataset.face = this.face;
    if (this.board.metrics)
      $("#screen").style.setProperty(
        "--ratio",
        String(scene.layout === "text" ? 1 : this.board.metrics.width / this.board.metrics.height),
      );
    $("#status").textContent = headline(this);
    $("#sub").textContent = subline(this);
    $("[data-do=undo]").disabled = !shown.length && !this.board.path.length;
    $("[data-do=redo]").disabled = state.at === null;
    $("[data-do=hint]").disabled = !this.live;
    $("[data-do=values]").setAttribute("aria-pressed", String(this.valuesShown));
    // What has no meaning in a puzzle is not offered.
    $("[data-do=values]").hidden = this.puzzling;
    $("[data-do=swap]").hidden = this.puzzling;
    for (const button of [$("[data-do=undo]"), $("[data-do=redo]")])
      button.hidden = state.view === "puzzle" && !this.board.path.length;
    const again = $("[data-do=again]");
    again.classList.toggle("main", Boolean(this.over));
    given(again.lastChild).textContent =
      state.view === "puzzle" ? " Next puzzle" : this.over && this.playing ? " Play again" : " New";
    this.drawBar();
  }

  /** A sentence that explains why the board accepts no moves, or null. */
  whyNot() {
    if (this.live || !this.view) return null;
    if (this.over) return "The game is over.";
    if (this.toMove === "chance") return "The dice are being rolled.";
    if (this.state.view === "puzzle" || this.state.view === "retry") return "This one is finished.";
    if (this.playing && this.mover !== "human")
      return this.state.at === null
        ? `${this.names[given(this.toMove)]} is thinking.`
        : "You are viewing an earlier position. Continue from here, or go to the end of the game.";
    return null;
  }

  /** The scene of the view, which must exist. */
  get scene() {
    return given(this.view).scene;
  }

  /** The signal that aborts requests of this screen when it changes. */
  get signal() {
    return given(this.asking).signal;
  }

  /** The kind of board on the screen. */
  get face() {
    return this.view ? face(this.view.scene) : "text";
  }

  /**
   * Adds a turn to the log, which is shown and announced.
   * @param {string} words
   */
  log(words) {
    this.turns.log(words);
  }

  drawBar() {
    const bar = $("#bar");
    const { answer } = this;
    const outcome = this.view?.outcome ?? null;
    // The bar keeps its space, so that the board does not move when a value arrives.
    const absent = !(
      this.valuesShown &&
      (this.over || (answer && (answer.value !== "unknown" || mean(answer) !== null)))
    );
    bar.classList.toggle("absent", absent);
    if (absent) return;
    const first = outcome !== null ? 0.5 + 0.5 * Math.sign(outcome) : share(given(answer), this.toMove);
    bar.style.setProperty("--share", `${(100 * first).toFixed(1)}%`);
    bar.setAttribute(
      "aria-label",
      outcome !== null ? ending(outcome, this.names) : sentence(given(answer), this.toMove, this.names),
    );
  }
}

/** Asks whether a running game may be discarded. */
const askForNew = () =>
  ask(
    "Start a new game?",
    "The game on the board has not ended. Back, in the browser, returns to it.",
    "New game",
    "Keep playing",
  );

/** The game that waits behind the puzzles, kept for a reload. */
function readParked() {
  try {
    return JSON.parse(sessionStorage.getItem(PARKED) ?? "null");
  } catch {
    return null;
  }
}

/** @param {App["parked"]} game */
function writeParked(game) {
  try {
    if (game) sessionStorage.setItem(PARKED, JSON.stringify(game));
    else sessionStorage.removeItem(PARKED);
  } catch {
    // Private windows have no storage.
  }
}
