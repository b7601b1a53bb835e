// the M of the moment in the chart: a line and a handle that can be pulled, and a dot on every curve

class Marker {
  /** `move(M)` while it is pulled, `settle(M)` when it is let go. `state()` has the data and the M of now. */
  constructor(plot, { move, settle, state }) {
    const find = (selector) => plot.querySelector(selector);
    Object.assign(this, { plot, move, settle, state });
    this.chart = find(".pa-chart");
    this.svg = find(".pa-marker");
    this.line = find(".pa-marker-line");
    this.grip = find(".pa-marker-grip");
    this.dots = find(".pa-marker-dots");
    this.handle = find(".pa-handle");
    for (const node of [this.handle, this.grip]) this.pull(node);
  }

  pull(node) {
    const move = (event) => {
      const axis = this.chart._fullLayout?.xaxis;
      if (!axis) return;
      const left = this.chart.getBoundingClientRect().left + axis._offset;
      const wished = 10 ** axis.p2l(Math.min(axis._length, Math.max(0, event.clientX - left)));
      const stops = this.state().data.table.memory;
      this.move(stops[nearest(stops, wished)]);
    };
    node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      event.stopPropagation(); // beneath lies the plot, where a pull means a zoom
      node.setPointerCapture(event.pointerId);
      node.onpointermove = move;
      this.plot.classList.add("pa-pulling");
    });
    const end = () => {
      if (!node.onpointermove) return;
      node.onpointermove = null;
      this.plot.classList.remove("pa-pulling");
      this.settle(this.state().memory);
    };
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
  }

  place(width) {
    const full = this.chart._fullLayout;
    if (!full?.xaxis) return;
    const { data, memory } = this.state();
    const { xaxis, yaxis } = full;
    const x = xaxis._offset + (xaxis.type === "log" ? xaxis.l2p(Math.log10(memory)) : NaN);
    const inside = x >= xaxis._offset - 1 && x <= xaxis._offset + xaxis._length + 1;
    for (const node of [this.line, this.grip, this.dots, this.handle]) node.style.display = inside ? "" : "none";
    if (!inside) return;
    const [top, bottom] = [yaxis._offset, yaxis._offset + yaxis._length];
    for (const line of [this.line, this.grip]) {
      for (const [name, value] of Object.entries({ x1: x, x2: x, y1: top, y2: bottom })) line.setAttribute(name, value);
    }
    this.handle.textContent = `M = ${grouped(memory)}`;
    const half = sizeOf({ text: this.handle.textContent, font: { size: 13.5 } }).w / 2 + 9; // measured without a layout of the page
    const left = Math.max(0, Math.min(x - half, width - 2 * half));
    this.handle.style.transform = `translate(${left}px, ${bottom}px)`;
    this.handle.style.setProperty("--tip", `${x - left}px`);
    for (const tick of this.chart.querySelectorAll(".xtick text")) {
      const middle = xaxis._offset + xaxis.l2p(Math.log10(Number(tick.textContent.replaceAll(THIN, ""))));
      const reach = half + 3.6 * tick.textContent.length + 4;
      tick.style.visibility = Math.abs(middle - left - half) < reach ? "hidden" : ""; // rather none than half a number
    }
    this.dot(this.points(data, memory), x, yaxis, top, bottom);
  }

  /** Where the dots belong: every curve at M; on the map the one point (M, d). */
  points(data, memory) {
    if (data.settings.plot === "winners") return [{ colour: "primary", level: Math.log2(data.settings.d) }];
    const at = data.table.memory.indexOf(memory);
    return data.algorithms.map(({ id }) => {
      const value = at >= 0 ? data.table.values[id][at] : null;
      return { colour: id, level: value === null ? NaN : Math.log10(Number(value)) };
    });
  }

  dot(points, x, yaxis, top, bottom) {
    while (this.dots.childElementCount < points.length) this.dots.append(document.createElementNS("http://www.w3.org/2000/svg", "circle"));
    [...this.dots.children].forEach((dot, index) => {
      const y = points[index] ? yaxis._offset + yaxis.l2p(points[index].level) : NaN;
      const seen = y >= top - 1 && y <= bottom + 1;
      dot.style.display = seen ? "" : "none";
      if (!seen) return;
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      dot.setAttribute("r", points[index].colour === "primary" ? 6 : 4.5);
      dot.style.fill = `var(--pa-${points[index].colour})`;
    });
  }
}
