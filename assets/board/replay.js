// Replay core: a cursor over a finished list of pebble moves. No DOM, no clock, no drawing.
//
// A run arrives as base64 typed arrays (pages/shared/board.py, encode_run). Its state after t moves is one byte a
// vertex (bit 1 red, bit 2 blue) and one vertex a slot of fast memory. Key frames every 2 sqrt(T) moves and prefix sums
// of loads, stores and red pebbles make any seek O(sqrt T).

const LOAD = 0, STORE = 1, COMPUTE = 2, SLIDE = 3, DELETE = 4;
const RED = 1, BLUE = 2;
const IN_FAST = 1 << 16, IN_SLOW = 1 << 17, STALE = 1 << 18, PAST = 1 << 19;
const NOTHING = 0xffff; // an empty slot, a move without a slot, "no vertex"

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

function decodeRun(run) {
  const u16 = (text) => new Uint16Array(bytesOf(text).buffer);
  const cells = run.tensors.reduce((sum, tensor) => sum + tensor.rows * tensor.columns, 0);
  return {
    ...run,
    cells,
    cell: u16(run.cell),
    step: u16(run.step),
    role: bytesOf(run.role),
    predStart: new Uint32Array(bytesOf(run.pred_start).buffer),
    preds: u16(run.preds),
    moves: u16(run.moves),
    sources: u16(run.sources),
    lines: bytesOf(run.lines),
  };
}

// The tensor, row and column of each cell, and the vertices of each cell in the order of their chain.
function indexCells(run) {
  const tensorOf = new Uint16Array(run.cells), first = [];
  let next = 0;
  run.tensors.forEach((tensor, index) => {
    first.push(next);
    tensorOf.fill(index, next, (next += tensor.rows * tensor.columns));
  });
  const start = new Uint32Array(run.cells + 1);
  for (const cell of run.cell) start[cell + 1]++;
  for (let cell = 0; cell < run.cells; cell++) start[cell + 1] += start[cell];
  const members = new Uint16Array(run.cell.length), filled = start.slice();
  const order = Array.from(run.cell.keys()).sort((a, b) => run.step[a] - run.step[b]);
  for (const vertex of order) members[filled[run.cell[vertex]]++] = vertex;
  return { tensorOf, first, start, members };
}

class Replay {
  constructor(run) {
    this.run = run;
    this.index = indexCells(run);
    this.length = run.moves.length;
    this.vertices = run.cell.length;
    this.prepare();
    this.t = 0;
    this.jumped = false; // anything may have changed; otherwise only what the two lists name
    this.dirtyCells = [];
    this.dirtySlots = [];
  }

  // One pass over the moves: prefix sums, the slot that each move touches, key frames.
  prepare() {
    const { run, length, vertices } = this;
    const size = length + 1;
    this.loads = new Uint32Array(size);
    this.stores = new Uint32Array(size);
    this.red = new Uint16Array(size);
    this.peak = new Uint16Array(size);
    this.slotOfMove = new Uint16Array(length).fill(NOTHING);
    this.sourceOfMove = new Uint16Array(length).fill(NOTHING);
    this.firstMade = new Uint32Array(run.cells).fill(0xffffffff); // the move after which a cell first held a value
    this.interval = Math.max(64, Math.ceil(2 * Math.sqrt(length)));
    this.frames = [];
    const slotOf = new Uint16Array(vertices).fill(NOTHING), taken = [];
    let free = 0, slide = 0;
    const take = (vertex) => {
      if (slotOf[vertex] !== NOTHING) return slotOf[vertex];
      while (taken[free]) free++;
      taken[free] = true;
      return (slotOf[vertex] = free);
    };
    const release = (vertex) => {
      const slot = slotOf[vertex];
      if (slot === NOTHING) return slot;
      taken[slot] = false;
      free = Math.min(free, slot);
      slotOf[vertex] = NOTHING;
      return slot;
    };
    this.slots = new Uint16Array(Math.min(vertices, Math.max(run.red, 1))).fill(NOTHING);
    this.state = this.initial();
    for (let i = 0; i < length; i++) {
      if (i % this.interval === 0) this.frames.push([this.state.slice(), this.slots.slice()]);
      const op = run.moves[i] >> 13, vertex = run.moves[i] & 0x1fff;
      let red = this.red[i];
      if (op === LOAD || op === COMPUTE) {
        red += this.state[vertex] & RED ? 0 : 1;
        this.slotOfMove[i] = take(vertex);
      } else if (op === STORE) {
        this.slotOfMove[i] = slotOf[vertex];
      } else if (op === DELETE) {
        red -= this.state[vertex] & RED ? 1 : 0;
        this.slotOfMove[i] = release(vertex);
      } else {
        const source = (this.sourceOfMove[i] = run.sources[slide++]);
        red += this.state[vertex] & RED ? -1 : 0;
        if (slotOf[vertex] === NOTHING) {
          this.slotOfMove[i] = slotOf[vertex] = slotOf[source];
          slotOf[source] = NOTHING;
        } else {
          this.slotOfMove[i] = release(source);
        }
      }
      if (op === COMPUTE || op === SLIDE) {
        const cell = run.cell[vertex];
        this.firstMade[cell] = Math.min(this.firstMade[cell], i + 1);
      }
      this.loads[i + 1] = this.loads[i] + (op === LOAD ? 1 : 0);
      this.stores[i + 1] = this.stores[i] + (op === STORE ? 1 : 0);
      this.red[i + 1] = red;
      this.peak[i + 1] = Math.max(this.peak[i], red);
      this.apply(i, null);
    }
    this.total = this.loads[length] + this.stores[length];
    this.state = this.initial();
    this.slots.fill(NOTHING);
  }

