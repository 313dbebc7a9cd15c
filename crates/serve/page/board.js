// @ts-check

// The board: a scene drawn as SVG. Input (clicks, drags, keys) is handled in hand.js.
//
// Spots are created once per board shape and then updated in place, so the layout does not jump, the focus
// stays where it is, and an arriving value changes only one spot.

import { h, put, s } from "./dom.js";
import { drawFacts, tableDice } from "./facts.js";
import { Fingers } from "./fingers.js";
import { given } from "./given.js";
import { bed, ground, metrics } from "./ground.js";
import { Hand } from "./hand.js";
import { markedSpots, numbered, pill, reasons, score } from "./marks.js";
import { defs, face, man } from "./men.js";
import { arrive } from "./motion.js";
import { sameMen } from "./predict.js";
import { ahead, aliases, buttons, content, hops, names, partway } from "./scene.js";
import { about, long, mean, short } from "./verdict.js";

/** Boards with more spots are not drawn: their cells would be too small to click. */
const MOST_SPOTS = 2500;
/** Heuristic scores shown on a large board, best moves first. */
const GUESSES = 6;

export class Board {
  /** @type {Scene} */
  scene;
  /** @type {Scene} */
  shown;
  /** @type {Look} */
  look;
  /** @type {Face} */
  face;
  /** @type {Metrics} */
  metrics;
  /** @type {Map<number, number>} */
  alias;
  /** @type {Map<number, SVGGElement>} */
  heads;
  /** @type {SVGGElement | undefined} */
  over;
  /** @type {SVGGElement | undefined} */
  ghost;
  /** @type {SVGGElement} */
  dice;
  /** @type {SVGGElement} */
  float;
  /** @type {SVGGElement | undefined} */
  ring;
  /** @type {DrawnSpot[]} */
  spots = [];
  /** @type {Spot | undefined} */
  touched;
  zoomed = false;
  // Spots that were clicked while a move waited for the server.
  /** @type {number[]} */
  later = [];
  pressable = "";
  /** @type {Scene | undefined} */
  buttonsOf;
  diceKey = "";
  /** @type {SVGGElement | undefined} */
  diceOf;
  /** @type {Scene | undefined} */
  diceFor;

  /**
   * `on` has the callbacks `play(gesture)` and `look(gesture | null)`.
   * @param {HTMLElement} host
   * @param {{ play(gesture: Gesture): unknown, look(gesture: Gesture | null | undefined): unknown }} on
   */
  constructor(host, on) {
    defs();
    this.host = host;
    this.on = on;
    this.shape = "";
    this.buttons = h("div", { class: "moves-beside" });
    this.facts = h("div", { class: "facts" });
    this.choices = h("div", { class: "choices", role: "group", "aria-label": "Choose a move", hidden: true });
    this.word = h("p", { class: "word", role: "status" });
    this.svg = s("svg", { class: "board", role: "group" });
    this.wider = h(
      "button",
      { type: "button", class: "whole-board", hidden: true, onclick: () => this.whole() },
      "Whole board",
    );
    const stand = h("div", { class: "stand" }, this.svg, this.word, this.wider);
    put(host, stand, this.facts, this.choices, this.buttons);
    this.hand = new Hand(this);
    this.fingers = new Fingers(this);
  }

  get path() {
    return this.hand.path;
  }

  /**
   * Shows a scene. `look` has: `live` (the board accepts moves), `why` (the reason if not), `mover`,
   * `answers` (move → value), `best` (set of moves), `values` (whether they are shown), `last` (spots of the
   * last move), `rolled`, `fresh` (whether the last move has just been made), `label`.
   * @param {Scene} scene
   * @param {Look} look
   */
  show(scene, look) {
    const changed = this.scene !== scene;
    const before = this.scene;
    this.scene = scene;
    this.look = look;
    this.alias = aliases(scene);
    const shape = [
      scene.layout,
      scene.width,
      scene.height,
      (scene.links ?? []).length,
      face(scene),
      scene.layout === "piles"
        ? scene.spots.map((spot) => [spot.x, spot.y].join(":")).join()
        : scene.spots.length,
      scene.spots[0]?.name,
    ].join("|");
    if (changed) {
      this.hand.reset();
      this.say("");
      // The answer may come anywhere on the board.
      if (this.zoomed) this.whole();
    }
    if (shape !== this.shape) this.build(shape);
    this.update();
    if (changed) {
      this.ghosts([]);
      // A move that was drawn before the server confirmed it has already arrived.
      if (look.fresh && before && !sameMen(before, scene)) arrive(this, before);
      if (!look.waiting) this.catchUp();
    }
  }

