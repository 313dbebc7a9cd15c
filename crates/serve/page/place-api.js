// @ts-check

// API client of the pages beside the board: statistics, arena, experiments, puzzle sets.

import { ApiError, isAbort, query } from "./api.js";

const BASE = "/api/v1";

/**
 * Sends one request; throws an `ApiError` for an error response or an unreachable server.
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<any>}
 */
export async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(BASE + path, options);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError(0, "Cannot reach the server", "try again later");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok)
    throw new ApiError(
      response.status,
      body?.error ?? `the server responded with status ${response.status}`,
      body?.cure,
    );
  return body;
}

/**
 * @param {string} path
 * @param {object} [body]
 */
export const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
/** @param {string} path */
export const drop = (path) => ask(path, { method: "DELETE" });

/**
 * @param {string} path
 * @param {string} game
 * @param {{ [key: string]: string }} [more]
 */
export const address = (path, game, more = {}) => `${BASE}${path}?${query({ game }, more)}`;
/**
 * @param {string} path
 * @param {string} game
 * @param {{ [key: string]: string }} [more]
 * @param {AbortSignal} [signal]
 */
export const about = (path, game, more = {}, signal = undefined) =>
  ask(`${path}?${query({ game }, more)}`, { signal });

/**
 * Subscribes to an event stream until `done`; returns a function that closes it. When the stream breaks,
 * `lost` is called and the browser reconnects.
 * @param {string} path
 * @param {{ lost?(): unknown } & { [event: string]: (news: any) => unknown }} hear
 */
export function follow(path, hear) {
  const source = new EventSource(BASE + path);
  source.addEventListener("error", () => hear.lost?.());
  for (const name of Object.keys(hear)) {
    if (name === "lost") continue;
    source.addEventListener(name, (event) => {
      if (name === "done") source.close();
      hear[name](JSON.parse(event.data));
    });
  }
  return () => source.close();
}

/** Labels for the states of a match. */
export const STATES = {
  running: "in progress",
  stopping: "stopping",
  stopped: "stopped",
  done: "finished",
  failed: "failed",
};

/**
 * A name for a file.
 * @param {string} words
 * @param {string} ending
 */
export const fileName = (words, ending) =>
  `${words.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "")}.${ending}`;

/**
 * Offers content as a download.
 * @param {Blob | string} content
 * @param {string} type
 * @param {string} name
 */
export function keep(content, type, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
