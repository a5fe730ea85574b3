// Runs before the first paint, so that a chosen theme does not flash.
try {
  const theme = new URLSearchParams(location.search).get("theme") || localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch { /* no storage: the system's preference holds */ }
