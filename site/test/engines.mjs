// The engines other than Chromium, as Debian ships them: Firefox ESR by WebDriver BiDi, WebKitGTK by WebDriver.
// Nothing here downloads a browser or a driver. Both draw on a display without a screen, for WebGL 2 needs one.
import {spawn} from "node:child_process";
import {mkdtemp, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import path from "node:path";
import {createInterface} from "node:readline";
import playwright from "playwright-core";
import {find, newPage} from "./harness.mjs";
import {webkit} from "./webdriver.mjs";

/** Xvfb's display under a free name: {name, close}. */
async function display(xvfb) {
  const size = ["-screen", "0", "1400x1000x24", "+extension", "GLX", "-nolisten", "tcp"];
  const server = spawn(xvfb, ["-displayfd", "3", ...size], {stdio: ["ignore", "ignore", "ignore", "pipe"]});
  const ended = new Promise((done) => server.once("exit", done));
  const number = await Promise.race([
    new Promise((named) => createInterface({input: server.stdio[3]}).once("line", named)),
    ended.then((code) => { throw new Error(`Xvfb ended with code ${code} before it named its display`); }),
  ]);
  return {
    name: `:${number}`,
    close: () => {
      server.kill();
      return ended;
    },
  };
}

// Firefox asks Mozilla for settings and experiments when it starts.
const quiet = {"services.settings.server": "data:,", "messaging-system.rsexperimentloader.enabled": false};

/** The hash, in what a page refuses, of a style "body {}": Playwright lays one before it takes a picture. */
const photographer = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA=";

// Playwright drives an unchanged Firefox by BiDi under this name; its "firefox" is a build of its own.
async function firefox(executablePath, env) {
  const launch = {executablePath, env, headless: false, firefoxUserPrefs: quiet};
  const browser = await playwright._bidiFirefox.launch(launch);
  return {
    version: () => browser.version(),
    async newPage(viewport) {
      const page = await newPage(browser, {viewport});
      return Object.assign(page, {
        async close() {
          await page.context().close();
          page.problems = page.problems.filter((problem) => !problem.includes(photographer));
        },
      });
    },
    close: () => browser.close(),
  };
}

const programs = {
  "Firefox ESR": [process.env.FIREFOX ?? "firefox-esr", firefox],
  WebKitGTK: [process.env.WEBKIT_DRIVER ?? "WebKitWebDriver", webkit],
};
export const names = Object.keys(programs);

/**
 * What an engine lacks here, in words, or false: a test skips for it. Where MHACSP_BROWSER promises the engines this
 * is an error.
 */
export async function lacking(name) {
  const [program] = programs[name];
  const lacks = [];
  if (!await find(program)) lacks.push(program);
  if (!process.env.DISPLAY && !await find("Xvfb")) lacks.push("Xvfb, or a display");
  if (lacks.length === 0) return false;
  const why = `${name} is not tested: not there: ${lacks.join(", ")}`;
  if (process.env.MHACSP_BROWSER === "require") throw new Error(why);
  return why;
}

/** Starts an engine: {version(), newPage({width, height}), close()}. */
export async function start(name) {
  const [program, launch] = programs[name];
  const xvfb = await find("Xvfb");
  const screen = xvfb && await display(xvfb); // else the user's own
  const home = await mkdtemp(path.join(tmpdir(), "mhacsp-engine-"));
  const end = async () => {
    await screen?.close();
    await rm(home, {recursive: true, force: true, maxRetries: 5});
  };
  // Without a GPU WebKitGTK shall not have one imitated for what the processor draws by itself.
  const software = {LIBGL_ALWAYS_SOFTWARE: "1", LP_NUM_THREADS: "0", WEBKIT_SKIA_ENABLE_CPU_RENDERING: "1"};
  const env = {
    ...process.env, ...(screen && {DISPLAY: screen.name, ...software}), LANG: "en_US.UTF-8",
    GDK_BACKEND: "x11", XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: home,
  };
  delete env.LC_ALL;
  try {
    const engine = await launch(await find(program), env);
    return {
      ...engine,
      close: async () => {
        await engine.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
