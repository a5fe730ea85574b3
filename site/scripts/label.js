// The text of a button that changes while it is pressed.

/**
 * label gives an element a text, where it has another: WebKit sends no click where the text that was pressed was put
 * again before the release, though it was the same.
 */
export function label(element, text) { if (element.textContent !== text) element.textContent = text; }
