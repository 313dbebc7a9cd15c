// The board: a scene drawn as SVG, and pointing at it with a mouse, a thumb or the keyboard.
//
// The spots are drawn once per shape of board and then only changed, so that nothing jumps, focus stays where it is,
// and a value that arrives is a small change to one spot.

import { announce, h, put, s } from "./dom.js";
import { man } from "./men.js";
import { ahead, aliases, buttons, content } from "./scene.js";
import { strokes } from "./symbol.js";
import { brief, long, mean, scoreText, short } from "./verdict.js";

const U = 64;
/** Boards beyond this are not drawn: nobody can point at their cells. */
const MOST_SPOTS = 2500;

/** Where a scene's spots lie, and how large the picture is. */
function metrics(scene) {
  const { width, height, layout } = scene;
  const flip = (y) => height - 1 - y;
  // Small boards are drawn large and large ones small, but coordinates should look the same.
  const side = layout === "points" ? 104 : U;
  const c = Math.max(0.5, Math.min(layout === "grid" ? 2.2 : 1.2, (Math.max(width, height) * side) / 480));
  const of = (dx, dy, left, top, right, bottom) => ({
    dx, dy, left, top, c,
    width: left + width * dx + right,
    height: top + height * dy + bottom,
    at: (spot) => [left + (spot.x + 0.5) * dx, top + (flip(spot.y) + 0.5) * dy],
  });
  if (layout === "drop") return of(U, U, 10, 40, 10, 34);
  if (layout === "piles") return of(96, 28, 24, 12, 24, 40);
  if (layout === "points" && !scene.links?.length) return of(U, 150, 12, 12, 12, 30);
  if (layout === "points") return of(104, 104, 34, 8, 16, 40);
  return of(U, U, 30 * c, 8, 12 * c, 34 * c);
}

const letters = (column) => (column >= 26 ? letters(Math.floor(column / 26) - 1) : "") + String.fromCharCode(97 + (column % 26));

export class Board {
  /** `on` has `play(gesture)` and `look(gesture | null)`. */
  constructor(host, on) {
    this.host = host;
    this.on = on;
    this.path = [];
    this.focus = 0;
    this.shape = "";
    this.buttons = h("div", { class: "moves-beside" });
    this.facts = h("dl", { class: "facts" });
    this.choices = h("div", { class: "choices", role: "group", "aria-label": "Which move", hidden: true });
    this.svg = s("svg", { class: "board", role: "group" });
    put(host, this.svg, this.facts, this.choices, this.buttons);
    this.svg.addEventListener("click", (event) => this.clicked(event));
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    this.svg.addEventListener("focusin", (event) => this.focused(event));
    this.svg.addEventListener("pointerover", (event) => this.hovered(event));
    this.svg.addEventListener("pointerleave", () => this.on.look(null));
    this.svg.addEventListener("focusout", () => this.on.look(null));
  }

  /**
   * Shows a scene. `look` has: `live` (may a person move here), `mover`, `answers` (move → value), `best` (set of
   * moves), `values` (are they shown), `last` (spots of the last move), `label`, `chance`.
   */
  show(scene, look) {
    const changed = this.scene !== scene;
    this.scene = scene;
    this.look = look;
    if (changed) {
      this.path = [];
      this.alias = aliases(scene);
      this.choices.hidden = true;
      this.ghosts([]);
    }
    const shape = [scene.layout, scene.width, scene.height, scene.spots.length, (scene.links ?? []).length,
      scene.spots.map((spot) => spot.name).join()].join("|");
    if (shape !== this.shape) this.build(shape);
    this.update();
  }

  build(shape) {
    this.shape = shape;
    const { scene } = this;
    const drawable = scene.layout !== "text" && scene.spots.length <= MOST_SPOTS;
    this.svg.toggleAttribute("hidden", !drawable);
    this.host.dataset.layout = scene.layout;
    if (!drawable) {
      put(this.svg);
      this.spots = [];
      return;
    }
    const m = (this.metrics = metrics(scene));
    this.svg.setAttribute("class", `board layout-${scene.layout}${scene.links?.length ? "" : " loose"}`);
    this.svg.setAttribute("viewBox", `0 0 ${m.width} ${m.height}`);
    this.host.style.setProperty("--ratio", m.width / m.height);
    this.host.style.setProperty("--coordinate", `${(16 * m.c).toFixed(1)}px`);
    this.heads = new Map();
    this.spots = scene.spots.map((spot, i) => this.spot(spot, i));
    this.over = s("g", { class: "over", "aria-hidden": "true" });
    put(this.svg, this.hatch(), this.ground(), s("g", { class: "spots" }, this.spots.map((drawn) => drawn.group)),
      s("g", { class: "marks" }, this.spots.map((drawn) => drawn.place)), this.over);
    this.focus = Math.min(this.focus, scene.spots.length - 1);
  }

