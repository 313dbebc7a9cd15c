// The screen as one state, and what follows when it changes: address, board, values, and whose turn it is.
//
//   go(changes) → address → view → board → values (stream) → history → the computer's move
//
// Invariant: whatever a change makes stale (an open stream, a question under way) ends before the next is asked.

import * as api from "./api.js";
import { Board } from "./board.js";
import { $, announce, toast } from "./dom.js";
import { middling, nameOf } from "./levels.js";
import { read, write } from "./link.js";
import { randomStart } from "./start.js";
import { buttons, lastSpots, names, trail } from "./scene.js";
import { Stage, known } from "./views.js";
import { ending, long, mean, seen, sentence, share } from "./verdict.js";

/** Before the computer's stone falls, so that one sees one's own. */
const BEAT = 250;
/** Plies of a line that are shown on the board: stones stay where they are put, but men move on. */
const LINE = { grid: 12, drop: 12, piles: 1 };
const FEW = 5;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class App {
  constructor(known) {
    this.known = known;
    this.parts = [];
    this.state = read(location.search);
    this.board = new Board($("#board"), { play: (gesture) => this.play(gesture), look: (gesture) => this.look(gesture) });
    this.stage = new Stage($("#place"));
    this.shown = ""; // the place that the board shows
    this.stop = () => {};
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

  /** Adds a part of the screen with `draw(app)`. */
  add(part) {
    this.parts.push(part);
  }

  // What is on the screen.

  get moves() {
    return this.state.at === null ? this.state.moves : this.state.moves.slice(0, this.state.at);
  }

  get place() {
    if (this.state.view === "puzzle") {
      return this.puzzle ? { game: this.puzzle.game, position: this.puzzle.position, moves: this.puzzle.tried } : null;
    }
    return { game: this.state.game, position: this.state.position, moves: this.moves };
  }

  get toMove() {
    return this.view?.to_move;
  }

  get over() {
    return this.view && this.view.outcome !== null;
  }

  /** Whether the board still shows the position before the last change: nothing can be played on it. */
  get stale() {
    const { place } = this;
    return !place || api.query(place) !== this.shown;
  }

  /** Who moves here: "human", a player's spec, or null where nobody does. */
  get mover() {
    if (!this.view || this.over || this.toMove === "chance") return null;
    if (this.state.view !== "play") return "human";
    return this.state[this.toMove];
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
    return this.state.values ?? this.state.view === "explore";
  }

  get names() {
    return this.view ? names(this.view.scene) : { first: "First", second: "Second" };
  }

  /** A chess ending without a position: it has no start of its own. */
  get startless() {
    const { game, position, moves, view } = this.state;
    return view !== "puzzle" && !position && !moves.length && randomStart.needed(game);
  }

  // Changes.

  /** Changes the state; `how` is "push" for what Back should undo, "replace" otherwise. */
  go(changes, how = "push") {
    this.state = { ...this.state, ...changes };
    const address = write(this.state);
    if (address !== location.search) history[how === "push" ? "pushState" : "replaceState"](null, "", address);
    return this.refresh();
  }

  /** Another game from its start. */
  open(game) {
    // A level of this game is a level of the other one, not the same spec.
    const carry = (player) => (this.levels.includes(player) && !["random", "perfect"].includes(player) ? "" : player);
    const { first, second } = this.state;
    return this.go({ game, first: carry(first), second: carry(second), position: "", moves: [], at: null, seed: "", view: this.state.view === "retry" ? "play" : this.state.view });
  }

  play(gesture) {
    if (this.challenge) return this.challenge(gesture);
    if (!this.live) return undefined;
    return this.go({ moves: [...this.moves, gesture.move], at: null });
  }

  /** Plays a move that was typed, once the board shows where; the reason if it cannot be played. */
  async playWord(word) {
    while (this.stale && this.current) {
      const { current } = this;
      await current;
      if (current === this.current) break;
    }
    const list = this.view?.scene.moves ?? [];
    const gesture = list.find((known) => known.move.toLowerCase() === word.toLowerCase());
    if (!this.live) return this.over ? "the game is over" : "it is not your turn";
    if (!gesture) return `${word} is not a legal move here; legal ones are ${list.slice(0, 8).map((known) => known.move).join(" ")}${list.length > 8 ? " …" : ""}`;
    this.play(gesture);
    return "";
  }

  /** Brings everything up to date with the state; `current` is done when the board shows it. */
  refresh() {
    this.current = this.renew();
    return this.current;
  }

  async renew() {
    this.leave();
    const signal = (this.asking = new AbortController()).signal;
    const elsewhere = Boolean(known(this.state.view));
    $("#screen").hidden = elsewhere;
    if (elsewhere) return this.visit();
    this.stage.clear();
    const { place } = this;
    this.challenge = null;
    for (const part of this.parts) await part.prepare?.(this, signal);
    if (signal.aborted) return;
    if (this.startless) {
      const position = await randomStart.ifNeeded(this.state.game);
      if (signal.aborted) return;
      this.state = { ...this.state, position };
      history.replaceState(null, "", write(this.state));
    }
    const where = this.place;
    if (where) {
      const key = api.query(where);
      if (key !== this.shown || !this.view) {
        if (!(await this.fetchView(where, key, signal))) return;
      }
    } else if (place) {
      this.view = null;
    }
    this.draw();
    if (this.view && this.wanted) this.watch(signal);
    this.turn(signal);
  }

  /** Shows a view that is not about the board. */
  visit() {
    const { view, extra } = this.state;
    this.complain(null);
    this.drawHeader();
    const title = (words) => (document.title = `${words} — outplay`);
    title(known(view).title);
    return this.stage.show(view, { app: this, extra, go: (changes, how) => this.go(changes, how), title }).catch((error) => this.complain(error));
  }

  async fetchView(place, key, signal) {
    try {
      const view = await api.view(place, signal);
      if (signal.aborted) return false;
      this.view = view;
      this.shown = key;
      this.answer = null;
      this.found = new Map();
      this.progress = null;
      this.reasons = null;
      this.failed = null;
      this.complain(null);
      this.settle(view);
      return true;
    } catch (error) {
      if (error.name === "AbortError") return false;
      this.refused(error);
      return false;
    }
  }

  /** Fills in what the address left open: the canonical spec and a player of middling strength. */
  settle(view) {
    const open = this.state.view !== "puzzle" && view.game !== this.state.game;
    if (open) this.state.game = view.game;
    const { first, second } = this.state;
    this.state = { ...this.state, first: first || middling(this.levels), second: second || middling(this.levels) };
    history.replaceState(null, "", write(this.state));
    if (open) this.shown = api.query(this.place);
  }

  /** A refusal is told as it is, and the board stays. */
  refused(error) {
    this.complain(error);
    if (this.view && this.state.view !== "puzzle") {
      // The screen still shows the last position that made sense, so the address should too.
      const shown = new URLSearchParams(this.shown);
      this.state = { ...this.state, game: shown.get("game"), position: shown.get("position") ?? "",
        moves: (shown.get("moves") ?? "").split(" ").filter(Boolean), at: null };
      history.replaceState(null, "", write(this.state));
      this.draw();
    } else {
      $("#spec").textContent = this.state.game;
      $("#status").textContent = "Nothing to show";
      $("#elsewhere").hidden = false;
      document.body.dataset.view = "nothing";
    }
  }

  complain(error) {
    const line = $("#trouble");
    line.hidden = !error;
    line.textContent = error ? (error.words ?? error.message) : "";
  }

  /** Ends whatever is under way for the screen that is left. */
  leave() {
    this.stop();
    this.stop = () => {};
    this.asking?.abort();
    this.following?.abort();
    this.busy(false);
  }

  // Values.

  /** Whether values are wanted here, shown or not. */
  get wanted() {
    return !this.answer && (this.valuesShown || this.state.view === "explore");
  }

  /** Listens for the values of the position on the screen. */
  watch(signal) {
    if (this.answer) return;
    this.progress = { stage: "searching" };
    this.stop();
    this.stop = api.stream(this.place, {
      move: (answer) => {
        this.found.set(answer.move, seen(answer, this.toMove));
        this.drawSoon();
      },
      progress: (progress) => {
        this.progress = progress;
        this.drawSoon();
      },
      done: (answer) => {
        if (signal.aborted) return;
        this.hear(answer);
        this.draw();
        if (this.state.view === "explore") announce(sentence(this.answer, this.toMove, this.names));
      },
      fail: (error) => {
        if (signal.aborted) return;
        this.progress = null;
        this.failed = error.words ?? error.message;
        this.draw();
      },
    });
  }

  hear(answer) {
    const moves = answer.moves.map((move) => seen(move, this.toMove));
    this.answer = { ...seen(answer, this.toMove), moves };
    this.progress = null;
    this.failed = null;
    this.found = new Map(moves.map((move) => [move.move, move]));
  }

  /** The answer for the position on the screen, waiting for it if need be. */
  async know(signal) {
    if (!this.answer) {
      const answer = await api.position(this.place, signal);
      if (!signal?.aborted) this.hear(answer);
    }
    return this.answer;
  }

  // Turns.

  /** Rolls the dice or asks the computer for its move, if it is their turn at the end of the game. */
  async turn(signal) {
    if (!this.view || this.over || this.state.view !== "play" || this.state.at !== null) return;
    if (this.toMove === "chance") {
      await pause(BEAT);
      if (signal.aborted) return;
      const gesture = this.rolled();
      toast(`${gesture.move} rolled`);
      await this.go({ moves: [...this.moves, gesture.move] }, "replace");
      return;
    }
    const player = this.mover;
    if (player === "human") {
      announce(`${this.names[this.toMove]} to move`);
      return;
    }
    this.busy(true);
    try {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const [choice] = await Promise.all([api.choose(this.place, player, seed, signal), pause(BEAT)]);
      if (signal.aborted) return;
      this.busy(false);
      announce(`${this.names[this.toMove]} plays ${choice.move}`);
      await this.go({ moves: [...this.moves, choice.move] }, "replace");
    } catch (error) {
      this.busy(false);
      if (error.name !== "AbortError") this.complain(error);
    }
  }

  /** A move of chance, as likely as the rules say. */
  rolled() {
    const list = buttons(this.view.scene);
    const total = list.reduce((sum, gesture) => sum + (gesture.odds || 1), 0);
    let left = Math.random() * total;
    return list.find((gesture) => (left -= gesture.odds || 1) < 0) ?? list[list.length - 1];
  }

  busy(on) {
    this.thinking = on;
    $("#thinking").hidden = !on;
  }

  undo() {
    const { moves, view } = this.state;
    let at = this.moves.length - 1;
    if (at < 0) return undefined;
    // Against the computer one takes back one's own move, not only the answer to it.
    const alone = view === "play" && this.humans === 1;
    if (alone && this.mover === "human" && at > 0) at -= 1;
    return this.go({ at: at < moves.length ? at : null }, "push");
  }

  redo() {
    const { moves, view } = this.state;
    let at = this.moves.length + 1;
    if (at > moves.length) return undefined;
    if (view === "play" && this.humans === 1 && at < moves.length && this.mover === "human") at += 1;
    return this.go({ at: at < moves.length ? at : null }, "push");
  }

  jump(ply) {
    const { moves } = this.state;
    return this.go({ at: ply < moves.length ? ply : null, view: this.state.view === "retry" ? "explore" : this.state.view });
  }

  get humans() {
    return Number(this.state.first === "human") + Number(this.state.second === "human");
  }

  swap() {
    return this.go({ first: this.state.second, second: this.state.first, view: "play" });
  }

  /** A new game, from the start or from a position reached by chance. */
  async again(shuffled) {
    if (this.state.view === "puzzle") return this.next?.();
    if (!shuffled || randomStart.needed(this.state.game)) return this.go({ position: "", moves: [], at: null, view: this.state.view === "retry" ? "play" : this.state.view });
    return this.go({ ...(await randomStart.byPlay(this.state.game)), at: null });
  }

  async hint() {
    if (!this.live) return;
    const { signal } = this.asking;
    this.busy(true);
    try {
      // Where no exact value can be expected, a strong player's opinion is there sooner.
      let answer = this.answer ?? (this.view.exact === false ? { best: [], line: [], moves: [] } : await this.know(signal));
      if (!answer.best.length) {
        const strongest = this.levels.findLast((level) => level !== "perfect") ?? "random";
        const choice = await api.choose(this.place, strongest, 1, signal);
        answer = { ...answer, best: [choice.move], line: choice.line };
      }
      const [best] = answer.best;
      if (!best) return;
      this.board.ghosts(trail(this.view.scene, [best]));
      const value = answer.moves.find((move) => move.move === best);
      toast(`Hint: ${best}${value && (value.value !== "unknown" || mean(value) !== null) ? `, ${long(value)}` : ""}`);
    } catch (error) {
      if (error.name !== "AbortError") this.complain(error);
    } finally {
      this.busy(false);
    }
  }

  toggleValues() {
    return this.go({ values: !this.valuesShown }, "replace");
  }

  /** Shows where a move leads: the line of best play after it, as far as it is known or soon found. */
  look(gesture) {
    this.following?.abort();
    if (!this.view || this.reasons) return;
    if (!gesture || !this.valuesShown || !this.answer) {
      this.board.ghosts([]);
      return;
    }
    const known = this.answer.line?.[0] === gesture.move ? this.answer.line : [gesture.move];
    this.board.ghosts(trail(this.view.scene, known.slice(0, this.linePlies)));
    if (known.length < 2) this.follow([gesture.move]);
  }

  get linePlies() {
    return LINE[this.view.scene.layout] ?? FEW;
  }

  /** Goes on with a line, best move by best move, while somebody looks. */
  async follow(line) {
    const { signal } = (this.following = new AbortController());
    const { place } = this;
    await pause(BEAT);
    try {
      const most = this.linePlies;
      while (line.length < most && !signal.aborted) {
        const answer = await api.position({ ...place, moves: [...place.moves, ...line] }, signal);
        if (signal.aborted || this.reasons || !answer.best.length) return;
        line.push(...(answer.line.length ? answer.line : answer.best.slice(0, 1)).slice(0, most - line.length));
        this.board.ghosts(trail(this.view.scene, line));
      }
    } catch (error) {
      if (error.name !== "AbortError" && !(error instanceof api.ApiError)) throw error;
    }
  }

  // Drawing.

  drawSoon() {
    this.pending ??= requestAnimationFrame(() => {
      this.pending = null;
      this.draw();
    });
  }

  drawHeader() {
    $("#elsewhere").hidden = true;
    document.body.dataset.view = this.state.view;
    $("#spec").textContent = this.state.game;
    for (const tab of document.querySelectorAll("[data-view]")) {
      if (tab === document.body) continue;
      tab.setAttribute("aria-current", String(tab.dataset.view === this.state.view));
    }
  }

  draw() {
    this.drawHeader();
    document.title = `${this.state.game} — outplay`;
    if (this.view) this.drawBoard();
    for (const part of this.parts) part.draw(this);
  }

  drawBoard() {
    const { scene } = this.view;
    const shown = this.moves;
    const status = this.statusLine();
    this.board.show(scene, {
      live: this.live,
      mover: this.toMove,
      answers: this.found,
      best: this.answer ? new Set(this.answer.best) : null,
      values: this.valuesShown,
      last: lastSpots(scene, this.place.moves[this.place.moves.length - 1] ?? (shown.length ? shown[shown.length - 1] : "")),
      label: `${this.state.game}, ${status}`,
    });
    $("#status").textContent = status;
    $("[data-do=undo]").disabled = !shown.length;
    $("[data-do=redo]").disabled = this.state.at === null;
    $("[data-do=hint]").disabled = !this.live;
    $("[data-do=values]").setAttribute("aria-pressed", String(this.valuesShown));
    this.drawBar();
  }

  statusLine() {
    const { view, names: who } = this;
    if (this.over) return ending(view.outcome, who);
    if (this.toMove === "chance") return this.state.view === "explore" ? "Chance: choose what is rolled" : "The dice are rolled";
    const mover = who[this.toMove];
    if (this.state.view !== "play") return `${mover} to move`;
    if (this.humans === 2) return `${mover} to move`;
    return this.mover === "human" ? `Your move (${mover})` : `${mover} to move: ${nameOf(this.mover)}`;
  }

  drawBar() {
    const bar = $("#bar");
    const answer = this.over ? { value: "draw" } : this.answer;
    // Its place is kept, so that the board does not move when a value comes.
    const absent = !(this.valuesShown && (this.over || (answer && (answer.value !== "unknown" || mean(answer) !== null))));
    bar.classList.toggle("absent", absent);
    if (absent) return;
    const first = this.over ? 0.5 + 0.5 * Math.sign(this.view.outcome) : share(answer, this.toMove);
    bar.style.setProperty("--share", `${(100 * first).toFixed(1)}%`);
    bar.setAttribute("aria-label", this.over ? ending(this.view.outcome, this.names) : sentence(answer, this.toMove, this.names));
  }
}
