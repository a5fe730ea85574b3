// The page about embedding: the log of the first element’s events.
import "./article.js";

const log = document.getElementById("log");
for (const type of ["ready", "answer", "position", "trouble"]) {
  document.getElementById("demo").addEventListener(type, (e) => {
    log.textContent = `${type} ${JSON.stringify(e.detail)}`;
  });
}
dispatchEvent(new Event("mhacsp-started"));
