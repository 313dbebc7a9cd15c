// @ts-check

// Scene logic without drawing: the spots that can be clicked next, and the spots of a move.
//
//   path so far   []        [e2]          [e2, e4]
//   next          men       destinations  (complete: one move, or a choice)
//
// A turn of several steps has `ways`: alternating from and to, such as [24, 18, 18, 13]. After an even number
// of spots a step is complete, and `partway` returns the resulting scene.

import { face } from "./men.js";

/**
 * All lists of spots that make a move.
 * @param {Gesture} gesture
 */
export const waysOf = (gesture) =>
  gesture.ways?.length ? gesture.ways : gesture.path.length ? [gesture.path] : [];

/**
 * Whether the moves of a scene are made in steps, each of which shows on the board.
 * @param {Scene} scene
 */
export const stepwise = (scene) => scene.moves.some((gesture) => gesture.ways?.length);

/**
 * Maps spots to equivalent ones: every cell of a column drops a stone, and equal piles are interchangeable.
 * @param {Scene} scene
 * @returns {Map<number, number>}
 */
export function aliases(scene) {
  /** @type {Map<number, number>} */
  const alias = new Map();
  const firsts = new Set(scene.moves.map((gesture) => gesture.path[0]).filter((spot) => spot !== undefined));
  if (scene.layout === "drop") {
    for (const landing of firsts) {
      scene.spots.forEach((spot, i) => {
        if (spot.x === scene.spots[landing].x && i !== landing) alias.set(i, landing);
      });
    }
  }
  if (scene.layout === "piles") {
    /** @type {Map<number, number>} */
    const size = new Map();
    for (const spot of scene.spots) size.set(spot.x, (size.get(spot.x) ?? 0) + 1);
    for (const known of firsts) {
      const { x, y } = scene.spots[known];
      scene.spots.forEach((spot, i) => {
        if (spot.x !== x && spot.y === y && size.get(spot.x) === size.get(x)) alias.set(i, known);
      });
    }
  }
  return alias;
}

/**
 * The moves that begin with a path: the complete ones, and the others grouped by their next spot.
 * @param {Scene} scene
 * @param {number[]} path
 * @returns {{ next: Map<number, Gesture[]>, complete: Gesture[] }}
 */
export function ahead(scene, path) {
  /** @type {Map<number, Gesture[]>} */
  const next = new Map();
  /** @type {Gesture[]} */
  const complete = [];
  for (const gesture of scene.moves) {
    for (const way of waysOf(gesture)) {
      if (way.length < path.length || !path.every((spot, i) => way[i] === spot)) continue;
      if (way.length === path.length) {
        if (!complete.includes(gesture)) complete.push(gesture);
        continue;
      }
      const spot = way[path.length];
      const there = next.get(spot) ?? [];
      if (!there.includes(gesture)) next.set(spot, [...there, gesture]);
    }
  }
  return { next, complete };
}

/**
 * Destinations that the picked man reaches in several steps, with the path to each.
 * @param {Scene} scene
 * @param {number[]} path
 * @returns {Map<number, number[]>}
 */
export function hops(scene, path) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  if (path.length % 2 === 0 || !stepwise(scene)) return found;
  for (const gesture of scene.moves) {
    for (const way of waysOf(gesture)) {
      if (!path.every((spot, i) => way[i] === spot)) continue;
      for (let end = path.length + 2; end < way.length && way[end - 1] === way[end - 2]; end += 2) {
        if (!found.has(way[end])) found.set(way[end], way.slice(0, end + 1));
      }
    }
  }
  return found;
}

/**
 * The scene after the steps made so far, with the same moves.
 * @param {Scene} scene
 * @param {number[]} path
 * @param {Turn} [mover]
 */
export function partway(scene, path, mover) {
  const steps = stepwise(scene);
  const placing = scene.layout === "points" && !steps;
  if (path.length < (placing ? 1 : 2) || (!steps && !placing)) return scene;
  const spots = scene.spots.map((spot) => ({ ...spot }));
  /** @param {Spot} spot */
  const count = (spot) => (spot.holder ? Number(spot.label || 1) : 0);
  /**
   * @param {Spot} spot
   * @param {Holder | null} holder
   * @param {number} n
   */
  const set = (spot, holder, n) =>
    Object.assign(spot, { holder: n ? holder : null, label: n > 1 ? String(n) : "" });
  /**
   * @param {Spot} from
   * @param {Spot} to
   */
  const move = (from, to) => {
    const { holder } = from;
    set(from, holder, count(from) - 1);
    if (to.holder && to.holder !== holder) {
      const bar = spots.find((spot) => spot.name === `${to.holder} bar`);
      if (bar) set(bar, to.holder, count(bar) + 1);
      set(to, null, 0);
    }
    set(to, holder, count(to) + 1);
  };
  if (placing) {
    const [a, b] = path.map((i) => spots[i]);
    if (!a.holder) a.holder = mover === "second" ? "second" : "first";
    else if (b) move(a, b);
  } else for (let i = 0; i + 1 < path.length; i += 2) move(spots[path[i]], spots[path[i + 1]]);
  return { ...scene, spots };
}

/**
 * The dice, and which of them the steps so far have used.
 * @param {Scene} scene
 * @param {number[]} path
 */
