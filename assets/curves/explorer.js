// the I/O curves, live: M moves in the browser alone; all else asks Python for new counts, one question at a time
const EXPLORERS = new WeakMap();
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

  // Questions to Python

  /** Ask for other settings. While an answer is outstanding, only the newest wish is kept. */
  ask(values) {
    const { n, d, m } = this.controls;
    const current = { n: String(n.value), d: String(d.value), m: String(m.value) };
    const wish = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
    this.wanted = { ...current, ...this.wanted, ...wish, view: this.drawing.view };
    this.since ??= performance.now();
    timing.pending = true;
    this.soon ??= setTimeout(() => this.flush(), 0); // a key sends "input" and "change" at once: one question
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
    if (before && before.settings.plot !== this.data.settings.plot) this.drawing.unzoom(); // by the address, perhaps
    if (csv && this.savedCsv !== csv.number) {
      this.savedCsv = csv.number;
      download(csv.text, "text/csv", `${this.data.words.file}.csv`);
    }
    let answered = null;
    if (this.asked && number >= this.asked.number) {
      answered = { ...this.asked, answered: performance.now() };
      this.asked = null;
      this.flush();
    }
    if (this.data.lang !== before?.lang) this.relabel();
    if (this.data.lang !== before?.lang || this.data.shown !== before?.shown) {
      this.readout.build(this.data);
      this.buildTools();
    }
    this.buildLegend();
    this.title.textContent = this.data.words.axis;
    this.plots.show(this.data);
    this.more.show(this.data);
    if (!this.asked && !this.wanted && !this.held) this.adopt();
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
    const file = quietButton("CSV", labels["csv.help"], () => this.wishCsv());
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
    this.finish(drawn ? answered : null);
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

  destroy() {
    clearTimeout(this.patience);
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
