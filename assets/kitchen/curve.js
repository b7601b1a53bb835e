// The kitchen, part 3: both exact counts over M on logarithmic axes, with a marker that follows the slider.
const TICKS = [[1 / 16, "d\u00b2/16"], [1 / 4, "d\u00b2/4"], [1, "d\u00b2"], [4, "4" + THIN + "d\u00b2"], [16, "16" + THIN + "d\u00b2"]];

class Curve {
  constructor(figure) {
    this.figure = figure;
    this.svg = figure.querySelector(".plot");
    this.slider = figure.querySelector(".slider");
    this.ticks = figure.querySelector(".ticks");
  }

  layout(counts, t) {
    const w = this.figure.querySelector(".plot").clientWidth || this.figure.clientWidth;
    if (!w) return;
    this.counts = counts;
    const narrow = w < 440, h = narrow ? 172 : 190;
    const g = (this.g = { w, h, left: narrow ? 42 : 50, right: 14, top: 16, foot: 6, narrow });
    this.svg.setAttribute("viewBox", `0 0 ${w} ${h}`);
    this.svg.style.height = h + "px";
    const all = IDS.flatMap((id) => counts.rows[id].io).filter((io) => io !== null);
    const scores = counts.n ** 2;
    this.low = Math.log(Math.min(...all) / scores) - 0.25;
    this.high = Math.log(Math.max(...all) / scores) + 0.25;
    this.span = g.w - g.left - g.right;
    this.rise = g.h - g.top - g.foot;
    this.stem = svg("path", { class: "stem" });
    this.svg.replaceChildren(...this.ground(t), this.stem, ...this.lines(t), ...this.marks());
    this.ruler(t);
  }

  x(memory) {
    return this.g.left + this.span * this.counts.position(memory);
  }

  // Where the axis of M begins and ends in the window.
  edges() {
    const box = this.svg.getBoundingClientRect();
    return { left: box.left + this.g.left, right: box.left + this.g.left + this.span };
  }

  y(io) {
    const height = (Math.log(io / this.counts.n ** 2) - this.low) / (this.high - this.low);
    return this.g.top + this.rise * (1 - height);
  }

  ground(t) {
    const { g, counts } = this, { narrow } = g, bottom = g.h - g.foot, parts = [];
    const { least, d } = counts;
    const fits = this.x(Math.max(least, counts.low));
    const defs = svg("defs");
    defs.innerHTML = '<pattern id="pa-hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" class="hatch" /></pattern>';
    parts.push(defs);
    for (let from = 0, i = 1; i <= counts.memory.length; i++) {
      const winner = counts.winner(from);
      if (i < counts.memory.length && counts.winner(i) === winner) continue;
      const x = this.x(counts.memory[from]), end = this.x(counts.memory[Math.min(i, counts.memory.length - 1)]);
      parts.push(svg("rect", { class: "won " + winner, x, y: g.top, width: end - x, height: this.rise }));
      from = i;
    }
    if (fits > g.left + 1) {
      parts.push(svg("rect", { class: "misfit", x: g.left, y: g.top, width: fits - g.left, height: this.rise }));
      const x = (g.left + fits) / 2 + 4, y = bottom - 10;
      if (!narrow && fits > g.left + 22) parts.push(svg("text", { class: "misfit-name", x, y, transform: `rotate(-90 ${x} ${y})` }, t.misfit_name));
    }
    for (const step of [0.01, 0.1, 1, 10, 100, 1000]) {
      const at = Math.log(step);
      if (at < this.low || at > this.high) continue;
      const y = this.y(step * counts.n ** 2);
      parts.push(svg("path", { class: "grid", d: `M${g.left} ${y}H${g.w - g.right}` }));
      parts.push(svg("text", { class: "tick", x: g.left - 7, y: y + 4, "text-anchor": "end" }, step + THIN + "n\u00b2"));
    }
    const edges = [this.x(counts.crossover ?? d * d) - 16, this.x(d * d) + 9];
    const region = (id, x, anchor) =>
      parts.push(svg("text", { class: "region", x, y: bottom - 8, "text-anchor": anchor }, filled(t.region, { winner: t[id] })));
    if (!narrow) region("small-cache", edges[0], "end");
    if (!narrow) region("flash2", edges[1], "start");
    parts.push(svg("path", { class: "axis", d: `M${g.left} ${g.top}V${bottom}H${g.w - g.right}` }));
    const square = this.x(d * d);
    parts.push(svg("path", { class: "square", d: `M${square} ${g.top - 2}V${bottom}` }));
    parts.push(svg("text", { class: "square-name", x: square, y: g.top - 5, "text-anchor": "middle" }, "M = d\u00b2"));
    parts.push(svg("text", { class: "tick", x: g.left - 7, y: g.top - 4, "text-anchor": "end" }, t.trips_axis));
    return parts;
  }

