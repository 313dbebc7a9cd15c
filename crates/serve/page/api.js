// @ts-check

// Client of the HTTP API: one function per endpoint. Answers are JSON; errors are thrown as `ApiError` with
// the server's message.
//
// When the server is unreachable, the listeners are notified, `/healthz` is polled until it responds, and the
// failed request is retried. The screen keeps its content meanwhile.

const BASE = "/api/v1";

export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} sentence
   * @param {string | null} [cure]
   */
  constructor(status, sentence, cure) {
    super(sentence);
    this.status = status;
    this.cure = cure ?? "";
  }

  /** The message, followed by the suggested fix. */
  get words() {
    return this.cure ? `${this.message} — ${this.cure}` : this.message;
  }
}

/**
 * The text of an error, from the server or the browser.
 * @param {unknown} error
 */
export const wordsOf = (error) =>
  error instanceof ApiError ? error.words : error instanceof Error ? error.message : String(error);

/**
 * Whether a request was aborted by the page itself, which is not an error to report.
 * @param {unknown} error
 */
export const isAbort = (error) => error instanceof Error && error.name === "AbortError";

/** @type {Set<(reachable: boolean) => unknown>} */
const listeners = new Set();
/** @type {Promise<void> | null} */
let waiting = null;

/**
 * Registers a listener that is called when the server becomes unreachable or reachable again.
 * @param {(reachable: boolean) => unknown} listener
 */
export function onReach(listener) {
  listeners.add(listener);
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Resolves when the server responds again. */
function reached() {
  waiting ??= (async () => {
    listeners.forEach((tell) => tell(false));
    for (let wait = 500; ; wait = Math.min(wait * 1.5, 5000)) {
      await pause(wait);
      try {
        if ((await fetch("/healthz", { cache: "no-store" })).ok) break;
      } catch {
        // Still unreachable.
      }
    }
    waiting = null;
    listeners.forEach((tell) => tell(true));
  })();
  return waiting;
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
async function ask(path, options = {}) {
  for (let attempt = 0; ; attempt += 1) {
    let response;
    try {
      response = await fetch(BASE + path, options);
    } catch (error) {
      if (isAbort(error)) throw error;
      await reached();
      continue;
    }
    // A busy server sends Retry-After; the page retries a few times.
    if (response.status === 503 && attempt < 4) {
      await pause(Math.min(Number(response.headers.get("Retry-After")) || 1, 5) * 1000);
      if (options.signal?.aborted) throw new DOMException("left", "AbortError");
      continue;
    }
    const body = await response.json().catch(() => null);
    // A request aborted while its body was arriving must not return an empty answer.
    if (options.signal?.aborted) throw new DOMException("left", "AbortError");
    if (!response.ok) {
      const sentence = body?.error ?? `the server responded with status ${response.status}`;
      throw new ApiError(response.status, sentence, body?.cure);
    }
    return body;
  }
}

/**
 * The query string of `{game, position, moves}`; moves are a list.
 * @param {Place} place
 * @param {{ [key: string]: string | number | undefined }} [more]
 */
export function query(place, more = {}) {
  const params = new URLSearchParams({ game: place.game });
  if (place.position) params.set("position", place.position);
  if (place.moves?.length) params.set("moves", place.moves.join(" "));
  for (const [key, value] of Object.entries(more))
    if (value !== undefined && value !== "") params.set(key, String(value));
  return params.toString();
}

/**
 * @param {string} path
 * @param {object} body
 * @param {AbortSignal} [signal]
 */
const post = (path, body, signal) =>
  ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal,
  });

/** @param {Place} place */
const bodyOf = (place) => ({
  game: place.game,
  ...(place.position ? { position: place.position } : {}),
  ...(place.moves?.length ? { moves: place.moves.join(" ") } : {}),
});

export const games = () => ask("/games");
/**
 * The position after the moves of a place, or after the first `at` of them.
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @param {number} [at]
 * @returns {Promise<View>}
 */
