// The page's colours as they are now, light or dark, for what is drawn on a canvas.

/** colours resolves CSS colours, and custom properties by their name, as `--ink`; the result is in the same order. */
export function colours(names) {
  const probe = document.createElement("i");
  document.body.append(probe);
  const all = names.map((name) => {
    probe.style.color = name.startsWith("--") ? `var(${name})` : name;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return all;
}
