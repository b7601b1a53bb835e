// One run on the page: name and totals, board, the current move in words, kernel code, strip chart.

class Side {
  constructor(player, run) {
    this.player = player;
    this.run = run;
    this.element = make("section", { class: "side", "aria-label": run.title });
    this.texts = new Map();
  }

  heading() {
    const { run } = this;
    const swatch = make("span", { class: "swatch", "aria-hidden": "true" });
    swatch.innerHTML = '<svg viewBox="0 0 30 6"><line x1="0" y1="3" x2="30" y2="3" /></svg>';
    swatch.style.setProperty("--colour", `var(--pa-${run.algorithm}, var(--pa-ink))`);
    swatch.querySelector("line").style.strokeDasharray = run.dash || "none";
    return make("h3", { class: "title" }, swatch, run.title);
  }

  // Text that changes every frame is written only when it differs.
  write(element, text) {
    if (this.texts.get(element) === text) return;
    this.texts.set(element, text);
    element.textContent = text;
  }

  resize() {}
}

// A kernel that this fast memory is too small for: how much it needs, and a way to get it.
class MisfitSide extends Side {
  build() {
    const { run, player } = this, { labels } = player;
    const button = make("button", { type: "button", class: "fit", text: fill(labels.fit_button, { least: run.least }) });
    button.addEventListener("click", () => player.act.wish({ memory: run.least }));
    this.element.classList.add("misfit");
    this.element.append(
      make("header", {}, this.heading()),
      make(
        "div",
        { class: "why", role: "status" },
        make("p", { class: "claim", text: fill(labels.misfit, { least: run.least, m: run.red }) }),
        make("p", { text: labels.misfit_why }),
        button,
      ),
    );
  }
}

class RunSide extends Side {
  build() {
    const { run, player } = this, { labels } = player;
    this.replay = new Replay(run);
    const value = (name) => (this[name] = make("b", {}));
    const fact = (label, ...values) => make("span", { class: "fact" }, `${label} `, ...values);
    this.bar = make("i", {});
    const race = make("div", { class: "race", "aria-hidden": "true" }, this.bar, (this.floorMark = make("u", {})));
    race.style.setProperty("--colour", `var(--pa-${run.algorithm}, var(--pa-ink))`);
    this.base = make("canvas", { class: "base", "aria-hidden": "true" });
    this.overlay = make("canvas", { class: "overlay", "aria-hidden": "true" });
    this.tip = make("div", { class: "tip", hidden: true });
    this.plane = make("div", { class: "plane" }, this.base, this.overlay, this.tip);
    const help = make("p", { class: "unseen", id: `help-${run.algorithm}`, text: labels.board_help });
    this.stage = make(
      "div",
      { class: "stage", tabindex: 0, role: "application", "aria-label": fill(labels.board_label, { name: run.title }), "aria-describedby": help.id },
      this.plane,
    );
    this.words = make("p", { class: "move" });
    this.codeBox = make("div", { class: "code", tabindex: 0, role: "region", "aria-label": fill(labels.code_label, { name: run.title }) });
    this.stripCanvas = make("canvas", { role: "img" });
    this.stripBox = make("div", { class: "strip" }, this.stripCanvas);
    this.element.append(
      make(
        "header",
        {},
        this.heading(),
        make("span", { class: "io" }, value("ioNow"), ` ${labels.of} `, value("ioAll"), ` ${labels.words_moved}`),
      ),
      make(
        "div",
        { class: "facts" },
        fact(labels.loads, value("loadsNow")),
        fact(labels.stores, value("storesNow")),
        fact(labels.peak, value("peakNow"), ` ${labels.of} `, make("b", { text: grouped(run.red) })),
        make("span", { class: "fact floor" }, `${labels.floor} `, make("b", { text: grouped(run.floor) }), ` ${labels.floor_kind}`),
        run.optimum == null ? "" : fact(labels.optimum, make("b", { text: grouped(run.optimum) })),
      ),
      race,
      make("div", { class: "scene" }, this.stage, this.words, help),
      make("div", { class: "lower" }, this.codeBox, this.stripBox),
    );
    this.view = new BoardView(this.replay, this.base, this.overlay, labels, run.names && !run.marks ? { largest: 52 } : {});
    this.code = new CodePanel(this.codeBox);
    this.code.show(run.note ? [labels.no_code] : run.code, !run.note);
    this.codeBox.hidden = !run.note && !run.code.length; // a pebbling that no kernel made
    this.strip = new Strip(this.stripCanvas, (tick) => player.seek(tick), () => player.rest());
    this.listen();
  }

