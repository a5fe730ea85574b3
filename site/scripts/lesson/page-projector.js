// The trainer's page on a projector: the circle fills the screen, and each key reads one character on or back.
import { $ } from "../html.js";
import { projector } from "./projector.js";

projector($("projector"), { go: (by) => $(by > 0 ? "read-on" : "read-back").click() });
