// The service worker of the judging page: where the network does not answer, it brings the
// page's shell and what that loads, kept by device.js. It touches nothing else: items and
// answers pass by it.

const CACHE = "gemel-judging";
const AWAY = [502, 503, 504]; // a proxy says that the server is not there

const worker = /** @type {any} */ (self); // of the types the checker has those of pages

worker.addEventListener("install", () => worker.skipWaiting());

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.destination) event.respondWith(answer(request));
});

async function answer(request) {
  const fresh = await fetch(request).catch(() => null);
  if (fresh && !AWAY.includes(fresh.status)) return fresh;
  const { origin, pathname } = new URL(request.url);
  const key = request.mode === "navigate" ? origin + pathname : request.url;
  return await caches.match(key, { cacheName: CACHE, ignoreVary: true }) ?? fresh ?? Response.error();
}
