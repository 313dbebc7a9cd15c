// @ts-check

// Bottom sheet of phones: players, moves, history and table, behind a handle at the lower edge. On larger
// screens style.css shows its cards in the column beside the board.

import { $, around, put } from "./dom.js";
import { nameOf } from "./levels.js";

export class Drawer {
  constructor() {
    this.box = $("#drawer");
    this.handle = $("#drawer-handle");
    this.handle.addEventListener("click", () => this.show(!this.open));
    addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !this.open) return;
      this.show(false);
      this.handle.focus();
    });
    // A tap beside the sheet closes it.
    addEventListener("pointerdown", (event) => {
      if (this.open && !around(event, "#drawer, dialog, #toast")) this.show(false);
    });
  }

  get open() {
    return this.handle.getAttribute("aria-expanded") === "true";
  }

  /** @param {boolean} open */
  show(open) {
    this.handle.setAttribute("aria-expanded", String(open));
    this.box.classList.toggle("open", open);
  }

  /** @param {App} app */
  draw(app) {
    put(this.handle, label(app));
  }
}

/**
 * What the handle says: the opponent, or what lies behind it.
 * @param {Pick<App, "playing" | "state" | "own">} app
 */
export function label({ playing, state, own }) {
  if (!playing) return "Moves, history and table";
  if (own) return `Opponent: ${nameOf(own === "first" ? state.second : state.first)}`;
  return "Players and moves";
}
