// @ts-check

// Keyboard shortcuts, and the dialog that lists them.

import { $, around, h, put } from "./dom.js";
import { lettersOn, projecting, setLetters, setProjecting } from "./settings.js";

const KEYS = [
  ["arrows, Enter", "select a spot on the board and play there"],
  ["1 … 9", "drop a stone into that column"],
  ["b", "move the keyboard focus to the board"],
  ["m", "type a move"],
  ["← →", "step through the game (when the board has no focus)"],
  ["u, r", "undo, redo; during a turn, a single step"],
  ["h", "hint"],
  ["v", "show or hide values"],
  ["w", "explain the value"],
  ["s", "swap sides"],
  ["n, N", "new game, new game from a random position"],
  ["p, e, z", "play, explore, puzzles"],
  ["g", "choose a game"],
  ["c", "copy or paste a link, position or moves"],
  ["t", "light or dark"],
  ["Escape", "deselect, close"],
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
    if (event.key.length === 1 && !lettersOn()) return;
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

/**
 * A setting that is on or off.
 * @param {string} id
 * @param {string} words
 * @param {boolean} on
 * @param {(on: boolean) => void} change
 */
const box = (id, words, on, change) =>
  h(
    "label",
    { class: "flag" },
    h("input", { type: "checkbox", id, checked: on, onchange: (event) => change(event.target.checked) }),
    words,
  );

/** @param {() => unknown} [theme] */
export function showHelp(theme) {
  const dialog = $("#dialog");
  put(
    dialog,
    h(
      "div",
      { class: "dialog-head" },
      h("h2", {}, "Keyboard shortcuts and settings"),
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
      "For the player to move, ✓ wins, = draws and ✗ loses. The number is how many moves that takes. A " +
        "ring marks the best moves, and ≈ marks an estimate.",
    ),
    h(
      "div",
      { class: "key-settings" },
      box("letters", "Single letters and digits are shortcuts", lettersOn(), setLetters),
      box("projector", "Large text, for a projector", projecting(), setProjecting),
    ),
    theme &&
      h(
        "p",
        { class: "actions" },
        h("button", { type: "button", onclick: theme }, "Switch between light and dark"),
      ),
  );
  dialog.className = "help";
  dialog.setAttribute("aria-label", "Keyboard shortcuts");
  dialog.showModal();
}
