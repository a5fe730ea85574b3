// The element in documentation systems: each is built as embed.html tells, by what stands there, and driven. React is
// built each time; the others, which take minutes, where MHACSP_LONG asks for it, from their own list of packages.
import assert from "node:assert/strict";
import {access, mkdir, readFile, symlink, writeFile} from "node:fs/promises";
import path from "node:path";
import {after, before, test} from "node:test";
import {build} from "esbuild";
import {command, dist, launch, newPage, root, serve, temporary, unoptimised} from "./harness.mjs";
import {until} from "./page.mjs";

let host, browser, pageText;
before(async () => {
  host = await serve({"/": dist});
  browser = await launch({args: unoptimised});
  pageText = await readFile(path.join(root, "site/embed.html"), "utf8");
});
after(async () => {
  await browser?.close();
  await host?.close();
});

/** told are the pieces of code that embed.html has for a system. */
function told(system) {
  const [, section] = new RegExp(`id="in-${system}">([^]*?)</section>`).exec(pageText);
  const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  return [...section.matchAll(/<code>([^]*?)<\/code><\/pre>/g)]
    .map(([, code]) => plain(code).replaceAll("https://YOUR-HOST", host.url));
}

/** write puts files into a folder. */
async function write(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), {recursive: true});
    await writeFile(path.join(folder, name), text);
  }
}

/** open shows a built site, and waits until its element has read its text. */
async function open(t, folder) {
  const site = await serve({"/": folder}), page = await newPage(browser, {reducedMotion: "reduce"});
  t.after(async () => {
    await page.context().close();
    await site.close();
  });
  await page.goto(site.url);
  await page.locator("mha-csp").scrollIntoViewIfNeeded();
  const frame = page.frameLocator("mha-csp iframe");
  await until(() => frame.locator("#verdict").textContent(), (s) => /Best guess|answers/.test(s), "the reading");
  assert.match(await frame.locator("#tokens").textContent(), /\(3\s?\+\s?5\)\smod\s9/);
  const seen = await frame.locator("body").evaluate(() => {
    return ["play", "back", "at"].filter((id) => document.getElementById(id).checkVisibility());
  });
  assert.deepEqual(seen, ["play", "back"]);
  const {width, height} = await page.locator("mha-csp").boundingBox();
  assert.ok(width >= 272 && height >= 300, `${width} × ${height}`);
  assert.ok(!page.problems.some((p) => /mha-csp|hydrat/i.test(p)), page.problems.join("\n"));
  return page;
}

test("React", async (t) => {
  const folder = await temporary(t), [component, use] = told("react");
  const contents = `import {useState} from "react";
    import {createRoot} from "react-dom/client";
    ${component}
    function Page() {
      const [text, setText] = useState("(3+5) mod 9"), [there, setThere] = useState(true);
      const [answer, setAnswer] = useState({});
      return <>{there && ${use}}<output>{answer.answer}</output>
        <button onClick={() => setText("2+2")}>Another</button>
        <button onClick={() => setThere(!there)}>Gone</button></>;
    }
    createRoot(document.getElementById("root")).render(<Page />);`;
  const stdin = {contents, loader: "jsx", resolveDir: path.join(root, "site/test")};
  await build({stdin, bundle: true, jsx: "automatic", outfile: path.join(folder, "main.js"), logLevel: "error"});
  await write(folder, {
    "index.html": `<!doctype html><html lang="en"><title>React</title><link rel="icon" href="data:,">
    <div id="root"></div><script defer src="${host.url}/embed.js"></script><script defer src="main.js"></script>`,
  });
  const page = await open(t, folder);
  const answer = (wanted) => until(() => page.locator("output").textContent(), (s) => s === wanted, "the answer");
  await answer("8");
  await page.click("text=Another");
  await answer("4");
  await page.click("text=Gone");
  await until(async () => page.frames().length, (n) => n === 1, "frames after it went");
  assert.deepEqual(page.problems, []);
});

/** The others: what to write next to the pieces of code, the command that builds, and where that leaves the site. */
const systems = {
  VitePress: {
    files: ([config, element]) => ({".vitepress/config.mjs": config, "index.md": `# Title\n\n${element}\n\nText.\n`}),
    build: ["vitepress", "build", "."], out: ".vitepress/dist",
  },
  Astro: {
    files: ([, page]) => ({
      "astro.config.mjs": `import mdx from "@astrojs/mdx";\nexport default {integrations: [mdx()]};\n`,
      "src/pages/index.mdx": `# Title\n\n${page.replace(/^<!--.*-->\n/, "")}\n\nText.\n`,
    }),
    build: ["astro", "build"], out: "dist",
  },
};
const packages = path.join(root, "site/test/sites");

for (const [name, {files, build, out}] of Object.entries(systems)) {
  const skip = process.env.MHACSP_LONG === "1" ? false : "it takes minutes: MHACSP_LONG=1 builds it";
  test(name, {skip}, async (t) => {
    const [program, ...args] = build, bin = path.join(packages, "node_modules/.bin", program);
    if (!await access(bin).then(() => true, () => false)) {
      await command("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {cwd: packages});
    }
    const folder = await temporary(t);
    await symlink(path.join(packages, "node_modules"), path.join(folder, "node_modules"));
    await write(folder, {"package.json": "{}", ...files(told(name.toLowerCase()))});
    const env = {...process.env, ASTRO_TELEMETRY_DISABLED: "1", NO_UPDATE_NOTIFIER: "1"};
    await command(bin, args, {cwd: folder, env});
    const page = await open(t, path.join(folder, out));
    assert.equal(await page.locator("mha-csp").count(), 1);
  });
}