  hatch() {
    return s("defs", {}, s("pattern", { id: "hatch", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { class: "hatch-ground", width: 9, height: 9 }), s("path", { class: "hatch-line", d: "M0 0V9" })));
  }

  spot(spot, i) {
    const { dx, dy, at } = this.metrics;
    const [x, y] = at(spot);
    const { layout } = this.scene;
    const loose = layout === "points" && !this.scene.links?.length;
    const dark = layout === "chess" && (spot.x + spot.y) % 2 === 0;
    const cell = layout === "points" && !loose
      ? s("circle", { class: "cell", r: 34 })
      : s("rect", { class: dark ? "cell dark" : "cell", x: -dx / 2, y: -dy / 2, width: dx, height: dy });
    const holes = layout === "drop" ? s("circle", { class: "hole", r: 27 })
      : layout === "points" && !loose ? s("circle", { class: "hole", r: 9 })
        : loose && /^point/.test(spot.name) ? s("path", { class: spot.x % 2 ? "wedge odd" : "wedge", d: spot.y ? "M-26-70H26L0 60z" : "M-26 70H26L0-60z" }) : null;
    const stone = s("g", { class: "stone" });
    const mark = s("g", { class: "mark" });
    const transform = `translate(${x} ${y})`;
    const group = s("g", { class: "spot", role: "button", tabindex: -1, "data-spot": i, transform }, cell, holes, stone);
    // Values lie above all spots, so that no neighbour covers them.
    const place = s("g", { transform, "aria-hidden": "true" }, mark);
    return { group, stone, mark, place, drawn: "", marked: "" };
  }

  /** Lines, frame and coordinates. */
  ground() {
    const { scene, metrics: m } = this;
    const parts = [];
    const { layout, width, height } = scene;
    if (layout !== "points" && layout !== "piles") {
      parts.push(s("rect", { class: "frame", x: m.left - 4, y: m.top - 4, width: width * m.dx + 8, height: height * m.dy + 8, rx: 8 }));
    }
    for (const [a, b] of scene.links ?? []) {
      const [x1, y1] = m.at(scene.spots[a]);
      const [x2, y2] = m.at(scene.spots[b]);
      parts.push(s("line", { class: "link", x1, y1, x2, y2 }));
    }
    const label = (x, y, text) => parts.push(s("text", { class: "coordinate", x, y }, text));
    const foot = m.top + height * m.dy + (layout === "points" ? 30 : layout === "drop" ? 24 : 24 * m.c);
    if (layout === "drop") {
      for (let column = 0; column < width; column += 1) {
        const x = m.left + (column + 0.5) * m.dx;
        label(x, foot, String(column + 1));
        const head = s("g", { class: "head", transform: `translate(${x} 20)` });
        this.heads.set(column, head);
        parts.push(head);
      }
    } else if (layout === "piles") {
      const piles = new Set(scene.spots.map((spot) => spot.x));
      for (const x of piles) label(m.left + (x + 0.5) * m.dx, foot + 6, String(scene.spots.filter((spot) => spot.x === x).length));
    } else if (layout !== "points" || scene.links?.length) {
      for (let column = 0; column < width; column += 1) label(m.left + (column + 0.5) * m.dx, foot, letters(column));
      for (let row = 0; row < height; row += 1) label(m.left - 18 * m.c, m.top + (height - row - 0.5) * m.dy + 5 * m.c, String(row + 1));
    } else {
      for (const spot of scene.spots) {
        const [x] = m.at(spot);
        if (!spot.y) label(x, m.height - 8, spot.name.replace("point ", "").replace("first ", ""));
      }
    }
    return s("g", { class: "ground", "aria-hidden": "true" }, parts);
  }

