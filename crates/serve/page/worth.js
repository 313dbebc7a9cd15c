// @ts-check

// Values of a recorded search, as comparable numbers and as text.
//
// A worth is from the first player's point of view: `{value, distance}` for an end of the game, `{opinion}`
// at a horizon, `{mean}` with dice.

const MINUS = "−";

/**
 * Whether a worth is an end of the game, not an opinion or a mean.
 * @param {Worth | null | undefined} worth
 * @returns {worth is { value: Verdict, distance: number | null }}
 */
export const isEnd = (worth) => Boolean(worth && "value" in worth);

/**
 * A number that orders worths by the first player's preference.
 * @param {Worth | null | undefined} worth
 */
export function rank(worth) {
  if (!worth) return 0;
  if ("mean" in worth) return worth.mean;
  if ("opinion" in worth) return worth.opinion;
  const late = worth.distance ?? 0;
  return { win: 1e6 - late, draw: 0, loss: late - 1e6 }[worth.value];
}

/**
 * A number with its sign.
 * @param {number} number
 */
export function signed(number, digits = 0) {
  const text = Math.abs(number).toFixed(digits);
  return Number(text) === 0 ? "0" : `${number < 0 ? MINUS : "+"}${text}`;
}

/**
 * A mean with at most three decimals, without trailing zeros.
 * @param {number} number
 */
export const trimmed = (number) =>
  signed(number, 3)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

/**
 * A worth in a few characters: +1, 0, −1 for payoffs, hundredths for opinions.
 * @param {Worth | null | undefined} worth
 * @param {{ plies?: boolean }} [options]
 */
export function short(worth, { plies = false } = {}) {
  if (!worth) return "";
  if ("mean" in worth) return trimmed(worth.mean);
  if ("opinion" in worth) return signed(Math.round(worth.opinion * 100));
  const text = { win: "+1", draw: "0", loss: `${MINUS}1` }[worth.value];
  return plies && worth.value !== "draw" && worth.distance !== null ? `${text} in ${worth.distance}` : text;
}

/**
 * A worth in words.
 * @param {Worth | null | undefined} worth
 */
export function long(worth) {
  if (!worth) return "no value yet";
  if ("mean" in worth) return `${signed(worth.mean, 4)} on average`;
  if ("opinion" in worth) return `about ${signed(Math.round(worth.opinion * 100))}`;
  const plies = worth.distance === 1 ? "1 ply" : `${worth.distance} plies`;
  if (worth.value === "draw") return "a draw";
  return `${worth.value === "win" ? "First wins" : "Second wins"}${worth.distance ? ` in ${plies}` : ""}`;
}

/**
 * One side of a window: a worth, or infinity.
 * @param {Worth | null | undefined} worth
 * @param {"alpha" | "beta"} side
 */
export const bound = (worth, side) => (worth ? short(worth) : side === "alpha" ? `${MINUS}∞` : "+∞");

/**
 * The colour class of a worth: win, draw, loss, or between them.
 * @param {Worth | null | undefined} worth
 */
export function tone(worth) {
  if (!worth) return "unknown";
  if ("value" in worth) return worth.value;
  const number = "mean" in worth ? worth.mean : worth.opinion;
  if (Math.abs(number) < 0.005) return "even";
  return number > 0 ? "good" : "bad";
}

/**
 * `≥`, `≤` or nothing before a worth that is only a bound.
 * @param {{ bound?: string }} node
 */
export const sign = (node) => (node.bound === "at least" ? "≥ " : node.bound === "at most" ? "≤ " : "");

/**
 * The result of a recorded search with dice at its root. The mean of a search that stops at a horizon is an
 * estimate, and is called so beside the exact one.
 * @param {Pick<Trace, "exact" | "depth" | "nodes">} trace
 * @param {number | undefined} value the first player's exact mean payoff, if it is known
 */
export function rootValue({ exact, depth, nodes }, value) {
  const found = short(nodes[0].worth);
  if (exact) return `The root is worth ${found} to First.`;
  const rest = `${found} is an estimate: the search stops after ${depth} plies and counts what is left as 0.`;
  if (value === undefined) return `The root’s value is not known; ${rest}`;
  return `The root is worth ${fraction(value)} to First; ${rest}`;
}

/**
 * A number as a common fraction with a small denominator and as a decimal: "+1/7 (+0.143)".
 * @param {number} number
 */
export function fraction(number) {
  const decimal = trimmed(number);
  for (let below = 2; below <= 40; below += 1) {
    const above = Math.round(Math.abs(number) * below);
    if (above > 0 && above < below && Math.abs(Math.abs(number) - above / below) < 1e-9)
      return `${number < 0 ? MINUS : "+"}${above}/${below} (${decimal})`;
  }
  return decimal;
}
