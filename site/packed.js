// Fetches large files in few bytes from any host: where it does not compress what it sends, NAME.gz beside NAME is
// fetched and unpacked here. A classic script, for Workers, modules and the service worker alike.
"use strict";
{
  const PACKED = false; // the build writes true where it makes NAME.gz

  /** sends tells whether the host compresses a file by itself; or the service worker has it. */
  const sends = async (url, options) => {
    const head = await fetch(url, { ...options, method: "HEAD" }).catch(() => null);
    return !head || ["content-encoding", "x-kept"].some((name) => head.headers.has(name));
  };

  /** whole reads a response to its end. */
  const whole = async (response, plain = response.body, type = response.headers.get("content-type")) => {
    if (!response.ok) return response;
    return new Response(await new Response(plain).arrayBuffer(), { headers: { "content-type": type ?? "" } });
  };

  const get = async (url, cache) => {
    const options = { cache };
    const unpacks = PACKED && globalThis.DecompressionStream && !await sends(url, options);
    if (!unpacks) return whole(await fetch(url, options));
    const packed = await fetch(`${url}.gz`, options);
    if (!packed.ok) return whole(await fetch(url, options));
    // A host that knows what .gz means has had the browser unpack it.
    const plain = packed.headers.has("content-encoding") ? packed.body
      : packed.body.pipeThrough(new DecompressionStream("gzip"));
    return whole(packed, plain, url.pathname.endsWith(".wasm") ? "application/wasm" : "application/octet-stream");
  };

  /**
   * fetchPacked is fetch for a large file of the site. Names with a hash never change: what the browser has of them
   * will do, whatever the host says of its age. One frame fetches after the other, so that the later ones find it
   * there: Chromium ends both with an error where they are at it at once and its cache has no room. alone: false for
   * the service worker, whose answer a frame waits for that has its turn.
   */
  globalThis.fetchPacked = (url, { alone = true } = {}) => {
    const hashed = /\.[0-9a-f]{12}\.\w+$/.test(url.pathname);
    let began = false;
    const twice = async () => {
      began = true;
      // An error may come from the browser's store too: while a new version is put on the host a file may be missing.
      const first = await get(url, hashed ? "force-cache" : "default").catch(() => null);
      return first?.ok ? first : get(url, "no-store");
    };
    if (!alone || !navigator.locks) return twice();
    return navigator.locks.request(`mhacsp-fetch-${url}`, twice).catch((error) => {
      if (began) throw error;
      return twice(); // a browser that denies the page all storage denies locks
    });
  };
}
