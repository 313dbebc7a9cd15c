// Keeps the page itself, so that it opens when the server is away and can say so. Answers are never kept: what a
// position is worth comes from the server or not at all.

const SHELL = "outplay-shell";

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(SHELL);
    const { files } = await (await fetch("shell.json")).json();
    await cache.addAll(["./", ...files]);
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  const ours = origin === self.location.origin && request.method === "GET" && !/^\/(api\/|(healthz|embed|shell\.json)$)/.test(pathname);
  if (!ours) return;
  event.respondWith((async () => {
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
  })());
});
