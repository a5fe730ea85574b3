// Text that the circle's own font lacks, lettered by the browser with the fonts of its machine.
const canvas = globalThis.OffscreenCanvas && new OffscreenCanvas(1, 1);
const context = canvas?.getContext("2d", { willReadFrequently: true });

function measured(text, bold, px) {
  context.font = `${bold ? "bold " : ""}${px}px sans-serif`;
  return context.measureText(text);
}

/** letters is what the program asks of text that its font lacks; null where the browser draws none in a Worker. */
export const letters = context ? {
  width: (text, bold) => measured(text, bold, 64).width / 64,
  draw(text, bold, px, ink) {
    const m = measured(text, bold, px);
    const x = -Math.ceil(m.actualBoundingBoxLeft) - 1, y = -Math.ceil(m.actualBoundingBoxAscent) - 1;
    canvas.width = Math.ceil(m.actualBoundingBoxRight) + 1 - x;
    canvas.height = Math.ceil(m.actualBoundingBoxDescent) + 1 - y;
    measured(text, bold, px); // a canvas of another size forgets its font
    context.fillStyle = ink;
    context.fillText(text, -x, -y);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    return { data, width, height, x, y };
  },
} : null;
