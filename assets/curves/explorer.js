// the I/O curves, live: M moves in the browser alone; all else asks Python for new counts, one question at a time
const EXPLORERS = new WeakMap();
const timing = (globalThis.__pa_curves ??= { redraws: [], moves: [], pending: false });

class Explorer {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    this.root = find(".pa-curves");
    this.questions = new Questions(timing);
    this.root.addEventListener("keydown", (event) => event.stopPropagation()); // the page has shortcuts of its own
    this.plot = find(".pa-plot");
    this.chart = find(".pa-chart");
    this.legend = find(".pa-legend");
    this.failure = find(".pa-failure");
    this.tools = find(".pa-tools");
    this.spoken = find(".pa-spoken");
    this.title = find(".pa-plot-title");
    this.idleNote = find(".pa-idle-note");
    this.drawing = new Drawing(this.plot, { onZoom: (view) => this.zoom(view), onPlace: () => this.place() });
    this.marker = new Marker(this.plot, {
      move: (memory) => this.moveTo(memory),
      settle: (memory) => this.settle(memory),
      state: () => ({ data: this.data, memory: this.controls.m.value }),
    });
    this.plots = new Plots(find(".pa-plots"), (values) => this.afresh(values));
    this.more = new More(find(".pa-more-button"), find(".pa-more"), { ask: (values) => this.ask(values), preset: (values) => this.afresh(values) });
    this.readout = new Readout(find(".pa-readout"), (values) => this.ask(values));
    this.controls = {
      n: this.control("n"),
      d: this.control("d"),
      m: new Control("m", { move: (m) => this.moveTo(m), settle: (m) => this.settle(m), type: (m) => this.typeMemory(m) }),
    };
    find(".pa-controls").replaceChildren(...Object.values(this.controls).map((control) => control.node));
    this.watch = new ResizeObserver(() => this.data && this.draw());
    this.watch.observe(this.plot);
    this.onPrint = () => this.data && this.draw();
    addEventListener("pa-print", this.onPrint); // assets/document/print.js
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

  /** Ask Python for other settings, in place of those that the controls show. */
  ask(values) {
    const { n, d, m } = this.controls;
    const texts = (all) => Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
    const current = texts({ n: n.value, d: d.value, m: m.value });
    this.questions.ask(current, { ...texts(values), view: this.drawing.view }, Boolean(this.dragging));
  }

  /** Ask for another place altogether (a preset, a model, another plot): the zoom was of the old one. */
  afresh(values) {
    this.drawing.unzoom();
    this.ask(values);
  }

  /** A typed M outside what a zoom shows is to be seen all the same. */
  typeMemory(m) {
    if (!this.drawing.shows(Number(m))) this.drawing.unzoom();
    this.ask({ m });
  }

  // Answers from Python

  update({ library, figure, state, problems, ...message }, setStateValue) {
    const before = this.data;
    this.data = { library, figure, ...JSON.parse(state), problems: JSON.parse(problems) };
    if (before && before.settings.plot !== this.data.settings.plot) this.drawing.unzoom(); // by the address, perhaps
    const answered = this.questions.heard(message, setStateValue, this.data.words.file);
    if (this.data.lang !== before?.lang) this.relabel();
    if (this.data.lang !== before?.lang || this.data.shown !== before?.shown) {
      this.readout.build(this.data);
      this.buildTools();
    }
    this.buildLegend();
    this.title.textContent = this.data.words.axis;
    this.plots.show(this.data);
    this.more.show(this.data);
    if (!this.questions.open && !this.held) this.adopt();
    this.summary = this.readout.show(this.data, this.controls.m.value);
    this.draw(answered); // which places the marker, too
  }

  /** The settings in force, as Python gave them, and what was wrong with those that it was asked for. */
  adopt() {
    const { settings, stops, problems, table, labels } = this.data;
    this.controls.n.set(settings.n, stops.n, problems.n);
    this.controls.d.set(settings.d, stops.d, problems.d);
    this.controls.m.set(settings.m, table.memory, problems.memory);
    const idle = settings.plot === "exponents"; // its grid is its own
    for (const control of Object.values(this.controls)) control.rest(idle);
    this.idleNote.hidden = !idle;
    this.idleNote.textContent = labels.idle;
  }

  relabel() {
    const { labels } = this.data;
    this.root.lang = this.data.lang;
    for (const name of ["n", "d", "m"]) this.controls[name].caption(labels[`control.${name}`]);
    this.failure.textContent = labels["chart.failed"];
    this.more.build(this.data);
  }

  buildLegend() {
    const { legend, settings, named } = this.data;
    this.root.classList.toggle("pa-legended", ["winners", "exponents"].includes(settings.plot) || !named);
    this.legend.replaceChildren(
      ...legend.map(({ name, colour, dash, width, letter }) => {
        const item = element("span", "pa-legend-item");
        const mark = letter ? element("b", "pa-letter", letter) : swatch(colour, dash, width);
        if (letter) mark.style.borderColor = colour;
        item.append(...(colour ? [mark] : []), element("span", "", name));
        return item;
      }),
    );
  }

  buildTools() {
    const { labels, presets } = this.data;
    const start = element("span", "pa-tools-group");
    start.append(element("span", "pa-muted", labels.presets));
    for (const preset of presets) {
      const link = element("a", "pa-preset", preset.name);
      link.href = preset.href;
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        this.afresh({ n: preset.n, d: preset.d, m: preset.m });
      });
      start.append(link);
    }
    this.unzoom = quietButton(labels["zoom.reset"], "", () => this.zoom(null));
    this.unzoom.hidden = !this.drawing.zoomed;
    const images = ["PNG", "SVG"].map((format) => quietButton(format, text(labels["chart.save"], { format }), () => this.save(format.toLowerCase())));
    const file = quietButton("CSV", labels["csv.help"], () => this.questions.wishCsv());
    const end = element("span", "pa-tools-group");
    end.append(this.unzoom, element("span", "pa-muted", labels.save), ...images, file);
    this.tools.replaceChildren(start, end);
  }

  save(format) {
    return this.drawing.save(format, { memory: this.controls.m.value, summary: this.summary });
  }

  // M: display rate, no server

  moveTo(memory) {
    const started = performance.now();
    this.held = true;
    this.controls.m.follow(memory);
    this.summary = this.readout.show(this.data, memory);
    this.place();
    remember(timing.moves, { memory, input: started, shown: performance.now() });
  }

  settle(memory) {
    this.held = false;
    this.spoken.textContent = this.summary ?? "";
    this.ask({ m: memory });
  }

  // The chart

  place() {
    this.drawing.place();
    this.marker.place(this.drawing.width);
  }

  /** The reader zoomed (the chart shows it already), or undoes it: ticks for the new range, and more points in it. */
  zoom(view) {
    if (!view) this.drawing.unzoom();
    this.draw();
    this.ask({});
  }

  async draw(answered = null) {
    const drawn = await this.drawing.draw(this.data, this.dragging, this.root);
    this.failure.hidden = drawn;
    if (this.unzoom) this.unzoom.hidden = !this.drawing.zoomed;
    this.chart.setAttribute("aria-label", `${this.data.words.title} ${this.data.labels["chart.alt"]}`);
    this.questions.drawn(drawn ? answered : null);
  }

  destroy() {
    this.questions.destroy();
    this.watch.disconnect();
    removeEventListener("pa-print", this.onPrint);
    this.more.destroy();
    this.drawing.destroy();
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
