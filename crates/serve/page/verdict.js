// @ts-check

// Values as words, symbols and numbers. A value is from the point of view of the player to move, or of the
// player who makes a move. Distances are shown in moves; the server counts plies.

export const SYMBOL = { win: "✓", draw: "=", loss: "✗", unknown: "·" };
const WORD = { win: "win", draw: "draw", loss: "loss", unknown: "not known" };
const ORDER = { win: 3, draw: 2, unknown: 1, loss: 0 };

export const opposite = { win: "loss", loss: "win", draw: "draw", unknown: "unknown" };

/**
 * An answer from the mover's point of view. The server sends means of games with dice from the first player's
 * point of view; here `own` is the mover's mean payoff and `odds` the mover's chance to win, if a game pays
 * at most 1.
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
 * A mean as text: a percentage or a signed number.
 * @param {Seen} answer
 */
export function meanText(answer) {
  if (answer.odds !== null && answer.odds !== undefined) return `${(100 * answer.odds).toFixed(1)} %`;
  const { own = 0 } = answer;
  const sign = own > 0 ? "+" : own < 0 ? "−" : "";
  return `${sign}${Math.abs(own).toFixed(3)}`;
}

/**
 * A mean in a few characters.
 * @param {Seen} answer
 */
export function brief(answer) {
  return answer.odds !== null && answer.odds !== undefined
    ? `${Math.round(100 * answer.odds)}%`
    : meanText(answer);
}

/**
 * The estimate of a move or position without an exact value: "≈ +0.3".
 * @param {Pick<Seen, "opinion">} answer
 */
export function about(answer, digits = 1) {
  const { opinion = 0 } = answer;
  const text = Math.abs(opinion).toFixed(digits);
  const sign = Number(text) === 0 ? "" : opinion > 0 ? "+" : "−";
  return `≈ ${sign}${text}`;
}

/**
 * What the values of the moves prove about a position: a winning move decides it, and so do the values of all
 * `count` moves. Null if they prove nothing.
 * @param {Seen[]} moves
 * @param {number} count
 * @returns {{ value: Verdict, distance: number | null } | null}
 */
export function proven(moves, count) {
  const known = moves.filter((move) => mean(move) === null && move.value !== "unknown").sort(compare);
  const [best] = known;
  if (!best || best.value === "unknown" || (best.value !== "win" && known.length < count)) return null;
  // Another move may win sooner.
  return { value: best.value, distance: known.length < count ? null : (best.distance ?? null) };
}

/**
 * An opinion within proven bounds.
 * @param {number | undefined} opinion
 * @param {[number, number] | undefined} bounds
 */
export const within = (opinion, bounds) =>
  opinion === undefined || !bounds ? opinion : Math.max(bounds[0], Math.min(bounds[1], opinion));

/**
 * An estimate in a few characters.
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
 * The moves until the end of the game, as text; "" if the distance is not known.
 * @param {Seen} answer
 */
export const movesTo = ({ distance }) =>
  distance === null || distance === undefined ? "" : String(Math.ceil(distance / 2));

/**
 * The short label of a move: symbol and number of moves.
 * @param {Seen} answer
 */
export function short(answer) {
  if (mean(answer) !== null) return meanText(answer);
  return SYMBOL[answer.value] + (answer.value === "draw" ? "" : movesTo(answer));
}

/**
 * The long label of a move: "win in 3 moves".
 * @param {Seen} answer
 */
export function long(answer) {
  if (mean(answer) !== null)
    return answer.odds === null ? `${meanText(answer)} on average` : `wins ${meanText(answer)} of games`;
  const payoff = answer.payoff ? ` of ${Math.abs(answer.payoff)}` : "";
  if (answer.value === "draw" && answer.repetition) return "draw by repetition";
  if (answer.distance === null || answer.distance === undefined) return WORD[answer.value] + payoff;
  return `${WORD[answer.value]}${payoff} in ${plies(answer.distance)}`;
}

/**
 * A distance in plies as moves: 41 plies are 21 moves of the player who makes the first of them.
 * @param {number} n
 */
export function plies(n) {
  const moves = Math.ceil(n / 2);
  return moves === 1 ? "1 move" : `${moves} moves`;
}

/**
 * Sorts better moves first.
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
 * The first player's prospects from 0 to 1; a nearer end is further from the middle.
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
 * One sentence: who wins, and in how many moves.
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
      : `${mover} wins ${meanText(answer)} of games`;
  }
  if (answer.value === "unknown") {
    if (typeof answer.opinion !== "number") return "Not known";
    const better =
      answer.opinion >= 0.05 ? names[toMove ?? other] : answer.opinion <= -0.05 ? names[other] : null;
    // A named side needs no sign; signs are those of the player to move.
    return better
      ? `${better} looks better (${about({ opinion: Math.abs(answer.opinion) }).replace("+", "")})`
      : `The position looks even (${about(answer)})`;
  }
  if (answer.value === "draw") {
    if (answer.repetition) return "Draw: neither side can force a win";
    return answer.distance ? `Draw in ${plies(answer.distance)}` : "Draw with best play";
  }
  const winner = names[answer.value === "win" && toMove ? toMove : other];
  return answer.distance ? `${winner} wins in ${plies(answer.distance)}` : `${winner} wins`;
}

const SOURCE = {
  table: "from the table",
  book: "proved, from the opening book",
  search: "proved by search",
  kept: "proved earlier and stored",
  theory: "proved by a theorem",
  rules: "the game is over",
};

/**
 * The source of a value in words.
 * @param {Seen} answer
 */
export function source(answer) {
  if (answer.value === "unknown" && mean(answer) === null) {
    const [low, high] = answer.bounds ?? [];
    if (low === 0) return "at least a draw for the player to move; the search did not finish";
    if (high === 0) return "at most a draw for the player to move; the search did not finish";
    return "estimate: too large for an exact answer within the time limit";
  }
  return answer.source ? (SOURCE[answer.source] ?? answer.source) : "";
}

/**
 * The result of a finished game.
 * @param {number} outcome
 * @param {Names} names
 */
export function ending(outcome, names) {
  if (outcome === 0) return "The game is drawn";
  const by = Math.abs(outcome) > 1 ? ` and scores ${Math.abs(outcome)}` : "";
  return `${names[outcome > 0 ? "first" : "second"]} wins${by}`;
}