  /** Makes the clicks that came while the last move waited for the server. */
  catchUp() {
    const { later, scene } = this;
    this.later = [];
    if (!later.length || !this.look.live) return;
    setTimeout(() => {
      for (const spot of later) if (this.scene === scene) this.hand.point(spot);
    }, 0);
  }

  /** @param {string} shape */
  build(shape) {
    this.shape = shape;
    const { scene } = this;
    this.face = face(scene);
    const drawable = scene.layout !== "text" && scene.spots.length <= MOST_SPOTS;
    this.svg.toggleAttribute("hidden", !drawable);
    this.host.dataset.layout = scene.layout;
    this.host.dataset.face = this.face;
    if (!drawable) {
      put(this.svg);
      this.spots = [];
      return;
    }
    const m = (this.metrics = metrics(scene, this.face));
    this.svg.setAttribute("class", `board layout-${scene.layout} face-${this.face}`);
    this.whole();
    this.host.style.setProperty("--ratio", String(m.width / m.height));
    this.heads = new Map();
    this.spots = scene.spots.map((spot, i) => this.spot(spot, i));
    this.over = s("g", { class: "over", "aria-hidden": "true" });
    this.ghost = s("g", { class: "over hover-man", "aria-hidden": "true" });
    this.dice = s("g", { class: "over", "aria-hidden": "true" });
    this.float = s("g", { class: "over floating", "aria-hidden": "true" });
    this.ring = s("g", { class: "over", "aria-hidden": "true" });
    put(
      this.svg,
      ground(scene, this.face, m),
      this.headings(),
      this.ghost,
      s("g", { class: "spots" }, this.columns()),
      this.dice,
      s(
        "g",
        { class: "marks" },
        this.spots.map((drawn) => drawn.place),
      ),
      this.over,
      this.ring,
      this.float,
    );
    this.hand.settle();
  }

  /**
   * Draws the keyboard focus ring above everything, so that no neighbour covers it.
   * @param {number | null} i
   */
  ringAt(i) {
    if (!this.ring) return;
    if (i === null || !this.spots[i]) return put(this.ring);
    const { handle, group } = this.spots[i];
    /** @type {SVGGraphicsElement | null} */
    const cell = handle === group ? group.querySelector(".cell") : handle;
    const { x, y, width, height } = given(cell).getBBox();
    const at = handle === group ? this.metrics.at(this.scene.spots[i]) : [0, 0];
    const box = { x: x + at[0] + 3, y: y + at[1] + 3, width: width - 6, height: height - 6, rx: 9 };
    return put(
      this.ring,
      s("rect", { class: "focus-ring", ...box }),
      s("rect", { class: "focus-ring inner", ...box }),
    );
  }

  /** Shows the whole board; `zoom` shows a part. */
  whole() {
    const { width, height } = this.metrics;
    this.zoomed = false;
    this.wider.hidden = true;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.host.classList.remove("zoomed");
  }

  /**
   * Shows nine by nine cells around a spot, for boards whose cells are too small for a thumb.
   * @param {number} i
   */
  zoom(i) {
    const { metrics: m, scene } = this;
    const [x, y] = m.at(scene.spots[i]);
    const side = 9 * m.dx;
    /**
     * @param {number} middle
     * @param {number} extent
     */
    const within = (middle, extent) => Math.max(0, Math.min(extent - side, middle - side / 2));
    this.zoomed = true;
    this.svg.setAttribute("viewBox", `${within(x, m.width)} ${within(y, m.height)} ${side} ${side}`);
    this.host.classList.add("zoomed");
    this.wider.hidden = false;
    this.say("Tap the cell, or drag the board.");
  }

