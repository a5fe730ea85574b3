// What every browser test shares: a static file server, Debian's Chromium with its software WebGPU adapter, pages that
// remember what went wrong in them, and Go programs built for the browser. Tests are run by `node --test`.
import {execFile} from "node:child_process";
import {constants} from "node:fs";
import {access, mkdtemp, readFile, rm} from "node:fs/promises";
import {createServer} from "node:http";
import {availableParallelism, loadavg, tmpdir} from "node:os";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {promisify} from "node:util";
import {chromium} from "playwright-core";

/** Folder of the repository. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

/** What `make site` built. */
export const dist = path.join(root, "site/dist");

/**
 * How long a test waits for one thing, in ms: a minute, and up to four where more want the cores than there are. Every
 * wait has this limit, or one that it states itself, and says what it waited for: a test that hangs is one that fails.
 */
export const patience = () => 60_000 * Math.min(4, Math.max(1, loadavg()[0] / availableParallelism()));

/** within is what a promise comes to, or an error that names what was waited for. */
export async function within(promise, what, limit = patience()) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error(`${what}: nothing after ${Math.round(limit / 1000)} s`)), limit);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** longest is the limit of what is compiled, or runs many tests in one go. */
const longest = 600_000;

const types = {
  ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
  ".json": "application/json", ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml", ".png": "image/png",
  ".wasm": "application/wasm", ".safetensors": "application/octet-stream",
};

/**
 * Serves folders on a free port of this machine: prefix "/a/" to folder. The longest prefix that fits counts. headers
 * go with every file; edit(file, name) gives what is sent in its place, or a promise of it. Returns {url, folders,
 * requests, close}; requests lists the paths that were asked for, folders may be changed in between.
 */
export async function serve(folders, headers = {}, edit = (file) => file) {
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  const requests = [];
  const server = createServer(async (request, response) => {
    const asked = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    requests.push(asked);
    const prefix = prefixes.find((p) => asked.startsWith(p));
    const name = prefix && path.join(folders[prefix], asked.slice(prefix.length) || "index.html");
    if (!name || path.relative(folders[prefix], name).startsWith("..")) return response.writeHead(404).end();
    try {
      const file = await readFile(name.endsWith("/") ? name + "index.html" : name);
      const type = types[path.extname(name)] ?? "application/octet-stream";
      response.writeHead(200, {"content-type": type, "cache-control": "no-cache", ...headers});
      response.end(await edit(file, name));
    } catch {
      response.writeHead(404).end();
    }
  });
  server.keepAliveTimeout = 0; // else a request on a connection that is just given up is lost on a busy machine
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    folders,
    requests,
    close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }),
  };
}

/**
 * prepended answers a page's requests for a script of a folder, code before it. It reads the file itself: a request
 * that a test sends on is one that a busy machine can lose, and nobody sends it again.
 */
export const prepended = (folder, code) => async (route) => {
  const file = path.join(folder, new URL(route.request().url()).pathname);
  await route.fulfill({contentType: types[".js"], body: code + await readFile(file, "utf8")});
};

/** The place of a program, by its path or its name on the PATH; undefined if there is none. */
export async function find(program) {
  const folders = program.includes("/") ? [""] : process.env.PATH.split(path.delimiter);
  for (const folder of folders) {
    const file = path.join(folder, program);
    if (await access(file, constants.X_OK).then(() => true, () => false)) return file;
  }
}

/**
 * Arguments of a browser that compiles WebAssembly once and does not optimise what runs often: where a page is opened
 * and little is computed in it, that optimising is half of a test's work.
 */
export const unoptimised = ["--js-flags=--liftoff-only"];

/**
 * Chromium with a software WebGPU adapter; {webgpu: false} has none. Where Debian's chromium-headless-shell is there
 * it is taken, which is the same browser without its window: that costs as much as a page. {window: true} has one.
 */
export async function launch({webgpu = true, window = false, args = []} = {}) {
  const {CHROMIUM} = process.env;
  const shell = !CHROMIUM && !window && await find("chromium-headless-shell");
  const executablePath = shell || await find(CHROMIUM || "chromium");
  const adapter = webgpu
    ? ["--enable-unsafe-webgpu", "--enable-unsafe-swiftshader"]
    : ["--disable-features=WebGPU", "--disable-blink-features=WebGPU"];
  return chromium.launch({
    executablePath,
    timeout: patience(),
    args: [
      "--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", ...adapter, ...args,
    ],
  });
}

