// @ts-check

// Board input: clicks, drags, touches and keys become moves.
//
//   path []  →  pick a man  →  point at its goal  →  play        or drag it there
//
// A turn of several steps is collected until its last step, and each step can be taken back. Impossible
// actions get a short message.

import { announce, around, beneath, h, put } from "./dom.js";
import { given } from "./given.js";
import { man } from "./men.js";
import { refusal } from "./refusal.js";
import { ahead, hops, stepwise } from "./scene.js";

/** Pixels that a press may move and still count as a click. */
const STILL = 6;
/** Touching a cell smaller than this (in pixels) zooms in first. */
const THUMB = 26;
/** @type {{ [face in Face]?: string }} */
const MEN_WORD = { chess: "", cubes: "cube ", race: "checker ", points: "man " };

export class Hand {
  /** @type {number[]} */
  path = [];
  /** @type {{ spot: number, begun: number[], x: number, y: number, id: number } | null} */
  press = null;
  /** @type {number | null} */
  hovering = null;
  dragged = false;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.focus = 0;
    const { svg } = board;
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.moved(event));
    svg.addEventListener("pointerup", (event) => this.up(event));
    svg.addEventListener("pointercancel", () => this.drop());
    svg.addEventListener("click", (event) => this.clicked(event));
    svg.addEventListener("keydown", (event) => this.pressed(event));
    svg.addEventListener("focusin", (event) => this.focused(event));
    svg.addEventListener("pointerover", (event) => this.hovered(event));
    svg.addEventListener("pointerleave", () => this.leave());
    svg.addEventListener("focusout", () => {
      this.leave();
      board.ringAt(null);
    });
  }

  /** Discards an unfinished turn when the position changes. */
  reset() {
    this.path = [];
    this.board.choices.hidden = true;
    this.drop();
    this.hover(null);
  }

  /** Keeps the focus within the board when the board changes. */
  settle() {
    this.focus = Math.max(0, Math.min(this.focus, this.board.spots.length - 1));
    this.hovering = null;
  }

  /** @param {Event} event */
  spotOf(event) {
    const group = around(event, "[data-spot]");
    if (group) return Number(group.dataset.spot);
    const column = around(event, "[data-column]");
    if (!column) return null;
    return this.board.scene.spots.findIndex((spot) => spot.x === Number(column.dataset.column) - 1);
  }

  /** @param {number} spot */
  target(spot) {
    return this.board.alias.get(spot) ?? spot;
  }

  // Clicking.

  /** @param {MouseEvent & { pointerType?: string }} event */
  clicked(event) {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    const spot = this.spotOf(event);
    if (spot === null) return;
    if (event.pointerType === "touch" && this.tooSmall()) {
      this.board.zoom(spot);
      return;
    }
    this.setFocus(spot, false);
    this.point(spot);
  }

  tooSmall() {
    const { svg, metrics: m, zoomed, face } = this.board;
    if (zoomed || face === "drop" || face === "piles" || face === "race") return false;
    return (svg.getBoundingClientRect().width / m.width) * m.dx < THUMB;
  }

  /**
   * Handles a click on a spot: continues the unfinished move, starts another one, or reports why not.
   * @param {number} spot
   */
  point(spot) {
    const { board, path } = this;
    const { scene, look } = board;
    const target = this.target(spot);
    board.touched = scene.spots[spot];
    if (!look.live && look.waiting) {
      board.later.push(spot);
      return undefined;
    }
    if (!look.live) return board.refuse(spot, refusal(board.shown, look, path, spot, board.names));
    // Clicking the picked man again puts it down.
    if (
      path.length &&
      path[path.length - 1] === target &&
      !ahead(scene, [...path, target]).next.size &&
      !ahead(scene, [...path, target]).complete.length
    )
      return this.stepBack();
    const far = hops(scene, path).get(spot);
    const begun = stepwise(scene) ? path.slice(0, path.length - (path.length % 2)) : [];
    for (const way of [[...path, target], far, [...begun, target]]) {
      if (!way) continue;
      const { next, complete } = ahead(scene, way);
      if (!next.size && complete.length === 1) return this.finish(complete[0]);
      if (next.size || complete.length) return this.pick(way, complete, next.size);
    }
    board.refuse(spot, refusal(board.shown, look, path, spot, board.names));
    if (path.length % 2 || !stepwise(scene)) this.letGo();
    return undefined;
  }

  /**
   * @param {number[]} path
   * @param {Gesture[]} complete
   * @param {number} more
   */
  pick(path, complete, more) {
    const { board } = this;
    this.path = path;
    const made = stepwise(board.scene) && path.length % 2 === 0;
    /** @param {Gesture} gesture */
    const button = (gesture) =>
      h(
        "button",
        { type: "button", "data-move": gesture.move, onclick: () => this.finish(gesture) },
        this.choiceWord(gesture) || (more ? `play ${gesture.move}` : gesture.move),
      );
    const back =
      stepwise(board.scene) &&
      path.length > 1 &&
      h(
        "button",
        {
          type: "button",
          "data-step-back": "",
          onclick: () => {
            this.letGo();
            this.stepBack();
          },
        },
        "Take back this step",
      );
    board.choices.hidden = !complete.length && !back;
    put(board.choices, complete.map(button), back);
    this.hover(null);
    board.update();
    board.say("");
    const spot = board.scene.spots[path[path.length - 1]];
    announce(
      complete.length
        ? "choose a move"
        : made
          ? `moved to ${spot.name}; next step`
          : this.taking(path)
            ? "mill: take a man"
            : `${MEN_WORD[board.face] ?? ""}${spot.name} selected; choose a destination`,
    );
    if (this.taking(path)) board.say("You closed a mill: take one of your opponent’s men.");
    if (complete.length) board.choices.querySelector("button")?.focus();
  }

  /**
   * Whether the next click takes a man.
   * @param {number[]} path
   */
  taking(path) {
    const { scene, look, face } = this.board;
    if (face !== "points" || !path.length) return false;
    const { next } = ahead(scene, path);
    const other = look.mover === "first" ? "second" : "first";
    return next.size > 0 && [...next.keys()].every((i) => scene.spots[i].holder === other);
  }

  /** @param {Gesture} gesture */
  choiceWord(gesture) {
    /** @type {{ [letter: string]: string }} */
    const men = { Q: "Queen", R: "Rook", B: "Bishop", N: "Knight" };
    const { choice = "" } = gesture;
    return this.board.face === "chess" ? (men[choice] ?? choice) : choice;
  }

  /** @param {Gesture} gesture */
  finish(gesture) {
    this.path = [];
    this.board.choices.hidden = true;
    this.board.say("");
    this.hover(null);
    this.board.on.play(gesture);
  }

  letGo() {
    if (!this.path.length && this.board.choices.hidden) return false;
    this.path = stepwise(this.board.scene)
      ? this.path.slice(0, this.path.length - (this.path.length % 2))
      : [];
    this.board.choices.hidden = !this.path.length;
    this.board.update();
    return true;
  }

  /** Takes back the last step, or puts down the picked man. */
  stepBack() {
    const { path, board } = this;
    if (!path.length) return this.letGo();
    const length = stepwise(board.scene) ? path.length - (path.length % 2 || 2) : path.length - 1;
    this.path = path.slice(0, length);
    board.choices.hidden = !(stepwise(board.scene) && length > 0);
    board.update();
    board.say("");
    return true;
  }

  // Dragging.

  /** @param {PointerEvent} event */
  down(event) {
    this.dragged = false;
    if (event.button !== 0) return;
    const spot = this.spotOf(event);
    const { scene, look } = this.board;
    if (spot === null || !look.live) return;
    const begun = stepwise(scene) ? this.path.slice(0, this.path.length - (this.path.length % 2)) : [];
    const { next } = ahead(scene, [...begun, spot]);
    const holder = this.board.shown.spots[spot].holder;
    // Only the mover's own men with a legal move can be dragged.
    if (holder === look.mover && next.size)
      this.press = { spot, begun, x: event.clientX, y: event.clientY, id: event.pointerId };
  }

  /** @param {PointerEvent} event */
  moved(event) {
    const { press, board } = this;
    if (!press) return;
    if (!this.dragged) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < STILL) return;
      this.dragged = true;
      board.svg.setPointerCapture(press.id);
      this.pick([...press.begun, press.spot], [], 1);
      board.spots[press.spot].stone.classList.add("lifted");
      const { holder, label } = board.shown.spots[press.spot];
      put(board.float, man(board.face, holder, board.face === "race" ? "" : label));
    }
    const [x, y] = this.place(event);
    board.float.setAttribute("transform", `translate(${x} ${y})`);
    event.preventDefault();
  }

  /**
   * The pointer position in the coordinates of the SVG.
   * @param {PointerEvent} event
   */
  place(event) {
    const { svg } = this.board;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      given(svg.getScreenCTM()).inverse(),
    );
    return [point.x, point.y];
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { press } = this;
    const dragged = this.dragged;
    this.drop();
    if (!press || !dragged) return;
    this.dragged = true; // The click event that follows a drag is ignored.
    setTimeout(() => (this.dragged = false), 0);
    const under = beneath(event, "[data-spot]");
    const spot = under && this.board.svg.contains(under) ? Number(under.dataset.spot) : null;
    if (spot === null || spot === press.spot) return;
    this.point(spot);
  }

  /** Returns the dragged man to its spot. */
  drop() {
    if (this.press) this.board.spots[this.press.spot]?.stone.classList.remove("lifted");
    this.press = null;
    if (this.board.float) put(this.board.float);
  }

  // Pointing.

  /** @param {PointerEvent} event */
  hovered(event) {
    const spot = this.spotOf(event);
    if (spot === null) return;
    if (event.pointerType !== "touch") this.hover(spot);
    this.lookAt(spot);
  }

  /** @param {FocusEvent} event */
  focused(event) {
    const spot = this.spotOf(event);
    if (spot === null) return;
    // A column is focused as a whole; the spot within it does not matter.
    if (this.board.spots[spot].handle !== this.board.spots[this.focus]?.handle) this.focus = spot;
    const seen = event.target instanceof Element && event.target.matches(":focus-visible");
    this.board.ringAt(seen ? this.focus : null);
    if (seen) this.hover(this.focus);
    this.lookAt(this.focus);
  }

  leave() {
    this.hover(null);
    this.board.on.look(null);
  }

  /** @param {number} spot */
  lookAt(spot) {
    const { board } = this;
    const gestures = ahead(board.scene, this.path).next.get(this.target(spot));
    const { best } = board.look;
    board.on.look(gestures ? (gestures.find((gesture) => best?.has(gesture.move)) ?? gestures[0]) : null);
  }

  /**
   * Previews a click: the stone to be placed, or the matches to be taken.
   * @param {number | null} spot
   */
  hover(spot) {
    const { board } = this;
    if (!board.ghost || spot === this.hovering) return;
    this.hovering = spot;
    const { scene, look, face } = board;
    const target = spot === null ? -1 : this.target(spot);
    const open = spot !== null && look?.live && ahead(scene, this.path).next.has(target);
    if (face === "piles") {
      const { x, y } = spot === null ? { x: -1, y: -1 } : scene.spots[spot];
      board.spots.forEach((drawn, i) =>
        drawn.group.classList.toggle(
          "going",
          Boolean(open) && scene.spots[i].x === x && scene.spots[i].y >= y && !scene.spots[i].gone,
        ),
      );
      if (open) {
        const count = scene.spots.filter((known) => known.x === x && known.y >= y && !known.gone).length;
        board.say(`Take ${count}.`);
      }
      return;
    }
    const single =
      open &&
      !board.shown.spots[target].holder &&
      (scene.moves.every((gesture) => gesture.path.length <= 1) || (face === "points" && !this.path.length));
    put(board.ghost, single && man(face, look.mover === "second" ? "second" : "first", ""));
    if (single)
      board.ghost.setAttribute("transform", `translate(${board.metrics.at(scene.spots[target]).join(" ")})`);
  }

  // The keyboard.

  /** @param {number} spot */
  setFocus(spot, move = true) {
    const { spots } = this.board;
    spots[this.focus]?.handle.setAttribute("tabindex", "-1");
    this.focus = spot;
    spots[spot]?.handle.setAttribute("tabindex", "0");
    if (move) spots[spot]?.handle.focus();
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (this.spotOf(event) === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const spot = this.focus;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way) {
      const near = this.neighbour(spot, way);
      if (near !== null) this.setFocus(near);
    } else if (event.key === "Enter" || event.key === " ") {
      this.point(spot);
    } else if (event.key !== "Escape" || !this.stepBack()) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * The nearest spot in a direction; spots straight ahead are preferred.
   * @param {number} from
   * @param {number[]} options
   * @returns {number | null}
   */
  neighbour(from, [dx, dy]) {
    const { spots } = this.board.scene;
    let nearest = null;
    let least = Infinity;
    spots.forEach((spot, i) => {
      const [x, y] = [spot.x - spots[from].x, spot.y - spots[from].y];
      const along = x * dx + y * dy;
      const across = Math.abs(x * dy) + Math.abs(y * dx);
      if (along > 0 && along + 3 * across < least) [nearest, least] = [i, along + 3 * across];
    });
    return nearest;
  }

  /** Focuses the last spot if it can be played, otherwise one that can. */
  enter() {
    const { board } = this;
    const open = [...ahead(board.scene, this.path).next.keys()];
    if (!open.includes(this.focus) && open.length) this.setFocus(open[Math.floor(open.length / 2)]);
    else if (board.spots.length) this.setFocus(this.focus);
    else board.buttons.querySelector("button")?.focus();
  }
}