  /**
   * @param {Spot} spot
   * @param {number} i
   */
  spot(spot, i) {
    const [x, y] = this.metrics.at(spot);
    const stone = s("g", { class: "stone" });
    const mark = s("g", { class: "mark" });
    const hint = s("g", { class: "hint" });
    const transform = `translate(${x} ${y})`;
    const role = this.face === "drop" ? {} : { role: "button", tabindex: -1 };
    const group = s(
      "g",
      { class: "spot", "data-spot": i, transform, ...role },
      bed(this.face, spot, this.metrics),
      stone,
      hint,
    );
    // Values lie above all spots, so that no neighbour covers them.
    const place = s("g", { transform, "aria-hidden": "true" }, mark);
    return { group, handle: group, stone, mark, place, hint, drawn: "", marked: "", hinted: "" };
  }

  /** The focusable elements: one per spot, or one per column where stones fall. */
  columns() {
    if (this.face !== "drop") return this.spots.map((drawn) => drawn.group);
    const byColumn = Map.groupBy(this.scene.spots.keys(), (i) => this.scene.spots[i].x);
    return [...byColumn].map(([x, list]) => {
      const column = s(
        "g",
        { class: "column", role: "button", tabindex: -1, "data-column": x + 1 },
        list.map((i) => this.spots[i].group),
      );
      for (const i of list) this.spots[i].handle = column;
      return column;
    });
  }

  headings() {
    const { scene, metrics: m, face: kind } = this;
    if (kind === "drop") {
      for (let column = 0; column < scene.width; column += 1) {
        this.heads.set(
          column,
          s("g", { class: "head", transform: `translate(${m.left + (column + 0.5) * m.dx} 20)` }),
        );
      }
    }
    return s("g", { "aria-hidden": "true" }, [...this.heads.values()], kind === "piles" && this.counts());
  }

  /** The number of matches in each pile. */
  counts() {
    const { scene, metrics: m } = this;
    const piles = Map.groupBy(scene.spots, (spot) => spot.x);
    return [...Array(scene.width).keys()].map((x) =>
      s(
        "text",
        {
          class: "coordinate count-below",
          x: m.left + (x + 0.5) * m.dx,
          y: m.height - 20,
          "font-size": m.print,
        },
        String(piles.get(x)?.reduce((sum, spot) => sum + (spot.gone ? 0 : Number(spot.label || 1)), 0) ?? 0),
      ),
    );
  }

  /** Updates every spot. */
  update() {
    const { look, path } = this;
    const scene = (this.shown = partway(this.scene, path, look.mover));
    this.svg.setAttribute("aria-label", look.label);
    const { next } = ahead(scene, path);
    const far = hops(scene, path);
    const last = new Set(path.length ? [] : look.last);
    const decisive = new Set(scene.decisive ?? []);
    const marks = markedSpots(next, look);
    const multi = scene.moves.some((gesture) => gesture.path.length > 1);
    const steps = path.length && path.length % 2 === 0 && Boolean(scene.moves[0]?.ways?.length);
    const picked = path.length % 2 || !steps ? path[path.length - 1] : -1;
    this.spots.forEach((drawn, i) => {
      const spot = scene.spots[i];
      const target = this.alias.get(i) ?? i;
      const open = look.live && (next.has(target) || far.has(i));
      const classes = ["spot"];
      if (open) classes.push("open");
      if (open && i !== target) classes.push("stands-in");
      if (open && multi && (!path.length || steps) && spot.holder) classes.push("can");
      if (open && path.length && !steps) classes.push("target");
      if (last.has(i)) classes.push("last");
      if (decisive.has(i)) classes.push("decisive");
      if (picked === i) classes.push("picked");
      if (spot.gone) classes.push("gone");
      drawn.group.setAttribute("class", classes.join(" "));
      const key = `${spot.holder}|${spot.label}`;
      if (drawn.drawn !== key) {
        put(drawn.stone, man(this.face, spot.holder, spot.label, spot.y === 0));
        drawn.drawn = key;
      }
      const mark = marks.get(target === i ? i : -1);
      // A value already marks a legal destination.
      this.hintAt(
        drawn,
        open && path.length && !steps && !(mark && look.values) ? (spot.holder ? "taking" : "free") : "",
      );
      this.mark(drawn, spot, mark);
      const value = marks.get(target);
      const said = [spot.name, content(scene, spot)];
      if (value && look.values) said.push(long(value.answer) + (value.best ? ", best" : ""));
      if (drawn.handle === drawn.group) this.name(drawn.handle, said.join(", "), open, i === this.hand.focus);
    });
    if (this.face === "drop") this.nameColumns(marks, next);
    this.drawHeads(marks, next);
    tableDice(this, path);
    drawFacts(this.facts, scene, look);
    this.drawButtons();
  }