  /** Brings every spot up to date. */
  update() {
    const { scene, look } = this;
    this.svg.setAttribute("aria-label", look.label);
    const { next } = ahead(scene, this.path);
    const last = new Set(look.last ?? []);
    const decisive = new Set(scene.decisive ?? []);
    const marks = this.marks(next);
    this.spots.forEach((drawn, i) => {
      const spot = scene.spots[i];
      const target = this.alias.get(i) ?? i;
      const open = look.live && next.has(target);
      const classes = ["spot"];
      if (open) classes.push("open");
      if (open && i !== target) classes.push("stands-in");
      if (last.has(i)) classes.push("last");
      if (decisive.has(i)) classes.push("decisive");
      if (this.path.includes(i)) classes.push("picked");
      if (look.mover) classes.push(`by-${look.mover}`);
      drawn.group.setAttribute("class", classes.join(" "));
      const key = `${spot.holder}|${spot.label}`;
      if (drawn.drawn !== key) {
        const arrived = drawn.drawn !== "" && spot.holder && !this.still;
        put(drawn.stone, man(scene.layout, spot.holder, spot.label));
        drawn.stone.classList.toggle("arrived", Boolean(arrived) && last.has(i));
        drawn.drawn = key;
      }
      this.draw(drawn, spot, marks.get(target === i ? i : -1));
      const value = marks.get(target);
      const words = [spot.name, content(scene, spot)];
      if (value && look.values) words.push(long(value.answer) + (value.best ? ", best" : ""));
      drawn.group.setAttribute("aria-label", words.join(", "));
      drawn.group.setAttribute("aria-disabled", String(!open));
      drawn.group.setAttribute("tabindex", i === this.focus ? "0" : "-1");
    });
    this.drawHeads(marks, next);
    this.drawFacts();
    this.drawButtons();
  }

  /** The value to show on each spot that can be pointed at: that of the best move through it. */
  marks(next) {
    const marks = new Map();
    const { answers, best } = this.look;
    if (!answers) return marks;
    for (const [spot, gestures] of next) {
      let shown = null;
      for (const gesture of gestures) {
        const answer = answers.get(gesture.move);
        if (answer && (!shown || best?.has(gesture.move))) {
          if (!shown?.best) shown = { answer, best: Boolean(best?.has(gesture.move)) };
        }
      }
      if (shown) marks.set(spot, shown);
    }
    return marks;
  }

  draw(drawn, spot, value) {
    const text = value && this.look.values ? short(value.answer) : "";
    const key = `${text}|${value?.best}|${value?.answer.value}|${Boolean(spot.holder)}|${this.scene.layout}`;
    if (drawn.marked === key) return;
    drawn.marked = key;
    if (!text) return put(drawn.mark);
    put(drawn.mark, pill(value.answer, value.best));
    const pile = this.scene.layout === "piles";
    const small = spot.holder || this.scene.layout === "points";
    drawn.mark.setAttribute("transform", pile ? "translate(0 0) scale(.78)" : small ? "translate(13 -19) scale(.72)" : "translate(0 0)");
  }

  /** Above a column stands its score, or the value where a game has no scores. */
  drawHeads(marks, next) {
    for (const [column, head] of this.heads ?? []) {
      const landing = [...next.keys()].find((spot) => this.scene.spots[spot].x === column);
      const value = landing === undefined ? null : marks.get(landing);
      if (!value || !this.look.values) {
        put(head);
        continue;
      }
      const { answer, best } = value;
      const text = typeof answer.score === "number" ? scoreText(answer.score) : short(answer);
      put(head, s("text", { class: `score ${answer.value}${best ? " best" : ""}`, y: 6 }, text));
    }
  }

  drawFacts() {
    const facts = this.scene.facts ?? [];
    this.facts.hidden = !facts.length;
    put(this.facts, facts.map(([name, value]) => {
      const track = /^(\d+) of (\d+)$/.exec(value);
      const side = name.split(" ")[0];
      return h("div", { class: `fact ${["first", "second"].includes(side) ? side : ""} ${this.look.mover === side ? "moving" : ""}` },
        h("dt", {}, name), h("dd", {}, track ? h("span", { class: "points" }, track[1]) : value,
          track && h("progress", { max: Number(track[2]), value: Number(track[1]), "aria-label": `${name}: ${value}` })));
    }));
  }