  join(timeline, index, mostWords) {
    Object.assign(this, { timeline, index, mostWords, last: timeline.end(index) });
    const { run, replay, player } = this;
    this.strip.show(timeline, index, player.labels, mostWords);
    const peak = replay.peak[replay.length];
    this.stripCanvas.setAttribute("aria-label", fill(player.labels.strip_label, { name: run.title, peak, m: run.red, io: replay.total }));
    this.floorMark.style.left = `${(100 * Math.min(run.floor, mostWords)) / Math.max(1, mostWords)}%`;
    this.write(this.ioAll, grouped(replay.total));
  }

  resize(colours) {
    const { stage, view } = this;
    stage.style.height = ""; // as tall as the style sheet allows, at most
    const width = stage.clientWidth, height = stage.clientHeight;
    if (width <= 0 || height <= 0) return;
    view.stopTravel();
    view.resize(width, height, colours);
    if (view.layout.height < height) stage.style.height = `${view.layout.height}px`;
    this.strip.resize(this.stripBox.clientWidth, this.stripBox.clientHeight, colours);
  }

  // ---- a frame

  paint(now, tick, moment) {
    if (!this.view.layout) return false;
    this.view.paint();
    const moving = this.view.paintOverlay(now, moment);
    this.strip.paint(tick);
    return moving;
  }

  hud(tick, smooth) {
    const { replay } = this, { labels } = this.player, t = replay.t;
    this.write(this.ioNow, grouped(replay.io()));
    this.write(this.loadsNow, grouped(replay.loads[t]));
    this.write(this.storesNow, grouped(replay.stores[t]));
    this.write(this.peakNow, grouped(replay.peak[t]));
    this.bar.style.transform = `scaleX(${replay.io() / Math.max(1, this.mostWords)})`;
    const ended = t === replay.length, waits = ended && tick < this.timeline.length && tick > this.last;
    // Both meet at every word moved; the one that gets there first waits for the other.
    const idle = !ended && tick > 0 && this.timeline.at(this.index, tick) === this.timeline.at(this.index, tick - 1);
    const held = idle ? fill(labels.move_held, { move: moveInWords(replay, labels) }) : moveInWords(replay, labels);
    this.write(this.words, waits ? fill(labels.move_waits, { io: replay.total }) : held);
    this.words.classList.toggle("waits", waits || idle);
    const move = replay.current();
    this.code.light(move ? move.line : -1, smooth);
    if (this.view.cursor >= 0 && !this.tip.hidden) this.write(this.tip, cellInWords(replay, this.view.cursor, labels));
  }

  // ---- pointer and keyboard cursor

  listen() {
    const { plane, stage } = this;
    plane.addEventListener("pointermove", (event) => this.point(this.cellUnder(event), event.pointerType !== "touch" || event.buttons));
    plane.addEventListener("pointerdown", (event) => this.point(this.cellUnder(event)));
    plane.addEventListener("pointerleave", () => this.inspecting || this.point(-1));
    stage.addEventListener("blur", () => this.inspect(false));
    stage.addEventListener("keydown", (event) => this.key(event));
  }

  cellUnder(event) {
    const box = this.plane.getBoundingClientRect(), { layout } = this.view;
    const x = event.clientX - box.left, y = event.clientY - box.top, slot = slotAt(layout, x, y);
    if (slot >= 0) return this.replay.slots[slot] === NOTHING ? -1 : this.replay.run.cell[this.replay.slots[slot]];
    return cellAt(layout, x, y);
  }

