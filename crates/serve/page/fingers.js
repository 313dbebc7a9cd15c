// @ts-check

// Fingers on an enlarged board: one drags it, two that come together show the whole board again.

import { given } from "./given.js";

/** Pixels that a touch may move and still count as a tap. */
const STILL = 8;
/** The distance between two fingers, compared with its start, that shows the whole board. */
const CLOSED = 0.75;

export class Fingers {
  /** @type {Map<number, { x: number, y: number }>} */
  down = new Map();
  apart = 0;
  dragged = false;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    const { svg } = board;
    svg.addEventListener("pointerdown", (event) => this.pressed(event));
    svg.addEventListener("pointermove", (event) => this.moved(event));
    for (const name of /** @type {const} */ (["pointerup", "pointercancel"]))
      svg.addEventListener(name, (event) => this.down.delete(event.pointerId));
    // A tap plays, a drag does not.
    svg.addEventListener("click", (event) => this.dragged && event.stopImmediatePropagation(), true);
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    if (!this.down.size) this.dragged = false;
    if (!this.board.zoomed || event.pointerType !== "touch") return;
    this.down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.apart = this.distance;
  }

  get distance() {
    const [a, b] = [...this.down.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const from = this.down.get(event.pointerId);
    const { board } = this;
    if (!from || !board.zoomed) return;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (this.down.size === 1 && !this.dragged && Math.hypot(dx, dy) < STILL) return;
    this.dragged = true;
    Object.assign(from, { x: event.clientX, y: event.clientY });
    if (this.down.size === 1) this.pan(dx, dy);
    else if (this.distance < CLOSED * this.apart) {
      this.down.clear();
      board.whole();
      board.say("");
    }
  }

  /**
   * Moves the enlarged part by pixels of the screen.
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    const { svg, metrics: m } = this.board;
    const { x, y, width, height } = svg.viewBox.baseVal;
    const scale = given(svg.getScreenCTM()).a;
    /**
     * @param {number} at
     * @param {number} most
     */
    const within = (at, most) => Math.max(0, Math.min(most, at));
    const left = within(x - dx / scale, m.width - width);
    const top = within(y - dy / scale, m.height - height);
    svg.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
  }
}
