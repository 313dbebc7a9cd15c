// @ts-check

// Puzzle sets, choice of the next puzzle, and the solver's progress, which is stored only in the browser.
//
// The seed in the address selects a puzzle: `seed=set-3` is the fourth of the game's set,
// `seed=day-2026-11-17` the puzzle of a day, `seed=7` a generated one for any game.

import * as api from "./api.js";
import { about, ask } from "./place-api.js";

export const LEVELS = ["", "Beginner", "Easy", "Medium", "Hard", "Expert"];

/** @type {Promise<Map<string, PuzzleEntry[]>> | null} */
let sets = null;

/**
 * All sets: game → [{number, level, themes, moves}].
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, PuzzleEntry[]>>}
 */
export async function allSets(signal) {
  sets ??= ask("/puzzles", { signal }).then(
    (/** @type {{ sets: { game: string, puzzles: PuzzleEntry[] }[] }} */ { sets: list }) =>
      new Map(list.map(({ game, puzzles }) => [game, puzzles])),
  );
  try {
    return await sets;
  } catch {
    sets = null;
    return new Map();
  }
}

/** Today's date in the local time zone. */
export function today(now = new Date()) {
  /** @param {number} number */
  const two = (number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/**
 * Requests the puzzle of a seed.
 * @param {string} game
 * @param {string} seed
 * @param {AbortSignal} signal
 * @returns {Promise<PuzzleAnswer>}
 */
export async function fetchPuzzle(game, seed, signal) {
  const set = /^set-(\d+)$/.exec(seed);
  if (set) return about("/puzzle/set", game, { number: set[1] }, signal);
  const day = /^day-(\d{4}-\d\d-\d\d)$/.exec(seed);
  if (day) return ask(`/puzzle/daily?date=${day[1]}`, { signal });
  return api.puzzle(game, seed, signal);
}

const KEY = "puzzles";

/** Puzzle progress: {streak, best, days, last, solved}. */
export class Diary {
  /** @param {Pick<Storage, "getItem" | "setItem">} [store] */
  constructor(store = window.localStorage) {
    this.store = store;
    try {
      this.kept = {
        streak: 0,
        best: 0,
        days: 0,
        last: "",
        solved: {},
        ...JSON.parse(store.getItem(KEY) ?? "{}"),
      };
    } catch {
      this.kept = { streak: 0, best: 0, days: 0, last: "", solved: {} };
    }
  }

  save() {
    try {
      this.store.setItem(KEY, JSON.stringify(this.kept));
    } catch {
      // Private windows have no storage.
    }
  }

  /**
   * @param {string} game
   * @param {number} number
   */
  has(game, number) {
    return Boolean(this.kept.solved[`${game}|${number}`]);
  }

  /**
   * Records a solved puzzle; `clean` if it was solved at the first attempt. With a hint it neither continues
   * the streak nor ends it.
   * @param {{ game: string, number?: number, date?: string }} puzzle
   * @param {boolean} clean
   * @param {boolean} [hinted]
   */
  solve(puzzle, clean, hinted = false) {
    const { kept } = this;
    if (!clean) kept.streak = 0;
    else if (!hinted) kept.streak += 1;
    kept.best = Math.max(kept.best, kept.streak);
    if (puzzle.number !== undefined) kept.solved[`${puzzle.game}|${puzzle.number}`] = 1;
    if (puzzle.date && kept.last !== puzzle.date) {
      const before = new Date(`${puzzle.date}T12:00:00`);
      before.setDate(before.getDate() - 1);
      kept.days = kept.last === today(before) ? kept.days + 1 : 1;
      kept.last = puzzle.date;
    }
    this.save();
  }

  miss() {
    this.kept.streak = 0;
    this.save();
  }
}

/**
 * The seed of the next puzzle of a game: unsolved puzzles of the chosen level and theme, easier ones first.
 * @param {PuzzleEntry[] | undefined} list
 * @param {Pick<Diary, "has">} diary
 * @param {string} game
 * @param {{ level?: string, theme?: string, not?: number }} [options]
 */
export function nextSeed(list, diary, game, { level = "", theme = "", not = -1 } = {}) {
  const fits = (list ?? []).filter(
    (one) =>
      (!level || one.level === Number(level)) &&
      (!theme || one.themes.some((known) => known === theme || known.startsWith(`${theme} `))) &&
      one.number !== not,
  );
  if (!fits.length) return null;
  const fresh = fits.filter((one) => !diary.has(game, one.number));
  const from = fresh.length ? fresh : fits;
  const easiest = Math.min(...from.map((one) => one.level));
  const near = from.filter((one) => one.level <= easiest + 1);
  return `set-${near[Math.floor(Math.random() * near.length)].number}`;
}