  /**
   * @param {SVGGElement} element
   * @param {string} words
   * @param {boolean} open
   * @param {boolean} focus
   */
  name(element, words, open, focus) {
    element.setAttribute("aria-label", words);
    element.setAttribute("aria-disabled", String(!open));
    element.setAttribute("tabindex", focus ? "0" : "-1");
  }

  /**
   * @param {Map<number, SpotMark>} marks
   * @param {Map<number, Gesture[]>} next
   */
  nameColumns(marks, next) {
    const { scene, look } = this;
    const byColumn = Map.groupBy(scene.spots.keys(), (i) => scene.spots[i].x);
    const focus = scene.spots[this.hand.focus]?.x;
    for (const [x, list] of byColumn) {
      const landing = [...next.keys()].find((spot) => scene.spots[spot].x === x);
      const stones = list.filter((i) => scene.spots[i].holder && scene.spots[i].holder !== "nobody").length;
      const value = landing === undefined ? null : marks.get(landing);
      const words = [
        `column ${x + 1}`,
        landing === undefined && scene.moves.length
          ? "full"
          : `${stones} ${stones === 1 ? "stone" : "stones"}`,
      ];
      if (value && look.values) words.push(long(value.answer) + (value.best ? ", best" : ""));
      this.name(
        this.spots[list[0]].handle,
        words.join(", "),
        look.live && landing !== undefined,
        x === focus,
      );
    }
  }

  /**
   * A dot where a picked man may go, a ring around a man it would capture.
   * @param {DrawnSpot} drawn
   * @param {string} kind
   */
  hintAt(drawn, kind) {
    if (drawn.hinted === kind) return;
    drawn.hinted = kind;
    const race = this.face === "race";
    put(
      drawn.hint,
      kind &&
        s("circle", {
          class: `hint-${race ? "free" : kind}`,
          r: kind === "taking" && !race ? 29 : race ? 13 : 10,
        }),
    );
  }

  /**
   * @param {DrawnSpot} drawn
   * @param {Spot} spot
   * @param {SpotMark | undefined} value
   */
  mark(drawn, spot, value) {
    const guess = value && value.answer.value === "unknown" && mean(value.answer) === null;
    const dull = guess && !(this.look.guesses ?? []).slice(0, GUESSES).includes(value.answer.move);
    const shown = value && this.look.values && this.face !== "drop" && !dull;
    const text = shown ? (guess ? about(value.answer) : short(value.answer)) : "";
    const best = Boolean(value?.best) && this.look.tells !== false;
    const key = `${text}|${best}|${value?.answer.value}|${Boolean(spot.holder)}|${this.face}`;
    if (drawn.marked === key) return;
    drawn.marked = key;
    if (!text || !value) return put(drawn.mark);
    put(drawn.mark, pill(value.answer, best));
    const small = spot.holder || this.face === "points";
    drawn.mark.setAttribute(
      "transform",
      this.face === "piles"
        ? "translate(-6 0) scale(.62)"
        : small
          ? "translate(13 -19) scale(.72)"
          : this.face === "go"
            ? "scale(1.150)"
            : "scale(.94)",
    );
  }