  initial() {
    return Uint8Array.from(this.run.role, (role) => (role === 1 ? BLUE : 0));
  }

  apply(i, touch) {
    const move = this.run.moves[i], op = move >> 13, vertex = move & 0x1fff, slot = this.slotOfMove[i];
    const state = this.state;
    if (op === LOAD || op === COMPUTE) {
      state[vertex] |= RED;
      this.slots[slot] = vertex;
    } else if (op === STORE) {
      state[vertex] |= BLUE;
    } else if (op === DELETE) {
      state[vertex] &= BLUE;
      if (slot !== NOTHING) this.slots[slot] = NOTHING;
    } else {
      const source = this.sourceOfMove[i];
      state[source] &= BLUE;
      this.slots[slot] = state[vertex] & RED ? NOTHING : vertex;
      state[vertex] |= RED;
      if (touch) touch.dirtyCells.push(this.run.cell[source]);
    }
    if (touch) {
      touch.dirtyCells.push(this.run.cell[vertex]);
      if (slot !== NOTHING) touch.dirtySlots.push(slot);
    }
  }

  seek(target) {
    const t = Math.max(0, Math.min(this.length, Math.floor(target)));
    if (t === this.t) return;
    const frame = Math.min(this.frames.length - 1, Math.floor(t / this.interval));
    const near = t > this.t && t - this.t <= this.interval;
    if (!near && this.length) {
      this.state.set(this.frames[frame][0]);
      this.slots.set(this.frames[frame][1]);
      this.jumped = true;
    }
    const touch = this.jumped ? null : this;
    for (let i = near ? this.t : frame * this.interval; i < t; i++) this.apply(i, touch);
    this.t = t;
  }

  io(t = this.t) {
    return this.loads[t] + this.stores[t];
  }

  // The move made last, or null at the start.
  current() {
    if (this.t === 0) return null;
    const i = this.t - 1, move = this.run.moves[i];
    return {
      op: move >> 13,
      vertex: move & 0x1fff,
      source: this.sourceOfMove[i],
      slot: this.slotOfMove[i],
      line: this.run.lines[i],
    };
  }

  operands(vertex) {
    return this.run.preds.subarray(this.run.predStart[vertex], this.run.predStart[vertex + 1]);
  }

  // What a cell shows, in one number, so that pictures can be compared: 16 bits for the position of its most advanced
  // live value in the chain (from 1; 0 for none), then red, blue, stale, past.
  lookCode(cell) {
    const { start, members } = this.index, from = start[cell], end = start[cell + 1];
    let red = -1, blue = -1;
    for (let k = from; k < end; k++) {
      const state = this.state[members[k]];
      if (state & RED) red = k;
      if (state & BLUE) blue = k;
    }
    const top = Math.max(red, blue);
    if (top < 0) return this.firstMade[cell] <= this.t ? PAST : 0;
    return (top - from + 1) | (red >= 0 ? IN_FAST : 0) | (blue >= 0 ? IN_SLOW : 0) | (blue >= 0 && blue < red ? STALE : 0);
  }

