// @ts-check

// Turn handling: rolls the dice, requests the computer's moves, and shows both at a readable pace. A short
// log lists the latest turns and is announced to screen readers.

import * as api from "./api.js";
import { $, h } from "./dom.js";
import { given } from "./given.js";
import { middling } from "./levels.js";
import { report } from "./plies.js";
import { buttons } from "./scene.js";
import { sound } from "./sound.js";

/** Milliseconds before the computer's move, so that the player's own move is seen first. */
const BEAT = 250;
/** Milliseconds between the steps of a turn with dice. */
/** @type {{ [name: string]: number }} */
const PACES = { calm: 900, quick: 300 };
/** Most lines of the log. */
const LINES = 3;
/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export class Turns {
  // The clicked pile of each move, for equal piles.
  /** @type {Map<string, number>} */
  picks = new Map();

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.pace = PACES.calm;
    try {
      this.setPace(localStorage.getItem("pace") ?? "calm");
    } catch {
      // Private windows have no storage.
    }
  }

  get paceName() {
    return this.pace === PACES.quick ? "quick" : "calm";
  }

  /** @param {string} name */
  setPace(name) {
    this.pace = PACES[name] ?? PACES.calm;
  }

  /** The side whose turn it is, also during a roll. */
  get owner() {
    return given(this.app.view).turn_of;
  }

  /**
   * Handles a move of a human player.
   * @param {Gesture} gesture
   */
  made(gesture) {
    const { app } = this;
    const touched = app.board.touched;
    if (app.scene.layout === "piles" && touched)
      this.picks.set([...app.moves, gesture.move].join(" "), touched.x);
    sound(app.scene.layout === "text" ? "roll" : "place");
  }

  /**
   * Rolls the dice or requests the computer's move, if the latest position is on the screen.
   * @param {AbortSignal} signal
   */
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
    if (player && player !== "human") await this.reply(player, signal);
  }

  /** @param {AbortSignal} signal */
  async roll(signal) {
    const { app } = this;
    const own = app.state[this.owner] === "human";
    await pause(Math.min(this.pace, own ? BEAT : this.pace));
    if (signal.aborted) return;
    const gesture = this.rolled();
    this.log(report(this.name(this.owner), gesture.said));
    sound("roll");
    await app.go({ moves: [...app.moves, gesture.move] }, "replace");
  }

  /**
   * @param {string} player
   * @param {AbortSignal} signal
   */
  async reply(player, signal) {
    const { app } = this;
    const side = this.owner;
    app.busy(true);
    try {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const wait = app.view?.chance ? this.pace : Math.min(this.pace, BEAT);
      const [choice] = await Promise.all([api.choose(given(app.place), player, seed, signal), pause(wait)]);
      if (signal.aborted) return;
      app.busy(false);
      this.log(report(this.name(side), choice.said));
      sound("place");
      await app.go(
        { moves: [...app.moves, choice.move], view: app.state.view === "home" ? "play" : app.state.view },
        "replace",
      );
    } catch (error) {
      app.busy(false);
      if (api.isAbort(error) || signal.aborted) return;
      await this.stuck(side, player, error);
    }
  }

  /**
   * Replaces a player that does not exist or cannot play this game by the default one, with a message.
   * @param {Side} side
   * @param {string} player
   * @param {unknown} error
   */
  async stuck(side, player, error) {
    const { app } = this;
    const usual = middling(app.levels);
    const status = error instanceof api.ApiError ? error.status : 0;
    if (status >= 500 || player === usual) {
      app.complain(error);
      return;
    }
    const told = new api.ApiError(400, `${api.wordsOf(error)} — another player takes over for now.`);
    app.complain(told);
    // Keeps the message on the screen after the replacement has moved.
    app.warned = told;
    await app.go({ [side]: usual }, "replace");
  }

  /** @param {Side} side */
  name(side) {
    const { app } = this;
    return app.own === side ? "You" : app.names[side];
  }

  /** A random outcome with the probabilities of the rules. */
  rolled() {
    const list = buttons(this.app.scene);
    const total = list.reduce((sum, gesture) => sum + (gesture.odds || 1), 0);
    let left = Math.random() * total;
    return list.find((gesture) => (left -= gesture.odds || 1) < 0) ?? list[list.length - 1];
  }

  /**
   * Adds a line to the log and removes old ones.
   * @param {string} words
   */
  log(words) {
    if (!words) return;
    const list = $("#turns");
    list.append(h("p", {}, words));
    while (list.children.length > LINES) list.firstElementChild?.remove();
  }

  clear() {
    $("#turns").replaceChildren();
  }
}