  point(cell, follow = true) {
    if (!follow || cell === this.view.cursor) return;
    this.view.cursor = cell;
    this.tip.hidden = cell < 0;
    if (cell >= 0) this.placeTip(cell);
    this.player.schedule();
  }

  placeTip(cell) {
    const { layout } = this.view, { labels } = this.player;
    this.write(this.tip, cellInWords(this.replay, cell, labels));
    const x = layout.cellX[cell], y = layout.cellY[cell], below = y < layout.height * 0.45, width = Math.min(300, layout.width - 8);
    this.tip.style.maxWidth = `${width}px`;
    this.tip.style.left = `${Math.max(4, Math.min(x, layout.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = below ? `${y + layout.cell + 8}px` : "";
    this.tip.style.bottom = below ? "" : `${layout.height - y + 8}px`;
  }

  inspect(on) {
    if (this.inspecting === on) return;
    this.inspecting = on;
    this.stage.classList.toggle("inspecting", on);
    this.point(on ? Math.max(0, this.view.cursor) : -1);
    if (on) this.announce();
  }

  announce() {
    this.player.say(cellInWords(this.replay, this.view.cursor, this.player.labels, true));
  }

  // Enter: look around with the arrow keys; Escape: back to stepping. Page keys jump to the next matrix.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") this.inspect(true);
    else if (event.key === "Escape" && this.inspecting) this.inspect(false);
    else if (this.inspecting && /^(Arrow|Page)/.test(event.key)) {
      this.point(this.neighbour(event.key));
      this.announce();
      this.follow();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  neighbour(key) {
    const { view } = this, { layout } = view, cell = view.cursor;
    const at = layout.grids.findIndex((grid) => cell >= grid.first && cell < grid.first + grid.tensor.rows * grid.tensor.columns);
    const grid = layout.grids[at];
    if (key.startsWith("Page")) {
      const next = layout.grids[(at + (key === "PageDown" ? 1 : layout.grids.length - 1)) % layout.grids.length];
      return next.first;
    }
    const [x, y] = view.centre(cell), side = layout.cell;
    const inside = {
      ArrowRight: (cell - grid.first) % grid.tensor.columns < grid.tensor.columns - 1 && cell + 1,
      ArrowLeft: (cell - grid.first) % grid.tensor.columns > 0 && cell - 1,
      ArrowDown: cell + grid.tensor.columns < grid.first + grid.tensor.rows * grid.tensor.columns && cell + grid.tensor.columns,
      ArrowUp: cell - grid.tensor.columns >= grid.first && cell - grid.tensor.columns,
    }[key];
    if (inside !== false) return inside;
    // At the border: the nearest cell of another matrix in that direction.
    let best = cell, least = Infinity;
    for (let other = 0; other < layout.cellX.length; other++) {
      const dx = layout.cellX[other] + side / 2 - x, dy = layout.cellY[other] + side / 2 - y;
      const ahead = { ArrowRight: dx, ArrowLeft: -dx, ArrowDown: dy, ArrowUp: -dy }[key];
      const aside = key === "ArrowRight" || key === "ArrowLeft" ? Math.abs(dy) : Math.abs(dx);
      if (ahead > side * 0.9 && ahead + 3 * aside < least) [best, least] = [other, ahead + 3 * aside];
    }
    return best;
  }

  follow() {
    const { layout, cursor } = this.view, x = layout.cellX[cursor], y = layout.cellY[cursor], s = this.stage;
    if (x < s.scrollLeft || x + layout.cell > s.scrollLeft + s.clientWidth) s.scrollLeft = x - s.clientWidth / 2;
    if (y < s.scrollTop || y + layout.cell > s.scrollTop + s.clientHeight) s.scrollTop = y - s.clientHeight / 2;
  }
}
