// the sparse page: choose or paint a mask, move n, d, M; Python counts, one question at a time
const BOARDS = new WeakMap();
const timing = (globalThis.__pa_sparse ??= { redraws: [], pending: false });

const SHARE = "share";
const hundredth = (percent) => String(Math.round(percent * 1e6) / 1e8); // no trace of binary fractions
const maskText = (kind, names, numbers) =>
  [kind, ...names.map((name) => (name === SHARE ? hundredth(numbers[name]) : numbers[name]))].join(":");

/** A sentence in which Z_QK has its index below. */
const indexed = (words) => words.split(/(?<=Z)_([A-Za-z]+)/).map((part, at) => (at % 2 ? element("sub", "", part) : part));

const SPARE = 32; // px: half of the last number under the axis
const ticked = ({ values, texts }) => ({ tickmode: "array", tickvals: values, ticktext: texts });

class SparseBoard {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    this.root = find(".pa-sparse");
    this.questions = new Questions(timing);
    this.root.addEventListener("keydown", (event) => event.stopPropagation()); // the page has shortcuts of its own
    for (const name of ["gallery", "controls", "mask-keys", "mask-queries", "mask-tools", "mask-legend", "mask-note", "readout", "plot", "chart", "failure", "sparse-legend", "tools", "spoken"]) {
      this[name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())] = find(`.pa-${name}`);
    }
    this.picture = new MaskPicture(find("canvas"), {
      paint: (cells) => this.ask({ mask: `painted:${cells}` }),
      speak: (row, column, on) => (this.spoken.textContent = text(this.data.labels[on ? "paint.on" : "paint.off"], { row, column })),
    });
    this.sliders = new Map();
    this.watch = new ResizeObserver(() => this.data && this.paintChart());
    this.watch.observe(this.plot);
    this.onPrint = () => this.data && (this.showGallery(), this.picture.draw(), this.paintChart());
    addEventListener("pa-print", this.onPrint); // assets/document/print.js
  }

  /** Ask Python for other settings, in place of those that were asked for last. */
  ask(values, moving) {
    const { n, d, memory, mask, tiles } = this.data.settings;
    const current = { n: String(n), d: String(d), m: String(memory), mask, tiles };
    this.questions.ask({ ...current, ...this.questions.asked?.wish }, values, moving);
  }

  update({ library, figure, state, problems, ...message }, setStateValue) {
    const before = this.data;
    this.data = { library, figure, ...JSON.parse(state), problems: JSON.parse(problems) };
    const answered = this.questions.heard(message, setStateValue, this.fileName());
    this.root.lang = this.data.lang;
    const newWords = this.data.lang !== before?.lang;
    if (newWords) this.relabel();
    if (newWords || this.data.kind !== before?.kind) this.buildControls();
    this.showGallery();
    if (!this.questions.open) this.adopt();
    this.showPicture();
    this.showReadout();
    this.paintChart(answered);
  }

  adopt() {
    const { settings, numbers, stops, problems, most } = this.data;
    const upTo = (list, value) => [...list.filter((stop) => stop <= value)];
    const values = { n: settings.n, d: settings.d, m: settings.memory, ...numbers };
    for (const [name, control] of this.sliders) {
      const own = name === "n" ? upTo(stops.n, most) : (stops[name] ?? stops.numbers[name]);
      const problem = name in numbers ? name === (this.touched ?? name) && problems.mask : problems[name === "m" ? "memory" : name];
      control.set(values[name], own, problem || "");
    }
  }

  // Words and controls

  relabel() {
    const { labels } = this.data;
    this.gallery.setAttribute("aria-label", labels.gallery);
    this.maskKeys.textContent = labels["axis.keys"];
    this.maskQueries.textContent = labels["axis.queries"];
    this.chart.setAttribute("aria-label", labels["chart.alt"]);
    this.failure.textContent = labels["chart.failed"];
    this.buildTools();
  }

  showGallery() {
    const { gallery, kind } = this.data;
    if (this.gallery.childElementCount !== gallery.length) {
      this.gallery.replaceChildren(
        ...gallery.map((entry) => {
          const button = element("button", "pa-mask-choice");
          button.type = "button";
          button.dataset.kind = entry.kind;
          button.append(element("canvas"), element("span"));
          button.addEventListener("click", () => this.choose(entry.kind));
          return button;
        }),
      );
    }
    gallery.forEach((entry, index) => {
      const button = this.gallery.children[index];
      button.setAttribute("aria-pressed", String(entry.kind === kind));
      button.lastChild.textContent = entry.name;
      const bytes = bytesOf(entry.picture);
      stamp(button.firstChild, bytes, Math.sqrt(bytes.length), getComputedStyle(button.firstChild).color); // ink
    });
  }

  /** Another mask begins with its own numbers, or with those that it had before. */
  choose(kind) {
    const { gallery, settings } = this.data;
    (this.left ??= new Map()).set(this.data.kind, settings.mask);
    this.picture.dirty = false;
    this.ask({ mask: this.left.get(kind) ?? gallery.find((entry) => entry.kind === kind).start });
  }

  buildControls() {
    const { labels, kind, limits } = this.data;
    const names = ["n", "d", "m", ...(limits[kind] ?? []).filter((name) => name !== "seed")];
    this.sliders = new Map(
      names.map((name) => {
        const ask = (moving) => (value) => this.ask(this.wish(name, String(value)), moving);
        const control = new Control(name, { move: ask(true), settle: ask(false), type: ask(false) });
        control.caption(labels[`control.${name}`]);
        if (!["n", "d", "m"].includes(name)) control.symbol.textContent = "";
        return [name, control];
      }),
    );
    this.controls.replaceChildren(...[...this.sliders.values()].map((control) => control.node));
    this.adopt();
    this.buildMaskTools();
  }

  /** The settings that follow from one control: n, d, M, or a number of the mask. */
  wish(name, value) {
    if (["n", "d", "m"].includes(name)) return { [name]: value };
    const { kind, limits, settings } = this.data;
    const { wanted, asked } = this.questions;
    this.touched = name;
    const [newest, ...texts] = (wanted?.mask ?? asked?.wish.mask ?? settings.mask).split(":");
    const numbers = { ...this.data.numbers };
    if (newest === kind) limits[kind].forEach((each, at) => (numbers[each] = each === SHARE ? 100 * Number(texts[at]) : texts[at]));
    return { mask: maskText(kind, limits[kind], { ...numbers, [name]: value }) };
  }

  buildMaskTools() {
    const { labels, kind, limits } = this.data;
    const tiles = element("div", "pa-switch");
    tiles.setAttribute("role", "group");
    tiles.setAttribute("aria-label", labels.tiles);
    tiles.append(element("span", "pa-muted", labels.tiles));
    for (const id of ["flash2", "small-cache"]) {
      const button = element("button", "pa-switch-choice", labels[`short.${id}`]);
      button.type = "button";
      button.dataset.id = id;
      button.addEventListener("click", () => this.ask({ tiles: id }));
      tiles.append(button);
    }
    this.maskTools.replaceChildren(tiles);
    if (limits[kind]?.includes("seed")) {
      this.maskTools.append(quietButton(labels.again, "", () => this.ask(this.wish("seed", String((this.data.numbers.seed + 1) % 1000)))));
    }
    if (kind !== "painted") return;
    const paint = element("div", "pa-switch");
    paint.append(
      quietButton(labels["paint.clear"], "", () => this.picture.give(Array(CELLS * CELLS).fill(0))),
      quietButton(labels["paint.fill"], "", () => this.picture.give(Array(CELLS * CELLS).fill(1))),
    );
    this.maskTools.append(paint);
  }

  buildTools() {
    const { labels } = this.data;
    const end = element("span", "pa-tools-group");
    end.append(
      ...["PNG", "SVG"].map((format) => quietButton(format, text(labels["chart.save"], { format }), () => this.save(format.toLowerCase()))),
      quietButton("CSV", labels["csv.help"], () => this.questions.wishCsv()),
    );
    const start = element("span", "pa-tools-group pa-muted", labels.limits);
    this.tools.replaceChildren(start, end);
  }

  // What is shown

  showPicture() {
    const { settings, kind, picture, tiles, labels, readout } = this.data;
    const kept = (this.kept?.text === picture.kept ? this.kept : (this.kept = { text: picture.kept, bytes: bytesOf(picture.kept) })).bytes;
    const waiting = this.questions.open;
    if (!waiting) this.picture.dirty = false;
    const cells = kind === "painted" ? (waiting && this.picture.cells) || cellsOf(settings.mask.split(":")[1]) : null;
    this.picture.show({ n: settings.n, side: picture.side, kept, tiles, tile: settings.tiles, cells });
    const each = settings.n / (cells ? CELLS : picture.side);
    this.picture.canvas.setAttribute("aria-label", text(labels[cells ? "picture.paint" : "picture.alt"], { kept: readout.z_qk, name: labels[`mask.${kind}`] }));
    for (const button of this.maskTools.querySelectorAll(".pa-switch-choice")) button.setAttribute("aria-pressed", String(button.dataset.id === settings.tiles));
    const key = [["pa-key-kept", labels["key.kept"]]];
    if (tiles?.picture) key.push([`pa-key-read pa-key-${settings.tiles}`, labels["key.read"]], ["pa-key-skipped", labels["key.skipped"]]);
    this.maskLegend.replaceChildren(
      ...key.map(([look, words]) => {
        const item = element("span", "pa-legend-item");
        item.append(element("span", `pa-key ${look}`), element("span", "", words));
        return item;
      }),
    );
    const notes = [];
    if (cells) notes.push(text(labels["paint.note"], { each: grouped(Math.round(each)) }));
    else if (each > 1.01) notes.push(text(labels["picture.each"], { each: grouped(Math.round(each)) }));
    if (!tiles) notes.push(labels["tiles.unfit"]);
    else if (!tiles.picture) notes.push(text(labels["tiles.fine"], { columns: tiles.columns, rows: tiles.rows }));
    this.maskNote.textContent = notes.join(" ");
  }

  showReadout() {
    const { readout, labels } = this.data;
    const parts = [];
    const number = (symbol, index, value, note) => {
      const line = element("p", "pa-zero");
      const name = element("span", "pa-zero-name", symbol);
      name.append(element("sub", "", index));
      line.append(name, element("b", "", value), element("span", "pa-muted", note));
      return line;
    };
    parts.push(number("Z", "QK", readout.z_qk, readout.z_qk_note), number("Z", labels["z_input.index"], readout.z_input, readout.z_input_note));
    const head = element("h3", "pa-readout-head");
    head.append(element("span", "pa-readout-at", readout.at), element("span", "pa-readout-squared", readout.squared));
    parts.push(head, element("p", "pa-kind", labels["kind.counted"]));
    for (const row of readout.rows) parts.push(this.row(row));
    parts.push(element("p", "pa-verdict", readout.verdict), element("p", "pa-fact", readout.bound));
    const theorem = element("p", "pa-fact pa-theorem");
    theorem.append(...indexed(`${readout.split} ${readout.theorem}`));
    parts.push(theorem);
    this.readout.replaceChildren(...parts);
  }

  row({ id, name, dash, words, share, bar, dense_bar, dense, tiles, fits }) {
    const row = element("div", `pa-row${fits ? "" : " pa-row-unfit"}`);
    row.dataset.algorithm = id;
    const head = element("p", "pa-row-name");
    head.append(swatch(`var(--pa-${id})`, dash), element("span", "", name));
    const value = element("p", "pa-row-value");
    value.append(element("span", "pa-words", words));
    row.append(head, value);
    if (!fits) return row;
    value.append(element("span", "pa-ratio", share));
    const track = element("div", "pa-bar");
    const full = element("div", "pa-bar-dense");
    full.style.width = `${100 * dense_bar}%`;
    const fill = element("div", "pa-bar-fill");
    Object.assign(fill.style, { width: `${Math.max(0.5, 100 * bar)}%`, background: `var(--pa-${id})` });
    track.append(full, fill);
    row.append(track, element("p", "pa-row-note", `${dense} ${tiles}`));
    return row;
  }

  // The chart

  async paintChart(answered = null) {
    const { data } = this;
    const figure = JSON.parse(data.figure);
    const { layout } = figure;
    const width = this.plot.clientWidth;
    if (!width) return;
    layout.margin.r = SPARE;
    Object.assign(layout.xaxis, ticked(ticksOfTwo(layout.xaxis.range, width - layout.margin.l - SPARE)));
    Object.assign(layout.yaxis, ticked(ticksOfTen(layout.yaxis.range, 7)));
    this.sparseLegend.replaceChildren(
      ...data.legend.map(({ name, colour, dash, width: thick }) => {
        const item = element("span", "pa-legend-item");
        item.append(swatch(colour, dash, thick), element("span", "", name));
        return item;
      }),
    );
    try {
      await paint(this.chart, data.library, figure);
      this.failure.hidden = true;
    } catch (error) {
      this.failure.hidden = false;
      console.error(error);
    }
    this.questions.drawn(answered);
  }

  fileName() {
    const { settings, kind } = this.data;
    return `sparse-${kind}-n${settings.n}-d${settings.d}`;
  }

  async save(format) {
    const { data } = this;
    const { at, squared, rows } = data.readout;
    const numbers = rows.map(({ name, words }) => `${name}: ${words}`).join("; ");
    const library = await plotly(data.library);
    const find = palette(this.plot);
    const { clientWidth, clientHeight, layout } = this.chart;
    const width = Math.max(WIDE, clientWidth);
    const xaxis = { ...layout.xaxis, ...ticked(ticksOfTwo(layout.xaxis.range, width - layout.margin.l - SPARE)) };
    const margin = { ...layout.margin, t: 26 }; // its name is in the title
    const chart = { data: this.chart.data, layout: { ...layout, xaxis, margin }, clientWidth: width, clientHeight };
    const about = { words: data.words, settings: { plot: "io" }, algorithms: [], table: { memory: [] } }; // dots are traces here
    const summary = `${at} (${squared}). ${numbers}`;
    const picture = pictureOf({ chart, notes: [], data: about, memory: data.settings.memory, summary, find });
    find.done();
    await savePicture(library, picture, format, this.fileName());
  }

  destroy() {
    this.questions.destroy();
    this.watch.disconnect();
    removeEventListener("pa-print", this.onPrint);
    this.picture.destroy();
    globalThis.Plotly?.purge(this.chart);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  let board = BOARDS.get(parentElement);
  if (!board) BOARDS.set(parentElement, (board = new SparseBoard(parentElement)));
  board.update(data, setStateValue);
  return () => {
    board.destroy();
    BOARDS.delete(parentElement);
  };
}
