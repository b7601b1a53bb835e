// The kitchen, part 1: numbers, words and small helpers for SVG.
const THIN = "\u202f";
const NS = "http://www.w3.org/2000/svg";
const IDS = ["flash2", "small-cache"];

const grouped = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, THIN);

// Three significant digits, no exponent: 17.3, 258, 1.25.
function rounded(x, digits = 3) {
  const value = Number(x.toPrecision(digits));
  return Math.abs(value) >= 100 || Number.isInteger(value) ? grouped(Math.round(value)) : String(value);
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, key) => values[key]);

function svg(name, attributes = {}, text) {
  const node = document.createElementNS(NS, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}

// M as a multiple of d squared, in few digits: "d\u00b2", "0.25 d\u00b2".
const inSquares = (memory, d) => (memory === d * d ? "d\u00b2" : rounded(memory / (d * d), 2) + THIN + "d\u00b2");

const inScores = (words, n) => rounded(words / (n * n)) + THIN + "n\u00b2";

const integers = (text) => text.split(",").map((item) => (item === "" ? null : Number(item)));

// The exact counts of both kernels for every M that the slider can stop at. They travelled once.
class Counts {
  constructor(payload) {
    Object.assign(this, { n: payload.n, d: payload.d, least: payload.least, crossover: payload.crossover });
    this.memory = integers(payload.memory);
    this.rows = {};
    for (const id of IDS) {
      const of = payload.counts[id];
      const io = integers(of.io), shares = integers(of.loads_percent), before = io.length - shares.length;
      this.rows[id] = { io, loads: io.map((_, i) => (i < before ? 0 : shares[i - before] / 100)), slow: of.peak_slow };
    }
    this.low = this.memory[0];
    this.high = this.memory[this.memory.length - 1];
  }
  // Where M lies between the lowest and the highest, on a logarithmic scale: 0 to 1.
  position(memory) {
    return Math.log(memory / this.low) / Math.log(this.high / this.low);
  }
  nearest(position) {
    let best = 0;
    this.memory.forEach((memory, i) => {
      if (Math.abs(this.position(memory) - position) < Math.abs(this.position(this.memory[best]) - position)) best = i;
    });
    return best;
  }
  io(id, i) {
    return this.rows[id].io[i];
  }
  // The kernel that moves fewer words, or null when they move the same.
  winner(i) {
    const [a, b] = IDS.map((id) => this.io(id, i) ?? Infinity);
    return a === b ? null : IDS[a < b ? 0 : 1];
  }
}
