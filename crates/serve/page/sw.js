// @ts-check

// Service worker: caches the files of the page, so that it opens and reports when the server is unreachable.
// API answers are never cached.

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const SHELL = "outplay-shell";

worker.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const cache = await caches.open(SHELL);
      const { files } = await (await fetch("shell.json")).json();
      await cache.addAll(["./", ...files]);
      await worker.skipWaiting();
    })(),
  );
});

worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const ours =
    origin === worker.location.origin &&
    request.method === "GET" &&
    !/^\/(api\/|(healthz|embed|shell\.json)$)/.test(pathname);
  if (!ours) return;
  event.respondWith(
    (async () => {
      const cache = await caches.open(SHELL);
      const key = request.mode === "navigate" ? "./" : request;
      try {
        const answer = await fetch(request);
        if (answer.ok) await cache.put(key, answer.clone());
        return answer;
      } catch (error) {
        const kept = await cache.match(key);
        if (kept) return kept;
        throw error;
      }
    })(),
  );
});
