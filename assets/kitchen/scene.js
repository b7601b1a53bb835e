// The kitchen, part 2: one kitchen. A pantry with jars, a counter whose area is M, and words on their way between them.
const FLIGHT = 1.1; // seconds that a word is on its way
const PACE = 0.2; // words a second for every n^2 trips: the same in both kitchens
const DISC_SIDE = 16; // a disc on the counter stands for 16 x 16 words
const WIDE = 440; // pixels from which a kitchen is drawn at its full size
const INPUTS = ["Q", "K", "V", "dO"];
const OUTPUTS = ["dQ", "dK", "dV"];
const SCORES = ["P", "dS"];

class Scene {
  constructor(article, id) {
    this.article = article;
    this.id = id;
    this.box = article.querySelector(".scene");
    this.svg = this.box.querySelector("svg");
    this.canvas = this.box.querySelector("canvas");
    this.words = [];
    this.due = 0;
    this.share = 0;
    this.seed = id === IDS[0] ? 7 : 19;
  }

  // A steady sequence of numbers between 0 and 1: where on the counter's edge the next word lands.
  random() {
    this.seed = (this.seed * 16807) % 2147483647;
    return this.seed / 2147483647;
  }

  layout(counts, t) {
    const width = this.box.clientWidth;
    if (!width) return;
    this.counts = counts;
    this.t = t;
    const wide = width >= WIDE;
    const g = (this.g = wide
      ? { h: 164, top: 18, pantry: 236, jar: [25, 36], big: [36, 92], most: 122, right: 26 }
      : { h: 122, top: 16, pantry: 172, jar: [20, 28], big: [28, 66], most: 84, right: 10 });
    g.w = width;
    g.floor = g.h - 6;
    g.side = g.most / Math.sqrt(counts.high); // pixels for the side of one word
    g.x = width - g.most - g.right; // the counter's left edge
    g.y = g.floor - (wide ? 17 : 14); // the counter's front edge
    g.door = g.pantry + 2;
    this.svg.setAttribute("viewBox", `0 0 ${g.w} ${g.h}`);
    this.svg.style.height = this.canvas.style.height = g.h + "px";
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(g.w * ratio);
    this.canvas.height = Math.round(g.h * ratio);
    this.pen = this.canvas.getContext("2d");
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.svg.replaceChildren(this.pantry(t), this.table(t));
    this.words = [];
  }

  jar(x, floor, [w, h], label, tall) {
    const group = svg("g", { class: "jar" });
    const lid = tall ? 6 : 4;
    group.append(
      svg("rect", { class: "lid", x: x + 2.5, y: floor - h, width: w - 5, height: lid, rx: 1.5 }),
      svg("rect", { class: "glass", x: x + 0.5, y: floor - h + lid, width: w - 1, height: h - lid, rx: tall ? 5 : 4 }),
    );
    const small = w < 24, ring = tall ? 6 : small ? 3.5 : 5, gap = 2.5, columns = Math.floor((w - 5 + gap) / (ring + gap));
    const rows = tall ? Math.floor((h - lid - 26) / (ring + gap)) : 1;
    const left = x + (w - columns * (ring + gap) + gap) / 2;
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        group.append(svg("rect", {
          class: "word", x: left + column * (ring + gap), y: floor - 4 - ring - row * (ring + gap), width: ring, height: ring, rx: 1,
        }));
    group.append(svg("text", { x: x + w / 2, y: floor - h + lid + (tall ? 16 : (h - lid - ring - 4) / 2 + 4.5), class: small ? "small" : "" }, label));
    return group;
  }

  pantry(t) {
    const g = this.g, group = svg("g", { class: "pantry" });
    const [jw] = g.jar, gap = g.pantry > 200 ? 8 : 3, left = 6, foot = g.floor - 5;
    const inner = 4 * jw + 5 * gap, top = g.top + 4, middle = top + (foot - top) / 2;
    group.append(
      (this.store = svg("text", { class: "place", x: 2, y: g.top - 7 })),
      svg("rect", { class: "wood", x: 1, y: top - 4, width: g.pantry - 2, height: foot - top + 4, rx: 3 }),
      svg("rect", { class: "inside", x: 5, y: top, width: inner + 2, height: middle - top - 3 }),
      svg("rect", { class: "inside", x: 5, y: middle + 1, width: inner + 2, height: foot - middle - 5 }),
      svg("rect", { class: "inside", x: inner + 11, y: top, width: g.pantry - inner - 16, height: foot - top - 4 }),
      svg("path", { class: "foot", d: `M10 ${foot}v5M${g.pantry - 10} ${foot}v5` }),
    );
    INPUTS.forEach((name, i) => group.append(this.jar(left + gap + i * (jw + gap), middle - 3, g.jar, name)));
    OUTPUTS.forEach((name, i) => group.append(this.jar(left + gap + i * (jw + gap), foot - 4, g.jar, name)));
    const from = inner + 11, room = g.pantry - inner - 16;
    if (this.id === "small-cache") {
      const [bw] = g.big, space = (room - 2 * bw) / 3;
      SCORES.forEach((name, i) => group.append(this.jar(from + space + i * (bw + space), foot - 4, g.big, name, true)));
    } else {
      const lines = t.no_scores.split("|");
      lines.forEach((line, i) => group.append(svg("text", {
        class: "note", x: from + room / 2, y: (top + foot) / 2 + (i - (lines.length - 1) / 2) * 13 + 3,
      }, line)));
    }
    return group;
  }

