// Offline: every file of one version is kept under that version's name. The build writes the lines below.
const VERSION = "dev";
const FILES = [];
importScripts("packed.js");

const scope = new URL("./", self.location);
const OURS = `mhacsp ${scope.pathname} `; // an origin may have copies of the site in other folders
const CACHE = OURS + VERSION;
const here = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(scope.hostname);

// What few ask for is kept once it was asked for.
const later = (name) => /(^|\/)families\.[\w.]*wasm$/.test(name);

// Hashed names never change, so the browser's own cache may serve them; pages must come fresh.
const request = (name) => {
  const hashed = /\.[0-9a-f]{8,}\./.test(name);
  return new Request(new URL(name, scope), { cache: hashed ? "default" : "reload" });
};

/**
 * put keeps a file. A response to which the host redirected, as some do from page.html to page, no browser takes for a
 * page that is gone to: its content is kept as one of its own.
 */
async function put(cache, name, response) {
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const page = /^text\/html/.test(response.headers.get("content-type"));
  if (page && !name.endsWith(".html")) throw new Error(`${name}: a page in its place`);
  const stable = page && !/\.[0-9a-f]{12}\.html$/.test(name);
  if (stable && !(await response.clone().text()).includes(VERSION)) throw new Error(`${name}: of another version`);
  const { status, statusText, headers } = response;
  const own = response.redirected ? new Response(await response.blob(), { status, statusText, headers }) : response;
  await cache.put(new URL(name, scope), own);
}

self.addEventListener("install", (e) => {
  e.waitUntil((async () => {
    const had = await caches.has(CACHE); // a whole one, of a version that comes back
    const cache = await caches.open(CACHE), large = (name) => /\.(wasm|safetensors)$/.test(name);
    const small = FILES.filter((name) => !large(name));
    try {
      await Promise.all(small.map(async (name) => put(cache, name, await fetch(request(name)))));
      for (const name of FILES.filter((name) => large(name) && !later(name))) {
        await put(cache, name, await fetchPacked(new URL(name, scope)));
      }
    } catch (error) {
      if (!had) await caches.delete(CACHE); // half a version would take the place of a whole one
      throw error;
    }
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (e) => {
  e.waitUntil((async () => {
    // Pages of the version before, the last that came, are still open and the host lacks their files: it stays too.
    const came = new URL("came", scope), older = [];
    for (const name of (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== CACHE)) {
      older.push({ name, at: Number(await (await (await caches.open(name)).match(came))?.text() ?? 0) });
    }
    for (const { name } of older.sort((a, b) => a.at - b.at).slice(0, -1)) await caches.delete(name);
    await (await caches.open(CACHE)).put(came, new Response(Date.now())).catch(() => {}); // there is no room
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (e) => {
  const url = new URL(e.request.url);
  const ours = url.origin === scope.origin && url.pathname.startsWith(scope.pathname);
  if (!ours || !["GET", "HEAD"].includes(e.request.method)) return;
  e.respondWith((async () => {
    if (here && e.request.destination === "document") { // another program may have the port by now
      const now = await fetch(e.request).catch(() => null);
      if (now && !(now.ok && (await now.clone().text()).includes('<meta name="version"'))) return now;
    }
    const asked = url.pathname.endsWith("/") ? new URL("index.html", url) : e.request;
    const options = { ignoreSearch: true, ignoreMethod: true, ignoreVary: true }; // a name has one content
    let cache = null, found = null;
    try {
      cache = await caches.open(CACHE);
      found = await cache.match(asked, options);
      if (!found && e.request.mode === "navigate") { // a host that redirects from page.html to page
        found = await cache.match(`${url.pathname}.html`, options);
      }
      found ??= await caches.match(e.request, options);
    } catch { /* a browser that gives no storage any more: the host has the file */ }
    if (!found && later(url.pathname)) {
      found = await fetchPacked(url, { alone: false }).catch(() => null); // the page says what is wrong
      // Where there is no room it is fetched each time.
      if (found) await cache?.put(url, found.clone()).catch(() => {});
    }
    if (found && e.request.method === "HEAD") return new Response(null, { headers: { "x-kept": VERSION } });
    return found ?? fetch(e.request);
  })());
});
