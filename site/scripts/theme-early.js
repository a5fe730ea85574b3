// Runs before the first paint, so that a chosen theme does not flash.
try {
  const asked = [location.hash.slice(1), location.search].map((text) => new URLSearchParams(text).get("theme"));
  const theme = asked[0] || asked[1] || localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch { /* no storage: the system's preference holds */ }
