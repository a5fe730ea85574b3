// Says why a page does not start, where it would stand at "Starting" for ever: it was opened from the disk, a script
// did not load, or one failed. Runs before all modules; the page's own script says "mhacsp-started" when it is up.
{
  const up = (type, fields) => {
    if (parent !== self) parent.postMessage({ ...fields, mhacsp: "embed", type }, "*");
  };
  up("here"); // the frame of an element has loaded

  const tell = (text) => {
    for (const e of document.querySelectorAll("[data-waits]")) e.textContent = "";
    const note = document.createElement("p");
    note.className = "notice";
    note.id = "guard";
    note.setAttribute("role", "alert");
    note.textContent = text;
    document.getElementById("guard")?.remove();
    document.querySelector("main").prepend(note);
    up("trouble", { text });
  };

  /** missing are the scripts that were asked for and did not come. A module that fails does not say which it was. */
  const missing = () => performance.getEntriesByType("resource")
    .filter((e) => /\.m?js$/.test(new URL(e.name).pathname) && (e.responseStatus >= 400 || !e.decodedBodySize))
    .map((e) => new URL(e.name).pathname.split("/").pop());

  let why = "";
  const stop = new AbortController();
  const failed = (e) => {
    const element = e.target?.tagName === "SCRIPT";
    if (!element && e.target !== self) return; // a picture or a style: the page does without
    if (element) {
      const names = missing().join(", ") || e.target.src.split("/").pop();
      why ||= `A part of this page did not load: ${names}. Check the connection and reload the page. Where a blocker ` +
        "keeps scripts away, let this site through.";
    } else {
      const what = e.message ?? String(e.reason?.message ?? e.reason);
      why ||= `A part of this page failed: ${what}. Reload the page. If that does not help, use a newer browser: ` +
        "Chrome 123, Firefox 120, Safari 17.5 or later.";
    }
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => tell(why), { once: true });
    else tell(why);
  };
  for (const type of ["error", "unhandledrejection"]) {
    addEventListener(type, failed, { capture: true, signal: stop.signal });
  }
  addEventListener("mhacsp-started", () => stop.abort());

  if (location.protocol === "file:") {
    why = "Browsers do not run this page from a file on the disk. Serve its folder: make run, mhacsp serve, or any " +
      "file host.";
    addEventListener("DOMContentLoaded", () => tell(why));
  }
}
