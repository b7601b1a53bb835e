// All phases in a row: a bar for each, as high as the products it makes. Click, drag or use the arrow keys to choose one.

class Ruler {
  // `choose(phase)` hears a phase's index; `done()` that the reader has let go.
  constructor(choose, done) {
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.element = make("div", { class: "ruler", role: "slider", tabindex: 0, "aria-orientation": "horizontal", "aria-valuemin": 1 }, this.canvas);
    const at = (event) => choose(this.indexAt(event.clientX - this.element.getBoundingClientRect().left));
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      this.dragging = true;
      at(event);
    });
    this.element.addEventListener("pointermove", (event) => this.dragging && at(event));
    for (const name of ["pointerup", "pointercancel"]) {
      this.element.addEventListener(name, () => {
        if (this.dragging) done();
        this.dragging = false;
      });
    }
    this.element.addEventListener("keydown", (event) => {
      const page = Math.max(1, Math.round(this.count / 10));
      const to = {
        ArrowRight: this.index + 1, ArrowUp: this.index + 1, ArrowLeft: this.index - 1, ArrowDown: this.index - 1,
        PageUp: this.index + page, PageDown: this.index - page, Home: 0, End: this.count - 1,
      }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      choose(to);
      done();
    });
  }

  show(heights, labels) {
    Object.assign(this, { heights, count: heights.length, most: Math.max(1, ...heights) });
    this.element.setAttribute("aria-valuemax", this.count);
    this.element.setAttribute("aria-label", labels.ruler);
  }

  indexAt(x) {
    return Math.floor(((x - 1) / Math.max(1, this.width - 2)) * this.count);
  }

  resize(colours) {
    Object.assign(this, { colours, width: this.element.clientWidth, height: this.element.clientHeight });
    if (this.width) this.c = prepareCanvas(this.canvas, this.width, this.height, true);
  }

  paint(index, text) {
    this.index = index;
    this.element.setAttribute("aria-valuenow", index + 1);
    this.element.setAttribute("aria-valuetext", text);
    const { c, width, height, colours, count, heights, most } = this;
    if (!c || !width) return;
    const wide = (width - 2) / count, gap = wide > 5 ? 1 : 0, floor = height - 12, top = 3;
    c.fillStyle = colours.background;
    c.fillRect(0, 0, width, height);
    for (let k = 0; k < count; k++) {
      const x = 1 + k * wide, here = k === index;
      c.fillStyle = here ? colours.primary : colours.muted;
      c.globalAlpha = here ? 1 : 0.55;
      const tall = ((floor - top) * heights[k]) / most;
      c.fillRect(x, floor - tall, Math.max(wide - gap, 0.7), tall);
      c.globalAlpha = here ? 1 : 0.3;
      c.fillRect(x, floor + 1, Math.max(wide - gap, 0.7), 3);
    }
    c.globalAlpha = 1;
    // A pointer under the chosen one, which may be thinner than a pixel.
    const x = 1 + (index + 0.5) * wide;
    c.fillStyle = colours.primary;
    c.beginPath();
    c.moveTo(x, floor + 5);
    c.lineTo(x - 5, height - 1);
    c.lineTo(x + 5, height - 1);
    c.fill();
  }
}
