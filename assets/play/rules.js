// The rules of the pebble game in the browser, so that a move answers at once. Mirrors pebble_engine/rules.py, which
// checks every log again; a browser test plays both at random and compares every refusal. No DOM, no drawing.

const LOAD = 0, STORE = 1, COMPUTE = 2, SLIDE = 3, DELETE = 4;
const OP_NAMES = ["load", "store", "compute", "slide", "delete"];
const NO_SOURCE = -1;

// Where the pebbles lie. `dag` has preds (operands of each vertex), inputs; `rules` has red, sliding, recompute.
class Position {
  constructor(dag, rules) {
    this.dag = dag;
    this.rules = rules;
    const n = dag.preds.length;
    this.red = new Uint8Array(n);
    this.blue = new Uint8Array(n);
    this.computed = new Uint8Array(n);
    this.count = 0;
    this.io = 0;
    dag.preds.forEach((operands, v) => (this.blue[v] = operands.length ? 0 : 1));
  }

  copy() {
    const other = Object.create(Position.prototype);
    Object.assign(other, this);
    other.red = this.red.slice();
    other.blue = this.blue.slice();
    other.computed = this.computed.slice();
    return other;
  }

  // Every rule that the move breaks here, as [reason, vertices that break it].
  broken({ op, v, u }) {
    const { red, blue, rules } = this, full = this.count >= rules.red, found = [];
    if (op === LOAD) {
      if (!blue[v]) found.push(["not_blue", [v]]);
      if (red[v]) found.push(["already_red", [v]]);
      else if (full) found.push(["capacity", []]);
    } else if (op === STORE) {
      if (!red[v]) found.push(["not_red", [v]]);
      if (blue[v]) found.push(["already_blue", [v]]);
    } else if (op === DELETE) {
      if (!red[v]) found.push(["not_red", [v]]);
    } else {
      const operands = this.dag.preds[v];
      if (op === SLIDE && !rules.sliding) found.push(["sliding_off", []]);
      if (!operands.length) return [...found, ["is_input", [v]]];
      if (op === SLIDE && !operands.includes(u)) found.push(["not_an_operand", [u]]);
      const missing = operands.filter((w) => !red[w]);
      if (missing.length) found.push(["operand_not_red", missing]);
      if (this.computed[v] && !rules.recompute) found.push(["recompute_off", [v]]);
      if (red[v]) found.push(["already_red", [v]]);
      else if (op === COMPUTE && full) found.push(["capacity", []]);
    }
    return found;
  }

  // Carry a legal move out.
  play({ op, v, u }) {
    if (op === STORE) this.blue[v] = 1;
    else if (op === DELETE) this.take(v);
    else {
      if (op === SLIDE) this.take(u);
      if (!this.red[v]) this.count++;
      this.red[v] = 1;
      if (op !== LOAD) this.computed[v] = 1;
    }
    if (op <= STORE) this.io++;
  }

  take(v) {
    if (this.red[v]) this.count--;
    this.red[v] = 0;
  }

  solved() {
    return this.dag.outputs.every((v) => this.blue[v]);
  }

  // The moves that a vertex can be asked for, in the order in which they are offered, each with what it breaks.
  choices(v) {
    const operands = this.dag.preds[v], moves = [];
    if (!operands.length || this.blue[v]) moves.push({ op: LOAD, v, u: NO_SOURCE });
    if (operands.length) moves.push({ op: COMPUTE, v, u: NO_SOURCE });
    if (operands.length && this.rules.sliding) for (const u of operands) moves.push({ op: SLIDE, v, u });
    if (operands.length) moves.push({ op: STORE, v, u: NO_SOURCE });
    moves.push({ op: DELETE, v, u: NO_SOURCE });
    return moves.map((move) => ({ move, broken: this.broken(move) }));
  }
}

const sameMove = (a, b) => a.op === b.op && a.v === b.v && a.u === b.u;