export const view = (place, signal, at) => {
  const all = at === undefined || at >= (place.moves?.length ?? 0);
  return ask(`/view?${query(place, all ? {} : { at })}`, { signal });
};
/**
 * @param {string} game
 * @param {number} seed
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ game: string, position: string, startless: boolean }>}
 */
export const start = (game, seed, signal) => ask(`/start?${query({ game }, { seed })}`, { signal });
/**
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<PositionAnswer>}
 */
export const position = (place, signal) => ask(`/position?${query(place)}`, { signal });
/**
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ game: string, plies: HistoryPly[], review: GameReview }>}
 */
export const history = (place, signal) => ask(`/history?${query(place)}`, { signal });
/**
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<Why>}
 */
export const why = (place, signal) => ask(`/why?${query(place)}`, { signal });
/**
 * @param {string} game
 * @param {string} seed
 * @param {AbortSignal} [signal]
 * @returns {Promise<PuzzleAnswer>}
 */
export const puzzle = (game, seed, signal) => ask(`/puzzle?${query({ game }, { seed })}`, { signal });
/**
 * @param {string} game
 * @param {AbortSignal} [signal]
 * @returns {Promise<StatsReport>}
 */
export const stats = (game, signal) => ask(`/stats?${query({ game })}`, { signal });
/** @param {string} game */
export const statsPicture = (game) => `${BASE}/stats.svg?${query({ game })}`;
/**
 * @param {Place} place
 * @param {string} player
 * @param {number} seed
 * @param {AbortSignal} [signal]
 * @returns {Promise<Choice>}
 */
export const choose = (place, player, seed, signal) =>
  post("/move", { ...bodyOf(place), player, seed }, signal);
/**
 * @param {string} game
 * @param {AbortSignal} [signal]
 * @returns {Promise<Knowledge>}
 */
export const knowledge = (game, signal) => ask(`/knowledge?${query({ game })}`, { signal });
/**
 * @param {string} game
 * @param {boolean} [stay]
 * @returns {Promise<Job>}
 */
export const solve = (game, stay = false) => post("/solve", { game, stay });
/**
 * @param {number} id
 * @param {AbortSignal} [signal]
 * @returns {Promise<Job>}
 */
export const job = (id, signal) => ask(`/solve/${encodeURIComponent(id)}`, { signal });
/**
 * @param {number} id
 * @returns {Promise<Job>}
 */
export const cancel = (id) => ask(`/solve/${encodeURIComponent(id)}`, { method: "DELETE" });

// Endpoints for the lessons: search traces, position indices, retrograde waves, proofs.
/**
 * @param {Place} place
 * @param {TreeOptions} options
 * @param {AbortSignal} [signal]
 * @returns {Promise<Trace>}
 */
export const tree = (place, options, signal) => ask(`/tree?${query(place, options)}`, { signal });
/**
 * @param {string} game
 * @param {AbortSignal} [signal]
 * @returns {Promise<RulesAnswer>}
 */
export const rules = (game, signal) => ask(`/rules?${query({ game })}`, { signal });
/**
 * @param {Place} place
 * @param {string | undefined} number
 * @param {AbortSignal} [signal]
 * @returns {Promise<IndexAnswer>}
 */
export const index = (place, number, signal) => ask(`/index?${query(place, { number })}`, { signal });
/**
 * @param {string} game
 * @param {AbortSignal} [signal]
 * @returns {Promise<WavesAnswer>}
 */
export const waves = (game, signal) => ask(`/waves?${query({ game })}`, { signal });
/**
 * @param {string} game
 * @param {string[]} positions
 * @param {AbortSignal} [signal]
 * @returns {Promise<{ values: ValuedPosition[] }>}
 */
export const values = (game, positions, signal) => post("/values", { game, positions }, signal);
/**
 * @param {Place} place
 * @param {string} judge
 * @param {AbortSignal} [signal]
 * @returns {Promise<Evaluation>}
 */
