// @ts-check

// Game facts beside the board: dice, men in hand, points.

import { coin, dicePicture, die } from "./dice.js";
import { h, put, s } from "./dom.js";
import { face, token } from "./men.js";
import { names as playerNames, usedDice } from "./scene.js";

/**
 * @param {Scene} scene
 * @param {string} name
 */
const fact = (scene, name) => scene.facts?.find(([known]) => known === name)?.[1];

/**
 * Draws the dice of a race game on the half of the player who rolled them.
 * @param {Board} board
 * @param {number[]} path
 */
export function tableDice(board, path) {
  if (board.face !== "race") return;
  const { scene, look, metrics: m } = board;
  const { dice, used } = usedDice(scene, path);
  const chance = look.mover === "chance";
  const key = [dice.join(), used.join(), look.mover, chance].join("|");
  if (board.diceKey === key && board.diceOf === board.dice) return;
  const rolls = board.diceFor !== scene && dice.length > 0;
  board.diceKey = key;
  board.diceOf = board.dice;
  board.diceFor = scene;
  const shown = chance ? [0, 0] : dice;
  const column = look.mover === "second" ? 3 : 10;
  const x = m.left + column * m.dx - ((shown.length - 1) * 54) / 2;
  put(
    board.dice,
    shown.map((number, i) =>
      s("g", { transform: `translate(${x + i * 54} ${m.top + 190})` }, die(number, { used: used[i], rolls })),
    ),
  );
}

/**
 * Draws points, men in hand and the die, below the board or instead of it.
 * @param {HTMLElement} host
 * @param {Scene} scene
 * @param {Look} look
 */
export function drawFacts(host, scene, look) {
  const kind = face(scene);
  const list = (scene.facts ?? []).filter(([name]) => name !== "dice");
  const rolled = fact(scene, "die");
  host.hidden = !list.length || kind === "race";
  const key = JSON.stringify([kind, list, look.owner, look.mover, look.rolled]);
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  if (kind === "text" && fact(scene, "this turn")) put(host, pig(scene, look));
  else if (rolled)
    put(
      host,
      h(
        "div",
        { class: "die-row" },
        dicePicture([die(Number(rolled), { rolls: look.fresh })], `the die shows ${rolled}`),
        h("span", {}, cubeWords(scene, rolled)),
      ),
    );
  else
    put(
      host,
      list.map(([name, value]) => inHand(name, value, playerNames(scene))),
    );
}

/**
 * @param {Scene} scene
 * @param {string} rolled
 */
function cubeWords(scene, rolled) {
  const cubes = [
    ...new Set(scene.moves.flatMap((gesture) => scene.spots[gesture.path[0]]?.label ?? [])),
  ].sort();
  if (!cubes.length) return "";
  return cubes.includes(rolled)
    ? `Move cube ${rolled}.`
    : `Cube ${rolled} is gone: move ${cubes.join(" or ")}.`;
}

/**
 * Men still to be placed, drawn as men.
 * @param {string} name
 * @param {string} value
 * @param {Names} players
 */
function inHand(name, value, players) {
  const side = /** @type {Side} */ (name.split(" ")[0]);
  const count = Number(value);
  const drawn = ["first", "second"].includes(side) && Number.isInteger(count) && count <= 9;
  return h(
    "div",
    { class: `fact ${side}` },
    h("span", { class: "fact-name" }, drawn ? `${players[side]}, to place` : name),
    drawn
      ? h(
          "span",
          { class: "in-hand", role: "img", "aria-label": value },
          [...Array(count).keys()].map(() => token("points", side)),
          count === 0 && "none",
        )
      : h("strong", {}, value),
  );
}

/**
 * The table of Pig: both scores, the points of this turn, and the die or the coin.
 * @param {Scene} scene
 * @param {Look} look
 */
function pig(scene, look) {
  /**
   * @param {Side} side
   * @param {string} name
   */
  const lane = (side, name) => {
    const [, points, goal] = /^(\d+) of (\d+)$/.exec(fact(scene, side) ?? "") ?? [null, "0", "1"];
    const turn = look.owner === side ? Number(fact(scene, "this turn") ?? 0) : 0;
    const bar = s(
      "svg",
      { class: "lane", viewBox: "0 0 300 14", preserveAspectRatio: "none", "aria-hidden": "true" },
      s("rect", { class: "lane-ground", width: 300, height: 14, rx: 7 }),
      s("rect", {
        class: `lane-turn ${side}`,
        width: Math.min(300, (300 * (Number(points) + turn)) / Number(goal)),
        height: 14,
        rx: 7,
      }),
      s("rect", {
        class: `lane-kept ${side}`,
        width: (300 * Number(points)) / Number(goal),
        height: 14,
        rx: 7,
      }),
    );
    return h(
      "div",
      { class: `pig-side ${look.owner === side ? "moving" : ""}` },
      token("drop", side),
      h("span", { class: "pig-name" }, name),
      h("span", { class: "pig-points" }, points, h("small", {}, ` of ${goal}`)),
      bar,
    );
  };
  const names = look.names ?? playerNames(scene);
  const word = look.rolled ?? "";
  const item =
    word === "heads" || word === "tails"
      ? coin(word, look.fresh)
      : die(Number(word) || 0, { rolls: look.fresh });
  const turn = fact(scene, "this turn") ?? "0";
  return [
    h(
      "div",
      { class: "pig-table" },
      dicePicture([item], word ? `result: ${word}` : "not rolled yet"),
      h("p", { class: "pig-turn" }, h("strong", {}, turn), ` ${turn === "1" ? "point" : "points"} this turn`),
    ),
    lane("first", names.first),
    lane("second", names.second),
  ];
}
