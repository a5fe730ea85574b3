// Elements: those of the page, and new ones with their properties and their children; their texts.

/** $ is the element of the page with that id. */
export const $ = (id) => document.getElementById(id);

export const html = (name, properties = {}, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
};

/** svg is html for pictures, with attributes. */
export const svg = (name, attributes = {}, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};

/** press is a button that does something. */
export const press = (textContent, onclick, properties = {}) =>
  html("button", { type: "button", textContent, onclick, ...properties });

/** spoken is a line that is read out when it changes. */
export const spoken = (className) => html("p", { className, role: "status" });

/**
 * label gives an element a text, where it has another: WebKit sends no click where the text that was pressed was put
 * again before the release, though it was the same.
 */
export function label(element, text) { if (element.textContent !== text) element.textContent = text; }
