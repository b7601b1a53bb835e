// The phases of one run: a ruler to choose one, the board at its end with its sets lit, and its numbers beside it.

const FIELDS = ["start", "stop", "loads", "stores", "atStart", "loaded", "d", "e", "seen", "products", "allowed", "pairs", "again"];
const PLACES = new WeakMap();

class PhaseView {
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    const button = (name, handler, ...children) => {
      const element = make("button", { type: "button", class: name }, ...children);
      element.addEventListener("click", handler);
      return element;
    };
    this.back = button("back", () => this.go(this.index - 1), icon("back"));
    this.forward = button("forward", () => this.go(this.index + 1), icon("forward"));
    this.title = make("h3", { class: "title" });
    this.ruler = new Ruler((index) => this.choose(index), () => this.rest());
    this.rulerNote = make("p", { class: "note" });
    this.base = make("canvas", { "aria-hidden": "true" });
    this.overlay = make("canvas", { class: "overlay", "aria-hidden": "true" });
    this.lit = make("canvas", { class: "overlay", "aria-hidden": "true" });
    this.stage = make("div", { class: "stage", role: "img", tabindex: 0 }, make("div", { class: "plane" }, this.base, this.overlay, this.lit));
    this.play = button("play", () => this.toggle(), icon("play"));
    this.scrub = make("input", { type: "range", class: "scrub", step: 1 });
    this.scrub.addEventListener("input", () => {
      this.pause();
      this.seek(+this.scrub.value);
    });
    this.move = make("p", { class: "move" });
    this.legend = make("div", { class: "legend" });
    this.facts = make("dl", { class: "figures" });
    this.lists = make("details", { class: "lists" });
    this.live = make("div", { class: "unseen", "aria-live": "polite" });
    root.replaceChildren(
      make("header", { class: "chooser" }, make("div", { class: "buttons" }, this.back, this.forward), this.title, this.rulerNote),
      this.ruler.element,
      this.legend,
      make(
        "div",
        { class: "both" },
        make("div", { class: "scene" }, this.stage, make("div", { class: "transport" }, this.play, this.scrub), this.move),
        make("div", { class: "numbers" }, this.facts, this.lists),
      ),
      this.live,
    );
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.ruler.element);
  }

  load(content, labels, phase) {
    this.pause();
    this.labels = labels;
    const u16 = (text) => new Uint16Array(bytesOf(text).buffer), u32 = (text) => new Uint32Array(bytesOf(text).buffer);
    const rows = u32(content.rows);
    this.phases = [];
    for (let at = 0; at < rows.length; at += FIELDS.length) {
      this.phases.push(Object.fromEntries(FIELDS.map((name, k) => [name, rows[at + k]])));
    }
    for (const name of ["computed", "dominator", "minimum"]) {
      const starts = u32(content[name].starts), vertices = u16(content[name].vertices);
      this.phases.forEach((each, k) => (each[name] = vertices.subarray(starts[k], starts[k + 1])));
    }
    Object.assign(this, { cap: content.cap, run: decodeRun(content.run), letters: [labels.letter_d, labels.letter_e] });
    this.replay = new Replay(this.run);
    this.view = new BoardView(this.replay, this.base, this.overlay, labels, { counter: 96 });
    this.litView = new Lit(this.view, this.lit);
    this.ruler.show(this.phases.map((each) => each.products), { ruler: fill(labels.ruler, { count: this.phases.length }) });
    for (const [element, name] of [[this.back, "back"], [this.forward, "forward"], [this.scrub, "scrub"]]) element.setAttribute("aria-label", labels[name]);
    this.rulerNote.textContent = fill(labels.ruler_note, { m: this.run.red });
    const entry = (name) => make("span", { class: "entry" }, make("span", { class: `key ${name}`, "aria-hidden": "true", text: { dominator: this.letters[0], minimum: this.letters[1] }[name] }), labels[`legend_${name}`]);
    this.legend.replaceChildren(...["computed", "dominator", "minimum"].map(entry));
    this.index = -1;
    this.choose(phase - 1);
    this.fit();
  }

  get now() {
    return this.phases[this.index];
  }

  fit() {
    if (!this.phases || !this.root.clientWidth) return;
    const colours = readColours(this.root);
    this.ruler.resize(colours);
    this.stage.style.height = "";
    this.view.stopTravel();
    this.view.resize(this.stage.clientWidth, this.stage.clientHeight, colours);
    if (this.view.layout.height < this.stage.clientHeight) this.stage.style.height = `${this.view.layout.height}px`;
    this.litView.resize();
    this.light();
    this.paint();
  }

  choose(index) {
    const to = Math.max(0, Math.min(this.phases.length - 1, index));
    if (to === this.index) return;
    this.pause();
    this.index = to;
    const { now } = this;
    this.scrub.min = now.start;
    this.scrub.max = now.stop;
    this.replay.seek(now.stop);
    this.tell();
    this.light();
    this.paint();
  }

  // By a button: the choice is made at once.
  go(index) {
    this.choose(index);
    this.rest();
  }

  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.live.textContent = this.summary();
      this.host.rest(this.index + 1);
    }, 350);
  }

  seek(t) {
    this.view.stopTravel();
    this.replay.seek(t);
    this.paint();
  }

  // ---- playing one phase

  toggle() {
    if (this.playing) return this.pause();
    if (this.replay.t >= this.now.stop) this.seek(this.now.start);
    this.playing = true;
    this.before = performance.now();
    this.due = 0;
    this.showPlay();
    this.request = requestAnimationFrame((now) => this.frame(now));
  }

  pause() {
    cancelAnimationFrame(this.request);
    this.playing = false;
    if (this.labels) this.showPlay();
  }

  showPlay() {
    this.play.replaceChildren(icon(this.playing ? "pause" : "play"));
    this.play.setAttribute("aria-label", this.playing ? this.labels.pause : this.labels.play_phase);
  }

  frame(now) {
    if (!this.playing) return;
    this.due += (Math.min(100, now - this.before) * 8) / 1000; // moves a second
    this.before = now;
    const steps = Math.floor(this.due);
    if (steps) {
      this.due -= steps;
      this.view.stopTravel();
      this.replay.seek(Math.min(this.now.stop, this.replay.t + steps));
      if (!this.still.matches && this.view.layout && steps === 1) {
        this.view.paint();
        this.view.startTravel(now, 100);
      }
      if (this.replay.t >= this.now.stop) this.pause();
    }
    this.paint(now);
    if (this.playing) this.request = requestAnimationFrame((later) => this.frame(later));
  }

  // ---- what is shown

  light() {
    const { computed, dominator, minimum } = this.now;
    if (this.view.layout) this.litView.paint(computed, dominator, minimum, this.letters);
  }

  paint(now = performance.now()) {
    if (!this.view?.layout) return;
    const { index, replay } = this, phase = this.now, within = replay.t > phase.start && replay.t < phase.stop;
    this.view.paint();
    this.view.paintOverlay(now, within || this.playing);
    this.ruler.paint(index, this.summary());
    this.scrub.value = replay.t;
    this.scrub.style.setProperty("--share", (replay.t - phase.start) / Math.max(1, phase.stop - phase.start));
    const text = replay.t === phase.stop ? this.labels.at_end : replay.t === phase.start ? this.labels.at_start : moveInWords(replay, this.labels);
    if (this.move.textContent !== text) this.move.textContent = text;
  }

  tell() {
    const { labels, run } = this, phase = this.now, m = run.red;
    this.title.textContent = fill(labels.title, { k: this.index + 1, count: this.phases.length });
    this.back.disabled = this.index === 0;
    this.forward.disabled = this.index === this.phases.length - 1;
    const io = phase.loads + phase.stores;
    const bound = (value, what) => [fill(labels[what], { k: value }), labels.bound];
    const full = this.index < this.phases.length - 1;
    this.facts.replaceChildren(
      ...this.fact(labels.io, fill(labels.io_parts, phase), io, m, [[full ? labels.io_full : labels.io_last, labels.rule]]),
      ...this.fact(labels.dominator, fill(labels.dominator_parts, phase), phase.d, 2 * m, [bound(2 * m, "twice_m")]),
      ...this.fact(labels.minimum, labels.minimum_parts, phase.e, 2 * m, [bound(2 * m, "twice_m")]),
      ...this.fact(labels.seen, labels.seen_parts, phase.seen, 3 * m, [bound(3 * m, "thrice_m")]),
      ...this.fact(labels.products, phase.again ? fill(labels.again, phase) : labels.products_parts, phase.products, phase.allowed, [
        bound(phase.allowed, "these_words"),
        bound(this.cap, "any_phase"),
      ]),
    );
    const names = (set) => Array.from(set, (v) => this.name(v)).join(", ") || labels.none;
    const open = this.lists.open;
    this.lists.replaceChildren(
      make("summary", { text: labels.lists }),
      ...["dominator", "minimum", "computed"].map((name) => make("p", {}, make("b", { text: `${labels[`list_${name}`]} ` }), names(phase[name]))),
    );
    this.lists.open = open;
    this.stage.setAttribute("aria-label", fill(labels.board_label, { k: this.index + 1, d: names(phase.dominator), e: names(phase.minimum), v: names(phase.computed) }));
  }

  // A partial sum is named with the number of its terms.
  name(vertex) {
    const { run, replay } = this, steps = run.tensors[replay.index.tensorOf[run.cell[vertex]]].steps;
    return replay.vertexLabel(vertex) + (steps > 1 ? `#${run.step[vertex] + 1}` : "");
  }

  // A number that was counted, a bar for its share of the first bound, and what is known of it: words and their kind.
  fact(name, parts, counted, most, known) {
    const bar = make("div", { class: "bar", "aria-hidden": "true" }, make("i", {})), tag = (text) => make("span", { class: "tag", text });
    bar.style.setProperty("--share", Math.min(1, counted / Math.max(1, most)));
    return [
      make("dt", {}, name, make("small", { text: parts })),
      make(
        "dd",
        {},
        make("span", { class: "counted" }, make("b", { text: grouped(counted) }), " ", tag(this.labels.counted)),
        bar,
        ...known.map(([text, kind]) => make("span", { class: "bound" }, text, " ", tag(kind))),
      ),
    ];
  }

  summary() {
    const phase = this.now;
    return fill(this.labels.summary, { k: this.index + 1, count: this.phases.length, ...phase, computed: phase.computed.length, twice: 2 * this.run.red, cap: this.cap });
  }

  destroy() {
    this.pause();
    clearTimeout(this.resting);
    this.observer.disconnect();
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let entry = PLACES.get(parentElement);
  if (!entry) {
    const host = {};
    entry = { host, view: new PhaseView(parentElement.querySelector(".why"), host), told: new Set() };
    PLACES.set(parentElement, entry);
  }
  const { view, host } = entry;
  host.rest = (phase) => {
    if (entry.phase === phase) return;
    entry.told.add(phase);
    setStateValue("phase", { rev: entry.rev, phase });
  };
  if (entry.rev !== data.rev || entry.lang !== data.lang) {
    const kept = entry.rev === data.rev ? view.index + 1 : data.phase;
    entry.told.clear();
    Object.assign(entry, { rev: data.rev, lang: data.lang, phase: data.phase });
    view.load(JSON.parse(data.content), data.labels, kept);
  } else {
    view.fit(); // the theme may have changed
    // What we told comes back and is no news; anything else was asked for in the address.
    const echo = entry.told.delete(data.phase);
    if (data.phase !== entry.phase && !echo) view.choose(data.phase - 1);
    entry.phase = data.phase;
  }
  globalThis.__pa_why = view; // for tests
  return () => {
    view.destroy();
    PLACES.delete(parentElement);
  };
}
