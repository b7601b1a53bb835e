// what the curves say at one M, in words and numbers: built once, then only its texts change

const text = (template, values = {}) => template.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

/** A name with a small article may open a sentence. */
const sentence = (words) => words.charAt(0).toUpperCase() + words.slice(1);

function element(tag, className, content) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (content !== undefined) node.textContent = content;
  return node;
}

/** A short piece of a curve: colour and dash, as in the chart. */
function swatch(colour, dash, width = 2.5) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "pa-swatch");
  svg.setAttribute("viewBox", "0 0 30 8");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [name, value] of Object.entries({ x1: 0, x2: 30, y1: 4, y2: 4 })) line.setAttribute(name, value);
  line.style.stroke = colour;
  line.style.strokeWidth = width;
  if (dash) line.style.strokeDasharray = dash;
  svg.append(line);
  return svg;
}

const UNITS = { io: "n²", slow: "nd", multiplications: "n²d" };

/** Bytes as a reader says them: 581 MB. */
function inBytes(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${rounded(bytes / 1000 ** step)}${THIN}${units[step]}`;
}

class Readout {
  constructor(root, ask) {
    this.root = root;
    this.ask = ask;
  }

  /** Rows for these algorithms; called again only when they, the plot or the language change. */
  build(data) {
    const { labels, algorithms, settings } = data;
    const head = element("h3", "pa-readout-head");
    this.at = element("span", "pa-readout-at");
    this.squared = element("span", "pa-readout-squared");
    head.append(this.at, this.squared);
    this.kind = element("p", "pa-kind");
    this.rows = new Map(algorithms.map((algorithm) => [algorithm.id, this.row(algorithm, data)]));
    this.verdict = element("p", "pa-verdict");
    this.facts = ["device", "crossing", "bound"].map((name) => [name, element("p", "pa-fact")]);
    const many = element("div", algorithms.length > 3 ? "pa-rows pa-many" : "pa-rows");
    many.append(...[...this.rows.values()].map((row) => row.node));
    this.tables = element("div", "pa-tables");
    this.device = settings.plot === "roofline" ? this.devices(data) : null;
    const parts = [head, this.kind, this.device?.node, many, this.tables, this.verdict, ...this.facts.map(([, node]) => node)];
    this.root.replaceChildren(...parts.filter(Boolean));
    this.plot = settings.plot;
    many.hidden = this.plot === "exponents";
    head.hidden = this.plot === "exponents";
  }

  /** Which device's ridge; and its own fast memory as M, one tap away. */
  devices({ labels, choices }) {
    const box = picker(labels["roofline.choose"], "pa-curves-device");
    fill(box.select, choices.devices);
    box.select.addEventListener("change", () => this.ask({ device: box.select.value }));
    const use = element("button", "pa-quiet");
    use.type = "button";
    use.addEventListener("click", () => this.ask({ m: this.holds }));
    const node = element("div", "pa-device");
    node.append(box.node, use);
    return { node, select: box.select, use };
  }

  row(algorithm, { settings }) {
    const node = element("div", "pa-row");
    node.dataset.algorithm = algorithm.id;
    const name = element("p", "pa-row-name");
    name.append(swatch(`var(--pa-${algorithm.id})`, algorithm.dash), element("span", "", algorithm.name));
    const value = element("p", "pa-row-value");
    const words = element("span", "pa-words");
    const ratio = element("span", "pa-ratio");
    value.append(words, ratio);
    const track = element("div", "pa-bar");
    const bar = element("div", "pa-bar-fill");
    bar.style.background = `var(--pa-${algorithm.id})`;
    track.append(bar);
    const more = element("p", "pa-row-more");
    node.append(name, value, track, more);
    if (settings.plot === "exponents") node.hidden = true;
    return { node, words, ratio, bar, track, more };
  }

  /** The readout at `memory`; returns it in one sentence, for whoever listens instead of looking. */
  show(data, memory) {
    const { labels, facts, words, settings } = data;
    this.kind.textContent = words.kind;
    for (const [name, node] of this.facts) {
      node.textContent = name === "bound" ? this.boundSentence(data, memory) : facts[name];
      node.hidden = !node.textContent;
    }
    if (this.plot === "exponents") return this.showExponents(data);
    const at = data.table.memory.indexOf(memory);
    const values = data.algorithms.map(({ id }) => (at < 0 ? null : data.table.values[id][at]));
    this.at.textContent = text(labels["readout.at"], { m: grouped(memory) });
    this.squared.textContent = text(labels["readout.squared"], { ratio: powered(memory / Number(facts.squared)) });
    if (this.device) {
      this.holds = facts.holds;
      this.device.select.value = settings.device;
      this.device.use.textContent = text(labels["roofline.use"], { words: grouped(facts.holds) });
      this.device.select.title = data.choices.devices.find(({ id }) => id === settings.device)?.source ?? "";
    }
    const most = Math.max(...values.filter(Boolean).map(Number), this.plot === "roofline" ? facts.ridge : 1);
    data.algorithms.forEach((algorithm, index) => this.fillRow(data, algorithm, values[index], at, most));
    this.verdict.textContent = this.judge(data, values);
    this.verdict.hidden = !this.verdict.textContent;
    return `${this.at.textContent}. ${this.spoken(data, values)}`;
  }

  fillRow(data, { id, least }, value, at, most) {
    const { labels, table, facts, settings } = data;
    const row = this.rows.get(id);
    const unfit = value === null;
    row.node.classList.toggle("pa-row-unfit", unfit);
    row.words.textContent = unfit ? text(labels["readout.unfit"], { least: grouped(least) }) : this.said(data, value);
    row.ratio.textContent = unfit ? "" : this.ratio(data, Number(value));
    row.bar.style.width = unfit ? "0" : `${Math.max(0.5, (100 * Number(value)) / most)}%`;
    const more = [];
    if (!unfit && (this.plot === "io" || this.plot === "winners" || this.plot === "slow")) {
      more.push(text(labels["readout.bytes"], { bytes: inBytes(Number(value) * facts.bytes), dtype: settings.dtype }));
    }
    if (!unfit && (this.plot === "io" || this.plot === "winners")) {
      const certified = Number(value) / Number(table.bound[at]);
      more.push(text(labels["readout.certified"], { ratio: (Math.ceil(certified * 100) / 100).toFixed(2) })); // never less than proven
    }
    row.more.textContent = more.join("; ");
    row.more.hidden = !more.length;
  }

  said({ labels }, value) {
    const name = { roofline: "readout.intensity", multiplications: "readout.multiplications" }[this.plot] ?? "readout.words";
    return text(labels[name], { words: this.plot === "roofline" ? rounded(Number(value)) : grouped(value) });
  }

  /** As a multiple of what it grows like; on the roofline the share of the peak that the bandwidth allows. */
  ratio({ labels, settings, facts }, value) {
    if (this.plot === "roofline") return text(labels["roofline.share"], { share: rounded(Math.min(1, value / facts.ridge) * 100) });
    const { n, d, h } = settings;
    const unit = { io: n * n, winners: n * n, slow: n * d, multiplications: n * n * d }[this.plot];
    return `${powered(value / unit / h)}${THIN}${h > 1 ? "H" : ""}${UNITS[this.plot] ?? "n²"}`;
  }

  boundSentence({ labels, table, facts }, memory) {
    if (this.plot !== "io") return "";
    const at = table.memory.indexOf(memory);
    if (at < 0) return "";
    const same = table.bound[at] === facts.floor;
    return text(labels[same ? "readout.floor" : "readout.bound"], { bound: grouped(table.bound[at]), words: grouped(facts.floor) });
  }

  spoken({ algorithms, labels }, values) {
    return algorithms.map(({ name, least }, index) => {
      const value = values[index];
      return `${name}: ${value === null ? text(labels["readout.unfit"], { least: grouped(least) }) : this.said({ labels }, value)}`;
    }).join("; ");
  }

  judge({ labels, algorithms }, values) {
    if (this.plot === "multiplications" || this.plot === "slow" || this.plot === "roofline") return "";
    const fit = algorithms.map((algorithm, index) => ({ ...algorithm, words: values[index] })).filter(({ words }) => words !== null);
    if (fit.length === 0) return labels["verdict.none"];
    if (fit.length < 2) return algorithms.length < 2 ? "" : sentence(text(labels["verdict.alone"], { name: fit[0].short }));
    const [less, more] = fit.sort((a, b) => (BigInt(a.words) < BigInt(b.words) ? -1 : 1));
    if (less.words === more.words) return labels["verdict.equal"];
    const times = Number(more.words) / Number(less.words);
    if (times < 1.0005) return sentence(text(labels["verdict.hardly"], { name: less.short }));
    const which = algorithms.length > 2 ? "verdict.least" : "verdict.less";
    return sentence(text(labels[which], { name: less.short, other: more.short, times: rounded(times, times < 10 ? 3 : 2) }));
  }

  /** The fitted exponents as tables, one a regime. */
  showExponents({ exponents, labels, lang }) {
    const said = JSON.stringify([exponents, lang]);
    if (this.tables.said === said) return "";
    this.tables.said = said;
    this.verdict.hidden = true;
    const parts = (exponents ?? []).flatMap(({ title, grid, expected, rows }) => {
      const table = element("table", "pa-exponents");
      const line = (cells, tag, name) => {
        const row = element("tr", name);
        row.append(...cells.map((cell, index) => Object.assign(element(index ? tag : "th", "", cell), index ? {} : { scope: "row" })));
        return row;
      };
      const head = line(["", "n", "d", "M"], "th");
      table.append(element("caption", "", title), head, ...rows.map(({ name, values }) => line([name, ...values], "td")));
      table.append(line([labels["exponents.theorem"], ...expected], "td", "pa-theorem"));
      return [table, element("p", "pa-kind", grid)];
    });
    this.tables.replaceChildren(...parts);
    return "";
  }
}