export function usedDice(scene, path) {
  const dice = /^(\d)-(\d)$/.exec(scene.facts?.find(([name]) => name === "dice")?.[1] ?? "");
  if (!dice) return { dice: [], used: [] };
  const [a, b] = [Number(dice[1]), Number(dice[2])];
  const all = a === b ? [a, a, a, a] : [a, b];
  const used = all.map(() => false);
  for (let i = 0; i + 1 < path.length; i += 2) {
    // Spots 1 to 24 are points, 25 and 27 bars, 0 and 26 where checkers are borne off.
    /** @param {number} spot */
    const place = (spot) => (spot === 27 ? 0 : spot === 26 ? 25 : spot);
    const pips = Math.abs(place(path[i]) - place(path[i + 1]));
    const exact = all.findIndex((number, at) => !used[at] && number === pips);
    const larger = all.findIndex((number, at) => !used[at] && number > pips);
    const at = exact >= 0 ? exact : larger;
    if (at >= 0) used[at] = true;
  }
  return { dice: all, used };
}

/**
 * Moves without a spot on the board: rolls, holding, passing.
 * @param {Scene} scene
 */
export function buttons(scene) {
  return scene.moves.filter((gesture) => !gesture.path.length);
}

/**
 * The spots of each move of a line, derived from spot names and column heights.
 * @param {Scene} scene
 * @param {string[]} line
 * @returns {number[][]}
 */
export function trail(scene, line) {
  const byName = new Map(scene.spots.map((spot, i) => [spot.name, i]));
  if (scene.layout === "drop") {
    const full = new Set(scene.spots.flatMap((spot, i) => (spot.holder ? [i] : [])));
    const columns = Map.groupBy(scene.spots.keys(), (i) => scene.spots[i].x);
    return line.map((word) => {
      const cells = (columns.get(Number(word) - 1) ?? []).sort((a, b) => scene.spots[b].y - scene.spots[a].y);
      let landing;
      for (const cell of cells) {
        if (full.has(cell)) break;
        landing = cell;
      }
      if (landing === undefined) return [];
      full.add(landing);
      return [landing];
    });
  }
  if (scene.layout === "piles" || scene.layout === "text") return line.map(() => []);
  return line.map((word) => {
    const path = scene.moves.find((gesture) => gesture.move === word)?.path;
    return path ?? [...word.matchAll(/[a-z]{1,3}\d+/g)].flatMap(([name]) => byName.get(name) ?? []);
  });
}

/** The players' names by kind of board: the colours of their men, or their marks. */
/** @type {{ [face in Face]?: Names }} */
const NAMES = {
  chess: { first: "White", second: "Black" },
  go: { first: "Black", second: "White" },
  grid: { first: "X", second: "O" },
};

/**
 * The names of the two players on a kind of board.
 * @param {Face} kind
 * @returns {Names}
 */
export const namesOf = (kind) => NAMES[kind] ?? { first: "Yellow", second: "Red" };

/**
 * The names of the two players.
 * @param {Scene} scene
 * @returns {Names}
 */
export const names = (scene) => namesOf(face(scene));

/**
 * A player's name within a sentence: colours in small letters, marks as they are.
 * @param {string} name
 */
export const inSentence = (name) => (name.length > 1 ? name.toLowerCase() : name);

/**
 * A sentence of the server in the words of the page: players by colour, distances in moves.
 * @param {string} words
 * @param {Names} players
 */
export const spoken = (words, players) =>
  words
    .replace(/\bFirst\b/g, players.first)
    .replace(/\bSecond\b/g, players.second)
    .replace(/\bat ply (\d+)\b/g, (_, ply) => `at move ${Math.ceil(Number(ply) / 2)}`)
    .replace(/\b(\d+) (?:ply|plies)\b/g, (_, count) => {
      const moves = Math.ceil(Number(count) / 2);
      return moves === 1 ? "1 move" : `${moves} moves`;
    });

/** @type {{ [letter: string]: string }} */
export const MEN = { K: "king", Q: "queen", R: "rook", B: "bishop", N: "knight", P: "pawn" };

/**
 * The content of a spot in words.
 * @param {Scene} scene
 * @param {Spot} spot
 */
export function content(scene, spot) {
  if (!spot.holder) return "empty";
  if (spot.holder === "nobody") return scene.layout === "piles" ? "match" : "obstacle";
  const owner = inSentence(names(scene)[spot.holder]);
  if (scene.layout === "chess") return `${owner} ${MEN[spot.label] ?? "man"}`;
  return spot.label ? `${owner} ${spot.label}` : owner;
}

/**
 * The spots of the last move, derived from its text.
 * @param {Scene} scene
 * @param {string | undefined} word
 * @returns {number[]}
 */
export function lastSpots(scene, word) {
  if (!word) return [];
  if (scene.layout === "drop") {
    const column = scene.spots.flatMap((spot, i) =>
      spot.x === Number(word) - 1 && spot.holder && spot.holder !== "nobody" ? [i] : [],
    );
    return column.sort((a, b) => scene.spots[b].y - scene.spots[a].y).slice(0, 1);
  }
  return trail({ ...scene, moves: [] }, [word])[0] ?? [];
}
