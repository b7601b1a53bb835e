// Strip chart of one run over the common clock: red pebbles as an area below the line M, words moved as a line.
// The curves are painted once a size; a frame copies them and draws the playhead, which can be dragged.

class Strip {
  constructor(canvas, onSeek, onRest) {
    this.canvas = canvas;
    const drag = (event) => onSeek(this.tickAt(event.offsetX));
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.dragging = true;
      drag(event);
    });
    canvas.addEventListener("pointermove", (event) => this.dragging && drag(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, () => {
        if (this.dragging) onRest();
        this.dragging = false;
      });
    }
  }

  show(timeline, side, labels, mostWords) {
    Object.assign(this, { timeline, side, labels, mostWords, replay: timeline.replays[side] });
    this.end = timeline.end(side);
  }

  tickAt(x) {
    return Math.round(((x - this.left) / (this.right - this.left)) * this.timeline.length);
  }

  x(tick) {
    return this.left + ((this.right - this.left) * tick) / Math.max(1, this.timeline.length);
  }

  resize(width, height, colours) {
    Object.assign(this, { width, height, colours, left: 6, right: width - 6, top: 21, bottom: height - 4 });
    this.c = prepareCanvas(this.canvas, width, height, true);
    this.still = document.createElement("canvas");
    this.paintStill(prepareCanvas(this.still, width, height, true));
    this.c.drawImage(this.still, 0, 0, width, height);
    this.headAt = -1;
  }

  paintStill(c) {
    const { width, height, colours, replay, timeline, side, top, bottom, left, labels } = this;
    const memory = replay.run.red, y = (share) => bottom - (bottom - top) * Math.min(1, share);
    // A memory much larger than its peak would press the area flat: then the scale ends above the peak, without the line M.
    const peak = replay.peak[replay.length], scale = memory <= 3 * peak ? memory : peak * 1.25;
    c.fillStyle = colours.background;
    c.fillRect(0, 0, width, height);
    const points = [];
    const bins = Math.min(timeline.length, Math.floor((this.right - left) / 2));
    for (let bin = 0; bin <= bins; bin++) {
      const from = Math.floor((bin / Math.max(1, bins)) * timeline.length), px = this.x(from);
      const to = Math.min(timeline.length, Math.floor(((bin + 1) / Math.max(1, bins)) * timeline.length) - 1);
      let low = Infinity, high = 0;
      for (let p = timeline.at(side, from), last = timeline.at(side, Math.max(from, to)); p <= last; p++) {
        const red = replay.red[p];
        if (red < low) low = red;
        if (red > high) high = red;
      }
      points.push([px, low / scale, high / scale, replay.io(timeline.at(side, from)) / Math.max(1, this.mostWords), from]);
    }
    const shown = points.filter((point) => point[4] <= this.end);
    const area = (key) => {
      c.beginPath();
      c.moveTo(left, bottom);
      for (const point of shown) c.lineTo(point[0], y(point[key]));
      c.lineTo(shown.length ? shown[shown.length - 1][0] : left, bottom);
      c.closePath();
    };
    c.fillStyle = colours.red;
    c.globalAlpha = 0.22;
    area(2);
    c.fill();
    c.globalAlpha = 0.3;
    area(1);
    c.fill();
    c.globalAlpha = 1;
    c.fillStyle = colours.line;
    c.fillRect(left, bottom, this.right - left, 1);
    c.strokeStyle = colours.muted;
    c.lineWidth = 1;
    if (scale === memory) {
      c.setLineDash([5, 4]);
      c.beginPath();
      c.moveTo(left, top + 0.5);
      c.lineTo(this.right, top + 0.5);
      c.stroke();
      c.setLineDash([]);
    }
    c.strokeStyle = colours.ink;
    c.lineWidth = 1.6;
    c.lineJoin = "round";
    c.beginPath();
    for (const point of points) c.lineTo(point[0], y(point[3]));
    c.stroke();
    this.paintKey(c, memory);
  }

  // What is drawn, in words, above the chart; M at its line.
  paintKey(c, memory) {
    const { colours, labels, replay } = this;
    c.font = `12.5px ${colours.font}`;
    c.textBaseline = "middle";
    let x = this.left;
    c.fillStyle = colours.red;
    c.globalAlpha = 0.45;
    c.fillRect(x, 4, 12, 9);
    c.globalAlpha = 1;
    c.fillStyle = colours.muted;
    const values = { m: memory, peak: replay.peak[replay.length], io: replay.total };
    const red = fill(labels.strip_red, values), io = fill(labels.strip_io, values);
    c.fillText(red, x + 17, 9);
    x += 17 + c.measureText(red).width + 18;
    if (x + 19 + c.measureText(io).width > this.right) return; // said above the board too
    c.strokeStyle = colours.ink;
    c.beginPath();
    c.moveTo(x, 9);
    c.lineTo(x + 14, 9);
    c.stroke();
    c.fillText(io, x + 19, 9);
  }

  paint(tick) {
    const { c, width, height, colours } = this;
    if (!c || !width) return;
    // Only where the playhead was and where it is now.
    const x = Math.round(this.x(tick)), words = this.replay.io(), ratio = this.still.width / width;
    if (x === this.headAt && words === this.wordsAt) return;
    const from = this.headAt - 6, wide = 12;
    if (this.headAt >= 0) c.drawImage(this.still, from * ratio, 0, wide * ratio, height * ratio, from, 0, wide, height);
    Object.assign(this, { headAt: x, wordsAt: words });
    c.fillStyle = colours.primary;
    c.fillRect(x - 1, this.top - 2, 2, this.bottom - this.top + 4);
    c.beginPath();
    c.arc(x, this.top - 1, 4, 0, 7);
    c.fill();
    const share = words / Math.max(1, this.mostWords);
    c.beginPath();
    c.arc(x, this.bottom - (this.bottom - this.top) * share, 3, 0, 7);
    c.fillStyle = colours.ink;
    c.fill();
  }
}
