// The page about embedding: theme, and the log of the first element's events.
import * as theme from "./theme.js";

const button = document.getElementById("theme");
const show = () => {
  button.setAttribute("aria-pressed", String(theme.dark()));
  for (const element of document.querySelectorAll("mha-csp")) element.theme = theme.dark() ? "dark" : "light";
};
button.addEventListener("click", () => theme.toggle());
theme.onChange(show);
show();
dispatchEvent(new Event("mhacsp-started"));

const log = document.getElementById("log");
for (const type of ["ready", "answer", "position", "trouble"]) {
  document.getElementById("demo").addEventListener(type, (e) => {
    log.textContent = `${type} ${JSON.stringify(e.detail)}`;
  });
}

document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault();
  document.getElementById("main").focus();
});
