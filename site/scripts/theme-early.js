// Runs before the first paint, so that a chosen theme does not flash: as a style of the root itself, since what the
// browser paints before the style sheets have come is white otherwise.
try {
  const asked = [location.hash.slice(1), location.search].map((text) => new URLSearchParams(text).get("theme"));
  const theme = asked[0] || asked[1] || localStorage.getItem("theme");
  const root = document.documentElement;
  if (theme === "dark" || theme === "light") root.style.colorScheme = root.dataset.theme = theme;
} catch { /* no storage: the system's preference holds */ }
