// Browsers may name a language that Intl refuses (WebKit started with LANG=C says "C"); then it is English.
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { configurable: true, value: "en" });
}
