// WebKitGTK by WebDriver, with those of Playwright's methods that engines.test.mjs and its helpers use, so that a
// scenario is written once. Playwright drives no WebKit but a build of its own, which it downloads. Here Debian's
// driver is started by its path and starts the browser next to it: selenium-webdriver is told where the driver listens
// and so never looks for one.
import {spawn} from "node:child_process";
import {createServer} from "node:net";
import {setTimeout as wait} from "node:timers/promises";
import {Builder, By, Key} from "selenium-webdriver";
import {until} from "./page.mjs";

process.env.SE_OFFLINE = "true"; // were the manager asked, it would download nothing

/** What WebDriver says of an element that another has just taken the place of, or that is not ready for a click. */
const passing = ["StaleElementReferenceError", "ElementClickInterceptedError", "ElementNotInteractableError"];

/** What it said, once on a busy machine, of a result; the script is then asked again. */
const unread = (error) => error.message === "Could not parse script result";

/** crashed reports whether an error says that the engine is gone. */
export const crashed = (error) => error.name === "NoSuchSessionError";

class Locator {
  constructor(driver, selector) {
    this.driver = driver;
    this.selector = selector;
  }

  count = async () => (await this.driver.findElements(By.css(this.selector))).length;
  waitFor = () => until(this.count, (n) => n > 0, this.selector);

  /** Does something with the element as soon as it is there and takes it. */
  async #act(work) {
    let why;
    const done = async () => {
      const [first] = await this.driver.findElements(By.css(this.selector));
      try {
        return first && {value: await work(first)};
      } catch (error) {
        why = error;
        if (passing.includes(error.name) || unread(error)) return;
        throw error;
      }
    };
    return (await until(done, (d) => d, `${this.selector} ${why ?? ""}`)).value;
  }

  click = () => this.#act((e) => e.click());
  press = (key) => this.#act((e) => e.sendKeys(Key[key.replace("Arrow", "").toUpperCase()]));
  fill = (text) => this.#act(async (e) => {
    await e.clear();
    await e.sendKeys(text);
  });
  textContent = () => this.#act((e) => e.getAttribute("textContent"));
  getAttribute = (name) => this.#act((e) => e.getDomAttribute(name));
  inputValue = () => this.#act((e) => e.getProperty("value"));
  scrollIntoViewIfNeeded = () => this.#act((e) => this.driver.executeScript((e) => e.scrollIntoView(), e));
}

class Page {
  problems = [];

  constructor(driver) { this.driver = driver; }

  locator = (selector) => new Locator(this.driver, selector);
  click = (selector) => this.locator(selector).click();
  fill = (selector, text) => this.locator(selector).fill(text);
  press = (selector, key) => this.locator(selector).press(key);
  url = () => this.driver.getCurrentUrl();
  evaluate = (work, argument) => {
    const run = () => this.driver.executeScript(work, argument);
    return run().catch((error) => {
      if (!unread(error)) throw error;
      return run();
    });
  };
  waitForFunction = (test) => until(() => this.evaluate(test), (yes) => yes, String(test));
  screenshot = async () => Buffer.from(await this.driver.takeScreenshot(), "base64");

  /** Takes what went wrong in the page, which problems.js keeps there until the page goes. */
  async #collect() { this.problems.push(...await this.evaluate(() => globalThis.problems?.splice(0) ?? [])); }

  async goto(url) {
    await this.#collect();
    await this.driver.get(url);
  }

  async reload() {
    await this.#collect();
    await this.driver.navigate().refresh();
  }

  async close() {
    try {
      await this.#collect();
      await this.driver.quit();
    } catch (error) {
      if (!crashed(error)) throw error;
    }
  }
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const {port} = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** A process of the driver: {url, close()}. */
async function listening(executablePath, env) {
  const port = await freePort();
  const server = spawn(executablePath, [`--port=${port}`], {env, stdio: "ignore"});
  const failed = new Promise((_, reject) => server.once("error", reject));
  const ended = new Promise((done) => server.once("exit", done));
  const url = `http://127.0.0.1:${port}`;
  const status = () => fetch(`${url}/status`).then((r) => r.ok, () => false);
  await Promise.race([failed, until(status, (ok) => ok, "WebKitWebDriver's answer")]);
  return {
    url,
    close: () => {
      server.kill();
      return ended;
    },
  };
}

const STARTING = 60_000; // ms; it takes half a second, and two on a busy machine

/**
 * Starts WebKitGTK's driver: {version(), newPage(viewport), close()}. Each page is a browser of its own. On a busy
 * machine two browsers of some three hundred ended at once, and the driver never said so; then another driver starts
 * another browser.
 */
export async function webkit(executablePath, env) {
  let server = await listening(executablePath, env), version;
  const begin = () => new Builder().usingServer(server.url).withCapabilities({browserName: "MiniBrowser"}).build();
  const begun = () => Promise.race([begin(), wait(STARTING, undefined, {ref: false})]);
  return {
    version: () => version,
    async newPage({width, height}) {
      let driver, tries = 0;
      while (!(driver = await begun())) {
        if (++tries === 3) throw new Error(`WebKitWebDriver started no browser in 3 times ${STARTING / 1000} s`);
        await server.close();
        server = await listening(executablePath, env);
      }
      version = (await driver.getCapabilities()).getBrowserVersion();
      await driver.manage().window().setRect({width, height});
      return new Page(driver);
    },
    close: () => server.close(),
  };
}