  /** Moves that have no place on the board. */
  drawButtons() {
    const { scene, look } = this;
    const list = buttons(scene);
    const shown = list.map((gesture) => [gesture.move, look.values && look.answers?.has(gesture.move) && short(look.answers.get(gesture.move)), look.best?.has(gesture.move)].join());
    const key = [look.live, look.values, ...shown].join("|");
    // A button that is being pressed must not be replaced by the same under the finger.
    if (key === this.pressable && this.buttonsOf === scene) return;
    this.pressable = key;
    this.buttonsOf = scene;
    this.buttons.hidden = !list.length;
    if (list.length > 120) {
      put(this.buttons, h("p", { class: "note" }, `${list.length} moves: type one below.`));
      return;
    }
    put(this.buttons, list.map((gesture) => {
      const answer = look.answers?.get(gesture.move);
      const best = look.best?.has(gesture.move);
      return h("button", {
        type: "button", class: `move-button ${best && look.values ? "best" : ""}`, disabled: !look.live, "data-move": gesture.move,
        onclick: () => this.on.play(gesture), onpointerenter: () => this.on.look(gesture), onpointerleave: () => this.on.look(null),
      }, gesture.move, answer && look.values && h("span", { class: `badge ${mean(answer) === null ? answer.value : "mean"}` }, short(answer)));
    }));
  }

  /** Numbered moves to come: stones for places, arrows for ways. `paths` are lists of spots. */
  ghosts(paths, mover = this.look?.mover) {
    if (!this.over || !this.spots.length) return;
    this.svg.classList.remove("telling");
    put(this.over, this.numbered(paths.map((path, i) => ({ path, by: (i % 2 === 0) === (mover === "first") ? "first" : "second" }))));
  }

  numbered(steps) {
    const { scene, metrics: m } = this;
    const seen = new Map();
    return steps.flatMap(({ path, by, forced }, i) => {
      if (!path.length) return [];
      const end = path.length === 1 ? path[0] : path[1];
      const [x, y] = m.at(scene.spots[end]);
      const times = seen.get(end) ?? 0;
      seen.set(end, times + 1);
      const number = s("text", { class: "ghost-number", y: 7 }, String(i + 1));
      const transform = `translate(${x + times * 16} ${y + times * 16})`;
      const classes = `ghost ${by}${forced ? " forced" : ""}`;
      const r = scene.layout === "piles" ? 12 : 22;
      if (path.length === 1) return [s("g", { class: classes, transform }, s("circle", { r }), number)];
      const [x1, y1] = m.at(scene.spots[path[0]]);
      return [s("g", { class: classes }, s("line", { x1, y1, x2: x, y2: y }), s("g", { transform }, s("circle", { r: 14 }), number))];
    });
  }

  /** What explains a value: marked spots, pairs joined, and the line of play with forced moves drawn full. */
  reasons(marks, line) {
    if (!this.over || !this.spots.length) return;
    const at = (mark) => this.metrics.at(this.scene.spots[mark.spot]);
    const pairs = Map.groupBy(marks.filter((mark) => mark.pair !== undefined), (mark) => mark.pair);
    const joined = [...pairs.values()].map((pair) => s("polyline", { class: "reason-line pair", points: pair.map((mark) => at(mark).join()).join(" ") }));
    const piles = this.scene.layout === "piles";
    const rings = marks.map((mark) => {
      const [cx, cy] = at(mark);
      return piles ? s("rect", { class: `reason ${mark.kind}`, x: cx - 31, y: cy - 13, width: 62, height: 26, rx: 8 })
        : s("circle", { class: `reason ${mark.kind}`, cx, cy, r: 28 });
    });
    put(this.over, joined, rings, this.numbered(piles ? [] : line));
    this.svg.classList.toggle("telling", !piles);
  }

  // Pointing.

  spotOf(event) {
    const group = event.target.closest?.("[data-spot]");
    return group ? Number(group.dataset.spot) : null;
  }

  clicked(event) {
    const spot = this.spotOf(event);
    if (spot === null) return;
    this.setFocus(spot, false);
    this.point(spot);
  }

