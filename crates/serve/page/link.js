// The screen as an address and back: `?game=connect4&moves=4,4&first=human&second=perfect&view=explore`.
//
// Invariant: `read(write(state))` is `state`, so a link reopens exactly what is on the screen.

import { known } from "./views.js";

/** What an address without parameters shows: a board to play on. */
export const START = Object.freeze({
  game: "connect4",
  position: "",
  moves: [],
  at: null, // plies shown; null for all of them
  first: "human",
  second: "", // a middling level, once the players of the game are known
  view: "home",
  values: null, // null: as the view likes it
  seed: "",
  extra: Object.freeze({}), // words of the address that only the view knows
});

const BOARD_VIEWS = ["home", "play", "explore", "puzzle", "retry"];
const OWN = ["game", "position", "moves", "pos", "at", "first", "second", "view", "values", "seed"];

const easy = (text) =>
  encodeURIComponent(text).replace(/%(2C|3A|2F|3D)/g, (code) => decodeURIComponent(code)).replace(/%20/g, "+");

/** A list of moves; columns of one digit may be run together, as in `4453`. */
export function words(game, text) {
  const list = text.split(/[\s,]+/).filter(Boolean);
  const columns = /^connect(4)?(?::(\d+)x)?/.exec(game);
  const narrow = columns && Number(columns[2] ?? 7) <= 9;
  return narrow ? list.flatMap((word) => (/^\d+$/.test(word) ? [...word] : [word])) : list;
}

/** The state that an address describes. */
export function read(search) {
  const params = new URLSearchParams(search);
  const text = (key) => params.get(key) ?? START[key];
  const game = text("game");
  const moves = words(game, params.get("moves") ?? params.get("pos") ?? "");
  const at = Number.parseInt(params.get("at") ?? "", 10);
  const values = params.get("values");
  const view = params.get("view");
  return {
    game,
    position: text("position"),
    moves,
    at: Number.isInteger(at) && at >= 0 && at < moves.length ? at : null,
    first: text("first"),
    second: text("second"),
    view: BOARD_VIEWS.includes(view) || known(view) ? view : params.has("pos") ? "explore" : params.has("game") ? "play" : START.view,
    values: values === "on" ? true : values === "off" ? false : null,
    seed: text("seed"),
    extra: Object.fromEntries([...params].filter(([key]) => !OWN.includes(key))),
  };
}

/** The address of a state, from the question mark on. */
export function write(state) {
  const parts = [["game", state.game]];
  if (state.position) parts.push(["position", state.position]);
  if (state.moves.length) parts.push(["moves", state.moves.join(",")]);
  if (state.at !== null && state.at < state.moves.length) parts.push(["at", String(state.at)]);
  if (state.view === "play" || state.view === "home") parts.push(["first", state.first], ["second", state.second]);
  parts.push(["view", state.view]);
  if (state.values !== null) parts.push(["values", state.values ? "on" : "off"]);
  if (state.view === "puzzle" && state.seed !== "") parts.push(["seed", state.seed]);
  if (known(state.view)) parts.push(...Object.entries(state.extra));
  return `?${parts.map(([key, value]) => `${key}=${easy(value)}`).join("&")}`;
}

/** The command that answers the same question in a terminal. */
export function command(state, moves) {
  // A quote ends the quoted text, stands for itself, and begins it again.
  const quote = (text) => (/^[\w:=,.+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const words = ["outplay", "query", quote(state.game)];
  // A word that begins with a dash would be taken for another flag.
  const flag = (name, text) => (text.startsWith("-") ? [`${name}=${quote(text)}`] : [name, quote(text)]);
  if (state.position) words.push(...flag("--position", state.position));
  if (moves.length) words.push(...flag("--moves", moves.join(",")));
  return words.join(" ");
}
