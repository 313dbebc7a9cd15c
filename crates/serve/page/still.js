// @ts-check

// Read-only boards, for examples and live games.

import { Board } from "./board.js";
import { h } from "./dom.js";
import { lastSpots } from "./scene.js";

export class Still {
  /** @type {Board | undefined} */
  board;

  constructor(label = "") {
    this.host = h("div", { class: "still-board" });
    this.host.inert = true;
    this.element = h("div", { class: "still", role: "img", "aria-label": label }, this.host);
  }

  /**
   * Shows a scene; `last` is the move that led to it.
   * @param {Scene} scene
   * @param {{ toMove?: Turn, last?: string, fresh?: boolean, label?: string }} [options]
   */
  show(scene, { toMove = "first", last = "", fresh = false, label = "" } = {}) {
    this.board ??= new Board(this.host, { play() {}, look() {} });
    const marked = last ? lastSpots(scene, last) : [];
    this.board.show(
      { ...scene },
      {
        live: false,
        mover: toMove,
        answers: new Map(),
        best: null,
        values: false,
        last: marked,
        fresh,
        label,
      },
    );
    if (label) this.element.setAttribute("aria-label", label);
  }
}