  focused(event) {
    const spot = this.spotOf(event);
    if (spot === null) return;
    this.focus = spot;
    this.lookAt(spot);
  }

  hovered(event) {
    const spot = this.spotOf(event);
    if (spot !== null) this.lookAt(spot);
  }

  lookAt(spot) {
    const target = this.alias.get(spot) ?? spot;
    const gestures = ahead(this.scene, this.path).next.get(target);
    const { best } = this.look;
    this.on.look(gestures ? (gestures.find((gesture) => best?.has(gesture.move)) ?? gestures[0]) : null);
  }

  /** Points at a spot: goes on with the move begun, begins another one, or lets go. */
  point(spot) {
    if (!this.look.live) return;
    const target = this.alias.get(spot) ?? spot;
    for (const begun of [this.path, []]) {
      const path = [...begun, target];
      const { next, complete } = ahead(this.scene, path);
      if (!next.size && complete.length === 1) return this.finish(complete[0]);
      if (next.size || complete.length) return this.pick(path, complete, next.size);
    }
    this.letGo();
  }

  pick(path, complete, more) {
    this.path = path;
    const button = (gesture) => h("button", { type: "button", "data-move": gesture.move, onclick: () => this.finish(gesture) },
      gesture.choice || (more ? `play ${gesture.move}` : gesture.move));
    this.choices.hidden = !complete.length;
    put(this.choices, complete.map(button));
    this.update();
    const spot = this.scene.spots[path[path.length - 1]];
    announce(complete.length ? "choose which" : `${spot.name} picked, now where to`);
    if (complete.length) this.choices.firstElementChild?.focus();
  }

  finish(gesture) {
    this.path = [];
    this.choices.hidden = true;
    this.on.play(gesture);
  }

  letGo() {
    if (!this.path.length && this.choices.hidden) return false;
    this.path = [];
    this.choices.hidden = true;
    this.update();
    return true;
  }

  setFocus(spot, move = true) {
    this.spots[this.focus]?.group.setAttribute("tabindex", "-1");
    this.focus = spot;
    this.spots[spot]?.group.setAttribute("tabindex", "0");
    if (move) this.spots[spot]?.group.focus();
  }

  pressed(event) {
    const spot = this.spotOf(event);
    if (spot === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way) {
      const near = this.neighbour(spot, way);
      if (near !== null) this.setFocus(near);
    } else if (event.key === "Enter" || event.key === " ") {
      this.point(spot);
    } else if (event.key !== "Escape" || !this.letGo()) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest spot in a direction; what lies straight ahead counts as nearer. */
  neighbour(from, [dx, dy]) {
    const { spots } = this.scene;
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

  /** Puts the keyboard on the board: on the spot it was on, or on one that can be played. */
  enter() {
    const { next } = ahead(this.scene, this.path);
    const open = [...next.keys()];
    if (!open.includes(this.focus) && open.length) this.setFocus(open[Math.floor(open.length / 2)]);
    else if (this.spots.length) this.setFocus(this.focus);
    else this.buttons.querySelector("button")?.focus();
  }
}

/** A value to lie on a spot: symbol and distance on its colour, with a ring if it is the best. */
function pill(answer, best) {
  const value = mean(answer);
  if (value !== null) {
    const text = brief(answer);
    const width = 14 + text.length * 9;
    return [best && s("rect", { class: "ring", x: -width / 2 - 4, y: -17, width: width + 8, height: 34, rx: 15 }),
      s("rect", { class: "pill mean", x: -width / 2, y: -13, width, height: 26, rx: 12 }),
      s("text", { class: "pill-text", y: 6 }, text)];
  }
  const distance = answer.value === "draw" || answer.value === "unknown" ? "" : String(answer.distance ?? "");
  const width = 26 + (distance ? distance.length * 10 + 3 : 0);
  return [
    best && s("rect", { class: "ring", x: -width / 2 - 4, y: -17, width: width + 8, height: 34, rx: 17 }),
    s("rect", { class: `pill ${answer.value}`, x: -width / 2, y: -13, width, height: 26, rx: 13 }),
    s("g", { transform: `translate(${-width / 2 + 13} 0) scale(.8)` }, strokes(answer.value)),
    distance && s("text", { class: "pill-text", x: 9.5, y: 6 }, distance),
  ];
}