/**
 * A page in a context of its own. page.problems collects console errors, uncaught errors and failed requests: a test
 * asserts at its end that it is empty, or holds what it provoked and no more. page.lines collects every console line.
 * Whatever waits in a page, evaluate too, does so within the limit, in ms.
 */
export async function newPage(browser, options = {}, limit = patience()) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(limit);
  const page = await context.newPage();
  const evaluate = page.evaluate.bind(page);
  page.evaluate = (work, ...given) => {
    const what = `evaluate ${String(work).slice(0, 80)} of ${JSON.stringify(given)?.slice(0, 120)}`;
    return within(evaluate(work, ...given), what, limit);
  };
  const waitForFunction = page.waitForFunction.bind(page);
  page.waitForFunction = (test, ...given) => waitForFunction(test, ...given).catch((error) => {
    throw new Error(`waiting for ${String(test).slice(0, 200)}: ${error.message}`);
  });
  page.problems = [];
  page.lines = [];
  page.on("console", (m) => {
    page.lines.push(m.text());
    if (m.type() === "error") page.problems.push(m.text());
  });
  page.on("pageerror", (e) => page.problems.push(String(e)));
  // An aborted request was under way when the page was left or closed; it says nothing of the site.
  page.on("requestfailed", (r) => {
    const why = r.failure()?.errorText;
    if (why !== "net::ERR_ABORTED") page.problems.push(`${r.url()}: ${why}`);
  });
  page.on("crash", () => page.problems.push("the page crashed"));
  return page;
}

const run = promisify(execFile);

/** Runs a Go command in the repository, for the browser where browser is set. */
export async function go(args, {browser = false} = {}) {
  const env = {...process.env, ...(browser ? {GOOS: "js", GOARCH: "wasm"} : {})};
  return run("go", args, {cwd: root, env, maxBuffer: 1 << 26, timeout: longest});
}

/** Go's loader for programs in the browser, of the toolchain that builds them. */
export async function wasmExec() {
  const {stdout} = await go(["env", "GOROOT"]);
  for (const place of ["lib/wasm", "misc/wasm"]) {
    const file = path.join(stdout.trim(), place, "wasm_exec.js");
    if (await access(file).then(() => true, () => false)) return file;
  }
  throw new Error("wasm_exec.js is not in GOROOT; install a whole Go toolchain");
}

/** A folder that goes when the test is over. */
export async function temporary(t) {
  const dir = await mkdtemp(path.join(tmpdir(), "mhacsp-"));
  t.after(() => rm(dir, {recursive: true, force: true}));
  return dir;
}

/** Builds a package's Go tests for the browser in a folder, as goTest wants them. */
export const buildGoTest = (dir, pkg) =>
  go(["test", "-c", "-tags", "families", "-o", path.join(dir, "test.wasm"), pkg], {browser: true});

/**
 * Runs a package's Go tests, which buildGoTest left in dir, in a Worker of a page and returns {code, output}.
 * args as for the test binary, such as "-test.run=TestContract".
 */
export async function goTest(t, browser, dir, args, env = {}) {
  const fixtures = path.join(root, "site/test/fixtures");
  const server = await serve({"/": fixtures, "/built/": dir, "/go/": path.dirname(await wasmExec())});
  t.after(server.close);
  const page = await newPage(browser);
  t.after(() => page.context().close());
  await page.goto(server.url + "/gotest.html");
  const ran = page.mainFrame().evaluate(([args, env]) => window.runGoTest(args, env), [args, env]);
  const result = await within(ran, `Go tests ${args.join(" ")}`, longest);
  return {...result, problems: page.problems};
}

/** The name that the build gave a file of the site. */
export async function built(source) {
  const {files} = JSON.parse(await readFile(path.join(dist, "files.json"), "utf8"));
  const found = files.find((f) => f.source === source);
  if (!found) throw new Error(`the site has no ${source}; build it with "make site"`);
  return found.name;
}

/** Runs a command and returns its output; an error holds what it printed. */
export async function command(file, args, options = {}) {
  return run(file, args, {cwd: root, maxBuffer: 1 << 26, timeout: longest, ...options});
}