// ---- moves as text: pages/shared/play_board.py has the same codec and says how it is made

const MOVES_VERSION = "1";
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const PLAIN_OPS = [LOAD, STORE, COMPUTE, DELETE];

class MoveCodec {
  constructor(dag, rules) {
    this.size = dag.preds.length;
    this.edges = rules.sliding ? dag.preds.flatMap((operands, v) => operands.map((u) => [u, v])) : [];
    this.total = 4 * this.size + this.edges.length;
    this.width = this.total <= 64 ? 1 : this.total <= 4096 ? 2 : 3;
    this.slide = new Map(this.edges.map(([u, v], i) => [`${u},${v}`, 4 * this.size + i]));
  }

  write(moves) {
    let text = MOVES_VERSION;
    for (const { op, v, u } of moves) {
      const number = op === SLIDE ? this.slide.get(`${u},${v}`) : PLAIN_OPS.indexOf(op) * this.size + v;
      for (let place = this.width - 1; place >= 0; place--) text += DIGITS[(number >> (6 * place)) & 63];
    }
    return text;
  }

  read(text) {
    const moves = [];
    for (let at = MOVES_VERSION.length; at + this.width <= text.length; at += this.width) {
      let number = 0;
      for (let k = 0; k < this.width; k++) number = number * 64 + DIGITS.indexOf(text[at + k]);
      const edge = this.edges[number - 4 * this.size];
      if (edge) moves.push({ op: SLIDE, v: edge[1], u: edge[0] });
      else moves.push({ op: PLAIN_OPS[Math.floor(number / this.size)], v: number % this.size, u: NO_SOURCE });
    }
    return moves;
  }
}

// ---- a game with its history: a line of moves and a cursor in it; what lies beyond the cursor can be redone

class PlayGame {
  constructor(dag, rules) {
    this.dag = dag;
    this.rules = rules;
    this.line = [];
    this.t = 0;
    this.replay();
  }

  replay() {
    this.position = new Position(this.dag, this.rules);
    this.slots = new Array(Math.min(this.rules.red, this.dag.preds.length)).fill(-1);
    this.ios = [0];
    this.peak = 0;
    for (let i = 0; i < this.t; i++) this.carryOut(this.line[i]);
  }

  carryOut(move) {
    this.position.play(move);
    const { op, v, u } = move, { slots } = this;
    if (op === DELETE) slots[slots.indexOf(v)] = -1;
    else if (op === SLIDE) slots[slots.indexOf(u)] = v;
    else if (op !== STORE) slots[slots.indexOf(-1)] = v;
    this.ios.push(this.position.io);
    this.peak = Math.max(this.peak, this.position.count);
  }

  // Makes a legal move and returns []; else changes nothing and returns what it breaks.
  push(move) {
    const broken = this.position.broken(move);
    if (broken.length) return broken;
    if (this.t < this.line.length && sameMove(this.line[this.t], move)) this.t++; // the tail stays good
    else {
      this.line.length = this.t;
      this.line.push(move);
      this.t++;
    }
    this.carryOut(move);
    return [];
  }

  seek(t) {
    const target = Math.max(0, Math.min(this.line.length, t));
    if (target === this.t) return false;
    if (target > this.t) while (this.t < target) this.carryOut(this.line[this.t++]);
    else {
      this.t = target;
      this.replay();
    }
    return true;
  }

  // Another play, up to its first illegal move. If one line begins with the other, the longer one stays as the tail.
  adopt(moves) {
    const shared = Math.min(moves.length, this.line.length);
    let same = 0;
    while (same < shared && sameMove(moves[same], this.line[same])) same++;
    if (same < shared || moves.length > this.line.length) {
      this.line = [];
      this.t = 0;
      this.replay();
      for (const move of moves) if (this.push(move).length) break;
    } else this.seek(moves.length);
  }

  made() {
    return this.line.slice(0, this.t);
  }
}
