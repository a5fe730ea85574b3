// Data of a file or a visitor, where it stands in a sentence: nothing in it changes the sentence's order or its lines.

// But for joiners, which letters and signs are made with.
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/gu;
const joiners = "\u200c\u200d";
const brief = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const escape = (c) => {
  const code = c.codePointAt(0).toString(16);
  return brief[c] ?? (code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`);
};

/** seen shows characters that cannot be seen, or turn what follows, as the lists of tokens do: \u202e. */
export const seen = (text) => String(text).replace(unseen, (c) => (joiners.includes(c) ? c : escape(c)));

/** data is a text as it stands in a sentence: seen, and isolated where it runs from right to left. */
export const data = (text) => {
  const shown = seen(text);
  return rightToLeft.test(shown) ? `\u2068${shown}\u2069` : shown;
};

const silent = /<SOS>|<PAD>|<unused \d+>/g;

/** NOTHING stands for a token that stands for no text; a trained model writes none. */
export const NOTHING = "▢";

/** written is what a model wrote, without its end. */
export const written = (output) => seen(output.replace("<EOS>", "").replace(silent, NOTHING));

/** wrote reports whether there is any text in what a model wrote. */
export const wrote = (output) => written(output).replaceAll(NOTHING, "").trim() !== "";
