// the I/O curves, live: M moves in the browser alone; n and d ask Python for new counts, one question at a time
const EXPLORERS = new WeakMap();
const WIDE = 640; // px: from here on the lines carry their names themselves
const PATIENCE = 4000; // ms: an answer that has not come by then does not hold up the next question
const KEPT = 500; // redraws remembered for whoever measures

const timing = (globalThis.__pa_curves ??= { redraws: [], moves: [], pending: false });
const remember = (list, entry) => {
  list.push(entry);
  if (list.length > KEPT) list.shift();
};

function quietButton(words, help, act) {
  const button = element("button", "pa-quiet", words);
  button.type = "button";
  if (help) {
    button.title = help;
    button.setAttribute("aria-label", help);
  }
  button.addEventListener("click", act);
  return button;
}

class Explorer {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    this.root = find(".pa-curves");
    this.root.addEventListener("keydown", (event) => event.stopPropagation()); // the page has shortcuts of its own
    this.plot = find(".pa-plot");
    this.chart = find(".pa-chart");
    this.marker = { svg: find(".pa-marker"), line: find(".pa-marker-line"), dots: find(".pa-marker-dots"), handle: find(".pa-handle") };
    this.notes = new Notes(find(".pa-notes"), find(".pa-lead"));
    this.legend = find(".pa-legend");
    this.failure = find(".pa-failure");
    this.tools = find(".pa-tools");
    this.spoken = find(".pa-spoken");
    this.readout = new Readout(find(".pa-readout"));
    this.controls = {
      n: this.control("n"),
      d: this.control("d"),
      m: new Control("m", { move: (m) => this.moveTo(m), settle: (m) => this.settle(m), type: (m) => this.ask({ m }) }),
    };
    find(".pa-controls").replaceChildren(...Object.values(this.controls).map((control) => control.node));
    this.places = new Map();
    this.view = null; // the range of M zoomed into
    this.zooms = 0;
    this.zoomed = false;
    this.dragHandle();
    this.watch = new ResizeObserver(() => this.data && this.draw());
    this.watch.observe(this.plot);
    this.onPrint = () => this.data && this.draw();
    addEventListener("pa-print", this.onPrint); // assets/print.js
  }

  control(name) {
    return new Control(name, {
      move: (value) => {
        this.dragging = true;
        this.ask({ [name]: value });
      },
      settle: (value) => {
        this.dragging = false;
        this.ask({ [name]: value }); // once more: now the address follows, and the axis settles on the curves
      },
      type: (value) => this.ask({ [name]: value }),
    });
  }

  // Questions to Python

  /** Ask for other settings. While an answer is outstanding, only the newest wish is kept. */
  ask(values) {
    const { n, d, m } = this.controls;
    const current = { n: String(n.value), d: String(d.value), m: String(m.value) };
    const wish = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    this.wanted = { ...current, ...this.wanted, ...wish, view: this.view };
    this.since ??= performance.now();
    timing.pending = true;
    this.soon ??= setTimeout(() => this.flush(), 0); // a key sends "input" and "change" at once: one question
  }

  flush() {
    this.soon = null;
    const now = performance.now();
    if (!this.wanted || (this.asked && now - this.asked.sent < PATIENCE)) return;
    this.asked = { number: Math.max(Date.now(), (this.asked?.number ?? 0) + 1), input: this.since, sent: now, wish: this.wanted };
    this.wanted = this.since = null;
    this.send({ ...this.asked.wish, number: this.asked.number, moving: Boolean(this.dragging) });
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.flush(), PATIENCE + 50);
  }

  // Answers from Python

  update({ number, library, figure, state, problems, csv }, setStateValue) {
    this.send = (question) => setStateValue("question", question);
    this.wishCsv = () => setStateValue("csv", Date.now());
    const before = this.data;
    this.data = { number, library, figure, ...JSON.parse(state), problems: JSON.parse(problems) };
    if (csv) this.saveCsv(csv);
    let answered = null;
    if (this.asked && number >= this.asked.number) {
      answered = { ...this.asked, answered: performance.now() };
      this.asked = null;
      this.flush();
    }
    if (this.data.lang !== before?.lang || this.data.shown !== before?.shown) this.relabel();
    if (!this.asked && !this.wanted && !this.held) this.adopt();
    this.summary = this.readout.show(this.data, this.controls.m.value);
    this.draw(answered); // which places the marker, too
  }

  /** The settings in force, as Python gave them, and what was wrong with those that it was asked for. */
  adopt() {
    const { settings, stops, problems, table } = this.data;
    this.controls.n.set(settings.n, stops.n, problems.n);
    this.controls.d.set(settings.d, stops.d, problems.d);
    this.controls.m.set(settings.memory, table.memory, problems.memory);
  }

  relabel() {
    const { labels } = this.data;
    this.root.lang = this.data.lang;
    for (const name of ["n", "d", "m"]) this.controls[name].caption(labels[`control.${name}`]);
    this.failure.textContent = labels["chart.failed"];
    this.chart.setAttribute("aria-label", labels["chart.alt"]);
    this.readout.build(this.data);
    this.buildLegend();
    this.buildTools();
  }

  buildLegend() {
    this.legend.replaceChildren(
      ...this.data.legend.map(({ name, colour, dash, width }) => {
        const item = element("span", "pa-legend-item");
        item.append(swatch(colour, dash, width), element("span", "", name));
        return item;
      }),
    );
  }

  buildTools() {
    const { labels, presets, every } = this.data;
    const start = element("span", "pa-tools-group");
    start.append(element("span", "pa-muted", labels.presets));
    for (const preset of presets) {
      const link = element("a", "pa-preset", preset.name);
      link.href = preset.href;
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        this.ask({ n: preset.n, d: preset.d, m: preset.m });
      });
      start.append(link);
    }
    this.unzoom = quietButton(labels["zoom.reset"], "", () => this.resetZoom());
    this.unzoom.hidden = !this.zoomed;
    const images = ["PNG", "SVG"].map((format) => quietButton(format, text(labels["chart.save"], { format }), () => this.save(format.toLowerCase())));
    const file = quietButton("CSV", labels["csv.help"], () => this.wishCsv());
    const more = quietButton(labels.more, "", () => {
      this.choices.hidden = !this.choices.hidden;
      more.setAttribute("aria-expanded", String(!this.choices.hidden));
    });
    more.setAttribute("aria-expanded", String(this.choices?.hidden === false));
    const end = element("span", "pa-tools-group");
    end.append(this.unzoom, ...images, file, more);
    const choices = element("div", "pa-choices");
    choices.hidden = this.choices?.hidden ?? true;
    choices.append(element("span", "pa-muted", labels["more.algorithms"]), ...every.map((algorithm) => this.choice(algorithm)));
    this.choices = choices;
    this.tools.replaceChildren(start, end, choices);
  }

  /** A box to tick: whether an algorithm is in the chart. The last one stays. */
  choice({ id, name, dash }) {
    const shown = this.data.algorithms.map((algorithm) => algorithm.id);
    const label = element("label", "pa-choice");
    const box = element("input");
    Object.assign(box, { type: "checkbox", checked: shown.includes(id), disabled: shown.length === 1 && shown[0] === id });
    box.addEventListener("change", () => {
      const wanted = this.data.every.map((algorithm) => algorithm.id).filter((other) => (other === id ? box.checked : shown.includes(other)));
      this.ask({ a: wanted.join(",") });
    });
    label.append(box, swatch(`var(--pa-${id})`, dash), element("span", "", name));
    return label;
  }

  saveCsv({ number, text: content }) {
    if (this.savedCsv === number) return;
    this.savedCsv = number;
    const { n, d } = this.data.settings;
    const link = element("a");
    link.href = URL.createObjectURL(new Blob([content], { type: "text/csv" }));
    link.download = `io-curves-n${n}-d${d}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  // M: display rate, no server

  moveTo(memory) {
    const started = performance.now();
    this.held = true;
    this.controls.m.follow(memory);
    this.show();
    remember(timing.moves, { memory, input: started, shown: performance.now() });
  }

  settle(memory) {
    this.held = false;
    this.spoken.textContent = this.summary ?? "";
    this.ask({ m: memory });
  }

  dragHandle() {
    const { handle } = this.marker;
    const move = (event) => {
      const axis = this.chart._fullLayout?.xaxis;
      if (!axis) return;
      const left = this.chart.getBoundingClientRect().left + axis._offset;
      const wished = 10 ** axis.p2l(Math.min(axis._length, Math.max(0, event.clientX - left)));
      const stops = this.data.table.memory;
      this.moveTo(stops[nearest(stops, wished)]);
    };
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      handle.onpointermove = move;
    });
    const end = () => {
      if (!handle.onpointermove) return;
      handle.onpointermove = null;
      this.settle(this.controls.m.value);
    };
    handle.addEventListener("pointerup", end);
    handle.addEventListener("pointercancel", end);
  }

  /** Readout and marker at the M of the control. */
  show() {
    this.summary = this.readout.show(this.data, this.controls.m.value);
    this.place();
  }

  place() {
    const full = this.chart._fullLayout;
    const { svg, line, dots, handle } = this.marker;
    if (!full?.xaxis) return;
    this.notes.place(full);
    const { xaxis, yaxis } = full;
    const memory = this.controls.m.value;
    const x = xaxis._offset + xaxis.l2p(Math.log10(memory));
    const inside = x >= xaxis._offset - 1 && x <= xaxis._offset + xaxis._length + 1;
    svg.style.display = handle.style.display = inside ? "" : "none";
    if (!inside) return;
    const [top, bottom] = [yaxis._offset, yaxis._offset + yaxis._length];
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: top, y2: bottom })) line.setAttribute(name, value);
    handle.textContent = `M = ${grouped(memory)}`;
    const half = sizeOf({ text: handle.textContent, font: { size: 13.5 } }).w / 2 + 9; // measured without a layout of the page
    const left = Math.max(0, Math.min(x - half, this.width - 2 * half));
    handle.style.transform = `translate(${left}px, ${bottom}px)`;
    handle.style.setProperty("--tip", `${x - left}px`);
    for (const tick of this.chart.querySelectorAll(".xtick text")) {
      const middle = xaxis._offset + xaxis.l2p(Math.log10(Number(tick.textContent.replaceAll(THIN, ""))));
      const reach = half + 3.6 * tick.textContent.length + 4;
      tick.style.visibility = Math.abs(middle - left - half) < reach ? "hidden" : ""; // rather none than half a number
    }
    const { table, algorithms } = this.data;
    const at = table.memory.indexOf(memory);
    while (dots.childElementCount < algorithms.length) dots.append(document.createElementNS("http://www.w3.org/2000/svg", "circle"));
    [...dots.children].forEach((dot, index) => {
      const words = algorithms[index] && at >= 0 ? table.io[algorithms[index].id][at] : null;
      const y = words === null ? NaN : yaxis._offset + yaxis.l2p(Math.log10(Number(words)));
      const seen = y >= top - 1 && y <= bottom + 1;
      dot.style.display = seen ? "" : "none";
      if (!seen) return;
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      dot.setAttribute("r", 4.5);
      dot.style.fill = `var(--pa-${algorithms[index].id})`;
    });
  }

  // The chart

  async draw(answered = null) {
    this.width = this.plot.clientWidth;
    this.height = this.chart.clientHeight;
    if (!this.width) return;
    const look = [this.data.figure, this.width, this.height, this.zooms, this.zoomed && this.view?.join(), this.dragging, getComputedStyle(this.root).color];
    if (look.every((part, index) => part === this.look?.[index])) {
      this.place();
      this.finish(answered);
      return;
    }
    this.look = look;
    const wide = this.width >= WIDE;
    this.root.classList.toggle("pa-narrow", !wide);
    const figure = JSON.parse(this.data.figure);
    const { layout } = figure;
    layout.uirevision = `view ${this.zooms}`;
    layout.margin = wide ? layout.margin : { ...layout.margin, l: 40, r: 14 };
    layout.annotations = layout.annotations.filter(({ name }) => wide || !name?.startsWith("line"));
    if (!wide) {
      for (const note of layout.annotations) {
        note.font = { ...note.font, size: 12 };
        if (note.name === "title") note.xshift = -layout.margin.l;
      }
    }
    if (this.zoomed) {
      // uirevision alone gives a zoom up as soon as the figure brings another range
      for (const axis of ["xaxis", "yaxis"]) layout[axis].range = [...this.chart._fullLayout[axis].range];
    } else {
      layout.yaxis.range = this.rangeOf(layout.yaxis.range);
    }
    const { l, r, t, b } = layout.margin;
    const scale = scaleOf(layout.xaxis.range, layout.yaxis.range, this.width - l - r, this.height - t - b);
    this.setTicks(layout);
    settleLabels(figure, scale, this.places);
    this.settled = layout.annotations;
    this.notes.write(this.settled);
    layout.annotations = [];
    try {
      await paint(this.chart, this.data.library, figure);
    } catch (error) {
      this.look = null;
      this.failure.hidden = false;
      console.error(error);
      this.finish(null);
      return;
    }
    this.failure.hidden = true;
    if (!this.listening) this.listen();
    this.finish(answered);
  }

  /** Note when an answer was on the screen, for whoever measures. */
  async finish(answered) {
    if (answered) {
      const shown = await painted();
      const { number, input, sent } = answered;
      remember(timing.redraws, { number, input, sent, answered: answered.answered, painted: shown });
    }
    timing.pending = Boolean(this.asked || this.wanted);
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

  setTicks(layout) {
    const tick = ({ values, texts }) => ({ tickmode: "array", tickvals: values, ticktext: texts });
    Object.assign(layout.xaxis, tick(ticksOfTwo(layout.xaxis.range, this.width)));
    Object.assign(layout.yaxis, tick(ticksOfTen(layout.yaxis.range, 7)));
  }

  listen() {
    this.listening = true;
    this.place();
    this.chart.on("plotly_relayouting", () => this.place());
    this.chart.on("plotly_afterplot", () => this.place());
    this.chart.on("plotly_doubleclick", () => this.resetZoom());
    this.chart.on("plotly_hover", () => this.plot.classList.add("pa-hovered"));
    this.chart.on("plotly_unhover", () => this.plot.classList.remove("pa-hovered"));
    this.chart.on("plotly_relayout", (change) => {
      if (!Object.keys(change).some((name) => /^[xy]axis\.range/.test(name))) return;
      this.zoomed = true;
      this.unzoom.hidden = false;
      this.view = this.chart._fullLayout.xaxis.range.map((end) => 10 ** end);
      this.draw(); // ticks for the new range
      this.ask({}); // and more points in it
    });
  }

  resetZoom() {
    this.zooms += 1;
    this.zoomed = false;
    this.unzoom.hidden = true;
    this.view = null;
    this.draw();
    this.ask({});
  }

  async save(format) {
    const library = await plotly(this.data.library);
    const { n, d } = this.data.settings;
    const find = palette(this.plot);
    const annotations = themed(this.settled, find);
    const layout = { ...this.chart.layout, annotations, paper_bgcolor: find("var(--pa-background)") };
    find.done();
    const [width, height] = [this.chart.clientWidth, this.chart.clientHeight];
    await library.downloadImage({ data: this.chart.data, layout }, { format, width, height, scale: 2, filename: `io-curves-n${n}-d${d}` });
  }

  destroy() {
    clearTimeout(this.patience);
    this.watch.disconnect();
    removeEventListener("pa-print", this.onPrint);
    globalThis.Plotly?.purge(this.chart);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let explorer = EXPLORERS.get(parentElement);
  if (!explorer) EXPLORERS.set(parentElement, (explorer = new Explorer(parentElement)));
  explorer.update(data, setStateValue);
  return () => {
    explorer.destroy();
    EXPLORERS.delete(parentElement);
  };
}
