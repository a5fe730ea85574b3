// Offline: every file of one version is kept under that version's name. The build writes the two lines below.
const VERSION = "dev";
const FILES = [];

const CACHE = `mhacsp-${VERSION}`;
const scope = new URL("./", self.location);

// Hashed names never change, so the browser's own cache may serve them; pages must come fresh.
const request = (name) => {
  const hashed = /\.[0-9a-f]{8,}\./.test(name);
  return new Request(new URL(name, scope), { cache: hashed ? "default" : "reload" });
};

self.addEventListener("install", (e) => {
  e.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES.map(request))).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (e) => {
  e.waitUntil((async () => {
    // Pages of the version before are still open, and their files are not at the host any more: that version stays
    // too.
    const older = (await caches.keys()).filter((name) => name.startsWith("mhacsp-") && name !== CACHE);
    for (const name of older.slice(0, -1)) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  if (e.request.method !== "GET" || url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return;
  e.respondWith((async () => {
    const cache = await caches.open(CACHE);
    const asked = url.pathname.endsWith("/") ? new URL("index.html", url) : e.request;
    const found = await cache.match(asked, { ignoreSearch: true });
    return found ?? await caches.match(e.request, { ignoreSearch: true }) ?? fetch(e.request);
  })());
});
