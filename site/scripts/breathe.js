/** breathe ends a task, so that the browser can answer the visitor: `await breathe()` between two pieces of work. */
export const breathe = () => globalThis.scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); });
