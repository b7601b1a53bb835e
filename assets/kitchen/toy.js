// The kitchen, part 4: one small backward pass, pebbled move by move. The moves were made by the kernel itself; the
// cursor over them is the board's (assets/board/replay.js).
const SECONDS = [0.24, 0.24, 0.07, 0.07, 0.015]; // that a move of each kind takes
const REST = 1.8; // seconds between the end of one run and the next
const SHELVES = [
  [["Q", "K"], ["S", "P"], ["dQ", "dK"]],
  [["dO", "V", "lse", "D"], ["dP", "dS"], ["dV"]],
];

class Toy {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector(".board");
    this.replays = [];
    this.at = 0;
  }

  load(runs, t) {
    this.t = t;
    this.replays = runs.map((run) => new Replay(decodeRun(run)));
    this.open(Math.min(this.at, runs.length - 1));
  }

  // Begin run number `at` from its first move.
  open(at) {
    this.at = at;
    this.replay = this.replays[at];
    this.run = this.replay.run;
    this.replay.seek(0);
    this.wait = 0.6;
    this.next = null;
    this.resting = false;
    this.draw();
  }

  draw() {
    this.build();
    this.cells.forEach((_, cell) => this.fill(cell));
    this.seats.forEach((_, slot) => this.sit(slot));
    this.tell();
  }

  // The board is drawn wider or narrower, with the run where it is.
  resize() {
    const narrow = this.svg.clientWidth < 430;
    if (this.run && narrow !== this.narrow) this.draw();
  }

  build() {
    this.narrow = this.svg.clientWidth < 430;
    const run = this.run, pitch = 17, gap = 9, cell = 15;
    const shape = Object.fromEntries(run.tensors.map((tensor) => [tensor.name, tensor]));
    const tall = Math.max(...run.tensors.map((tensor) => tensor.rows)) * pitch;
    const W = this.narrow ? 372 : 520, first = [], cells = svg("g");
    let start = 0;
    for (const tensor of run.tensors) {
      first.push(start);
      start += tensor.rows * tensor.columns;
    }
    this.cells = new Array(start);
    const wide = (names) => names.reduce((sum, name) => sum + shape[name].columns * pitch + gap, -gap);
    const columns = [0, 1, 2].map((c) => Math.max(...SHELVES.map((row) => wide(row[c]))));
    const space = (W - 24 - columns.reduce((a, b) => a + b)) / 2;
    SHELVES.forEach((row, r) => {
      const y = 38 + r * (tall + 19);
      let left = 12;
      row.forEach((names, c) => {
        let x = left;
        for (const name of names) {
          const tensor = shape[name], k = run.tensors.indexOf(tensor);
          cells.append(svg("text", { class: "matrix", x: x - 0.5, y: y - 5 }, name));
          for (let i = 0; i < tensor.rows; i++)
            for (let j = 0; j < tensor.columns; j++) {
              const group = svg("g", { class: "cell", transform: `translate(${x + j * pitch} ${y + i * pitch})` });
              const fill = svg("rect", { class: "sum", y: cell, width: cell, height: 0 });
              group.append(
                svg("rect", { class: "place", width: cell, height: cell, rx: 2 }), fill,
                svg("rect", { class: "blue", x: 1.8, y: 1.8, width: cell - 3.6, height: cell - 3.6, rx: 1.5 }),
                svg("circle", { class: "red", cx: cell / 2, cy: cell / 2, r: 4 }),
              );
              cells.append(group);
              this.cells[first[k] + i * tensor.columns + j] = {
                group, fill, side: cell, name,
                x: x + j * pitch + cell / 2, y: y + i * pitch + cell / 2,
              };
            }
          x += tensor.columns * pitch + gap;
        }
        left += columns[c] + space;
      });
    });
    const shelf = 38 + 2 * tall + 19 + 8, top = shelf + 21, slot = Math.min(28, (W - 24) / run.red);
    const from = (W - slot * run.red) / 2;
    const counter = svg("g", { class: "table" });
    counter.append(
      svg("rect", { class: "wood", x: from - 6, y: top, width: slot * run.red + 12, height: 28, rx: 3 }),
      svg("rect", { class: "front", x: from - 8, y: top + 28, width: slot * run.red + 16, height: 5, rx: 2 }),
    );
    this.seats = Array.from(this.replay.slots, (_, i) => {
      const x = from + slot * (i + 0.5), y = top + 14;
      const group = svg("g", { class: "seat" });
      const label = svg("text", { x, y: y + 3.6 });
      group.append(svg("circle", { class: "place", cx: x, cy: y, r: 11 }), svg("circle", { class: "red", cx: x, cy: y, r: 11 }), label);
      counter.append(group);
      return { x, y, group, label };
    });
    this.flying = svg("g", { class: "flying" });
    this.flying.append(svg("rect", { class: "blue", x: -6, y: -6, width: 12, height: 12, rx: 1.5 }), svg("circle", { class: "red", r: 7 }));
    const h = top + 35;
    this.svg.setAttribute("viewBox", `0 0 ${W} ${h}`);
    this.svg.replaceChildren(
      svg("rect", { class: "shelf", x: 1, y: 1, width: W - 2, height: shelf, rx: 5 }),
      svg("text", { class: "place", x: 12, y: 17 }, this.t.toy_pantry),
      (this.count = svg("text", { class: "place", x: from - 6, y: top - 6 })),
      cells, counter, this.flying,
    );
  }

  // What a cell shows: a disc, a ring, both; and how far its sum has come.
  fill(c) {
    const cell = this.cells[c], look = this.replay.look(c);
    cell.group.setAttribute("class", `cell${look.red ? " is-red" : ""}${look.blue ? " is-blue" : ""}`);
    const height = look.steps > 1 ? look.level * cell.side : 0;
    cell.fill.setAttribute("y", cell.side - height);
    cell.fill.setAttribute("height", height);
  }

  sit(slot) {
    const vertex = this.replay.slots[slot], seat = this.seats[slot];
    seat.group.classList.toggle("is-red", vertex !== NOTHING);
    seat.label.textContent = vertex === NOTHING ? "" : this.cells[this.run.cell[vertex]].name;
  }

  // Make one move and redraw what it changed.
  step() {
    this.replay.seek(this.replay.t + 1);
    const { vertex, source, slot } = this.replay.current();
    this.fill(this.run.cell[vertex]);
    if (source !== NOTHING) this.fill(this.run.cell[source]);
    if (slot !== NOTHING) this.sit(slot);
  }

  // What the move under way is, and where its word flies.
  begin() {
    const { replay, run } = this, move = run.moves[replay.t], op = move >> 13, vertex = move & 0x1fff;
    const cell = this.cells[run.cell[vertex]], seat = this.seats[replay.slotOfMove[replay.t]];
    this.next = { op, vertex, length: SECONDS[op], t: 0 };
    if (op === LOAD) this.next.path = [cell, seat];
    if (op === STORE) this.next.path = [seat, cell];
    this.flying.setAttribute("class", "flying" + (op === LOAD ? " is-load" : op === STORE ? " is-store" : ""));
    if (op !== DELETE) this.tell();
  }

  advance(seconds) {
    if (!this.run) return;
    while (seconds > 0) {
      if (this.wait > 0) {
        const spent = Math.min(this.wait, seconds);
        this.wait -= spent;
        seconds -= spent;
        if (this.wait > 0) return;
        if (this.resting) this.open((this.at + 1) % this.replays.length);
      }
      if (!this.next) {
        if (this.replay.t === this.replay.length) {
          this.wait = REST;
          this.resting = true;
          this.flying.setAttribute("class", "flying");
          this.tell();
          continue;
        }
        this.begin();
      }
      const spent = Math.min(this.next.length - this.next.t, seconds);
      this.next.t += spent;
      seconds -= spent;
      if (this.next.t >= this.next.length - 1e-9) {
        this.step();
        this.next = null;
      }
    }
    this.fly();
  }

  fly() {
    const next = this.next;
    if (!next || !next.path) return this.flying.classList.add("off");
    this.flying.classList.remove("off");
    const [from, to] = next.path, u = next.t / next.length, e = u * u * (3 - 2 * u);
    const x = from.x + (to.x - from.x) * e, y = from.y + (to.y - from.y) * e;
    this.flying.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
  }

  // Somewhere in the middle of the run, at rest: for readers who want no motion.
  stand(share) {
    this.replay.seek(share * this.replay.length);
    this.wait = 0;
    this.draw();
    if (this.replay.t < this.replay.length) this.begin();
    if (this.next) this.next.t = this.next.length / 2;
    this.fly();
  }

  tell() {
    const { t, run, next, replay } = this, q = (name) => this.figure.querySelector(name);
    let words = filled(t.move_start, { trips: run.io });
    if (this.resting) words = filled(t.move_done, { trips: run.io });
    else if (next) {
      const text = [t.move_load, t.move_store, t.move_compute, t.move_compute, t.move_compute][next.op];
      words = filled(text, { word: replay.vertexLabel(next.vertex) });
    }
    q(".move .words").textContent = words;
    q(".name").textContent = t[run.algorithm];
    this.figure.dataset.id = run.algorithm;
    q(".total").textContent = filled(t.toy_trips, { done: replay.io(), all: run.io });
    this.count.textContent = filled(t.toy_counter, { used: replay.red[replay.t], all: run.red });
  }
}
