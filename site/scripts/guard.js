// Says why a page does not start, where it would stand at "Starting" for ever: it was opened from the disk, a script
// did not load, or one failed. Runs before all modules; the page's own script says "mhacsp-started" when it is up.
{
  document.documentElement.dataset.scripts = ""; // scripts run here: base.css says what else there is
  const up = (type, fields) => { if (parent !== self) parent.postMessage({ ...fields, mhacsp: "embed", type }, "*"); };
  up("here"); // the frame of an element has loaded

  const tell = (text) => {
    for (const e of document.querySelectorAll("[data-waits]")) e.textContent = "";
    const note = Object.assign(document.createElement("p"), { className: "notice", id: "guard", textContent: text });
    note.setAttribute("role", "alert");
    document.getElementById("guard")?.remove();
    document.querySelector("main").prepend(note);
    up("trouble", { text });
  };

  /** scripts are all that were asked for, and those that are missing. A module that fails does not say which. */
  const scripts = () => {
    const list = performance.getEntriesByType("resource").filter((e) => /\.m?js$/.test(new URL(e.name).pathname));
    const came = (e) => e.responseStatus < 400 && !!e.decodedBodySize;
    return { missing: list.filter((e) => !came(e)).map((e) => e.name), all: list.map((e) => e.name) };
  };

  let why = "";
  const stop = new AbortController();
  const failed = async (e) => {
    const element = e.target?.tagName === "SCRIPT";
    if (why || !element && e.target !== self) return; // a picture or a style: the page does without
    const what = e.message ?? String(e.reason?.message ?? e.reason);
    why = element ? "A part of this page did not load" : `A part of this page failed: ${what}`;
    if (document.readyState === "loading") {
      await new Promise((loaded) => addEventListener("DOMContentLoaded", loaded, { once: true }));
    }
    const { missing, all } = scripts();
    const names = (missing.length ? missing : [e.target.src]).map((url) => String(url).split("/").pop()).join(", ");
    const remedy = element ? `${why}: ${names}. Check the connection and reload the page. Where a blocker keeps ` +
      "scripts away, let this site through."
      : `${why}. Reload the page. If that does not help, use a newer browser: Chrome 123, Firefox 120, Safari 17.5 ` +
      "or later.";
    tell(remedy);
    for (const url of [...new Set([...missing, ...element ? [e.target.src] : [], ...all])]) {
      const fault = await globalThis.hostFault?.(url);
      if (fault) return tell(`${why}. ${fault}`);
    }
  };
  for (const type of ["error", "unhandledrejection"]) {
    addEventListener(type, failed, { capture: true, signal: stop.signal });
  }
  addEventListener("mhacsp-started", () => stop.abort());

  if (location.protocol === "file:") {
    why = "Browsers do not run this page from a file on the disk. Serve its folder: make run, mhacsp serve, or any " +
      "file host.";
  } else if (origin === "null") {
    why = "This frame stands in a sandbox that keeps it from its own files. Give the sandbox of the iframe " +
      "allow-scripts and allow-same-origin.";
  }
  if (why) addEventListener("DOMContentLoaded", () => tell(why));
}
