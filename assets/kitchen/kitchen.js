// The kitchen, part 5: the slider, the two kitchens changing places, the clock, and the door to Streamlit.
const PAGES = new WeakMap();
const FINE = 100000; // positions of the handle: neighbours such as 3 223 and 3 224 words have one each

class Home {
  constructor(root) {
    this.root = root;
    this.q = (selector) => root.querySelector(selector);
    this.input = this.q("input");
    this.input.max = FINE;
    this.scenes = Object.fromEntries(IDS.map((id) => [id, new Scene(this.q(`.kitchen[data-id="${id}"]`), id)]));
    this.curve = new Curve(this.q(".curve"));
    this.toy = new Toy(this.q(".toy"));
    this.late = []; // milliseconds from a slider event to the painted page
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.paused = this.still.matches;
    this.dragging = false;
    this.input.addEventListener("pointerdown", () => (this.dragging = true));
    for (const end of ["pointerup", "pointercancel"]) this.input.addEventListener(end, () => (this.dragging = false));
    this.input.addEventListener("input", (event) => this.moved(event));
    this.input.addEventListener("change", () => this.released());
    this.input.addEventListener("keydown", (event) => event.stopPropagation());
    this.plot = this.q(".plot");
    this.plot.addEventListener("pointerdown", (event) => this.grab(event));
    this.plot.addEventListener("pointermove", (event) => this.grabbed && this.dragTo(event));
    for (const end of ["pointerup", "pointercancel"]) this.plot.addEventListener(end, () => this.letGo());
    this.q(".pause").addEventListener("click", () => this.pause(!this.paused));
    this.q(".pause").addEventListener("keydown", (event) => event.stopPropagation());
    this.watch = new ResizeObserver(() => this.layout());
    this.watch.observe(this.q(".home"));
    this.seen = true;
    this.sight = new IntersectionObserver(([entry]) => (this.seen = entry.isIntersecting));
    this.sight.observe(this.q(".home"));
    this.onPrint = () => {
      this.q(".home").classList.toggle("on-paper", document.documentElement.classList.contains("pa-print"));
      this.layout();
    };
    addEventListener("pa-print", this.onPrint); // assets/document/print.js
    this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    this.watch.disconnect();
    this.sight.disconnect();
    removeEventListener("pa-print", this.onPrint);
  }

  update(data) {
    this.t = data.words;
    if (this.revision !== data.revision) {
      this.revision = data.revision;
      const payload = JSON.parse(data.payload);
      this.counts = new Counts(payload);
      // The two runs are moves on one board. What each cell was made from, and the code, are not shown here.
      const rest = { preds: "", pred_start: "", lines: "" };
      this.runs = payload.runs.map((run) => ({ ...payload.toy, ...run, ...rest }));
      this.fresh = true;
    }
    if (this.turn !== data.turn) {
      this.turn = data.turn;
      this.memory = this.told = data.memory;
    }
    if (this.lang !== data.lang || this.fresh) {
      this.lang = data.lang;
      this.say();
      this.toy.load(this.runs, this.t);
      if (this.still.matches) this.toy.stand(0.6);
      this.fresh = false;
      this.width = 0;
    }
    this.index = this.counts.memory.indexOf(this.memory);
    if (this.index < 0) this.index = this.counts.nearest(this.counts.position(this.memory));
    this.layout();
  }

  // The words that do not depend on M.
  say() {
    const { t, counts, root } = this;
    for (const node of root.querySelectorAll("[data-t]")) node.textContent = t[node.dataset.t];
    for (const id of IDS) this.scenes[id].article.querySelector(".name").textContent = t[id];
    const toy = this.runs[0], size = { n: toy.n, d: toy.d, memory: toy.red };
    this.q(".pill.full").textContent = filled(t.full_size, { n: grouped(counts.n), d: counts.d });
    this.q(".pill.small").textContent = filled(t.toy_size, size);
    this.q(".board").setAttribute("aria-label", filled(t.toy_label, size));
    this.q(".plot").setAttribute("aria-label", filled(t.curve_label, {
      low: counts.low, high: counts.high, least: counts.least, cross: counts.crossover,
    }));
    const help = (format) => filled(t.save_as, { format });
    const save = (format) => this.curve.save(format, t, `M = ${this.q(".memory").textContent} ${this.q(".relation").textContent}. ${this.verdict(this.index)}`);
    this.q(".pa-save").replaceChildren(t.save, ...saveButtons(["PNG", "SVG", "CSV"], help, save));
    this.pause(this.paused);
  }

