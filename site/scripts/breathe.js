/**
 * breathe ends a task, so that the browser can answer the visitor before the next: `await breathe()` between pieces of
 * work.
 */
export const breathe = () => globalThis.scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); });