  look(cell, code = this.lookCode(cell)) {
    const { start, members } = this.index, place = code & 0xffff, steps = start[cell + 1] - start[cell];
    return {
      vertex: place ? members[start[cell] + place - 1] : NOTHING,
      level: steps ? place / steps : 0,
      steps,
      red: Boolean(code & IN_FAST),
      blue: Boolean(code & IN_SLOW),
      stale: Boolean(code & STALE), // slow memory holds an earlier partial sum only
      past: Boolean(code & PAST), // a value was here and is in neither memory
    };
  }

  vertexLabel(vertex) {
    return this.cellLabel(this.run.cell[vertex]);
  }

  // A DAG that is drawn by layers brings the names of its vertices; else a cell is called by its matrix and place.
  cellLabel(cell) {
    if (this.run.names) return this.run.names[cell];
    const index = this.index.tensorOf[cell], tensor = this.run.tensors[index];
    const place = cell - this.index.first[index], column = place % tensor.columns, row = (place - column) / tensor.columns;
    return tensor.vector ? `${tensor.name}[${row}]` : `${tensor.name}[${row},${column}]`;
  }
}

// Plays one or two runs on one clock. Alone, a tick is a move. Two runs meet at every word moved: between two such moves
// both compute at the same pace, then both wait for the slower one and move their word in the same tick. The run with
// less I/O ends first and waits.
class Timeline {
  constructor(replays) {
    this.replays = replays;
    this.positions = replays.length === 1 ? [null] : merge(replays);
    this.length = replays.length === 1 ? replays[0].length : replays.length ? this.positions[0].length - 1 : 0;
    this.t = 0;
  }

  seek(t) {
    this.t = Math.max(0, Math.min(this.length, Math.floor(t)));
    this.replays.forEach((replay, side) => replay.seek(this.at(side, this.t)));
  }

  at(side, t) {
    return this.positions[side] ? this.positions[side][t] : t;
  }

  // The first tick at or after which a run has made its last move.
  end(side) {
    const last = this.replays[side].length;
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at(side, middle) < last) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The next (or previous) tick in which a word moves.
  nextWord(direction) {
    const words = (t) => this.replays.reduce((sum, replay, side) => sum + replay.io(this.at(side, t)), 0);
    let t = this.t;
    if (direction > 0) {
      const now = words(t);
      while (t < this.length && words(t) === now) t++;
    } else if (t > 0) {
      t--;
      while (t > 0 && words(t) === words(t - 1)) t--;
    }
    return t;
  }
}

function merge(replays) {
  if (!replays.length) return [];
  const ends = replays.map((replay) => {
    const list = []; // position after each word moved, then after the moves that follow the last one
    for (let i = 0; i < replay.length; i++) if (replay.run.moves[i] >> 13 <= STORE) list.push(i + 1);
    return list;
  });
  const segments = Math.max(...ends.map((list) => list.length)) + 1;
  const stop = (side, k) => (k < ends[side].length ? ends[side][k] : replays[side].length);
  const lengths = (side, k) => stop(side, k) - (k ? stop(side, k - 1) : 0);
  let total = 0;
  for (let k = 0; k < segments; k++) total += Math.max(...replays.map((_, side) => lengths(side, k)));
  const positions = replays.map(() => new Uint32Array(total + 1));
  let tick = 0;
  for (let k = 0; k < segments; k++) {
    const longest = Math.max(...replays.map((_, side) => lengths(side, k)));
    for (let side = 0; side < replays.length; side++) {
      const from = k ? stop(side, k - 1) : 0, own = lengths(side, k), word = k < ends[side].length ? 1 : 0;
      for (let j = 1; j <= longest; j++) positions[side][tick + j] = j === longest ? from + own : from + Math.min(j, own - word);
    }
    tick += longest;
  }
  return positions;
}
