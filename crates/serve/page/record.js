// @ts-check

// Game record with branches: all lines played since the game was opened; undone moves stay as branches.
//
//   4 ─ 4 ─ 4 ─ 2 ─ 3      the line on the screen
//           └ 3 ─ 5        a branch, shown below the move it replaces

const MOST = 400;

export class GameRecord {
  /** @type {string[]} */
  lines = [];

  constructor() {
    this.key = "";
  }

  /**
   * Records the current line.
   * @param {string} game
   * @param {string} position
   * @param {string[]} moves
   */
  add(game, position, moves) {
    const key = `${game}|${position}`;
    if (key !== this.key) {
      this.key = key;
      this.lines = this.read();
    }
    const text = moves.join(" ");
    if (!moves.length || this.lines.some((line) => line === text || line.startsWith(`${text} `))) return;
    this.lines = [...this.lines.filter((line) => !text.startsWith(`${line} `)), text].slice(-MOST);
    try {
      sessionStorage.setItem("record", JSON.stringify({ key, lines: this.lines }));
    } catch {
      // Private windows have no storage.
    }
  }

  read() {
    try {
      const kept = JSON.parse(sessionStorage.getItem("record") ?? "null");
      return kept?.key === this.key ? kept.lines : [];
    } catch {
      return [];
    }
  }

  /**
   * The branches of a line: for each ply the other continuations that were played there.
   * @param {string[]} moves
   * @returns {Map<number, string[][]>}
   */
  branches(moves) {
    /** @type {Map<number, string[][]>} */
    const found = new Map();
    for (const text of this.lines) {
      const line = text.split(" ");
      const at = line.findIndex((mv, i) => mv !== moves[i]);
      if (at < 0 || at >= moves.length) continue;
      const there = found.get(at) ?? [];
      if (!there.some((known) => known.join(" ") === text)) found.set(at, [...there, line]);
    }
    return found;
  }
}
