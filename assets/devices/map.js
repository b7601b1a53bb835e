// devices in rows from the smallest memory to the largest, head dimensions across; the steps are M = d^2
const MAPS = new WeakMap();
const TOP = 46;

class DeviceMap {
  constructor(root) {
    this.part = (name) => root.querySelector(`.pa-dev-${name}`);
    this.width = 0;
    this.watch = new ResizeObserver(() => {
      if (this.state && this.part("map").clientWidth !== this.width) this.draw();
    });
    this.watch.observe(this.part("map"));
    document.fonts.ready.then(() => this.state && this.draw()); // names were measured in another type until then
  }

  show(text, choose) {
    this.choose = choose;
    if (text === this.text) return;
    this.text = text;
    this.state = JSON.parse(text);
    this.draw();
    this.legend();
    this.tools();
  }

  /** A device's name, with a word where its source is weak. */
  named(row) {
    return row.weak ? `${row.name} ${this.state.words.weak_mark}` : row.name;
  }

  /** How wide a text is, in the type of the map. */
  wide(text) {
    const pen = (this.pen ??= document.createElement("canvas").getContext("2d"));
    pen.font = `600 13px ${getComputedStyle(this.part("map")).fontFamily}`;
    return pen.measureText(text).width;
  }

  /** Where things are at this width. On a narrow screen the names stand above their rows. */
  place() {
    const { rows, columns } = this.state;
    this.width = this.part("map").clientWidth;
    this.narrow = this.width < 620;
    const names = rows.map((row) => this.wide(this.named(row)));
    this.left = this.narrow ? 0 : Math.max(this.wide(this.state.words.across), ...names) + 12;
    this.right = this.width - (this.narrow ? 0 : Math.max(this.wide(grouped(rows.at(-1).m)), this.wide(this.state.words.memory)) + 16);
    this.step = this.narrow ? 38 : 21;
    this.height = TOP + rows.length * this.step + 4;
    const low = Math.log2(columns[0].d) - 0.22;
    const high = Math.log2(columns.at(-1).d) + 0.22;
    this.x = (d) => this.left + ((Math.log2(d) - low) / (high - low)) * (this.right - this.left);
    this.y = (row) => TOP + (row + 0.5) * this.step + (this.narrow ? 8 : 0);
    this.edge = (m) => Math.min(this.right, Math.max(this.left, m < 1 ? this.left : this.x(Math.sqrt(m))));
  }

  draw() {
    const { rows, columns, words, chosen } = this.state;
    const held = this.part("map").contains(document.activeElement) && document.activeElement?.dataset.at;
    this.place();
    const svg = element("svg", {
      width: this.width,
      height: this.height,
      viewBox: `0 0 ${this.width} ${this.height}`,
      role: "group",
      "aria-label": words.alt,
    });
    svg.append(...this.ground(), ...this.head());
    svg.append(element("path", { class: "pa-dev-steps", d: this.steps() }));
    rows.forEach((row, i) => svg.append(...this.row(row, i)));
    this.marks = [];
    rows.forEach((row, i) => columns.forEach((column, j) => svg.append(this.mark(row, i, column, j))));
    this.part("map").replaceChildren(svg);
    const at = rows.findIndex((row) => row.id === chosen.device);
    const column = columns.findIndex((one) => one.d === chosen.d);
    this.home = this.marks[Math.max(at, 0)]?.[Math.max(column, 0)];
    this.home?.setAttribute("tabindex", "0");
    if (held) {
      const [i, j] = held.split(",");
      this.marks[i]?.[j]?.focus({ preventScroll: true });
    }
    this.tell(Math.max(at, 0), Math.max(column, 0));
  }

  /** The line M = d^2 through the rows. */
  steps() {
    const edges = this.state.rows.map((row) => this.edge(row.m));
    return edges.map((x, i) => `${i ? "L" : "M"}${x} ${TOP + i * this.step} V${TOP + (i + 1) * this.step}`).join("");
  }

  ground() {
    const { rows, words } = this.state;
    const bottom = TOP + rows.length * this.step;
    const steps = this.steps();
    const side = (name, x) => element("path", { class: `pa-dev-${name}`, d: `${steps} H${x} V${TOP} Z` });
    const say = (name, x, anchor) =>
      element("text", { class: `pa-dev-side`, x, y: 13, "text-anchor": anchor }, words[name]);
    return [
      side("large", this.left),
      side("small", this.right),
      say("large", this.left, "start"),
      say("small", this.right, "end"),
      element("line", { class: "pa-dev-rule", x1: this.left, x2: this.right, y1: bottom, y2: bottom }),
    ];
  }

  head() {
    const { columns, words } = this.state;
    let last = -100;
    const ticks = columns.map(({ d }) => {
      const x = this.x(d);
      const high = x - last < 24 ? 12 : 0; // neighbours too close: one line up
      last = high ? last : x;
      return element("text", { class: "pa-dev-tick", x, y: TOP - 6 - high, "text-anchor": "middle" }, String(d));
    });
    if (this.narrow) return ticks;
    return [
      ...ticks,
      element("text", { class: "pa-dev-tick", x: this.left - 10, y: TOP - 6, "text-anchor": "end" }, words.across),
      element("text", { class: "pa-dev-tick", x: this.width - 4, y: TOP - 6, "text-anchor": "end" }, words.memory),
    ];
  }

