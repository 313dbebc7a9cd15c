// The server, one function per question. An answer is JSON; a refusal is an `ApiError` with the server's sentence.
//
// When the server cannot be reached, "gone" is told to the listeners, `/healthz` is asked until it answers, and the
// question that failed is asked again: nothing on the screen is lost.

const BASE = "/api/v1";

export class ApiError extends Error {
  constructor(status, sentence, cure) {
    super(sentence);
    this.status = status;
    this.cure = cure ?? "";
  }

  /** The sentence with its cure. */
  get words() {
    return this.cure ? `${this.message} — ${this.cure}` : this.message;
  }
}

const listeners = new Set();
let waiting = null;

/** Calls `listener(reachable)` when the server goes away or comes back. */
export function onReach(listener) {
  listeners.add(listener);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Resolves when the server answers again. */
function reached() {
  waiting ??= (async () => {
    listeners.forEach((tell) => tell(false));
    for (let wait = 500; ; wait = Math.min(wait * 1.5, 5000)) {
      await pause(wait);
      try {
        if ((await fetch("/healthz", { cache: "no-store" })).ok) break;
      } catch {
        // Still away.
      }
    }
    waiting = null;
    listeners.forEach((tell) => tell(true));
  })();
  return waiting;
}

async function ask(path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(BASE + path, options);
    } catch (error) {
      if (error.name === "AbortError") throw error;
      await reached();
      continue;
    }
    // A busy server says when to come back; a few times the page does so by itself.
    if (response.status === 503 && attempt < 4) {
      await pause(Math.min(Number(response.headers.get("Retry-After")) || 1, 5) * 1000);
      if (options.signal?.aborted) throw new DOMException("left", "AbortError");
      continue;
    }
    const body = await response.json().catch(() => null);
    // Whoever left while the answer was on its way gets none, not an empty one.
    if (options.signal?.aborted) throw new DOMException("left", "AbortError");
    if (!response.ok) {
      const sentence = body?.error ?? `the server answered ${response.status}`;
      throw new ApiError(response.status, sentence, body?.cure);
    }
    return body;
  }
}

/** `{game, position, moves}` as a query string; moves are a list. */
export function query(place, more = {}) {
  const params = new URLSearchParams({ game: place.game });
  if (place.position) params.set("position", place.position);
  if (place.moves?.length) params.set("moves", place.moves.join(" "));
  for (const [key, value] of Object.entries(more)) if (value !== undefined && value !== "") params.set(key, value);
  return params.toString();
}

const post = (path, body, signal) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

const bodyOf = (place) => ({
  game: place.game,
  ...(place.position ? { position: place.position } : {}),
  ...(place.moves?.length ? { moves: place.moves.join(" ") } : {}),
});

export const games = () => ask("/games");
export const view = (place, signal) => ask(`/view?${query(place)}`, { signal });
export const position = (place, signal) => ask(`/position?${query(place)}`, { signal });
export const history = (place, signal) => ask(`/history?${query(place)}`, { signal });
export const why = (place, signal) => ask(`/why?${query(place)}`, { signal });
export const puzzle = (game, seed, signal) => ask(`/puzzle?${query({ game }, { seed })}`, { signal });
export const stats = (game, signal) => ask(`/stats?${query({ game })}`, { signal });
export const statsPicture = (game) => `${BASE}/stats.svg?${query({ game })}`;
export const choose = (place, player, seed, signal) => post("/move", { ...bodyOf(place), player, seed }, signal);
export const knowledge = (game, signal) => ask(`/knowledge?${query({ game })}`, { signal });
export const solve = (game, stay = false) => post("/solve", { game, stay });
export const job = (id, signal) => ask(`/solve/${encodeURIComponent(id)}`, { signal });
export const cancel = (id) => ask(`/solve/${encodeURIComponent(id)}`, { method: "DELETE" });

// What lessons are made of: searches step by step, positions as numbers, waves, proofs.
export const tree = (place, options, signal) => ask(`/tree?${query(place, options)}`, { signal });
export const rules = (game, signal) => ask(`/rules?${query({ game })}`, { signal });
export const index = (place, number, signal) => ask(`/index?${query(place, { number })}`, { signal });
export const waves = (game, signal) => ask(`/waves?${query({ game })}`, { signal });
export const values = (game, positions, signal) => post("/values", { game, positions }, signal);
export const evaluation = (place, judge, signal) => ask(`/evaluation?${query(place, { eval: judge })}`, { signal });
export const prove = (place, signal) => ask(`/proof?${query(place)}`, { signal });
export const check = (proof, signal) => post("/check", { proof }, signal);
export const walk = (proof, player, moves, signal) => post("/walk", { proof, player, moves }, signal);

/** How often a stream that breaks off is begun anew. */
const TRIES = 4;

/**
 * Listens to a stream; `hear` has a function for each event, and `done` and `fail` for its end. A refusal and a lost
 * server look the same here: `ask` is a small question about the same thing, whose answer tells them apart.
 */
function listen(address, hear, ask) {
  let source;
  let left = false;
  const end = () => {
    left = true;
    source.close();
  };
  const begin = (tries) => {
    source = new EventSource(address);
    for (const name of Object.keys(hear)) {
      if (name === "done" || name === "fail") continue;
      source.addEventListener(name, (event) => !left && hear[name](JSON.parse(event.data)));
    }
    source.addEventListener("done", (event) => {
      if (left) return;
      end();
      hear.done(JSON.parse(event.data));
    });
    source.addEventListener("error", async (event) => {
      if (left) return;
      source.close();
      if (typeof event.data === "string") {
        const { error, cure } = JSON.parse(event.data);
        left = true;
        hear.fail(new ApiError(422, error, cure));
        return;
      }
      try {
        await ask();
        if (left) return;
        if (tries <= 1) throw new ApiError(503, "the server is busy", "look again in a minute");
        await pause(1000);
        if (!left) begin(tries - 1);
      } catch (error) {
        if (!left && error.name !== "AbortError") hear.fail(error);
      }
    });
  };
  begin(TRIES);
  return end;
}

/**
 * Values as they are found. `hear` has `move`, `progress`, `done` and `fail`; the function returned ends the
 * stream, and with it the server's work.
 */
export const stream = (place, hear) => listen(`${BASE}/position/stream?${query(place)}`, hear, () => view(place));

/** The same for the positions of a game, the last one first: `hear` has `ply`, `done` and `fail`. */
export const historyStream = (place, hear) => listen(`${BASE}/history/stream?${query(place)}`, hear, () => view(place));

/** What the program thinks of moves without a value: `hear` has `move`, `done` and `fail`. */
export const opinions = (place, hear) => listen(`${BASE}/opinions/stream?${query(place)}`, hear, () => view(place));

/** A solve as it goes on: `hear` has `progress`, `done` and `fail`. A solve that does not stay ends with the stream. */
export const jobStream = (id, hear) => listen(`${BASE}/solve/${encodeURIComponent(id)}/stream`, hear, () => job(id));