  lines(t) {
    const { g, counts } = this, parts = [];
    for (const id of IDS) {
      const points = counts.memory
        .map((memory, i) => [this.x(memory), counts.io(id, i)])
        .filter(([, io]) => io !== null)
        .map(([x, io]) => `${x.toFixed(1)} ${this.y(io).toFixed(1)}`);
      parts.push(svg("path", { class: "line " + id, d: "M" + points.join("L") }));
    }
    const near = (factor) => counts.nearest(counts.position(factor * counts.d ** 2));
    const name = (id, i, dx, dy, anchor) => {
      const at = { x: this.x(counts.memory[i]) + dx, y: this.y(counts.io(id, i)) + dy };
      parts.push(svg("text", { class: "line-name", ...at, "text-anchor": anchor }, t[id]));
    };
    name("flash2", near(0.165), 6, -7, "start");
    name("small-cache", near(9), 0, -9, "middle");
    if (counts.crossover) {
      const i = counts.memory.indexOf(counts.crossover);
      const x = this.x(counts.crossover), y = this.y(counts.io("flash2", i));
      parts.push(svg("circle", { class: "cross", cx: x, cy: y, r: 5.5 }));
      const at = { x: x - 14, y: y + 30 };
      parts.push(svg("path", { class: "leader", d: `M${x - 3.5} ${y + 5}L${at.x + 2} ${at.y - 13}` }));
      const words = filled(t.cross_label, { memory: grouped(counts.crossover) }).split("|");
      words.slice(g.w < 300 ? -1 : 0).forEach((line, k) => {
        parts.push(svg("text", { class: "cross-name", x: at.x, y: at.y + 14 * k, "text-anchor": "end" }, line));
      });
    }
    return parts;
  }

  marks() {
    this.dots = Object.fromEntries(IDS.map((id) => [id, svg("circle", { class: "dot", r: 5 })]));
    return Object.values(this.dots);
  }

  // Ticks under the slider: they share the curve's axis.
  ruler(t) {
    const { g, counts } = this, square = counts.d ** 2, thumb = 26;
    const input = this.slider.querySelector("input");
    input.style.marginLeft = g.left - thumb / 2 + "px";
    Object.assign(this.slider.querySelector(".track").style, { left: g.left - thumb / 2 + "px", width: this.span + thumb + "px" });
    input.style.width = this.span + thumb + "px";
    this.slider.classList.toggle("narrow", g.narrow);
    this.ticks.replaceChildren();
    const tick = (memory, kind, ...lines) => {
      const node = document.createElement("span");
      node.className = "tick " + kind;
      node.style.left = this.x(memory) + "px";
      for (const line of lines) node.append(Object.assign(document.createElement("span"), { textContent: line }));
      this.ticks.append(node);
    };
    for (const [factor, label] of TICKS)
      tick(factor * square, factor === 1 ? "main" : "", label, g.narrow ? grouped(factor * square) : "= " + grouped(factor * square));
    if (counts.crossover) tick(counts.crossover, "crossing");
  }

  // The curve as a file: the numbers under its axis, what is said of the M of the moment, and where the numbers come from.
  save(format, t, said) {
    const { g, counts } = this, { n, d } = counts, name = `kitchen-n${n}-d${d}`;
    if (format === "csv") {
      const rows = counts.memory.map((memory, i) => [n, d, memory, ...IDS.map((id) => counts.io(id, i) ?? "")]);
      return __pa_files.download([["n", "d", "memory", ...IDS], ...rows].map((row) => row.join(",") + "\n").join(""), "text/csv", name + ".csv");
    }
    const paper = new __pa_files.Paper(this.svg, g.w);
    paper.say(filled(t.file_title, { n: grouped(n), d }), 16, 600);
    paper.draw(this.svg, g.w, g.h);
    for (const [factor, label] of TICKS) {
      const words = g.narrow ? label : label + " = " + grouped(factor * d * d), x = paper.margin + this.x(factor * d * d);
      const place = factor < 16 ? [x, paper.y + 6] : [paper.width - 4, paper.y + 6], look = factor === 1 ? [600, "ink"] : [400, "muted"];
      paper.line(words, ...place, 12.5, ...look, factor < 16 ? "middle" : "end");
    }
    paper.y += 14;
    paper.say(said);
    paper.say(t.file_source, 12.5, 400, "muted");
    return paper.save(format, name);
  }

  set(i) {
    const { g, counts } = this, x = this.x(counts.memory[i]);
    this.stem.setAttribute("d", `M${x} ${g.top}V${g.h}`);
    for (const id of IDS) {
      const io = counts.io(id, i);
      this.dots[id].classList.toggle("off", io === null);
      this.dots[id].setAttribute("cx", x);
      if (io !== null) this.dots[id].setAttribute("cy", this.y(io));
    }
  }
}
