// Fetches large files in few bytes from any host: where it does not compress what it sends, NAME.gz next to NAME is
// fetched and unpacked here, and where that fails in any way NAME itself. Says what a host does wrong. A classic
// script, for pages, Workers, modules and the service worker alike.
"use strict";
if (!globalThis.fetchPacked) { // a page has it, and a module imports it too
  const PACKED = false; // the build writes true where it makes NAME.gz

  const refused = []; // what a Content-Security-Policy has kept away
  globalThis.addEventListener?.("securitypolicyviolation", (e) => {
    if (e.disposition !== "report") refused.push(e);
  });

  const nameOf = (url) => new URL(url).pathname.split("/").pop();
  const typeOf = (response) => response.headers.get("content-type") || "without a type";
  const evalNeeded = "The Content-Security-Policy that the host sends forbids WebAssembly: its script-src must have " +
    "'wasm-unsafe-eval'.";

  /** fault says what is wrong with an answer, or "" where nothing in its head is. */
  const fault = (url, response) => {
    const name = nameOf(url), { status } = response, type = typeOf(response);
    if (!response.ok) {
      return `The host answers ${status} (${type}) for ${name}. Copy all files of one build to it; if this page is ` +
        "older than they are, reload it.";
    }
    if (/^text\/html/i.test(type) && !name.endsWith(".html")) {
      return `The host sends a page (${status}, ${type}) in place of ${name}. It may answer every address that it ` +
        "does not know with its start page: copy all files of the site to it.";
    }
    if (/\.m?js$/.test(name) && !/(java|ecma)script/i.test(type)) {
      return `The host sends ${name} as ${type}, and browsers run scripts only as text/javascript. Set that type ` +
        "for .js in its settings.";
    }
    return "";
  };

  /** forbidden says which policy kept a file away, or "". */
  const forbidden = async (url) => {
    await new Promise((done) => setTimeout(done, 50)); // the browser tells it behind the failure
    const e = refused.find((e) => e.blockedURI === String(url));
    return e ? `The Content-Security-Policy that the host sends keeps ${nameOf(url)} away: its ` +
      `${e.effectiveDirective} must allow 'self'.` : "";
  };

  /** sends reports whether the host compresses a file by itself; or the service worker has it. */
  const sends = async (url, options) => {
    const head = await fetch(url, { ...options, method: "HEAD" }).catch(() => null);
    return !head || ["content-encoding", "x-kept"].some((name) => head.headers.has(name));
  };

  /** hashOf are the digits of a file's SHA-256 that its name has, if it has any. */
  const hashOf = (url) => /\.([0-9a-f]{12})\.\w+$/.exec(url.pathname)?.[1];

  /** intact reports whether bytes are the file, as far as can be seen: browsers hash on https only. */
  const intact = async (url, bytes) => {
    const hash = hashOf(url), start = new Uint8Array(bytes, 0, Math.min(9, bytes.byteLength));
    if (hash && globalThis.crypto?.subtle) {
      const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).subarray(0, hash.length / 2);
      return hash === Array.from(sum, (b) => b.toString(16).padStart(2, "0")).join("");
    }
    if (url.pathname.endsWith(".wasm")) return String.fromCharCode(...start.subarray(0, 4)) === "\0asm";
    return !url.pathname.endsWith(".safetensors") || start[8] === 0x7b; // a JSON object behind its length
  };

  const damaged = (url, response, got) => `The host sends ${nameOf(url)} cut short or changed ` +
    `(${response.status}, ${typeOf(response)}, ${got.size ?? got.byteLength} bytes). Copy it there again, as it is.`;

  /**
   * hostFault asks for a file that did not come or did not run, and before it for that which the browser's message
   * names, and says what the host does wrong, or "".
   */
  globalThis.hostFault = async (url, message = "") => {
    const [named] = /https?:[^\s'"]+?\.m?js\b/.exec(message) ?? [];
    for (const each of new Set([named ?? url, url])) {
      const policy = await forbidden(each);
      if (policy) return policy;
      const response = await fetch(each).catch(() => null);
      const bytes = await response?.arrayBuffer().catch(() => null);
      if (!bytes) continue;
      const why = fault(each, response) || (await intact(new URL(each), bytes) ? "" : damaged(each, response, bytes));
      if (why) return why;
    }
    return "";
  };

  /** drop gives a buffer's memory back at once: a browser would keep the megabytes until it collects garbage. */
  const drop = (buffer) => {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(buffer, [buffer]);
    port2.close();
  };

  /**
   * take fetches a file from its own address, or packed from another. It throws what is wrong, in words. A Blob is not
   * in the tab's memory, where Chromium 156 kept 1.5 times what a response's own arrayBuffer() had read.
   */
  const take = async (url, from, options) => {
    let response = null;
    try {
      response = await fetch(from, options);
      // A host that knows what .gz means has had the browser unpack it.
      const unpack = from !== url && response.ok && !response.headers.has("content-encoding");
      const plain = unpack ? new Response(response.body.pipeThrough(new DecompressionStream("gzip"))) : response;
      const blob = await plain.blob(), bytes = await blob.arrayBuffer(), good = await intact(url, bytes);
      drop(bytes);
      if (response.ok && good) {
        const type = url.pathname.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
        return new Response(blob, { headers: { "content-type": type } });
      }
      throw Object.assign(new Error(fault(url, response) || damaged(url, response, blob)), { told: true });
    } catch (error) {
      if (error.told) throw error;
      const head = response ? `${response.status}, ${typeOf(response)}: ` : "";
      throw new Error(await forbidden(url) || `${nameOf(url)} could not be fetched (${head}${error.message}). Check ` +
        "the connection and reload the page.");
    }
  };

  const get = async (url, cache) => {
    const options = { cache };
    const unpacks = PACKED && globalThis.DecompressionStream && !await sends(url, options);
    const packed = unpacks ? await take(url, `${url}.gz`, options).catch(() => null) : null;
    return packed ?? take(url, url, options);
  };

  /**
   * fetchPacked is fetch for a large file of the site, but that it throws, in words for a reader, where the file does
   * not come whole. Names with a hash never change: what the browser has of them will do, whatever the host says of
   * its age. One frame fetches after the other, so that the later ones find it there: Chromium ends both with an error
   * where they are at it at once and its cache has no room. alone: false for the service worker, whose answer a frame
   * waits for that has its turn.
   */
  globalThis.fetchPacked = (url, { alone = true } = {}) => {
    let began = false;
    const twice = async () => {
      began = true;
      // An error may come from the browser's store too: while a new version is put on the host a file may be missing.
      return await get(url, hashOf(url) ? "force-cache" : "default").catch(() => null) ?? get(url, "no-store");
    };
    if (!alone || !navigator.locks) return twice();
    return navigator.locks.request(`mhacsp-fetch-${url}`, twice).catch((error) => {
      if (began) throw error;
      return twice(); // a browser that denies the page all storage denies locks
    });
  };

  /** fetchProgram fetches and compiles a WebAssembly program: {module, instance}. It throws as fetchPacked does. */
  globalThis.fetchProgram = async (url, imports) => {
    const bytes = await (await (await fetchPacked(url)).blob()).arrayBuffer();
    try {
      const program = WebAssembly.instantiate(bytes, imports); // has a copy
      drop(bytes);
      return await program;
    } catch (error) {
      if (/unsafe-eval|content.security.policy|\bCSP\b/i.test(error.message)) throw new Error(evalNeeded);
      if (/out of memory/i.test(error.message)) {
        throw new Error(`There is no memory for ${nameOf(url)} (${error.message}). Close other tabs and reload the ` +
          "page.");
      }
      throw new Error(`This browser cannot run ${nameOf(url)} (${error.message}). Use a newer one: Chrome 123, ` +
        "Firefox 120, Safari 17.5 or later.");
    }
  };
}
