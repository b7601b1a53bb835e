// the chart: painted in place, ticks and labels for its width and zoom, the zoom kept while a quantity steps
class Drawing {
  /** `onZoom(range of M, or null)` when the reader zooms; `onPlace()` whenever things over the chart must move along. */
  constructor(plot, { onZoom, onPlace }) {
    Object.assign(this, { plot, onZoom, onPlace });
    this.chart = plot.querySelector(".pa-chart");
    this.notes = new Notes(plot.querySelector(".pa-notes"), plot.querySelector(".pa-lead"));
    this.places = new Map();
    this.view = null; // the range of M zoomed into
    this.zooms = 0;
    this.zoomed = false;
  }

  /** Paint if anything changed; returns whether there is a picture. */
  async draw(data, dragging, root) {
    this.data = data;
    this.dragging = dragging;
    this.width = this.plot.clientWidth;
    this.height = this.chart.clientHeight;
    if (!this.width) return true;
    const look = [data.figure, this.width, this.height, this.zooms, this.zoomed && this.view?.join(), dragging, getComputedStyle(root).color];
    if (look.every((part, index) => part === this.look?.[index])) {
      this.onPlace();
      return true;
    }
    this.look = look;
    const wide = this.width >= WIDE;
    root.classList.toggle("pa-narrow", !wide);
    const figure = JSON.parse(data.figure);
    this.plot.classList.toggle("pa-map", figure.layout.meta.kind !== "curves");
    if (figure.layout.meta.kind === "curves") this.fitCurves(figure, wide);
    else this.fitMap(figure, wide);
    figure.layout.uirevision = `view ${this.zooms} ${data.settings.plot}`;
    this.settled = figure.layout.annotations;
    this.notes.write(this.settled);
    figure.layout.annotations = [];
    try {
      await paint(this.chart, data.library, figure);
    } catch (error) {
      this.look = null;
      console.error(error);
      return false;
    }
    if (!this.listening) this.listen();
    this.onPlace();
    return true;
  }

  fitCurves(figure, wide) {
    const { layout } = figure;
    layout.margin = wide ? layout.margin : { ...layout.margin, l: 40, r: 14 };
    layout.annotations = layout.annotations.filter(({ name }) => wide || !name?.startsWith("line"));
    if (!wide) for (const note of layout.annotations) note.font = { ...note.font, size: 12 };
    if (this.zoomed) {
      // uirevision alone gives a zoom up as soon as the figure brings another range
      for (const axis of ["xaxis", "yaxis"]) layout[axis].range = [...this.chart._fullLayout[axis].range];
    } else {
      layout.yaxis.range = this.rangeOf(layout.yaxis.range);
    }
    this.setTicks(layout.xaxis, layout.yaxis);
    const { l, r, t, b } = layout.margin;
    const scale = scaleOf(layout.xaxis.range, layout.yaxis.range, this.width - l - r, this.height - t - b);
    settleLabels(figure, scale, this.places);
  }

  /** A map or panels: nothing to zoom into. */
  fitMap({ layout }, wide) {
    layout.dragmode = false;
    for (const [name, axis] of Object.entries(layout)) {
      if (!/^[xy]axis/.test(name)) continue;
      axis.fixedrange = true;
      if (axis.type === "log") this.setTicks(axis);
    }
    if (wide) return;
    layout.margin = { ...layout.margin, r: 14 };
    for (const note of layout.annotations) note.font = { ...note.font, size: Math.min(note.font.size, 13) };
  }

  /** While a slider moves the axis stays, so that the curves are seen to move; it gives way only when they would leave. */
  rangeOf(fit) {
    const now = this.chart._fullLayout?.yaxis?.range;
    if (!this.dragging || !now) return fit;
    const span = fit[1] - fit[0];
    if (now[0] <= fit[0] && now[1] >= fit[1]) return now;
    if (fit[0] < now[0]) return [fit[0], fit[0] + Math.max(span, Math.min(now[1] - now[0], span * 1.5))];
    return [fit[1] - Math.max(span, Math.min(now[1] - now[0], span * 1.5)), fit[1]];
  }

  setTicks(across, upward) {
    const tick = ({ values, texts }) => ({ tickmode: "array", tickvals: values, ticktext: texts });
    Object.assign(across, tick(ticksOfTwo(across.range, this.width)));
    if (upward) Object.assign(upward, tick(ticksOfTen(upward.range, 7)));
  }

  listen() {
    this.listening = true;
    const { chart, plot } = this;
    chart.on("plotly_relayouting", () => this.onPlace());
    chart.on("plotly_afterplot", () => this.onPlace());
    chart.on("plotly_doubleclick", () => this.zoomed && this.onZoom(null));
    chart.on("plotly_hover", () => plot.classList.add("pa-hovered"));
    chart.on("plotly_unhover", () => plot.classList.remove("pa-hovered"));
    chart.on("plotly_relayout", (change) => {
      if (!Object.keys(change).some((name) => /^[xy]axis\.range/.test(name))) return;
      this.zoomed = true;
      this.view = chart._fullLayout.xaxis.range.map((end) => 10 ** end);
      this.onZoom(this.view);
    });
  }

  /** Give the zoom up, without drawing yet. */
  unzoom() {
    this.zooms += this.zoomed ? 1 : 0;
    this.zoomed = false;
    this.view = null;
  }

  shows(memory) {
    return !this.zoomed || (memory >= this.view[0] && memory <= this.view[1]);
  }

  place() {
    if (this.chart._fullLayout?.xaxis) this.notes.place(this.chart._fullLayout);
  }

  async save(format, { memory, summary }) {
    const library = await plotly(this.data.library);
    const find = palette(this.plot);
    const picture = pictureOf({ chart: this.chart, notes: this.settled, data: this.data, memory, summary, find });
    find.done();
    await savePicture(library, picture, format, this.data.words.file);
  }

  destroy() {
    globalThis.Plotly?.purge(this.chart);
  }
}
