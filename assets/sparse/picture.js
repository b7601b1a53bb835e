// the mask as a picture: what is kept, which tiles are read, and a grid of cells that can be painted

const CELLS = 16;

/** Bytes of a base64 text. */
const bytesOf = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

/** 16 x 16 bits from and to the text that the address carries. */
function cellsOf(text) {
  const bytes = bytesOf(text.replaceAll("-", "+").replaceAll("_", "/") + "=");
  return Array.from({ length: CELLS * CELLS }, (_, at) => (bytes[at >> 3] >> (7 - (at & 7))) & 1);
}

function textOf(cells) {
  const bytes = new Uint8Array(cells.length / 8);
  cells.forEach((on, at) => (bytes[at >> 3] |= on << (7 - (at & 7))));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** A little picture of a mask on a canvas: `side` x `side` bytes, 0 to 255. */
function stamp(canvas, bytes, side, colour) {
  canvas.width = canvas.height = side;
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, side, side);
  pen.fillStyle = colour;
  bytes.forEach((share, at) => {
    if (!share) return;
    pen.globalAlpha = share / 255;
    pen.fillRect(at % side, Math.floor(at / side), 1, 1);
  });
}

class MaskPicture {
  /** `on.paint(cells)` when a stroke ends, `on.speak(words)` for what the keyboard does. */
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.cursor = [0, 0];
    this.watch = new ResizeObserver(() => this.data && this.draw());
    this.watch.observe(canvas);
    canvas.addEventListener("pointerdown", (event) => this.begin(event));
    canvas.addEventListener("pointermove", (event) => this.stroke && this.cover(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) canvas.addEventListener(end, () => this.end());
    canvas.addEventListener("keydown", (event) => this.press(event));
    canvas.addEventListener("focus", () => this.draw());
    canvas.addEventListener("blur", () => this.draw());
  }

  /** The picture, the tiles over it, and the cells when it is painted. A stroke that goes on is not disturbed. */
  show(data) {
    this.data = data;
    if (!this.stroke) this.cells = data.cells;
    const paint = Boolean(data.cells);
    this.canvas.classList.toggle("pa-paintable", paint);
    this.canvas.setAttribute("role", paint ? "application" : "img");
    if (paint) this.canvas.tabIndex = 0;
    else this.canvas.removeAttribute("tabindex");
    this.draw();
  }

  draw() {
    const { canvas, data } = this;
    const width = canvas.clientWidth;
    if (!width) return;
    const dense = window.devicePixelRatio || 1;
    const size = Math.round(width * dense);
    if (canvas.width !== size) canvas.width = canvas.height = size;
    const pen = canvas.getContext("2d");
    const find = palette(canvas.parentElement);
    const colour = (name) => find(`var(--pa-${name})`);
    pen.globalAlpha = 1;
    pen.fillStyle = colour("panel");
    pen.fillRect(0, 0, size, size);
    if (data.tiles?.picture) this.drawTiles(pen, size, colour(data.tile));
    this.drawKept(pen, size, colour("ink"));
    if (data.tiles?.picture && !this.cells) this.drawGrid(pen, size, colour("muted"), dense);
    if (this.cells) this.drawCursor(pen, size, colour("primary"), dense);
    pen.globalAlpha = 1;
    find.done();
  }

  /** Tiles that are read. The last strip may be narrower than the others. */
  drawTiles(pen, size, colour) {
    const { picture, rows, columns } = this.data.tiles;
    const { n } = this.data;
    const met = (this.met ??= new Map()).get(picture.met) ?? bytesOf(picture.met);
    this.met = new Map([[picture.met, met]]);
    const whole = picture.columns === 1 && picture.rows === 1;
    const wide = whole ? size : (columns / n) * size;
    const high = picture.rows * rows >= n && rows > 1 && !whole ? (rows / n) * size : size / picture.rows;
    pen.fillStyle = colour;
    met.forEach((share, at) => {
      if (!share) return;
      const [column, row] = [at % picture.columns, Math.floor(at / picture.columns)];
      const edges = [column * wide, row * high, (column + 1) * wide, (row + 1) * high]; // the same number on either side
      const [left, top, right, bottom] = edges.map((edge) => Math.round(Math.min(size, edge)));
      pen.globalAlpha = (0.62 * share) / 255;
      pen.fillRect(left, top, right - left, bottom - top);
    });
  }

