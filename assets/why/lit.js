// Sets of vertices, lit on a board: a canvas of its own above the two of BoardView. Told apart by shape and letter:
// computed = hatched, dominator = outline with the top left corner filled, minimum set = dashed outline with the bottom
// right corner filled.

class Lit {
  constructor(view, canvas) {
    this.view = view;
    this.canvas = canvas;
  }

  resize() {
    const { layout } = this.view;
    this.c = prepareCanvas(this.canvas, layout.width, layout.height, false);
  }

  // Vertices of the three sets; several in one cell are lit once.
  paint(computed, dominator, minimum, letters) {
    const { c, view } = this, { layout, replay } = view, cells = (set) => new Set(Array.from(set, (v) => replay.run.cell[v]));
    if (!layout) return;
    c.clearRect(0, 0, layout.width, layout.height);
    for (const cell of cells(computed)) this.hatch(cell);
    const seen = cells(dominator);
    for (const cell of seen) this.mark(cell, letters[0], false);
    for (const cell of cells(minimum)) this.mark(cell, letters[1], true, seen.has(cell));
  }

  hatch(cell) {
    const { c, view } = this, { layout, colours } = view, s = layout.cell, x = layout.cellX[cell] + 0.5, y = layout.cellY[cell] + 0.5;
    c.save();
    c.beginPath();
    c.rect(x, y, s, s);
    c.clip();
    c.strokeStyle = colours.ink;
    c.globalAlpha = 0.55;
    c.lineWidth = 1;
    const apart = Math.max(3, s / 4);
    c.beginPath();
    for (let k = apart / 2; k < 2 * s; k += apart) {
      c.moveTo(x + k, y);
      c.lineTo(x + k - s, y + s);
    }
    c.stroke();
    c.restore();
  }

  mark(cell, letter, end, framed = false) {
    const { c, view } = this, { layout, colours } = view, s = layout.cell;
    const x = layout.cellX[cell] + 0.5, y = layout.cellY[cell] + 0.5, inset = end ? 2.5 : 0;
    c.strokeStyle = colours.ink;
    c.lineWidth = s >= 14 ? 2 : 1.5;
    c.setLineDash(end ? [3, 2] : []);
    if (!framed) c.strokeRect(x + inset, y + inset, s - 2 * inset, s - 2 * inset);
    c.setLineDash([]);
    const side = Math.round(s * 0.58), fx = end ? x + s : x, fy = end ? y + s : y, towards = end ? -1 : 1;
    c.fillStyle = colours.ink;
    c.beginPath();
    c.moveTo(fx, fy);
    c.lineTo(fx + towards * side, fy);
    c.lineTo(fx, fy + towards * side);
    c.fill();
    if (s < 16) return;
    c.fillStyle = colours.background;
    c.font = `700 ${Math.max(8, Math.round(s * 0.36))}px ${colours.font}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(letter, fx + towards * side * 0.31, fy + towards * side * 0.34);
    c.textAlign = "left";
    c.textBaseline = "alphabetic";
  }
}
