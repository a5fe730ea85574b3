// A host that is nothing but files: it compresses nothing, sends no header of CORS, and knows few types. What the first
// picture costs from it, and the element on another origin with the literal instructions of embed.html.
import assert from "node:assert/strict";
import {existsSync} from "node:fs";
import {cp, mkdtemp, readFile, readdir, rm, stat, writeFile} from "node:fs/promises";
import {createServer} from "node:http";
import {gzipSync} from "node:zlib";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, before, test} from "node:test";
import {command, launch, newPage, root, temporary, unoptimised} from "./harness.mjs";
import {until, withoutCircle} from "./page.mjs";

const MB = 1e6;
const types = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"};

/**
 * plain serves a folder as the simplest of servers does; sent lists [path, bytes] of every answer; hold(path) is waited
 * for; moves(path) is where it redirects to, if anywhere; odd(path, file) is what it answers in place of a file, as
 * far as it is odd: {status, headers, body}.
 */
async function plain(folder, headers = {}, hold = () => null, moves = () => null, odd = () => null) {
  const sent = [];
  const server = createServer(async (request, response) => {
    const {pathname} = new URL(request.url, "http://x"), alone = request.method === "HEAD";
    const name = path.join(folder, pathname.replace(/\/$/, "/index.html"));
    const to = moves(pathname);
    if (to) return response.writeHead(308, {location: to}).end();
    try {
      await hold(pathname);
      const {mtime, size} = await stat(name); // throws where it is not there
      const page = existsSync(`${name}.html`) && ".html"; // of a page without .html
      const type = types[page || path.extname(name)] ?? "application/octet-stream", modified = mtime.toUTCString();
      const file = await readFile(name), other = odd(pathname, file), body = other?.body ?? file;
      response.writeHead(other?.status ?? 200, {"content-type": type, "content-length": body.length,
        "last-modified": modified, ...headers, ...other?.headers});
      sent.push([request.method, pathname, alone ? 0 : size]);
      response.end(alone ? undefined : body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.keepAliveTimeout = 0; // as in harness.mjs
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => new Promise((done) => { server.closeAllConnections(); server.close(done); });
  return {url: `http://127.0.0.1:${server.address().port}`, sent, close};
}

const total = (sent) => sent.reduce((sum, [, , size]) => sum + size, 0) / MB;
const names = (sent, pattern) => sent.filter(([method, name]) => method === "GET" && pattern.test(name)).length;

/** article writes the page of another site. */
const article = (folder, body) => writeFile(path.join(folder, "index.html"),
  `<!doctype html><html lang=en><meta charset=utf-8><title>A blog</title><link rel=icon href=data:,>${body}</html>`);

let browser, dist;
before(async () => {
  dist = await mkdtemp(path.join(tmpdir(), "mhacsp-static-"));
  await command("go", ["run", "./site/build", "-quality", "0", "-out", dist]); // what lies in .gz is the same
  browser = await launch({args: unoptimised});
}, {timeout: 300_000});
after(async () => {
  await browser?.close();
  await rm(dist, {recursive: true, force: true});
});

/** stated are the megabytes that embed.html states. */
const stated = async (id) => {
  const text = await readFile(path.join(root, "site/embed.html"), "utf8");
  return Number(new RegExp(`id="size-${id}">(?:under )?([\\d.]+)<`).exec(text)[1]);
};

test("the first picture costs what embed.html states; elements share what they fetched", async (t) => {
  let open; // the circle's program waits, so that what comes before it can be counted
  const gate = new Promise((done) => { open = done; });
  const hold = (name) => /circle\.[0-9a-f]+\.wasm/.test(name) && gate;
  const host = await plain(dist, {}, hold), folder = await temporary(t), blog = await plain(folder);
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    await host.close();
    await blog.close();
  });
  const instructions = await readFile(path.join(dist, "embed.html"), "utf8");
  const literal = /<pre tabindex="0"><code>([^]*?)<\/code>/.exec(instructions)[1]
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("https://YOUR-HOST", host.url);
  await article(folder, literal);
  await page.goto(blog.url);
  const frame = page.frameLocator("mha-csp iframe");
  await frame.locator("canvas.plain").waitFor();
  const reads = (s) => /^(After|It answers 8)/.test(s);
  await until(() => frame.locator("#verdict").textContent(), reads, "reading");
  const first = total(host.sent);
  t.diagnostic(`first picture: ${first.toFixed(2)} MB`);
  assert.ok(first <= 3.5, `${first} MB`);
  assert.ok(Math.abs(first - await stated("first")) <= 0.1, `${first} MB until the first picture`);
  open();
  await frame.locator("canvas.plain").waitFor({state: "detached"});
  const circle = total(host.sent) - first;
  t.diagnostic(`circle: ${circle.toFixed(2)} MB`);
  assert.ok(Math.abs(circle - await stated("circle")) <= 0.1, `${circle} MB for the circle`);
  const before = total(host.sent);
  await page.evaluate(() => {
    const e = document.querySelector("mha-csp").cloneNode();
    e.id = "b";
    document.body.append(e);
    e.scrollIntoView();
  });
  const second = page.frameLocator("mha-csp#b iframe");
  await until(() => second.locator("#verdict").textContent(), reads, "second reading");
  await second.locator("canvas.plain").waitFor({state: "detached"});
  t.diagnostic(`a second element: ${(total(host.sent) - before).toFixed(2)} MB`);
  assert.ok(total(host.sent) - before <= await stated("again"), `${host.sent.slice(-9)}`);
  for (const file of [/trainer.*\.wasm/, /circle.*\.wasm/, /arithmetic.*\.safetensors/]) {
    assert.equal(names(host.sent, file), 1, `${file}: ${host.sent.filter(([, n]) => file.test(n)).join(" ")}`);
  }
  assert.deepEqual(page.problems, []);
});

test("the first page moves before a program comes, after a fraction of a megabyte", async (t) => {
  const host = await plain(dist), page = await newPage(browser, {serviceWorkers: "block"});
  t.after(async () => {
    await page.context().close();
    await host.close();
  });
  await page.goto(host.url);
  await until(() => page.locator("#figures").textContent(), (s) => /^step [1-9]/.test(s), "the second picture");
  t.diagnostic(`until the second picture: ${total(host.sent).toFixed(2)} MB`);
  assert.ok(total(host.sent) <= 0.4, host.sent.map(([, name, bytes]) => `${name} ${bytes}`).join("\n"));
  assert.equal(names(host.sent, /wasm$/), 0);
});

test("a host that forbids frames: the element says so instead of staying blank", async (t) => {
  const host = await plain(dist, {"x-frame-options": "DENY"}), folder = await temporary(t), blog = await plain(folder);
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    await host.close();
    await blog.close();
  });
  await article(folder, `<script defer src="${host.url}/embed.js"></script><mha-csp></mha-csp>`);
  await page.goto(blog.url);
  const note = page.locator("mha-csp p");
  await until(() => note.textContent(), (s) => /forbids.*X-Frame-Options.*frame-ancestors/.test(s), "note");
  assert.match(await note.locator("a").getAttribute("href"), /embed-frame\.html/);
});

