// What is typed or pasted, as the trainer reads it. One character stays one character, so that the place of a mistake
// is the same in both.

export const LONGEST = 1000; // characters that are read

const alike = new Map([["-", "‐‑‒–—―−﹣"], ["*", "×∗⋅·✕✖∙"], ["+", "﹢➕"], ["=", "﹦"], ["(", "﹙"], [")", "﹚"]]
  .flatMap(([plain, others]) => [...others].map((other) => [other, plain])));

/** plain turns characters into those that they look like: signs, full-width forms, white space of any kind. */
export const plain = (text) => text.replace(/[^!-~]/gu, (c) => {
  const code = c.codePointAt(0);
  if (code > 0xff00 && code < 0xff5f) return String.fromCharCode(code - 0xfee0);
  return alike.get(c) ?? (/\s/u.test(c) ? " " : c);
});

/** tooLong says what to do where a text has more characters than are read, else nothing. */
export const tooLong = (text) => {
  const count = [...text].length;
  return count > LONGEST ? `The text has ${count} characters; at most ${LONGEST} are read. Shorten it.` : "";
};

/** watch lets `input` take a paste of lines as one. tell() gets what tooLong says, and "" once it says no more. */
export function watch(input, tell) {
  let told = "";
  input.addEventListener("paste", (e) => {
    const text = e.clipboardData?.getData("text/plain") ?? "";
    if (!/[\r\n]/.test(text)) return;
    e.preventDefault();
    input.setRangeText(text.trim().replace(/[\r\n]+/g, " "), input.selectionStart, input.selectionEnd, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  input.addEventListener("input", () => {
    const text = tooLong(input.value);
    if (text || told) tell(text);
    told = text;
  });
}
