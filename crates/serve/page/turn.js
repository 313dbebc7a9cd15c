// Turns in a game: the dice are rolled, the computer is asked for its move, and both are shown at a pace that one can
// follow. What happened stands in a short log that a screen reader hears too, line by line.

import * as api from "./api.js";
import { $, h } from "./dom.js";
import { middling } from "./levels.js";
import { buttons } from "./scene.js";
import { sound } from "./sound.js";
import { beginner, hasDice, sides, spoken } from "./turns.js";

/** Before the computer's stone falls, so that one sees one's own. */
const BEAT = 250;
/** Between the steps of a turn with dice. */
const PACES = { calm: 900, quick: 300 };
/** Lines of the log. */
const LINES = 3;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Turns {
  constructor(app) {
    this.app = app;
    this.picks = new Map(); // which of several equal piles a move was meant for
    this.pace = PACES.calm;
    try {
      this.setPace(localStorage.getItem("pace") ?? "calm");
    } catch {
      // Private windows remember nothing, which is fine.
    }
  }

  get paceName() {
    return this.pace === PACES.quick ? "quick" : "calm";
  }

  setPace(name) {
    this.pace = PACES[name] ?? PACES.calm;
  }

  /** Whose turn it is, also while the dice roll. */
  get owner() {
    const { app } = this;
    if (app.toMove !== "chance") return app.toMove;
    const { game, position } = app.state;
    return sides(game, [...app.moves, ""], beginner(game, position)).at(-1);
  }

  /** A person has made a move. */
  made(gesture) {
    const { app } = this;
    const touched = app.board.touched;
    if (app.view.scene.layout === "piles" && touched) this.picks.set([...app.moves, gesture.move].join(" "), touched.x);
    sound(app.view.scene.layout === "text" ? "roll" : "place");
  }

  /** Rolls the dice or asks the computer for its move, if it is their turn at the end of the game. */
  async next(signal) {
    const { app } = this;
    if (!app.view || !app.playing || app.state.at !== null) return;
    if (app.over) {
      sound("end");
      return;
    }
    if (app.toMove === "chance") {
      await this.roll(signal);
      return;
    }
    const player = app.mover;
    if (player !== "human") await this.reply(player, signal);
  }

  async roll(signal) {
    const { app } = this;
    const own = app.state[this.owner] === "human";
    await pause(Math.min(this.pace, own ? BEAT : this.pace));
    if (signal.aborted) return;
    const gesture = this.rolled();
    const who = this.name(this.owner);
    this.log(app.view.scene.layout === "text" ? this.pigWords(who, gesture.move) : `${who} ${who === "You" ? "roll" : "rolls"} ${gesture.move.replace("-", " and ")}.`);
    sound("roll");
    await app.go({ moves: [...app.moves, gesture.move] }, "replace");
  }

  pigWords(who, word) {
    const bad = word === "1" || word === "tails";
    const lost = Number(this.app.view.scene.facts.find(([name]) => name === "this turn")?.[1] ?? 0);
    const you = who === "You";
    return `${who} ${you ? "roll" : "rolls"} ${word}${bad ? (lost ? ` and ${you ? "lose" : "loses"} ${lost}.` : ": the turn is over.") : "."}`;
  }

  async reply(player, signal) {
    const { app } = this;
    const side = app.toMove;
    app.busy(true);
    try {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const wait = hasDice(app.state.game) ? this.pace : Math.min(this.pace, BEAT);
      const [choice] = await Promise.all([api.choose(app.place, player, seed, signal), pause(wait)]);
      if (signal.aborted) return;
      app.busy(false);
      const who = this.name(side);
      this.log(choice.move === "hold" ? `${who} holds.` : choice.move === "roll" ? "" : choice.move === "pass" ? `${who} cannot move.` : `${who} ${spoken(app.state.game, choice.move)}.`);
      sound("place");
      await app.go({ moves: [...app.moves, choice.move], view: app.state.view === "home" ? "play" : app.state.view }, "replace");
    } catch (error) {
      app.busy(false);
      if (error.name === "AbortError" || signal.aborted) return;
      await this.stuck(side, player, error);
    }
  }

  /** A player that does not exist or cannot play this is replaced by one that can, and both are told. */
  async stuck(side, player, error) {
    const { app } = this;
    const usual = middling(app.levels);
    if (error.status === 503 || error.status >= 500 || player === usual) {
      app.complain(error);
      return;
    }
    const told = new api.ApiError(400, `${error.words ?? error.message} — meanwhile another player plays.`);
    app.complain(told);
    // It is still to be read when that player has moved.
    app.warned = told;
    await app.go({ [side]: usual }, "replace");
  }

  name(side) {
    const { app } = this;
    return app.own === side ? "You" : app.names[side];
  }

  /** A move of chance, as likely as the rules say. */
  rolled() {
    const list = buttons(this.app.view.scene);
    const total = list.reduce((sum, gesture) => sum + (gesture.odds || 1), 0);
    let left = Math.random() * total;
    return list.find((gesture) => (left -= gesture.odds || 1) < 0) ?? list[list.length - 1];
  }

  /** A line of the log; older ones go. */
  log(words) {
    if (!words) return;
    const list = $("#turns");
    list.append(h("p", {}, words));
    while (list.children.length > LINES) list.firstElementChild.remove();
  }

  clear() {
    $("#turns").replaceChildren();
  }
}