test("the page works offline after a first visit to such a host, which fetched each program once", async (t) => {
  const host = await plain(dist);
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    await host.close();
  });
  await page.goto(host.url.replace("127.0.0.1", "site.localhost")); // at localhost itself the host is asked each time
  await page.locator("#train:not([disabled])").waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.locator("canvas.plain").waitFor({state: "detached"});
  for (const file of [/trainer.*\.wasm/, /circle.*\.wasm/]) {
    assert.equal(names(host.sent, file), 1, `${file}: ${host.sent.filter(([, n]) => file.test(n)).join(" ")}`);
  }
  await page.context().setOffline(true);
  const count = host.sent.length;
  await page.reload();
  await page.locator("#train:not([disabled])").waitFor();
  // The browser itself looks for a newer service worker, and what that imports, some time after each visit.
  const checks = /^\/(sw|packed\.[0-9a-f]+)\.js$/;
  assert.deepEqual(host.sent.slice(count).filter(([, name]) => !checks.test(name)), []);
});

test("offline pages open where the host redirects from page.html to page", async (t) => {
  const folder = await extensionless(t);
  const moves = (name) => {
    const to = name.replace(/(index)?\.html$/, "");
    return to !== name && (to.endsWith("/") || existsSync(path.join(folder, `${to}.html`)) &&
      !existsSync(path.join(folder, to, "."))) ? to : null;
  };
  const host = await plain(folder, {}, undefined, moves);
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    await host.close();
  });
  await page.goto(host.url);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.context().setOffline(true);
  for (const name of ["/", "/index.html", "/lab.html", "/embed.html", "/embed"]) {
    await page.goto(host.url + name);
    await page.locator("h1").first().waitFor();
  }
  await page.goto(host.url + "/lab.html");
  await page.locator("#train:not([disabled])").waitFor();
  await page.locator("canvas.plain").waitFor({state: "detached"}); // the circle's frame is a page too
});

/** extensionless is a copy of the site whose pages can be had without .html. */
async function extensionless(t) {
  const dir = await temporary(t);
  await cp(dist, dir, {recursive: true});
  for (const name of await readdir(dir, {recursive: true})) {
    const to = path.join(dir, name.slice(0, -".html".length));
    if (name.endsWith(".html") && !existsSync(to)) await cp(path.join(dir, name), to); // one is a folder's name too
  }
  return dir;
}

/** A start page, which hosts of one-page programs send for every address that they do not know. */
const start = {headers: {"content-type": "text/html; charset=utf-8"}, body: Buffer.from("<!doctype html><p>Hello")};
const half = (file) => ({body: file.subarray(0, file.length / 2)});
const large = /\.(wasm|safetensors)$/, packed = /\.(wasm|safetensors)\.gz$/;

