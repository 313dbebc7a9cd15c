// @ts-check

// Application state as a URL query: `?game=connect4&moves=4,4&first=human&second=perfect&view=explore`.
//
// Invariant: `read(write(state))` is `state`, so a link reopens exactly what is on the screen.

import { FIRST_GAME, digitColumns } from "./games.js";
import { known } from "./views.js";

/** The state of an address without parameters. */
export const START = Object.freeze({
  game: FIRST_GAME,
  position: "",
  moves: [],
  at: null, // plies shown; null for all of them
  first: "human",
  second: "", // the default level, once the players of the game are known
  view: "home",
  values: null, // null: the default of the view
  seed: "",
  extra: Object.freeze({}), // parameters that belong to the view
});

const BOARD_VIEWS = ["home", "play", "explore", "puzzle", "retry"];
const OWN = ["game", "position", "moves", "pos", "at", "first", "second", "view", "values", "seed"];

/** @param {string} text */
const easy = (text) =>
  encodeURIComponent(text)
    .replace(/%(2C|3A|2F|3D)/g, (code) => decodeURIComponent(code))
    .replace(/%20/g, "+");

/**
 * Splits a text into moves; one-digit columns may be written together, as in `4453`.
 * @param {string} game
 * @param {string} text
 */
export function words(game, text) {
  const list = text.split(/[\s,]+/).filter(Boolean);
  return digitColumns(game) ? list.flatMap((word) => (/^\d+$/.test(word) ? [...word] : [word])) : list;
}

/**
 * The state that an address describes.
 * @param {string} search
 * @returns {State}
 */
export function read(search) {
  const params = new URLSearchParams(search);
  /** @param {"game" | "position" | "first" | "second" | "seed"} key */
  const text = (key) => params.get(key) ?? START[key];
  const game = text("game");
  const moves = words(game, params.get("moves") ?? params.get("pos") ?? "");
  const at = Number.parseInt(params.get("at") ?? "", 10);
  const values = params.get("values");
  const view = params.get("view") ?? "";
  return {
    game,
    position: text("position"),
    moves,
    at: Number.isInteger(at) && at >= 0 && at < moves.length ? at : null,
    first: text("first"),
    second: text("second"),
    view:
      BOARD_VIEWS.includes(view) || known(view)
        ? view
        : params.has("pos")
          ? "explore"
          : params.has("game")
            ? "play"
            : START.view,
    values: values === "on" ? true : values === "off" ? false : null,
    seed: text("seed"),
    extra: Object.fromEntries([...params].filter(([key]) => !OWN.includes(key))),
  };
}

/**
 * The query string of a state, including the question mark.
 * @param {State} state
 */
export function write(state) {
  const parts = [["game", state.game]];
  if (state.position) parts.push(["position", state.position]);
  if (state.moves.length) parts.push(["moves", state.moves.join(",")]);
  if (state.at !== null && state.at < state.moves.length) parts.push(["at", String(state.at)]);
  if (state.view === "play" || state.view === "home")
    parts.push(["first", state.first], ["second", state.second]);
  parts.push(["view", state.view]);
  if (state.values !== null) parts.push(["values", state.values ? "on" : "off"]);
  if (state.view === "puzzle" && state.seed !== "") parts.push(["seed", state.seed]);
  if (known(state.view)) parts.push(...Object.entries(state.extra));
  return `?${parts.map(([key, value]) => `${key}=${easy(value)}`).join("&")}`;
}

/**
 * The equivalent command line.
 * @param {{ game: string, position: string }} state
 * @param {string[]} moves
 */
export function command(state, moves) {
  // Shell quoting: a single quote inside single quotes is written '\''.
  /** @param {string} text */
  const quote = (text) => (/^[\w:=,.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const line = ["outplay", "query", quote(state.game)];
  // A value that starts with a dash would be parsed as a flag.
  /**
   * @param {string} name
   * @param {string} text
   */
  const flag = (name, text) => (text.startsWith("-") ? [`${name}=${quote(text)}`] : [name, quote(text)]);
  if (state.position) line.push(...flag("--position", state.position));
  if (moves.length) line.push(...flag("--moves", moves.join(",")));
  return line.join(" ");
}