  drawKept(pen, size, colour) {
    pen.fillStyle = colour;
    const { side, kept } = this.stroke || (this.cells && this.dirty) ? { side: CELLS, kept: this.cells.map((on) => 255 * on) } : this.data;
    kept.forEach((share, at) => {
      if (!share) return;
      const [row, column] = [Math.floor(at / side), at % side];
      const [x, y] = [column, row].map((place) => Math.round((place * size) / side));
      const [right, bottom] = [column + 1, row + 1].map((place) => Math.round((place * size) / side));
      pen.globalAlpha = (0.86 * share) / 255;
      pen.fillRect(x, y, right - x, bottom - y);
    });
  }

  /** Lines between tiles, where they are wide enough to be told apart. */
  drawGrid(pen, size, colour, dense) {
    const { rows, columns } = this.data.tiles;
    pen.fillStyle = colour;
    pen.globalAlpha = 0.4;
    const line = Math.max(1, Math.round(dense / 2));
    for (const [length, upright] of [[columns, true], [rows, false]]) {
      const step = (length / this.data.n) * size;
      if (step < 4 * dense || length >= this.data.n) continue;
      for (let at = step; at < size - 1; at += step) {
        if (upright) pen.fillRect(Math.round(at), 0, line, size);
        else pen.fillRect(0, Math.round(at), size, line);
      }
    }
  }

  drawCursor(pen, size, colour, dense) {
    const cell = size / CELLS;
    pen.fillStyle = colour;
    pen.globalAlpha = 0.25;
    for (let at = 1; at < CELLS; at += 1) {
      pen.fillRect(Math.round(at * cell), 0, 1, size);
      pen.fillRect(0, Math.round(at * cell), size, 1);
    }
    if (this.canvas.getRootNode().activeElement !== this.canvas) return;
    pen.globalAlpha = 1;
    pen.strokeStyle = colour;
    pen.lineWidth = 3 * dense;
    pen.strokeRect(this.cursor[1] * cell + 1, this.cursor[0] * cell + 1, cell - 2, cell - 2);
  }

  // Painting

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const place = (at, length) => Math.min(CELLS - 1, Math.max(0, Math.floor((at / length) * CELLS)));
    return [place(event.clientY - box.top, box.height), place(event.clientX - box.left, box.width)];
  }

  begin(event) {
    if (!this.cells || event.button !== 0) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.cursor = this.cellAt(event);
    const [row, column] = this.cursor;
    this.cells = [...this.cells];
    this.stroke = { on: 1 - this.cells[row * CELLS + column] };
    this.cover(event);
  }

  /** Every cell between the last place and this one gets what the stroke began with: a fast hand leaves no gaps. */
  cover(event) {
    const [row, column] = this.cellAt(event);
    const [fromRow, fromColumn] = this.cursor;
    const steps = Math.max(1, Math.abs(row - fromRow), Math.abs(column - fromColumn));
    for (let step = 0; step <= steps; step += 1) {
      const [r, c] = [fromRow + ((row - fromRow) * step) / steps, fromColumn + ((column - fromColumn) * step) / steps];
      this.cells[Math.round(r) * CELLS + Math.round(c)] = this.stroke.on;
    }
    this.cursor = [row, column];
    this.draw();
  }

  end() {
    if (!this.stroke) return;
    this.stroke = null;
    this.give(this.cells);
  }

  give(cells) {
    this.cells = cells;
    this.dirty = true;
    this.draw();
    this.on.paint(textOf(cells));
  }

  press(event) {
    if (!this.cells) return;
    const [row, column] = this.cursor;
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (step) this.cursor = [row + step[0], column + step[1]].map((at) => Math.min(CELLS - 1, Math.max(0, at)));
    else if (event.key === " " || event.key === "Enter") {
      const cells = [...this.cells];
      cells[row * CELLS + column] = 1 - cells[row * CELLS + column];
      this.give(cells);
    } else return;
    event.preventDefault();
    const [r, c] = this.cursor;
    this.on.speak(r + 1, c + 1, Boolean(this.cells[r * CELLS + c]));
    this.draw();
  }

  destroy() {
    this.watch.disconnect();
  }
}