/** frame opens the element's frame on a host that answers files of a pattern oddly. */
async function frame(t, pattern, answer, {headers, address = "/embed-frame.html?task=parity&expression=101"} = {}) {
  const host = await plain(dist, headers, undefined, undefined, (name, file) => {
    return pattern.test(name) ? typeof answer === "function" ? answer(file) : answer : null;
  });
  const page = await newPage(browser, {serviceWorkers: "block"});
  await withoutCircle(page);
  t.after(async () => {
    await page.context().close();
    await host.close();
  });
  await page.goto(host.url + address);
  return {page, host};
}

for (const [what, answer] of [
  ["is the start page", start],
  ["is the start page, packed by the host",
    {headers: {...start.headers, "content-encoding": "gzip"}, body: gzipSync(start.body)}],
  ["is cut short", half],
  ["is cut short, and unpacked by the browser", (file) => ({...half(file), headers: {"content-encoding": "gzip"}})],
  ["is another file", {body: gzipSync("\0asm")}],
  ["answers 503", {status: 503, ...start}],
]) {
  test(`where NAME.gz ${what} NAME is taken`, async (t) => {
    const {page, host} = await frame(t, packed, answer);
    await until(() => page.locator("#verdict").textContent(), (s) => /Best guess|answers/.test(s), "the reading");
    for (const file of [/trainer.*\.wasm/, /parity.*\.safetensors/]) {
      const asked = host.sent.filter(([method, name]) => method === "GET" && file.test(name)).map(([, name]) => name);
      assert.deepEqual(asked.map((name) => packed.test(name)), [true, false], asked.join(" "));
    }
  });
}

const strict = (more) =>
  ({"content-security-policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; " + more});
const evals = "script-src 'self' 'wasm-unsafe-eval'";
for (const [what, pattern, answer, says, options] of [
  ["a program that is not there", /trainer.*\.wasm/, {status: 404, ...start},
    [/404 \(text\/html[^)]*\) for trainer\.[0-9a-f]+\.wasm/]],
  ["a page in place of a program", /trainer.*\.wasm/, start,
    [/page \(200, text\/html[^)]*\) in place of trainer\.[0-9a-f]+\.wasm/, /copy all files/i]],
  ["half a program", /trainer.*\.wasm/, half, [/trainer\.[0-9a-f]+\.wasm cut short or changed \(200, application/]],
  ["a page in place of a model", /parity.*\.safetensors/, start, [/in place of parity\.[0-9a-f]+\.safetensors/]],
  ["a page in place of the Worker", /\/worker\.[0-9a-f]+\.js/, start, [/in place of worker\.[0-9a-f]+\.js/]],
  ["a page in place of what the Worker imports", /\/wasm_exec\./, start, [/in place of wasm_exec\.[0-9a-f]+\.js/]],
  ["a page in place of a module", /\/reader\./, start, [/in place of reader\.[0-9a-f]+\.js/]],
  ["half a module", /\/reader\./, half, [/reader\.[0-9a-f]+\.js cut short or changed/]],
  ["scripts as plain text", /\.js$/, {headers: {"content-type": "text/plain"}},
    [/sends \w+\.[0-9a-f]+\.js as text\/plain/, /text\/javascript/]],
  ["scripts as plain text, with nosniff", /\.js$/,
    {headers: {"content-type": "text/plain", "x-content-type-options": "nosniff"}}, [/text\/javascript.* nosniff/]],
  ["a policy without WebAssembly", /./, {}, [/Content-Security-Policy .*'wasm-unsafe-eval'/], {headers: strict("")}],
  ["a policy without Workers", /./, {}, [/Content-Security-Policy .*worker\.[0-9a-f]+\.js .*worker-src/],
    {headers: strict(`${evals}; worker-src 'none'`)}],
  ["a policy without fetching", /./, {}, [/Content-Security-Policy .*\.(wasm|safetensors) .*connect-src/],
    {headers: strict(`${evals}; connect-src 'none'`)}],
]) {
  test(`${what}: it is told, with file and remedy, in the frame and on the page`, async (t) => {
    const more = /nosniff/.test(what) ? ["/", "/lesson.html", "/race.html", "/bench.html", "/embed.html"] : [];
    const alone = /reader|model/.test(`${pattern} ${what}`); // the page says it as the frame does
    await Promise.all([undefined, ...(alone ? [] : ["/lab.html", ...more])].map(async (address) => {
      const {page} = await frame(t, pattern, answer, {...options, address});
      const told = () => page.evaluate(() => {
        const drawn = getComputedStyle(document.querySelector("main"), "::before");
        return document.querySelector("main").innerText + (drawn.visibility === "visible" ? drawn.content : "");
      });
      const text = await until(told, (s) => says.every((pattern) => pattern.test(s)), what);
      assert.ok(!/reload|Loading …|Starting …/i.test(text.replace(/if this page is older.*reload it/, "")) ||
        /nosniff/.test(what), text);
    }));
  });
}