  layout() {
    const width = this.q(".home").clientWidth;
    if (!this.counts || !width) return;
    if (width !== this.width) {
      this.width = width;
      for (const id of IDS) this.scenes[id].layout(this.counts, this.t);
      this.curve.layout(this.counts, this.t);
      this.toy.resize();
    }
    const probe = (name) => getComputedStyle(this.q(name));
    this.colours = {
      red: probe(".legend .red").fill, blue: probe(".legend .blue").stroke, paper: probe(".legend .blue").fill,
    };
    this.show();
  }

  moved(event) {
    const p = Number(this.input.value) / FINE, near = this.counts.nearest(p);
    const here = this.counts.position(this.counts.memory[this.index]);
    // A key moves the handle by less than the distance between two values of M: then go to the next value.
    const next = near === this.index && !this.dragging ? this.index + Math.sign(p - here) : near;
    this.index = Math.max(0, Math.min(this.counts.memory.length - 1, next));
    this.memory = this.counts.memory[this.index];
    this.show();
    const start = event.timeStamp;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        this.late.push(performance.now() - start);
        if (this.late.length > 500) this.late.shift();
      };
      channel.port2.postMessage(0);
    });
  }

  // The curve stands over the slider on one axis: taking hold of it is taking hold of the slider.
  grab(event) {
    if (!event.isPrimary || event.pointerType === "touch") return; // a finger scrolls the page
    event.preventDefault();
    this.plot.setPointerCapture(event.pointerId);
    this.input.focus({ preventScroll: true });
    this.grabbed = this.dragging = true;
    this.dragTo(event);
  }

  dragTo(event) {
    const { left, right } = this.curve.edges();
    this.input.value = Math.round(((event.clientX - left) / (right - left)) * FINE);
    this.input.dispatchEvent(new Event("input"));
  }

  letGo() {
    if (!this.grabbed) return;
    this.grabbed = this.dragging = false;
    this.input.dispatchEvent(new Event("change"));
  }

  released() {
    this.dragging = false;
    this.summary();
    if (this.told !== this.memory) this.send((this.told = this.memory));
  }

  // Everything that depends on M.
  show() {
    const { t, counts, index: i } = this, memory = counts.memory[i];
    this.input.value = Math.round(counts.position(memory) * FINE);
    const winner = counts.winner(i);
    for (const id of IDS) {
      const { article } = this.scenes[id], io = counts.io(id, i);
      article.querySelector(".count").textContent = io === null ? t.misfit : grouped(io);
      article.querySelector(".unit").textContent = io === null
        ? filled(t.needs, { least: grouped(counts.least) })
        : filled(t.trips_unit, { ratio: inScores(io, counts.n) });
      const room = filled(t.extra, { words: grouped(counts.rows[id].slow) });
      article.querySelector(".extra").textContent = io === null ? "" : room;
      article.querySelector(".badge").textContent = id === winner ? t.badge : "";
      article.classList.toggle("wins", id === winner);
      article.classList.toggle("misfit", io === null);
      this.scenes[id].set(i);
      if (this.paused) {
        this.scenes[id].freeze();
        this.scenes[id].draw(this.colours);
      }
    }
    this.q(".memory").textContent = filled(t.memory_words, { memory: grouped(memory) });
    this.q(".relation").textContent = memory === counts.d ** 2 ? "= d\u00b2" : "= " + inSquares(memory, counts.d);
    this.q(".verdict").textContent = this.verdict(i);
    this.curve.set(i);
    const square = inSquares(memory, counts.d).replace(THIN, " ").replace("d\u00b2", t.d_squared);
    this.input.setAttribute("aria-valuetext", filled(t.value_text, { memory, square, verdict: this.verdict(i) }));
    this.place(winner);
    if (this.shown !== memory && !this.dragging) this.summary();
    this.shown = memory;
  }

  verdict(i) {
    const { t, counts } = this, winner = counts.winner(i);
    if (winner === null) return t.verdict_tie;
    const loser = IDS.find((id) => id !== winner), [less, more] = [winner, loser].map((id) => counts.io(id, i));
    if (more === null) return filled(t.verdict_misfit, { winner: t[winner], loser: t[loser], least: grouped(counts.least) });
    return filled(t.verdict, { winner: t[winner], loser: t[loser], factor: rounded(more / less) });
  }

  summary() {
    const { t, counts, index: i } = this;
    const words = (id) => counts.io(id, i) === null ? t.misfit : filled(t.summary_trips, { trips: counts.io(id, i) });
    this.q(".summary").textContent = filled(t.summary, {
      memory: counts.memory[i], flash: words("flash2"), small: words("small-cache"), verdict: this.verdict(i),
    });
  }

  // The kitchen with fewer trips comes first. Both glide from where they are to where they belong.
  place(winner) {
    const row = this.q(".kitchens"), first = winner ?? row.firstElementChild.dataset.id;
    if (row.firstElementChild.dataset.id === first) return;
    const articles = [...row.children], before = articles.map((node) => node.getBoundingClientRect());
    for (const node of articles) for (const glide of node.getAnimations()) glide.cancel();
    row.prepend(this.scenes[first].article);
    if (this.still.matches || !this.placed) return (this.placed = true);
    articles.forEach((node, k) => {
      const now = node.getBoundingClientRect();
      const by = `translate(${before[k].left - now.left}px, ${before[k].top - now.top}px)`;
      node.animate([{ transform: by }, { transform: "none" }], { duration: 480, easing: "cubic-bezier(.3,.1,.2,1)" });
    });
  }

  pause(paused) {
    this.paused = paused;
    const button = this.q(".pause");
    button.textContent = paused ? this.t.play : this.t.pause;
    button.setAttribute("aria-label", paused ? this.t.play_label : this.t.pause_label);
    button.classList.toggle("is-paused", paused);
  }

  tick(now) {
    this.frame = requestAnimationFrame((next) => this.tick(next));
    const seconds = Math.min(0.1, (now - (this.before ?? now)) / 1000);
    this.before = now;
    if (!this.counts || this.paused || !this.seen || !this.colours) return;
    this.toy.advance(seconds);
    for (const id of IDS) {
      this.scenes[id].advance(seconds);
      this.scenes[id].draw(this.colours);
    }
  }

  // For the latency bench and the browser tests.
  hook() {
    return {
      state: () => ({
        memory: this.counts.memory[this.index], counts: IDS.map((id) => this.counts.io(id, this.index)),
        winner: this.counts.winner(this.index), paused: this.paused, run: this.toy.run.algorithm, move: this.toy.replay.t,
        trips: this.toy.replay.io(), onTheWay: IDS.map((id) => this.scenes[id].words.length),
      }),
      stand: (run, share) => (this.toy.open(run), this.toy.stand(share)),
      memories: () => [...this.counts.memory],
      position: (memory) => Math.round(this.counts.position(memory) * FINE),
      input: this.input,
      late: this.late,
    };
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let home = PAGES.get(parentElement);
  if (!home) PAGES.set(parentElement, (home = new Home(parentElement)));
  home.send = (memory) => setStateValue("memory", memory);
  home.update(data);
  window.__pa_home = home.hook();
  return () => {
    home.destroy();
    PAGES.delete(parentElement);
  };
}