export const evaluation = (place, judge, signal) =>
  ask(`/evaluation?${query(place, { eval: judge })}`, { signal });
/**
 * @param {Place} place
 * @param {AbortSignal} [signal]
 * @returns {Promise<ProofAnswer>}
 */
export const prove = (place, signal) => ask(`/proof?${query(place)}`, { signal });
/**
 * @param {string} proof
 * @param {AbortSignal} [signal]
 * @returns {Promise<CheckAnswer>}
 */
export const check = (proof, signal) => post("/check", { proof }, signal);
/**
 * @param {string} proof
 * @param {Side} player
 * @param {string[]} moves
 * @param {AbortSignal} [signal]
 * @returns {Promise<WalkAnswer>}
 */
export const walk = (proof, player, moves, signal) => post("/walk", { proof, player, moves }, signal);

/** Connection attempts for a stream that breaks off. */
const TRIES = 4;

/**
 * Subscribes to an event stream. `hear` has a function for each event, and `done` and `fail` for its end.
 * EventSource does not distinguish an HTTP error from a lost connection, so `probe` sends a small request
 * about the same resource, which does.
 * @param {string} address
 * @param {Hear<any>} hear
 * @param {() => Promise<unknown>} probe
 */
function listen(address, hear, probe) {
  /** @type {EventSource} */
  let source;
  let left = false;
  const end = () => {
    left = true;
    source.close();
  };
  /** @param {number} tries */
  const begin = (tries) => {
    source = new EventSource(address);
    for (const name of Object.keys(hear)) {
      if (name === "done" || name === "fail") continue;
      source.addEventListener(name, (event) => !left && hear[name]?.(JSON.parse(event.data)));
    }
    source.addEventListener("done", (event) => {
      if (left) return;
      end();
      hear.done(JSON.parse(event.data));
    });
    source.addEventListener("error", async (/** @type {Event & { data?: unknown }} */ event) => {
      if (left) return;
      source.close();
      if (typeof event.data === "string") {
        const { error, cure } = JSON.parse(event.data);
        left = true;
        hear.fail(new ApiError(422, error, cure));
        return;
      }
      try {
        await probe();
        if (left) return;
        if (tries <= 1) throw new ApiError(503, "the server is busy", "try again in a minute");
        await pause(1000);
        if (!left) begin(tries - 1);
      } catch (error) {
        if (!left && !isAbort(error)) hear.fail(error);
      }
    });
  };
  begin(TRIES);
  return end;
}

/**
 * Streams the values of a position's moves as they are found. `hear` has `move`, `progress`, `done` and
 * `fail`. The returned function closes the stream, which also cancels the work on the server.
 * @param {Place} place
 * @param {PositionListener} hear
 */
export const stream = (place, hear) =>
  listen(`${BASE}/position/stream?${query(place)}`, hear, () => view(place));

/**
 * Streams the values of a game's positions, last position first. `hear` has `ply`, `done` and `fail`.
 * @param {Place} place
 * @param {Hear<{ plies: HistoryPly[], review: GameReview }> & { ply(ply: HistoryPly): unknown }} hear
 */
export const historyStream = (place, hear) =>
  listen(`${BASE}/history/stream?${query(place)}`, hear, () => view(place));

/**
 * Streams heuristic scores of moves without an exact value. `hear` has `move`, `done` and `fail`.
 * @param {Place} place
 * @param {Hear<OpinionsAnswer> & { move(opinion: Opinion): unknown, progress?(): unknown }} hear
 */
export const opinions = (place, hear) =>
  listen(`${BASE}/opinions/stream?${query(place)}`, hear, () => view(place));

/**
 * Streams the progress of a solve. `hear` has `progress`, `done` and `fail`. A solve that was started without
 * `stay` is cancelled when the stream closes.
 * @param {number} id
 * @param {Hear<Job> & { progress(progress: Progress): unknown }} hear
 */
export const jobStream = (id, hear) =>
  listen(`${BASE}/solve/${encodeURIComponent(id)}/stream`, hear, () => job(id));
