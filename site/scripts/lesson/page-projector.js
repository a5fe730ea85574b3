// The trainer's page on a projector: the circle fills the screen, and each key reads one character on or back.
import { projector } from "./projector.js";

projector(document.getElementById("projector"), {
  go: (by) => document.getElementById(by > 0 ? "read-on" : "read-back").click(),
});
