// What all pages share: the button for dark and light, which widgets follow, and the skip link.
import * as theme from "./theme.js";

const button = document.getElementById("theme");
const show = () => {
  button.setAttribute("aria-pressed", String(theme.dark()));
  for (const element of document.querySelectorAll("mha-csp")) element.theme = theme.dark() ? "dark" : "light";
};
button.addEventListener("click", () => theme.toggle());
theme.onChange(show);
show();

document.querySelector(".skip").addEventListener("click", (e) => {
  e.preventDefault();
  document.querySelector(e.target.hash).focus();
});
