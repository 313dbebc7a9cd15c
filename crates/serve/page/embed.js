// @ts-check

// Embeddable board for other sites: `/embed?game=connect4&moves=4,4&values=on`. Both sides can be played.

import * as api from "./api.js";
import { Board } from "./board.js";
import { $ } from "./dom.js";
import { read, write } from "./link.js";
import { fullName } from "./names.js";
import { lastSpots, names } from "./scene.js";
import { ending, seen, sentence } from "./verdict.js";

const state = read(location.search);
let { moves } = state;
const given = moves.length;
let values = state.values ?? state.view === "explore";
let stop = () => {};
let showing = 0;

const board = new Board($("#board"), { play: (gesture) => go([...moves, gesture.move]), look() {} });
/** @param {string} words */
const say = (words) => ($("#say").textContent = words);

/**
 * Shows the position after these moves, with values as they are found.
 * @param {string[]} list
 */
async function go(list) {
  const me = (showing += 1);
  stop();
  moves = list;
  const place = { game: state.game, position: state.position, moves };
  try {
    const view = await api.view(place);
    if (me !== showing) return;
    const { scene, to_move: toMove, outcome } = view;
    const who = names(scene);
    /** @type {Map<string, SeenMove>} */
    const answers = new Map();
    /** @type {Set<string> | null} */
    let best = null;
    const draw = () =>
      board.show(scene, {
        live: outcome === null && toMove !== "chance",
        mover: toMove,
        answers,
        best,
        values,
        last: lastSpots(scene, moves[moves.length - 1] ?? ""),
        label: fullName(view.game),
      });
    draw();
    document.title = fullName(view.game);
    say(
      outcome !== null
        ? ending(outcome, who)
        : toMove === "chance"
          ? "Waiting for the dice"
          : `${who[toMove]} to move`,
    );
    $("#back").disabled = moves.length <= given;
    $("#values").setAttribute("aria-pressed", String(values));
    $("#whole").href = `./${write({ ...state, moves, at: null, view: "explore", values: null })}`;
    if (values && outcome === null) {
      stop = api.stream(place, {
        move: (answer) => {
          answers.set(answer.move, seen(answer, toMove));
          draw();
        },
        done: (answer) => {
          answer.moves.forEach((move) => answers.set(move.move, seen(move, toMove)));
          best = new Set(answer.best);
          draw();
          say(sentence(seen(answer, toMove), toMove, who));
        },
        fail: (error) => say(api.wordsOf(error)),
      });
    }
  } catch (error) {
    say(api.wordsOf(error));
  }
}

api.onReach((reachable) => say(reachable ? "Reconnected" : "Cannot reach the server. Reconnecting …"));
$("#back").addEventListener("click", () => moves.length > given && go(moves.slice(0, -1)));
$("#values").addEventListener("click", () => {
  values = !values;
  go(moves);
});
go(moves).then(() => (document.body.dataset.ready = "yes"));
