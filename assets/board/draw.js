// Paints one run on two stacked canvases: below, matrices and fast memory, where only what changed is painted again;
// above, what belongs to the moment: the current move with its operands, the cursor, a word that travels.
// Red pebble = filled disc, blue pebble = square ring, both = both: never told apart by hue alone.

function readColours(element) {
  const probe = document.createElement("span");
  probe.style.display = "none";
  element.append(probe);
  const colours = {};
  for (const name of ["background", "panel", "ink", "muted", "line", "primary", "red", "blue"]) {
    probe.style.color = `var(--pa-${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  if (document.documentElement.classList.contains("pa-print")) colours.background = "rgb(255, 255, 255)"; // paper
  const style = getComputedStyle(element);
  colours.font = style.fontFamily;
  const [r, g, b] = colours.background.match(/[\d.]+/g).map(Number);
  colours.dark = 0.2126 * r + 0.7152 * g + 0.0722 * b < 128;
  probe.remove();
  return colours;
}

function prepareCanvas(canvas, width, height, opaque) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d", { alpha: !opaque });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

const EASE = (x) => (x < 0.5 ? 4 * x ** 3 : 1 - (2 - 2 * x) ** 3 / 2);

class BoardView {
  constructor(replay, base, overlay, labels, options = {}) {
    this.replay = replay;
    this.base = base;
    this.overlay = overlay;
    this.labels = labels;
    this.options = options;
    this.cursor = -1; // the cell under pointer or keyboard
    this.travel = null;
    this.names = [];
  }

  resize(width, height, colours) {
    this.colours = colours;
    const peak = this.replay.peak[this.replay.length];
    this.layout = packBoard(this.replay.run, peak, width, height, this.options);
    this.b = prepareCanvas(this.base, this.layout.width, this.layout.height, true);
    this.o = prepareCanvas(this.overlay, this.layout.width, this.layout.height, false);
    const s = this.layout.cell;
    this.inset = s < 9 ? 0 : Math.max(1, Math.round(s * 0.07));
    this.stroke = s >= 26 ? 3 : s >= 16 ? 2 : s >= 11 ? 1.5 : 1;
    const side = s - 1 - 2 * this.inset;
    this.radius = Math.max(1.5, s * 0.29); // a disc alone, and one inside a ring
    this.inner = Math.max(1.2, Math.min(this.radius, side / 2 - this.stroke - (s >= 19 ? 1.5 : s >= 11 ? 1 : 0.5)));
    this.shownCells = new Int32Array(this.replay.run.cells).fill(-1);
    this.shownSlots = new Int32Array(this.layout.counter.shown).fill(-1);
    this.blank = true;
  }

  // ---- below: matrices and fast memory

  paint() {
    const { replay } = this;
    if (this.blank) this.paintGrounds();
    if (this.blank || replay.jumped) {
      for (let cell = 0; cell < replay.run.cells; cell++) this.paintCell(cell);
      for (let slot = 0; slot < this.layout.counter.shown; slot++) this.paintSlot(slot);
    } else {
      for (const cell of replay.dirtyCells) this.paintCell(cell);
      for (const slot of replay.dirtySlots) this.paintSlot(slot);
    }
    this.paintCounterTitle();
    this.blank = replay.jumped = false;
    replay.dirtyCells.length = replay.dirtySlots.length = 0;
  }

  paintGrounds() {
    const { b, layout, colours } = this;
    b.fillStyle = colours.background;
    b.fillRect(0, 0, layout.width, layout.height);
    b.textBaseline = "alphabetic";
    for (const grid of layout.grids) {
      const { tensor, x, y, width, height } = grid, s = layout.cell;
      b.fillStyle = colours.muted;
      b.font = `600 13px ${colours.font}`;
      b.textAlign = tensor.vector ? "center" : "left";
      b.fillText(tensor.name, tensor.vector ? x + width / 2 : x, y - 5);
      b.fillStyle = colours.line;
      for (let row = 0; row <= tensor.rows; row++) b.fillRect(x, y + row * s, width + 1, 1);
      for (let column = 0; column <= tensor.columns; column++) b.fillRect(x + column * s, y, 1, height + 1);
      b.fillStyle = colours.muted; // a strip of cells is one sum
      for (let column = 0; column <= tensor.columns && tensor.strip; column += tensor.strip) b.fillRect(x + column * s, y, 1, height + 1);
    }
    b.textAlign = "left";
  }

  codeOf(cell) {
    const { travel, replay } = this;
    if (!travel || travel.cell !== cell) return replay.lookCode(cell);
    // While a word is on its way, the place it goes to looks as before.
    const kept = replay.state[travel.vertex];
    replay.state[travel.vertex] &= travel.op === LOAD ? ~RED : ~BLUE;
    const code = replay.lookCode(cell);
    replay.state[travel.vertex] = kept;
    return code;
  }

  paintCell(cell) {
    const code = this.codeOf(cell);
    if (code === this.shownCells[cell]) return;
    this.shownCells[cell] = code;
    const { b, layout, colours, replay } = this, side = layout.cell - 1, x = layout.cellX[cell] + 1, y = layout.cellY[cell] + 1;
    const look = replay.look(cell, code);
    b.fillStyle = colours.panel;
    b.fillRect(x, y, side, side);
    if (look.steps > 1 && look.level > 0) {
      const level = Math.max(1, Math.round(side * look.level));
      b.globalAlpha = colours.dark ? 0.22 : 0.15;
      b.fillStyle = colours.ink;
      b.fillRect(x, y + side - level, side, level);
      b.globalAlpha = 1;
    }
    if (look.blue) this.ring(b, x + this.inset, y + this.inset, side - 2 * this.inset, look.stale);
    if (look.red) this.disc(b, x + side / 2, y + side / 2, look.blue ? this.inner : this.radius);
    const { marks, names } = replay.run, word = (marks ?? names)?.[cell];
    if (word && !(marks && look.past) && side >= (marks ? 12 : 22)) this.nameCell(b, word, x + side / 2, y + side / 2, side - 2);
    if (look.past) {
      b.fillStyle = colours.muted;
      b.globalAlpha = 0.55;
      b.beginPath();
      b.arc(x + side / 2, y + side / 2, Math.max(0.9, side * 0.06), 0, 7);
      b.fill();
      b.globalAlpha = 1;
    }
  }

  // The name of a vertex on its cell, legible on a disc too.
  nameCell(c, name, x, y, room) {
    const { colours } = this;
    c.save();
    c.beginPath();
    c.rect(x - room / 2 - 1, y - room / 2 - 1, room + 2, room + 2);
    c.clip();
    c.font = `600 12px ${colours.font}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.lineWidth = 3;
    c.lineJoin = "round";
    c.strokeStyle = colours.panel;
    c.strokeText(name, x, y + 0.5, room);
    c.fillStyle = colours.ink;
    c.fillText(name, x, y + 0.5, room);
    c.restore();
  }

  ring(c, x, y, side, stale, stroke = this.stroke) {
    c.strokeStyle = this.colours.blue;
    c.lineWidth = stale ? Math.min(stroke, 1.5) : stroke;
    if (stale && side > 8) c.setLineDash([side / 6, side / 6]);
    c.globalAlpha = stale ? 0.8 : 1;
    c.strokeRect(x + stroke / 2, y + stroke / 2, side - stroke, side - stroke);
    c.globalAlpha = 1;
    if (stale) c.setLineDash([]);
  }

  disc(c, x, y, radius) {
    c.fillStyle = this.colours.red;
    c.beginPath();
    c.arc(x, y, radius, 0, 7);
    c.fill();
  }

  paintCounterTitle() {
    const { b, layout, colours, replay, labels } = this, { counter } = layout;
    if (!this.blank && this.titleRed === replay.red[replay.t]) return;
    this.titleRed = replay.red[replay.t];
    b.fillStyle = colours.background;
    b.fillRect(0, counter.y - 2, this.blank ? layout.width : this.titleWidth, counter.title);
    b.fillStyle = colours.muted;
    b.font = `600 13px ${colours.font}`;
    b.textAlign = "left";
    const red = replay.red[replay.t], hidden = counter.hidden ? `  (${fill(labels.counter_hidden, { k: counter.hidden })})` : "";
    const title = fill(labels.counter, { red, m: replay.run.red }) + hidden;
    b.fillText(title, counter.x, counter.y + 10);
    if (!this.blank) return;
    const widest = title.length + 2 * (String(replay.run.red).length - String(red).length); // room for more digits
    this.titleWidth = (b.measureText(title).width * widest) / title.length + 8;
    this.paintKey(this.titleWidth + 12, counter.y + 10);
  }

  // What disc and ring mean, at the right of the counter's title if there is room (the page's legend says more).
  paintKey(from, y) {
    const { b, labels, colours, layout } = this;
    b.font = `13px ${colours.font}`;
    const entries = [labels.legend_red, labels.legend_blue], widths = entries.map((text) => b.measureText(text).width + 34);
    let x = layout.width - widths[0] - widths[1] + 16;
    if (x < from) return;
    this.disc(b, x + 6, y - 4, 4.5);
    b.fillStyle = colours.muted;
    b.fillText(entries[0], x + 16, y);
    x += widths[0];
    this.ring(b, x, y - 10, 12, false, 2);
    b.fillText(entries[1], x + 18, y);
  }

  paintSlot(slot) {
    const { b, layout, colours, replay, travel } = this, { counter } = layout;
    if (slot >= counter.shown) return;
    const coming = travel && travel.op === LOAD && travel.slot === slot, vertex = coming ? NOTHING : replay.slots[slot];
    const code = vertex === NOTHING ? 0 : (vertex << 2) | replay.state[vertex];
    if (code === this.shownSlots[slot]) return;
    this.shownSlots[slot] = code;
    const box = slotBox(layout, slot);
    b.fillStyle = colours.background;
    b.fillRect(box.x - 1, box.y - 1, box.width + 2, box.height + 2);
    const radius = counter.kind === "label" ? 5 : Math.min(3, box.width / 5);
    b.beginPath();
    b.roundRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, radius);
    if (vertex !== NOTHING || counter.kind === "dot") {
      b.fillStyle = colours.panel;
      b.fill();
    }
    b.lineWidth = 1;
    b.strokeStyle = colours.line;
    if (box.width >= 8) b.stroke();
    if (vertex === NOTHING) return;
    const look = replay.state[vertex];
    if (counter.kind === "dot") {
      const mid = box.width / 2;
      if (look & BLUE && box.width >= 12) this.ring(b, box.x + 2, box.y + 2, box.width - 4, false, 1);
      this.disc(b, box.x + mid, box.y + mid, box.width * (look & BLUE ? 0.22 : 0.3));
      return;
    }
    const glyph = Math.min(15, box.height - 8), gx = box.x + 6, gy = box.y + (box.height - glyph) / 2;
    const steps = replay.run.tensors[replay.index.tensorOf[replay.run.cell[vertex]]].steps;
    if (steps > 1) {
      b.save();
      b.clip();
      b.globalAlpha = colours.dark ? 0.22 : 0.15;
      b.fillStyle = colours.ink;
      const level = (box.height - 1) * ((replay.run.step[vertex] + 1) / steps);
      b.fillRect(box.x, box.y + box.height - level, box.width, level);
      b.restore();
    }
    if (look & BLUE) this.ring(b, gx, gy, glyph, false, 2);
    this.disc(b, gx + glyph / 2, gy + glyph / 2, look & BLUE ? glyph / 2 - 3.5 : glyph / 2 - 2);
    b.fillStyle = colours.ink;
    b.font = `500 ${counter.font}px ${colours.font}`;
    b.textBaseline = "middle";
    const room = box.width - glyph - 13;
    b.fillText(replay.vertexLabel(vertex), gx + glyph + 4, box.y + box.height / 2 + 0.5, room);
    b.textBaseline = "alphabetic";
  }

  // ---- above: the moment

  centre(cell) {
    const half = this.layout.cell / 2;
    return [this.layout.cellX[cell] + half + 0.5, this.layout.cellY[cell] + half + 0.5];
  }

  slotCentre(slot) {
    const box = slotBox(this.layout, slot), label = this.layout.counter.kind === "label";
    return [label ? box.x + 6 + Math.min(15, box.height - 8) / 2 : box.x + box.width / 2, box.y + box.height / 2];
  }

  // Returns whether something still moves.
  paintOverlay(now, moment) {
    const { o, layout, replay } = this;
    const move = moment ? replay.current() : null, empty = !move && this.cursor < 0 && !this.travel;
    if (!(empty && this.overlayEmpty)) o.clearRect(0, 0, layout.width, layout.height);
    this.overlayEmpty = empty;
    if (this.cursor >= 0) this.paintCursor();
    if (move) this.paintMove(move);
    if (document.documentElement.classList.contains("pa-print")) {
      this.b.drawImage(this.overlay, 0, 0, layout.width, layout.height); // printers get one opaque picture
    }
    return this.travel ? this.paintTravel(now) : false;
  }

  paintMove(move) {
    const { replay } = this, cell = replay.run.cell[move.vertex];
    if (move.op === COMPUTE || move.op === SLIDE) {
      const operands = [...new Set(Array.from(replay.operands(move.vertex), (v) => replay.run.cell[v]))].filter((c) => c !== cell);
      for (const other of operands) this.edge(this.centre(other), this.centre(cell), 0.75);
      for (const other of operands) this.outline(other, 1.5);
      for (const vertex of replay.operands(move.vertex)) this.outlineSlot(replay.slots.indexOf(vertex));
      if (move.slot !== NOTHING) this.outlineSlot(move.slot, 2);
    } else if (move.slot !== NOTHING && move.slot < this.layout.counter.shown) {
      const box = slotBox(this.layout, move.slot), ends = [this.centre(cell), [box.x + box.width / 2, box.y]];
      if (move.op === LOAD) this.edge(ends[0], ends[1], 0.55, [3, 4], 3);
      if (move.op === STORE) this.edge(ends[1], ends[0], 0.55, [3, 4], this.layout.cell * 0.62 + 3);
      this.outlineSlot(move.slot, 2);
    }
    this.outline(cell, 2.5);
  }

  paintCursor() {
    const { replay } = this;
    for (const other of cellOperands(replay, this.cursor)) {
      this.edge(this.centre(other), this.centre(this.cursor), 0.4);
      this.outline(other, 1);
    }
    this.outline(this.cursor, 2.5, this.colours.primary);
    const { start, members } = replay.index;
    for (let k = start[this.cursor]; k < start[this.cursor + 1]; k++) {
      if (replay.state[members[k]] & RED) this.outlineSlot(replay.slots.indexOf(members[k]), 2, this.colours.primary);
    }
  }

  outline(cell, width, colour = this.colours.ink) {
    const { o, layout } = this, s = layout.cell, grow = width / 2;
    o.strokeStyle = colour;
    o.lineWidth = width;
    o.beginPath();
    o.roundRect(layout.cellX[cell] + 0.5 - grow, layout.cellY[cell] + 0.5 - grow, s + 2 * grow, s + 2 * grow, 2);
    o.stroke();
  }

  outlineSlot(slot, width = 1, colour = this.colours.ink) {
    if (slot < 0 || slot >= this.layout.counter.shown) return;
    const { o } = this, box = slotBox(this.layout, slot);
    o.strokeStyle = colour;
    o.lineWidth = width;
    o.beginPath();
    o.roundRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, this.layout.counter.kind === "label" ? 5 : 2);
    o.stroke();
  }

  // An arrow that ends at the border of the cell it points to, bent a little so that edges do not lie on each other.
  edge([x0, y0], [x1, y1], alpha, dash = [], short = this.layout.cell * 0.62) {
    const { o, colours, layout } = this, length = Math.hypot(x1 - x0, y1 - y0);
    if (length < layout.cell * 0.9) return;
    const bend = dash.length ? 0 : Math.min(26, length * 0.1), nx = -(y1 - y0) / length, ny = (x1 - x0) / length;
    const cx = (x0 + x1) / 2 + nx * bend, cy = (y0 + y1) / 2 + ny * bend;
    const angle = Math.atan2(y1 - cy, x1 - cx);
    const ex = x1 - Math.cos(angle) * short, ey = y1 - Math.sin(angle) * short;
    o.globalAlpha = alpha;
    o.strokeStyle = o.fillStyle = colours.ink;
    o.lineWidth = 1.25;
    o.setLineDash(dash);
    o.beginPath();
    o.moveTo(x0, y0);
    o.quadraticCurveTo(cx, cy, ex, ey);
    o.stroke();
    o.setLineDash([]);
    o.beginPath();
    o.moveTo(ex + Math.cos(angle) * 5, ey + Math.sin(angle) * 5);
    o.lineTo(ex + Math.cos(angle + 2.2) * 4, ey + Math.sin(angle + 2.2) * 4);
    o.lineTo(ex + Math.cos(angle - 2.2) * 4, ey + Math.sin(angle - 2.2) * 4);
    o.fill();
    o.globalAlpha = 1;
  }

  // A loaded word travels from its matrix to its slot, a stored one back. Nothing else moves.
  startTravel(now, duration) {
    this.stopTravel();
    const move = this.replay.current();
    if (!move || move.op > STORE || move.slot === NOTHING || move.slot >= this.layout.counter.shown) return;
    this.travel = { ...move, cell: this.replay.run.cell[move.vertex], start: now, duration };
    this.paintCell(this.travel.cell);
    this.paintSlot(move.slot);
  }

  stopTravel() {
    const { travel } = this;
    if (!travel) return;
    this.travel = null;
    this.paintCell(travel.cell);
    this.paintSlot(travel.slot);
  }

  paintTravel(now) {
    const { o, travel, layout } = this, part = Math.max(0, (now - travel.start) / travel.duration);
    if (part >= 1) {
      this.stopTravel();
      return false;
    }
    const ends = [this.centre(travel.cell), this.slotCentre(travel.slot)];
    if (travel.op === STORE) ends.reverse();
    const k = EASE(part), x = ends[0][0] + (ends[1][0] - ends[0][0]) * k, y = ends[0][1] + (ends[1][1] - ends[0][1]) * k;
    if (travel.op === LOAD) this.disc(o, x, y, Math.max(4, this.radius));
    else {
      const side = Math.max(9, layout.cell - 2 * this.inset - 1);
      this.ring(o, x - side / 2, y - side / 2, side, false, Math.max(2, this.stroke));
    }
    return true;
  }
}
