// The board: vertices as cells in one SVG, edges under them. Red pebble = filled disc, blue pebble = square ring, both =
// both, and a letter each. Every vertex is a button that the arrow keys reach.

const CELL = 42, HALF = CELL / 2;
const PITCH = 49; // of matrices
const LAYERS = { x: [84, 168], y: [50, 92], label: 66 };
const MARGIN = { layers: 48, matrices: 32, top: 30, bottom: 46 };
const LEAST = { layers: 0.72, matrices: 0.54 }; // scale: a cell of 23 pixels, 26 from one to the next

function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class Scene {
  // `act` has choose(v), point(v or -1), key(event, v).
  constructor(act) {
    this.act = act;
    this.svg = draw("svg", { class: "plane" });
    this.element = make("div", { class: "stage", role: "group" }, this.svg);
    this.current = 0;
    this.element.addEventListener("click", (event) => {
      const vertex = event.target.closest?.(".vertex");
      act.choose(vertex ? +vertex.dataset.v : -1);
    });
    this.element.addEventListener("pointerover", (event) => {
      const vertex = event.target.closest?.(".vertex");
      act.point(vertex ? +vertex.dataset.v : -1);
    });
    this.element.addEventListener("pointerleave", () => act.point(-1));
    this.element.addEventListener("focusin", (event) => {
      const vertex = event.target.closest?.(".vertex");
      if (vertex) this.walkTo(+vertex.dataset.v, false);
    });
  }

  load(level, labels) {
    this.level = level;
    this.labels = labels;
    this.element.setAttribute("aria-label", labels.board);
    const { preds, outputs } = level;
    const goal = new Set(outputs);
    this.edges = preds.flatMap((operands, v) => operands.map((u) => ({ u, v, path: draw("path", { class: "edge" }) })));
    this.vertices = preds.map((_, v) => {
      const group = draw("g", { class: "vertex", role: "button", tabindex: -1, "data-v": v });
      const at = (x, size) => ({ x: -x, y: -x, width: size, height: size });
      if (goal.has(v)) group.append(draw("rect", { class: "goal", ...at(HALF + 2.75, CELL + 5.5), rx: 5 }));
      group.append(
        draw("rect", { class: "cell", ...at(HALF, CELL), rx: 3 }),
        draw("circle", { class: "dot", r: 2.5 }),
        draw("rect", { class: "ring", ...at(HALF - 3, CELL - 6) }),
        draw("rect", { class: "tab", x: -HALF + 1.5, y: -HALF + 1.5, width: 13, height: 13 }),
        Object.assign(draw("text", { class: "letter blue", x: -HALF + 8, y: -HALF + 11.5 }), { textContent: labels.letter_blue }),
        draw("circle", { class: "disc", r: 11.5 }),
        Object.assign(draw("text", { class: "letter red", y: 4.5 }), { textContent: labels.letter_red }),
      );
      if (level.marks[v]) group.append(Object.assign(draw("text", { class: "step", x: HALF - 3, y: HALF - 4 }), { textContent: level.marks[v] }));
      if (level.layout.view === "layers") {
        const first = level.layout.x[v] === 0, place = first ? { class: "name first", x: -HALF - 11, y: 5 } : { class: "name", y: HALF + 21 };
        group.append(Object.assign(draw("text", place), { textContent: level.names[v] }));
      }
      group.append(
        draw("rect", { class: "halo", ...at(HALF + 7, CELL + 14), rx: 8 }),
        draw("path", { class: "warn", d: `M${HALF - 1} ${-HALF - 9}l9 16h-18z` }),
        Object.assign(draw("text", { class: "warn-sign", x: HALF - 1, y: -HALF + 4.5 }), { textContent: "!" }),
      );
      return group;
    });
    this.names = level.layout.names.map(([text]) => Object.assign(draw("text", { class: "tensor" }), { textContent: text }));
    this.frames = level.layout.frames.map(() => draw("rect", { class: "frame", rx: 4 }));
    const few = level.layout.view === "layers" || this.edges.length <= 24;
    this.svg.classList.toggle("faint", few && level.layout.view === "matrices");
    this.svg.classList.toggle("bare", !few);
    this.under = draw("g", { class: "edges" }, ...this.edges.map((edge) => edge.path));
    this.over = draw("g", { class: "edges" });
    this.svg.replaceChildren(draw("g", {}, ...this.frames, ...this.names), this.under, draw("g", {}, ...this.vertices), this.over);
    this.current = Math.min(this.current, preds.length - 1);
    this.walkTo(0, false);
    this.looks = [];
    this.size = "";
  }

  // Room for the board, in CSS pixels; wider or higher boards scroll inside their frame.
  fit(width, height) {
    const key = `${width}x${height}`;
    if (!width || key === this.size) return;
    this.size = key;
    const { view, x, y, names, frames } = this.level.layout;
    const most = (list) => Math.max(...list, 0);
    const across = most(x), down = most(y);
    const side = MARGIN[view], room = { x: width - 2 * side, y: height - MARGIN.top - MARGIN.bottom };
    const clamp = (value, [least, most]) => Math.max(least, Math.min(most, value));
    const matrices = view === "matrices";
    const sx = matrices ? PITCH : clamp(across ? room.x / across : 0, LAYERS.x);
    const least = Math.max(LAYERS.y[0], LAYERS.label / this.closest());
    const sy = matrices ? PITCH : clamp(down ? room.y / down : 0, [least, LAYERS.y[1]]);
    const natural = { width: across * sx + 2 * side, height: down * sy + MARGIN.top + MARGIN.bottom };
    const narrow = matrices ? width / natural.width : 1, scale = clamp(Math.min(height / natural.height, narrow), [LEAST[view], 1]);
    // On a phone the frame is no higher than its board.
    const full = (matrices ? down * PITCH : down * LAYERS.y[1]) + MARGIN.top + MARGIN.bottom;
    this.element.style.setProperty("--natural", `${Math.ceil(full * clamp(narrow, [LEAST[view], 1]))}px`);
    const total = { width: Math.max(natural.width, width / scale), height: Math.max(natural.height, height / scale - 2) };
    const left = (total.width - across * sx) / 2;
    const top = MARGIN.top + (total.height - natural.height) / 2;
    this.svg.setAttribute("viewBox", `0 0 ${total.width} ${total.height}`);
    this.svg.style.setProperty("--grow", Math.min(1.5, 1 / scale)); // names stay legible on a board drawn small
    this.svg.classList.toggle("small", scale < 0.7);
    this.svg.style.width = `${Math.floor(total.width * scale)}px`;
    this.svg.style.height = `${Math.floor(total.height * scale)}px`;
    this.place = x.map((value, v) => [left + value * sx, top + y[v] * sy]);
    this.vertices.forEach((group, v) => group.setAttribute("transform", `translate(${this.place[v]})`));
    names.forEach(([, nx, ny], i) => {
      this.names[i].setAttribute("x", left + nx * sx - HALF);
      this.names[i].setAttribute("y", top + (ny + 0.5) * sy - HALF - 7);
    });
    frames.forEach(([fx, fy, columns, rows], i) => {
      const box = { x: left + fx * sx - HALF - 2.5, y: top + fy * sy - HALF - 2.5, width: (columns - 1) * sx + CELL + 5, height: (rows - 1) * sy + CELL + 5 };
      for (const [name, value] of Object.entries(box)) this.frames[i].setAttribute(name, value);
    });
    for (const { u, v, path } of this.edges) path.setAttribute("d", this.arrow(this.place[u], this.place[v], matrices));
  }

  // The least distance between two vertices of one layer that have their names below them.
  closest() {
    const { x, y } = this.level.layout, byLayer = new Map();
    x.forEach((layer, v) => layer && byLayer.set(layer, [...(byLayer.get(layer) ?? []), y[v]]));
    const gaps = [...byLayer.values()].flatMap((column) => column.sort((a, b) => a - b).slice(1).map((value, i) => value - column[i]));
    return Math.min(2, ...gaps);
  }

  // From border to border; in layers it leaves and arrives level, in matrices it is bent a little.
  arrow([x0, y0], [x1, y1], matrices) {
    const short = HALF + 6;
    let start, end, angle, curve;
    if (!matrices) {
      start = [x0 + HALF + 2, y0];
      end = [x1 - short, y1];
      const middle = (end[0] - start[0]) * 0.5;
      curve = `C${start[0] + middle} ${start[1]} ${end[0] - middle} ${end[1]} ${end[0]} ${end[1]}`;
      angle = 0;
    } else {
      const length = Math.hypot(x1 - x0, y1 - y0), bend = Math.min(24, length * 0.14);
      const cx = (x0 + x1) / 2 - ((y1 - y0) / length) * bend, cy = (y0 + y1) / 2 + ((x1 - x0) / length) * bend;
      angle = Math.atan2(y1 - cy, x1 - cx);
      const first = Math.atan2(cy - y0, cx - x0);
      start = [x0 + Math.cos(first) * (HALF + 2), y0 + Math.sin(first) * (HALF + 2)];
      end = [x1 - Math.cos(angle) * short, y1 - Math.sin(angle) * short];
      curve = `Q${cx} ${cy} ${end[0]} ${end[1]}`;
    }
    const wing = (turn) => `${end[0] - Math.cos(angle + turn) * 6} ${end[1] - Math.sin(angle + turn) * 6}`;
    return `M${start[0]} ${start[1]}${curve}M${wing(0.5)}L${end[0]} ${end[1]}L${wing(-0.5)}`;
  }

  // Pebbles as they lie, in pictures and in words.
  paint(position) {
    const { labels, level } = this;
    this.vertices.forEach((group, v) => {
      const red = position.red[v], blue = position.blue[v], past = !red && !blue && position.computed[v];
      const look = (red ? 1 : 0) | (blue ? 2 : 0) | (past ? 4 : 0);
      if (this.looks[v] === look && this.said === labels) return;
      this.looks[v] = look;
      for (const [name, on] of Object.entries({ red, blue, past })) group.classList.toggle(name, Boolean(on));
      const where = labels[red && blue ? "where_both" : red ? "where_red" : blue ? "where_blue" : past ? "where_past" : "where_none"];
      const ends = level.preds[v].length ? "" : labels.is_input;
      const goal = level.outputs.includes(v) ? labels.is_output : "";
      group.setAttribute("aria-label", `${level.names[v]}: ${[where, ends, goal].filter(Boolean).join("; ")}`);
    });
    this.said = labels;
  }

  // The vertex whose edges are in the foreground (-1: none), the one whose menu is open, those that break a rule, a hint.
  light({ near = -1, open = -1, marked = [], hinted = -1 }) {
    for (const { u, v, path } of this.edges) {
      const on = near >= 0 && (v === near || u === near);
      if (path.classList.toggle("near", on) !== (path.parentNode === this.over)) (on ? this.over : this.under).append(path);
    }
    const around = new Set(near < 0 ? [] : this.level.preds[near]);
    this.vertices.forEach((group, v) => {
      group.classList.toggle("around", around.has(v));
      group.classList.toggle("open", v === open);
      group.classList.toggle("marked", marked.includes(v));
      group.classList.toggle("hinted", v === hinted);
      if (open >= 0 && v === open) group.setAttribute("aria-expanded", "true");
      else group.removeAttribute("aria-expanded");
    });
  }

  walkTo(v, focus = true) {
    this.vertices[this.current]?.setAttribute("tabindex", -1);
    this.current = v;
    this.vertices[v].setAttribute("tabindex", 0);
    if (!focus) return;
    this.vertices[v].focus({ preventScroll: true });
    this.reveal(v);
  }

  reveal(v) {
    const own = this.vertices[v].getBoundingClientRect(), box = this.element.getBoundingClientRect();
    const by = (from, to, least, most) => (from < least ? from - least - 8 : to > most ? to - most + 8 : 0);
    this.element.scrollLeft += by(own.left, own.right, box.left, box.right);
    this.element.scrollTop += by(own.top, own.bottom, box.top, box.bottom);
  }

  // The nearest vertex in a direction: straight ahead counts more than near.
  neighbour(v, dx, dy) {
    const [x0, y0] = this.place[v];
    let best = -1, least = Infinity;
    this.place.forEach(([x, y], w) => {
      const ahead = (x - x0) * dx + (y - y0) * dy, aside = Math.abs((x - x0) * dy) + Math.abs((y - y0) * dx);
      const cost = ahead + 2.2 * aside;
      if (w !== v && ahead > 4 && cost < least) [best, least] = [w, cost];
    });
    return best;
  }

  boxOf(v) {
    return this.vertices[v].querySelector(".cell").getBoundingClientRect();
  }
}
