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

class Readout {
  constructor(root) {
    this.root = root;
  }

  /** Rows for these algorithms; called again only when they or the language change. */
  build(data) {
    const { labels, algorithms } = data;
    const head = element("h3", "pa-readout-head");
    this.at = element("span", "pa-readout-at");
    this.squared = element("span", "pa-readout-squared");
    head.append(this.at, this.squared);
    const kind = element("p", "pa-kind", labels["readout.kind"]);
    this.rows = new Map(algorithms.map((algorithm) => [algorithm.id, this.row(algorithm)]));
    this.verdict = element("p", "pa-verdict");
    this.floor = element("p", "pa-fact");
    this.cross = element("p", "pa-fact");
    this.root.replaceChildren(head, kind, ...[...this.rows.values()].map((row) => row.node), this.verdict, this.cross, this.floor);
  }

  row(algorithm) {
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
    node.append(name, value, track);
    return { node, words, ratio, bar, track };
  }

  /** The readout at `memory`; returns the verdict, for whoever listens instead of looking. */
  show(data, memory) {
    const { labels, table, facts, settings } = data;
    const at = table.memory.indexOf(memory);
    const squared = Number(settings.n) ** 2;
    const values = data.algorithms.map(({ id }) => (at < 0 ? null : table.io[id][at]));
    const most = Math.max(1, ...values.filter(Boolean).map(Number));
    this.at.textContent = text(labels["readout.at"], { m: grouped(memory) });
    this.squared.textContent = text(labels["readout.squared"], { ratio: rounded(memory / Number(facts.squared)) });
    data.algorithms.forEach(({ id, least }, index) => {
      const row = this.rows.get(id);
      const words = values[index];
      row.node.classList.toggle("pa-row-unfit", words === null);
      row.words.textContent = words === null ? text(labels["readout.unfit"], { least: grouped(least) }) : text(labels["readout.words"], { words: grouped(words) });
      row.ratio.textContent = words === null ? "" : `${rounded(Number(words) / squared)}${THIN}n²`;
      row.bar.style.width = words === null ? "0" : `${Math.max(0.5, (100 * Number(words)) / most)}%`;
    });
    this.verdict.textContent = this.judge(data, values);
    this.verdict.hidden = !this.verdict.textContent;
    this.cross.textContent = facts.crossing;
    this.cross.hidden = !facts.crossing;
    this.floor.textContent = text(labels["readout.floor"], { words: grouped(facts.floor) });
    return `${this.at.textContent} ${this.verdict.textContent}`;
  }

  judge({ labels, algorithms }, values) {
    const fit = algorithms.map((algorithm, index) => ({ ...algorithm, words: values[index] })).filter(({ words }) => words !== null);
    if (fit.length === 0) return labels["verdict.none"];
    if (fit.length < 2) return algorithms.length < 2 ? "" : sentence(text(labels["verdict.alone"], { name: fit[0].short }));
    const [less, more] = fit.sort((a, b) => (BigInt(a.words) < BigInt(b.words) ? -1 : 1));
    if (less.words === more.words) return labels["verdict.equal"];
    const times = Number(more.words) / Number(less.words);
    if (times < 1.0005) return sentence(text(labels["verdict.hardly"], { name: less.short }));
    return sentence(text(labels["verdict.less"], { name: less.short, other: more.short, times: rounded(times, times < 10 ? 3 : 2) }));
  }
}
