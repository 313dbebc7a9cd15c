// @ts-check

// The keyboard: everything has a key, and `?` lists them.

import { $, around, h, put } from "./dom.js";

const KEYS = [
  ["arrows, Enter", "point at a spot of the board and play there"],
  ["1 … 9", "drop a stone into a column"],
  ["b", "put the keyboard on the board"],
  ["m", "type a move"],
  ["← →", "step through the game (when the board has no focus)"],
  ["u, r", "undo, redo; within a turn, a step"],
  ["h", "hint"],
  ["v", "show or hide values"],
  ["w", "why is it worth that"],
  ["s", "swap sides"],
  ["n, N", "new game, random start position"],
  ["p, e, z", "play, explore, puzzles"],
  ["g", "choose a game"],
  ["c", "link, position and moves to copy and paste"],
  ["t", "light or dark"],
  ["Escape", "let go, close"],
];

/**
 * @param {App} app
 * @param {{ [name: string]: () => unknown }} doings
 */
export function listen(app, doings) {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    // A field of a dialog that has just closed may keep the focus for a moment.
    const typed = "input:not([type=range], [type=checkbox]), textarea, select";
    const field = around(event, event.key.startsWith("Arrow") ? "input, textarea, select" : typed);
    if (field?.checkVisibility() || around(event, "dialog[open]")) return;
    const drop = /^[1-9]$/.test(event.key) && app.view?.scene.layout === "drop";
    const named = /^[0-9]$/.test(event.key)
      ? null
      : ({ ArrowLeft: "back", ArrowRight: "forth", "?": "help", N: "shuffle", Escape: "letgo" }[event.key] ??
        {
          b: "board",
          m: "type",
          u: "undo",
          r: "redo",
          h: "hint",
          v: "values",
          w: "why",
          s: "swap",
          n: "again",
          p: "play",
          e: "explore",
          z: "puzzle",
          g: "choose",
          c: "share",
          t: "theme",
        }[event.key]);
    if (drop) app.playWord(event.key);
    else if (named && doings[named]) doings[named]();
    else return;
    event.preventDefault();
  });
}

/** @param {() => unknown} [theme] */
export function showHelp(theme) {
  const dialog = $("#dialog");
  put(
    dialog,
    h(
      "div",
      { class: "dialog-head" },
      h("h2", {}, "Keys"),
      h(
        "button",
        { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => dialog.close() },
        "×",
      ),
    ),
    h(
      "dl",
      { class: "keys" },
      KEYS.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)]),
    ),
    h(
      "p",
      { class: "note" },
      "✓ wins, = draws, ✗ loses for the player to move; the number is the distance in plies to the end " +
        "of the game, a ring marks the best moves, ≈ what is only judged.",
    ),
    theme && h("p", { class: "actions" }, h("button", { type: "button", onclick: theme }, "Light or dark")),
  );
  dialog.className = "help";
  dialog.setAttribute("aria-label", "Keys");
  dialog.showModal();
}
