// @ts-check

// What the page shows while its server is out of reach from the start: the last board, and what is wrong.

import { Board } from "./board.js";
import { $ } from "./dom.js";
import { fullName } from "./names.js";
import { names } from "./scene.js";
import { keep, kept } from "./settings.js";

const KEY = "last-board";

/**
 * Keeps a view for the next visit.
 * @param {View} view
 */
export function remember(view) {
  const { game, scene, to_move: toMove } = view;
  keep(KEY, JSON.stringify({ game, scene, toMove }));
}

/** Shows the last board, if there is one; it accepts no moves. */
export function showLastBoard() {
  document.body.dataset.view = "offline";
  $("#status").textContent = "No connection to the server";
  /** @type {{ game: string, scene: Scene, toMove: Turn } | null} */
  let last = null;
  try {
    last = JSON.parse(kept(KEY) || "null");
  } catch {
    // Damaged storage is as good as none.
  }
  $("#sub").textContent =
    "Rules, moves and values come from the server. The page goes on by itself once it answers. " +
    (last ? `This is your last board, ${fullName(last.game)}.` : "");
  if (!last) return;
  const board = new Board($("#board"), { play() {}, look() {} });
  board.show(last.scene, {
    live: false,
    why: "The server cannot be reached.",
    mover: last.toMove,
    names: names(last.scene),
    values: false,
    label: `${fullName(last.game)}, as it was last`,
  });
  const { metrics } = board;
  if (metrics) $("#screen").style.setProperty("--ratio", String(metrics.width / metrics.height));
}
