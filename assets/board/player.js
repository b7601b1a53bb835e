// The clock: one position for all runs, moved by playing, stepping, scrubbing or keys. Nothing here asks the server.

const TEXT = { fastest: 20, apart: 66 }; // moves a second up to which every move is put into words; else milliseconds between
const TRAVEL = { fastest: 8, longest: 300 }; // moves a second above which nothing travels; milliseconds

class Player {
  // `host` has rest(t): the reader stopped at t; wish(what): a button asks for other settings.
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.speed = SPEEDS.start;
    this.playing = false;
    this.sides = [];
    this.stats = { frames: 0, paints: 0, paintMs: 0, worstMs: 0, loads: 0, loadMs: 0, readyAt: 0 };
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.act = {
      toggle: () => this.toggle(),
      step: (by) => this.step(by),
      word: (direction) => this.jump(this.timeline.nextWord(direction)),
      seek: (t, done) => (done ? this.jump(t) : this.seek(t)),
      rest: () => this.rest(),
      speed: (value) => this.setSpeed(value),
      faster: (factor) => this.setSpeed(this.speed * factor),
      wish: (what) => this.host.wish(what),
    };
    this.controls = new Controls(this.act);
    this.board = make("div", { class: "sides" });
    this.legend = make("div", { class: "legend" });
    this.live = make("div", { class: "unseen", "aria-live": "polite" });
    root.replaceChildren(this.controls.element, this.board, this.legend, this.live);
    this.onKey = (event) => this.timeline?.length && this.controls.key(event);
    root.addEventListener("keydown", this.onKey);
    // The board is what its page is for: its keys work as long as nothing else on the page has the focus.
    this.onPageKey = (event) => event.target === document.body && this.onKey(event);
    document.addEventListener("keydown", this.onPageKey, true);
    this.observer = new ResizeObserver(() => this.timeline && this.repaint());
    this.observer.observe(this.board);
    this.onPrint = () => this.timeline && this.repaint();
    addEventListener("pa-print", this.onPrint); // assets/document/print.js
  }

  load(runs, labels, start) {
    const began = performance.now();
    this.pause(false);
    clearTimeout(this.resting);
    this.labels = labels;
    this.controls.name(labels);
    this.controls.showSpeed(this.speed);
    this.sides = runs.map((run) => new (run.fits === false ? MisfitSide : RunSide)(this, run.fits === false ? run : decodeRun(run)));
    for (const side of this.sides) side.build();
    this.playable = this.sides.filter((side) => side.replay);
    this.timeline = new Timeline(this.playable.map((side) => side.replay));
    const most = Math.max(0, ...this.playable.map((side) => Math.max(side.replay.total, side.run.floor)));
    this.playable.forEach((side, index) => side.join(this.timeline, index, most));
    this.board.replaceChildren(...this.sides.map((side) => side.element));
    this.board.dataset.sides = this.sides.length;
    this.controls.element.hidden = this.legend.hidden = !this.playable.length;
    this.showLegend();
    this.t = -1;
    this.fit();
    this.seek(start);
    this.frame(performance.now());
    Object.assign(this.stats, { loads: this.stats.loads + 1, loadMs: performance.now() - began });
    requestAnimationFrame(() => setTimeout(() => (this.stats.readyAt = performance.now())));
  }

  showLegend() {
    const entry = (name) =>
      make("span", { class: "entry" }, make("span", { class: `key ${name}`, "aria-hidden": "true" }), this.labels[`legend_${name}`]);
    this.legend.replaceChildren(...["red", "blue", "both", "stale", "sum", "past"].map((name) => entry(name)));
  }

  // Measure, choose sizes, read the theme's colours, paint all. Cheap enough to call whenever something may have changed.
  fit() {
    if (!this.sides.length || !this.root.isConnected) return; // a page that is being left has no colours any more
    this.colours = readColours(this.root);
    for (const side of this.sides) side.resize(this.colours);
    this.schedule();
  }

  // At once, not with the next frame: a canvas of a new size is blank, on the screen and for the printer.
  repaint() {
    this.fit();
    this.frame(performance.now());
  }

  // ---- position

  seek(t, travel = false) {
    const target = Math.max(0, Math.min(this.timeline.length, Math.floor(t)));
    if (target === this.t) return;
    this.t = target;
    this.travelNext = travel;
    this.moved = true;
    this.schedule();
  }

  step(by) {
    const now = performance.now(), quick = now - (this.lastStep ?? -1e9) < 120;
    this.lastStep = now;
    this.pause(false);
    this.seek(this.t + by, by > 0 && !quick && TRAVEL.longest);
    this.rest();
  }

  jump(t) {
    this.pause(false);
    this.seek(t);
    this.rest();
  }

  setSpeed(value) {
    this.speed = Math.max(SPEEDS.least, Math.min(SPEEDS.most, value));
    this.controls.showSpeed(this.speed);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || !this.timeline?.length) return;
    if (this.t >= this.timeline.length) this.seek(0);
    this.playing = true;
    this.due = 0;
    this.before = null;
    this.controls.playing(true);
    this.schedule();
  }

  pause(report = true) {
    if (!this.playing) return;
    this.playing = false;
    this.controls.playing(false);
    this.schedule();
    if (report) this.rest();
  }

  // The reader has come to rest: say the move, tell the host.
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.playing) return;
      this.say(this.inWords());
      this.host.rest(this.t);
    }, 350);
  }

  inWords() {
    const all = this.playable.map((side) => (this.playable.length > 1 ? `${side.run.title}: ` : "") + side.words.textContent);
    return all.join(". ");
  }

  say(text) {
    if (this.live.textContent !== text) this.live.textContent = text;
  }

  // ---- frames

  schedule() {
    this.request ??= requestAnimationFrame((now) => this.frame(now));
  }

  advance(now) {
    const passed = this.before === null ? 0 : Math.min(100, now - this.before);
    this.before = now;
    this.due += (passed * this.speed) / 1000;
    const ticks = Math.floor(this.due);
    if (!ticks) return;
    this.due -= ticks;
    const slow = this.speed <= TRAVEL.fastest;
    this.seek(this.t + ticks, slow && ticks === 1 && Math.min(TRAVEL.longest, 800 / this.speed));
    if (this.t >= this.timeline.length) this.pause();
  }

  frame(now) {
    if (this.request) cancelAnimationFrame(this.request);
    this.request = null;
    const began = performance.now();
    if (this.playing) this.advance(now);
    if (this.moved) {
      for (const side of this.playable) side.view.stopTravel();
      const before = this.playable.map((side) => side.replay.t);
      this.timeline.seek(this.t);
      const travel = this.travelNext && !this.still.matches;
      this.playable.forEach((side, i) => {
        if (travel && side.replay.t === before[i] + 1 && side.view.layout) {
          side.view.paint();
          side.view.startTravel(now, this.travelNext);
        }
      });
      this.moved = false;
      this.spoken = false;
    }
    // Words and numbers that change faster than they can be read are written fifteen times a second.
    if (!this.spoken && (!this.playing || this.speed <= TEXT.fastest || now - this.spokenAt > TEXT.apart)) {
      for (const side of this.playable) side.hud(this.t, Boolean(this.travelNext) && !this.still.matches);
      this.controls.showTick(this.t, this.timeline.length);
      this.spoken = true;
      this.spokenAt = now;
    }
    const moment = !this.playing || this.speed <= 40;
    let moving = false;
    for (const side of this.playable) moving = side.paint(now, this.t, moment && this.t <= side.last) || moving;
    const took = performance.now() - began, { stats } = this;
    stats.frames++;
    stats.paintMs += took;
    stats.worstMs = Math.max(stats.worstMs, took);
    if (this.playing || moving) this.schedule();
  }

  destroy() {
    cancelAnimationFrame(this.request);
    clearTimeout(this.resting);
    this.playing = false;
    this.observer.disconnect();
    this.root.removeEventListener("keydown", this.onKey);
    document.removeEventListener("keydown", this.onPageKey, true);
    removeEventListener("pa-print", this.onPrint);
  }
}