  table(t) {
    const g = this.g, wide = g.w >= WIDE, group = svg("g", { class: "table" }), square = this.counts.d * g.side;
    group.append(
      svg("path", { class: "floor", d: `M0 ${g.floor}H${g.w}` }),
      (this.label = svg("text", {
        class: "place", x: wide ? g.x - 2 : g.w - 2, y: g.top - 7, "text-anchor": wide ? "start" : "end",
      })),
      (this.legs = svg("path", { class: "legs" })),
      (this.board = svg("rect", { class: "wood", rx: 1.5 })),
      (this.front = svg("rect", { class: "front", rx: 1.5, height: 5, y: g.y })),
      (this.discs = svg("g", { class: "discs" })),
      svg("rect", { class: "ghost", x: g.x, y: g.y - square, width: square, height: square }),
      svg("text", { class: "square-words", x: g.x + square / 2, y: g.floor - 2.5 }, "d\u00b2"),
    );
    const pitch = DISC_SIDE * g.side, across = Math.floor(Math.sqrt(this.counts.high) / DISC_SIDE);
    this.shells = []; // the discs that appear together when the counter grows by one row and one column
    for (let k = 0; k < across; k++) {
      const shell = svg("g");
      for (let i = 0; i <= k; i++)
        for (const [column, row] of i < k ? [[k, i], [i, k]] : [[k, k]])
          shell.append(svg("circle", {
            class: "red", cx: g.x + (column + 0.5) * pitch, cy: g.y - (row + 0.5) * pitch, r: pitch * 0.34,
          }));
      this.discs.append(shell);
      this.shells.push(shell);
    }
    return group;
  }

  set(i) {
    const extra = filled(this.t.extra_short, { words: grouped(this.counts.rows[this.id].slow) });
    this.store.textContent = this.g.w < WIDE ? extra : this.t.pantry;
    this.label.textContent = filled(this.t.counter, { memory: grouped(this.counts.memory[i]) });
    const g = this.g, row = this.counts.rows[this.id], io = row.io[i];
    const side = Math.sqrt(this.counts.memory[i]) * g.side;
    const at = { x: g.x, y: g.y - side, width: side, height: side };
    for (const key in at) this.board.setAttribute(key, at[key]);
    this.front.setAttribute("x", g.x - 2);
    this.front.setAttribute("width", side + 4);
    const inset = Math.min(5, side / 3);
    this.legs.setAttribute("d", `M${g.x + inset} ${g.y + 4}V${g.floor}M${g.x + side - inset} ${g.y + 4}V${g.floor}`);
    const full = io === null ? 0 : Math.floor(Math.sqrt(this.counts.memory[i]) / DISC_SIDE + 1e-9);
    this.shells.forEach((shell, k) => shell.classList.toggle("off", k >= full));
    this.edge = side;
    this.rate = io === null ? 0 : (PACE * io) / this.counts.n ** 2;
    this.loads = row.loads[i];
    if (io === null) this.words = [];
  }

  advance(seconds) {
    this.due += this.rate * seconds;
    for (const word of this.words) word.t += seconds / FLIGHT;
    this.words = this.words.filter((word) => word.t < 1);
    while (this.due >= 1) {
      this.due -= 1;
      this.share += this.loads;
      const load = this.share >= 1;
      if (load) this.share -= 1;
      this.words.push({ load, t: this.due / Math.max(this.rate, 1) / FLIGHT, at: this.random(), from: this.random() });
    }
  }

  // A still picture of the same rhythm, for when nothing may move.
  freeze() {
    this.words = [];
    this.due = this.share = 0;
    for (let k = 0; k < 60; k++) this.advance(FLIGHT / 40);
  }

  draw({ red, blue, paper }) {
    const g = this.g, pen = this.pen;
    pen.clearRect(0, 0, g.w, g.h);
    pen.lineWidth = 1.8;
    for (const { load, t, at, from } of this.words) {
      const near = g.y - this.edge * (0.15 + 0.7 * at), far = g.floor - 20 - from * (g.floor - g.top - 40);
      const u = load ? t : 1 - t, e = u * u * (3 - 2 * u);
      const x = g.door + (g.x - g.door) * e;
      const y = far + (near - far) * e - Math.sin(Math.PI * e) * (load ? 14 : -8);
      const r = g.h > 150 ? 4.2 : 3.4;
      pen.globalAlpha = Math.min(1, 8 * t, 8 * (1 - t));
      if (load) {
        pen.fillStyle = red;
        pen.beginPath();
        pen.arc(x, y, r, 0, 7);
        pen.fill();
      } else {
        pen.strokeStyle = blue;
        pen.fillStyle = paper;
        pen.fillRect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1);
        pen.strokeRect(x - r + 0.5, y - r + 0.5, 2 * r - 1, 2 * r - 1);
      }
    }
    pen.globalAlpha = 1;
  }
}
