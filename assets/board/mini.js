// A board without controls, for a page where it illustrates: plays by itself, begins again at the end, or holds still
// where the reader wants less motion. One run, one canvas pair, no server.

class MiniBoard {
  constructor(box, run, labels, options = {}) {
    this.options = { speed: 14, pause: 1500, counter: 90, ...options };
    this.box = box;
    this.base = make("canvas", { class: "base", "aria-hidden": "true" });
    this.overlay = make("canvas", { class: "overlay", "aria-hidden": "true" });
    box.replaceChildren(this.base, this.overlay);
    this.labels = labels;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(box);
    this.show(run);
  }

  show(run) {
    this.replay = new Replay(decodeRun(run));
    this.view = new BoardView(this.replay, this.base, this.overlay, this.labels, this.options);
    this.due = 0;
    this.before = null;
    this.fit();
    if (this.still.matches) this.seek(Math.round(this.replay.length * 0.6));
    else this.play();
  }

  // Also after a change of theme.
  fit() {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    this.view.stopTravel();
    this.view.resize(width, height, readColours(this.box));
    this.paint(performance.now());
  }

  seek(t) {
    this.view.stopTravel();
    this.replay.seek(t);
    this.paint(performance.now());
  }

  play() {
    this.playing = true;
    this.request ??= requestAnimationFrame((now) => this.frame(now));
  }

  pause() {
    this.playing = false;
  }

  paint(now) {
    if (!this.view.layout) return;
    this.view.paint();
    this.view.paintOverlay(now, this.options.speed <= 40);
  }

  frame(now) {
    this.request = null;
    if (!this.playing) return;
    const passed = this.before === null ? 0 : Math.min(100, now - this.before);
    this.before = now;
    const { replay, view, options } = this;
    if (replay.t >= replay.length) {
      this.waited = (this.waited ?? 0) + passed;
      if (this.waited > options.pause) {
        this.waited = 0;
        view.stopTravel();
        replay.seek(0);
      }
    } else {
      this.due += (passed * options.speed) / 1000;
      const ticks = Math.floor(this.due);
      if (ticks) {
        this.due -= ticks;
        view.stopTravel();
        replay.seek(replay.t + ticks);
        if (ticks === 1 && options.speed <= 16 && view.layout) {
          view.paint();
          view.startTravel(now, 800 / options.speed);
        }
        this.options.onMove?.(replay);
      }
    }
    this.paint(now);
    this.play();
  }

  destroy() {
    this.playing = false;
    if (this.request) cancelAnimationFrame(this.request);
    this.observer.disconnect();
  }
}