  row(row, i) {
    const y = this.y(i);
    const top = TOP + i * this.step;
    const strong = row.id === this.state.chosen.device ? " pa-dev-strong" : "";
    const name = this.narrow ? [4, top + 13, "start"] : [this.left - 10, y + 4, "end"];
    const label = (kind, [x, at, anchor], text) =>
      element("text", { class: `pa-dev-${kind}${strong}${this.narrow ? " pa-dev-over" : ""}`, x, y: at, "text-anchor": anchor }, text);
    return [
      element("line", { class: "pa-dev-rule", x1: this.left, x2: this.right, y1: top, y2: top }),
      label("name", name, this.named(row)),
      label("m", this.narrow ? [this.width - 4, top + 13, "end"] : [this.width - 4, y + 4, "end"], grouped(row.m)),
    ];
  }

  mark(row, i, column, j) {
    const { chosen, columns } = this.state;
    const [x, y] = [this.x(column.d), this.y(i)];
    const small = row.m < column.d ** 2;
    const picked = row.id === chosen.device && column.d === chosen.d;
    const before = j ? (x + this.x(columns[j - 1].d)) / 2 : this.left;
    const after = j + 1 < columns.length ? (x + this.x(columns[j + 1].d)) / 2 : this.right;
    const top = TOP + i * this.step;
    const node = element("g", {
      role: "button",
      tabindex: "-1",
      class: "pa-dev-mark",
      "data-at": `${i},${j}`,
      "data-side": small ? "small" : "large",
      "aria-label": this.sentence(i, j),
      "aria-pressed": String(picked),
    });
    node.append(
      element("rect", { class: "pa-dev-hit", x: before, y: top, width: after - before, height: this.step }),
      picked ? element("circle", { class: "pa-dev-picked", cx: x, cy: y, r: 9 }) : "",
      small
        ? element("rect", { class: "pa-dev-square", x: x - 4.5, y: y - 4.5, width: 9, height: 9 })
        : element("circle", { class: "pa-dev-ring", cx: x, cy: y, r: 4 }),
    );
    if (row.m < column.least) {
      node.append(element("path", { class: "pa-dev-cross", d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8` }));
    }
    const tell = () => this.tell(i, j);
    node.addEventListener("pointerenter", tell);
    node.addEventListener("focus", tell);
    node.addEventListener("click", () => this.choose({ device: row.id, model: column.model }));
    node.addEventListener("keydown", (event) => this.key(event, i, j));
    (this.marks[i] ??= [])[j] = node;
    return node;
  }

  key(event, i, j) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.choose({ device: this.state.rows[i].id, model: this.state.columns[j].model });
    } else if (event.key in moves) {
      event.preventDefault();
      const [down, right] = moves[event.key];
      const next = this.marks[i + down]?.[j + right];
      if (!next) return;
      this.marks.flat().forEach((mark) => mark.setAttribute("tabindex", mark === next ? "0" : "-1"));
      next.focus();
    }
  }

  sentence(i, j) {
    const { rows, columns, words } = this.state;
    const [row, column] = [rows[i], columns[j]];
    const small = row.m < column.d ** 2;
    const unfit = row.m < column.least ? ` ${words.unfit}` : "";
    const times = rounded(row.m / column.d ** 2);
    const values = { name: row.name, d: column.d, m: grouped(row.m), times, models: column.names };
    return filled(words[small ? "is_small" : "is_large"], values) + unfit;
  }

  tell(i, j) {
    this.part("now").textContent = this.sentence(i, j);
  }

  legend() {
    const { words, rows, columns } = this.state;
    const icon = (...shapes) => element("svg", { width: 16, height: 14, viewBox: "0 0 16 14", "aria-hidden": "true" }, ...shapes);
    const square = () => element("rect", { class: "pa-dev-square", x: 3.5, y: 2.5, width: 9, height: 9 });
    const items = [
      [icon(square()), words.legend_small],
      [icon(element("circle", { class: "pa-dev-ring", cx: 8, cy: 7, r: 4 })), words.legend_large],
      [icon(element("path", { class: "pa-dev-steps", d: "M8 0V14" })), words.legend_line],
    ];
    if (rows.some((row) => columns.some((column) => row.m < column.least))) {
      const cross = element("path", { class: "pa-dev-cross", d: "M4 3l8 8m0 -8l-8 8" });
      items.push([icon(square(), cross), words.legend_unfit]);
    }
    this.part("legend").replaceChildren(...items.map(([one, text]) => element("span", {}, one, text)));
  }

  tools() {
    const { words } = this.state;
    const buttons = ["SVG", "PNG"].map((format) => {
      const button = element("button", { type: "button", class: "pa-quiet" }, filled(words.save, { format }));
      button.addEventListener("click", () => this.save(format));
      return button;
    });
    this.part("tools").replaceChildren(...buttons);
  }

  /** The map as a file of its own: above it what it is, below it what its marks mean and where they come from. */
  save(format) {
    const { words } = this.state;
    const live = this.part("map").querySelector("svg");
    const paper = new __pa_files.Paper(live, this.width);
    paper.say(words.title, 16, 600);
    paper.say(words.scope, 13, 400, "muted");
    paper.draw(live, this.width, this.height);
    paper.key([...this.part("legend").children].map((item) => [item.querySelector("svg"), item.textContent]));
    paper.say(`${words.ring}: ${this.sentence(...this.home.dataset.at.split(",").map(Number))}`);
    paper.say(words.source, 12.5, 400, "muted");
    return paper.save(format.toLowerCase(), "devices");
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const map = mounted(MAPS, parentElement, () => new DeviceMap(parentElement));
  map.show(data.state, (pair) => setStateValue("pair", { ...pair, at: Date.now() }));
  return () => {
    map.watch.disconnect();
    MAPS.delete(parentElement);
  };
}
