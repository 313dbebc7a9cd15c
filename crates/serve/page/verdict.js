// @ts-check

// Values in words, symbols and lengths. A value is seen by the player to move, or by the player who makes a
// move.

export const SYMBOL = { win: "✓", draw: "=", loss: "✗", unknown: "·" };
const WORD = { win: "win", draw: "draw", loss: "loss", unknown: "not known" };
const ORDER = { win: 3, draw: 2, unknown: 1, loss: 0 };

export const opposite = { win: "loss", loss: "win", draw: "draw", unknown: "unknown" };

/**
 * An answer in the eyes of the player it is about. The server tells means of games with dice in the first
 * player's eyes; here `own` is the mover's mean payoff and `odds` the mover's chance to win, where a game
 * pays 1 at most.
 * @template {Answer} A
 * @param {A} answer
 * @param {Turn | undefined} toMove
 * @returns {Omit<A, "value"> & Seen}
 */
export function seen(answer, toMove) {
  if (typeof answer.mean !== "number") return { ...answer, value: answer.value ?? "unknown", odds: null };
  const second = toMove === "second";
  const { expected = answer.mean } = answer;
  const simple = expected !== answer.mean;
  const odds = simple ? (second ? 1 - expected : expected) : null;
  return { ...answer, value: answer.value ?? "unknown", own: second ? -answer.mean : answer.mean, odds };
}

/**
 * The mean payoff of games with dice, if the answer has one.
 * @param {{ own?: number }} answer
 */
export function mean(answer) {
  return typeof answer.own === "number" ? answer.own : null;
}

/**
 * A mean as people read it.
 * @param {Seen} answer
 */
export function meanText(answer) {
  if (answer.odds !== null && answer.odds !== undefined) return `${(100 * answer.odds).toFixed(1)} %`;
  const { own = 0 } = answer;
  const sign = own > 0 ? "+" : own < 0 ? "−" : "";
  return `${sign}${Math.abs(own).toFixed(3)}`;
}

/**
 * The same where there is little room.
 * @param {Seen} answer
 */
export function brief(answer) {
  return answer.odds !== null && answer.odds !== undefined
    ? `${Math.round(100 * answer.odds)}%`
    : meanText(answer);
}

/**
 * What the program thinks of a move or position that it has no value for: "≈ +0.3".
 * @param {Pick<Seen, "opinion">} answer
 */
export function about(answer) {
  const { opinion = 0 } = answer;
  const sign = opinion >= 0.05 ? "+" : opinion <= -0.05 ? "−" : "";
  return `≈ ${sign}${Math.abs(opinion).toFixed(1)}`;
}

/**
 * The same where there is little room.
 * @param {Pick<Seen, "opinion">} answer
 */
export function aboutBrief(answer) {
  return about(answer).replace(" ", "").replace("+", "").replace("0.", ".");
}

/**
 * A connect-k score with a real minus sign.
 * @param {number} score
 */
export function scoreText(score) {
  return score > 0 ? `+${score}` : score < 0 ? `−${-score}` : "0";
}

/**
 * What stands on a move: symbol and distance.
 * @param {Seen} answer
 */
export function short(answer) {
  if (mean(answer) !== null) return meanText(answer);
  const distance = answer.value !== "draw" && answer.distance !== null && answer.distance !== undefined;
  return SYMBOL[answer.value] + (distance ? answer.distance : "");
}

/**
 * The same for a reader or a listener: "win in 5 plies".
 * @param {Seen} answer
 */
export function long(answer) {
  if (mean(answer) !== null)
    return answer.odds === null ? `${meanText(answer)} in the mean` : `wins ${meanText(answer)}`;
  const payoff = answer.payoff ? ` of ${Math.abs(answer.payoff)}` : "";
  if (answer.value === "draw" && answer.repetition) return "draw by repetition";
  if (answer.distance === null || answer.distance === undefined) return WORD[answer.value] + payoff;
  return `${WORD[answer.value]}${payoff} in ${plies(answer.distance)}`;
}

/** @param {number} n */
export function plies(n) {
  return n === 1 ? "1 ply" : `${n} plies`;
}

/**
 * Better moves first: the order of a list of moves.
 * @param {Seen} a
 * @param {Seen} b
 */
export function compare(a, b) {
  const [m, n] = [mean(a), mean(b)];
  if (m !== null && n !== null) return n - m;
  if (a.value !== b.value) return ORDER[b.value] - ORDER[a.value];
  const [p, q] = [a.distance ?? 0, b.distance ?? 0];
  return a.value === "win" ? p - q : q - p;
}

/**
 * How well the first player stands, from 0 to 1; a nearer end is further from the middle.
 * @param {Seen} answer
 * @param {Turn | undefined} toMove
 */
export function share(answer, toMove) {
  const own = mean(answer);
  let lead = 0;
  if (own !== null) lead = Math.max(-1, Math.min(1, answer.odds === null ? own / 3 : own));
  else if (answer.value === "win" || answer.value === "loss") {
    lead = (answer.value === "win" ? 1 : -1) * (0.4 + 0.6 / (1 + (answer.distance ?? 20) / 12));
  }
  return 0.5 + 0.5 * (toMove === "second" ? -lead : lead);
}

/**
 * One sentence: who wins and in how many plies.
 * @param {Seen} answer
 * @param {Turn | undefined} toMove
 * @param {Names} names
 */
export function sentence(answer, toMove, names) {
  const other = toMove === "first" ? "second" : "first";
  if (mean(answer) !== null) {
    const mover = names[toMove ?? "first"] ?? names.first;
    return answer.odds === null
      ? `${mover} can expect ${meanText(answer)}`
      : `${mover} wins with ${meanText(answer)}`;
  }
  if (answer.value === "unknown") {
    if (typeof answer.opinion !== "number") return "Not known";
    const better =
      answer.opinion >= 0.05 ? names[toMove ?? other] : answer.opinion <= -0.05 ? names[other] : null;
    return better
      ? `${better} looks better (${about(answer)})`
      : `Even, as far as one can see (${about(answer)})`;
  }
  if (answer.value === "draw") {
    if (answer.repetition) return "Draw: nobody can force an end";
    return answer.distance ? `Draw in ${plies(answer.distance)}` : "Draw with best play";
  }
  const winner = names[answer.value === "win" && toMove ? toMove : other];
  return answer.distance ? `${winner} wins in ${plies(answer.distance)}` : `${winner} wins`;
}

const SOURCE = {
  table: "from the table",
  book: "proved, from the opening book",
  search: "proved by search",
  kept: "proved before and kept",
  theory: "proved by a theorem",
  rules: "the game is over",
};

/**
 * How we know.
 * @param {Seen} answer
 */
export function source(answer) {
  if (answer.value === "unknown" && mean(answer) === null) {
    const [low, high] = answer.bounds ?? [];
    if (low === 0) return "at least a draw for the player to move; the search did not finish";
    if (high === 0) return "at most a draw for the player to move; the search did not finish";
    return "by judgement: too large for an exact answer in the time allowed";
  }
  return answer.source ? (SOURCE[answer.source] ?? answer.source) : "";
}

/**
 * How a finished game ended.
 * @param {number} outcome
 * @param {Names} names
 */
export function ending(outcome, names) {
  if (outcome === 0) return "The game is drawn";
  const by = Math.abs(outcome) > 1 ? ` and gets ${Math.abs(outcome)}` : "";
  return `${names[outcome > 0 ? "first" : "second"]} wins${by}`;
}
