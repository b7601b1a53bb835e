// every device beside every model: searched, sorted and filtered in the browser
const TABLES = new WeakMap();
const FIRST = 60; // rows drawn until the reader asks for all

class PairTable {
  constructor(root) {
    this.part = (name) => root.querySelector(`.pa-dev-${name}`);
    this.table = root.querySelector("table");
    this.sorted = ["m", 1];
    this.all = false;
  }

  show(text, choose) {
    this.choose = choose;
    if (text === this.text) return;
    this.text = text;
    const { devices, models, words } = JSON.parse(text);
    this.words = words;
    this.rows = devices.flatMap((device) =>
      models.map((model) => ({
        device,
        model,
        m: device.m,
        d: model.d,
        squares: device.m / model.d ** 2,
        small: device.m < model.d ** 2,
        name: device.name,
        title: model.title,
        found: plain(`${device.name} ${device.level} ${model.title} ${device.source[0]} ${model.source[0]} d=${model.d}`),
      })),
    );
    this.controls();
    this.draw();
  }

  controls() {
    const { search, only } = this.words;
    if (!this.input) {
      this.input = element("input", { type: "search" });
      this.check = element("input", { type: "checkbox" });
      this.input.addEventListener("input", () => this.draw());
      this.check.addEventListener("change", () => this.draw());
    }
    this.input.placeholder = search;
    this.input.setAttribute("aria-label", search);
    this.count = element("span", { role: "status" });
    this.part("search").replaceChildren(this.input, element("label", {}, this.check, only), this.count);
    this.part("box").setAttribute("aria-label", this.words.caption);
  }

  draw() {
    const [by, way] = this.sorted;
    const wanted = plain(this.input.value).split(/\s+/).filter(Boolean);
    const value = (row) => (typeof row[by] === "string" ? plain(row[by]) : row[by]);
    const shown = this.rows
      .filter((row) => (!this.check.checked || row.small) && wanted.every((word) => row.found.includes(word)))
      .sort((a, b) => way * (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0) || b.d - a.d);
    const drawn = this.all ? shown : shown.slice(0, FIRST);
    this.count.textContent = filled(this.words.count, { shown: grouped(shown.length), all: grouped(this.rows.length) });
    this.table.replaceChildren(this.head(), element("tbody", {}, ...drawn.map((row) => this.row(row))));
    const more = element("button", { type: "button", class: "pa-quiet" }, filled(this.words.all, { all: grouped(shown.length) }));
    more.addEventListener("click", () => {
      this.all = true;
      this.draw();
    });
    this.part("tools").replaceChildren(...(drawn.length < shown.length ? [more] : []));
  }

  head() {
    const { name, m, title, d, squares, side, sources } = this.words;
    const columns = { name, m, title, d, squares };
    const cells = Object.entries(columns).map(([by, text]) => {
      const [now, way] = this.sorted;
      const button = element("button", { type: "button" }, text);
      button.addEventListener("click", () => {
        this.sorted = [by, by === now ? -way : 1];
        this.draw();
        this.table.querySelector(`th[data-by="${by}"] button`).focus();
      });
      const sort = by === now ? (way > 0 ? "ascending" : "descending") : "none";
      return element("th", { "aria-sort": sort, "data-by": by, scope: "col" }, button);
    });
    const plainly = [side, sources].map((text) => element("th", { scope: "col" }, text));
    return element("thead", {}, element("tr", {}, ...cells, ...plainly));
  }

  row(row) {
    const { device, model } = row;
    const pick = element("button", { type: "button" }, device.name);
    pick.addEventListener("click", () => {
      this.choose({ device: device.id, model: model.id });
      document.querySelector(".st-key-devices_pair")?.scrollIntoView({ block: "center" });
    });
    const number = (text) => element("td", { class: "pa-dev-number" }, text);
    const width = model.d_qk === model.d_v ? String(model.d) : `${model.d_qk} / ${model.d_v}`;
    const side = row.small ? `\u25a0 ${this.words.small}` : `\u25cb ${this.words.large}`;
    return element(
      "tr",
      { "data-side": row.small ? "small" : "large" },
      element("td", {}, pick, device.level ? element("small", {}, device.level) : ""),
      number(grouped(row.m)),
      element("td", {}, model.title),
      number(width),
      number(rounded(row.squares)),
      element("td", { class: "pa-dev-side-cell" }, side, row.m < model.least ? element("small", {}, this.words.unfit) : ""),
      element("td", {}, this.source(device), this.source(model)),
    );
  }

  /** The short text of a source, with its link where there is one, and in words what is weak about it. */
  source({ source: [text, address], evidence }) {
    if (!text) return "";
    const shown = address ? element("a", { href: address, target: "_blank", rel: "noopener" }, text) : text;
    return element("span", {}, shown, evidence ? element("em", {}, ` (${evidence})`) : "");
  }
}

const plain = (text) =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "");

export default function ({ data, parentElement, setStateValue }) {
  const table = mounted(TABLES, parentElement, () => new PairTable(parentElement));
  table.show(data.state, (pair) => setStateValue("pair", { ...pair, at: Date.now() }));
  return () => TABLES.delete(parentElement);
}
