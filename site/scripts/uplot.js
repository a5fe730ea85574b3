// uPlot, which asks Intl for the browser's language when it is loaded and fails where that is none, as "C".
import "./language.js";
export { default } from "../vendor/uplot/uPlot.esm.js";