  /**
   * @param {Map<number, SpotMark>} marks
   * @param {Map<number, Gesture[]>} next
   */
  drawHeads(marks, next) {
    for (const [column, head] of this.heads ?? []) {
      const landing = [...next.keys()].find((spot) => this.scene.spots[spot].x === column);
      const value = landing === undefined ? null : marks.get(landing);
      put(
        head,
        value && this.look.values && score({ ...value, best: value.best && this.look.tells !== false }),
      );
    }
  }

  /** Buttons for moves that have no spot on the board. */
  drawButtons() {
    const { scene, look } = this;
    const list = buttons(scene);
    const shown = list.map((gesture) => {
      const answer = look.answers?.get(gesture.move);
      return [gesture.move, look.values && answer && short(answer), look.best?.has(gesture.move)].join();
    });
    const key = [look.live, look.values, look.tells, ...shown].join("|");
    // Replacing a button while it is pressed would lose the click.
    if (key === this.pressable && this.buttonsOf === scene) return;
    this.pressable = key;
    this.buttonsOf = scene;
    const watching = look.mover === "chance" && !look.live;
    this.buttons.hidden = !list.length || watching;
    if (list.length > 120) {
      put(this.buttons, h("p", { class: "note" }, `${list.length} moves: type yours below.`));
      return;
    }
    const main = list.length <= 3 && look.mover !== "chance";
    put(
      this.buttons,
      list.map((gesture) => {
        const answer = look.answers?.get(gesture.move);
        const best = look.best?.has(gesture.move) && look.tells !== false;
        return h(
          "button",
          {
            type: "button",
            class: `move-button ${main ? "large" : ""} ${best && look.values ? "best" : ""}`,
            disabled: !look.live,
            "data-move": gesture.move,
            onclick: () => this.on.play(gesture),
            onpointerenter: () => this.on.look(gesture),
            onpointerleave: () => this.on.look(null),
          },
          gesture.move === "pass"
            ? "No legal move: pass"
            : main
              ? gesture.move[0].toUpperCase() + gesture.move.slice(1)
              : gesture.move,
          answer &&
            look.values &&
            h("span", { class: `badge ${mean(answer) === null ? answer.value : "mean"}` }, short(answer)),
        );
      }),
    );
  }

  /**
   * Shows a message about the last action, with an optional button.
   * @param {string} words
   * @param {...Child} more
   */
  say(words, ...more) {
    put(this.word, words, ...more);
  }

  /**
   * Rejects an action with a message and a small shake.
   * @param {number} i
   * @param {string} words
   */
  refuse(i, words) {
    this.say(words);
    const group = this.spots[i]?.group;
    group?.classList.remove("shakes");
    // The next frame restarts the animation.
    requestAnimationFrame(() => group?.classList.add("shakes"));
  }

  get names() {
    return this.look.names ?? names(this.scene);
  }

  /**
   * Draws the coming moves as numbered ghosts. `paths` are lists of spots.
   * @param {number[][]} paths
   * @param {Turn} [mover]
   */
  ghosts(paths, mover = this.look?.mover) {
    if (!this.over || !this.spots.length) return;
    this.svg.classList.remove("telling");
    put(
      this.over,
      numbered(
        this.scene,
        this.metrics,
        paths.map((path, i) => ({ path, by: (i % 2 === 0) === (mover === "first") ? "first" : "second" })),
      ),
    );
  }

  /**
   * Draws the marks and the line that explain a value.
   * @param {ReasonMark[]} marks
   * @param {LineMove[]} line
   */
  reasons(marks, line) {
    if (!this.over || !this.spots.length) return;
    put(this.over, ...reasons(this.scene, this.metrics, marks, line));
    this.svg.classList.toggle("telling", this.scene.layout !== "piles");
  }

  /** Moves the keyboard focus to the board. */
  enter() {
    this.hand.enter();
  }

  /** Takes back a step of the unfinished turn; returns false if there is none. */
  stepBack() {
    return this.hand.stepBack();
  }
}
