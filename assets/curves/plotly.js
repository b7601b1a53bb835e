// plotly.js, loaded once a page; figures from Python painted into one lasting node, in the colours of the page

/** The drawing library, from the app's own static folder. A failed load may be tried again. */
function plotly(file) {
  if (globalThis.Plotly?.react) return Promise.resolve(globalThis.Plotly);
  globalThis.__pa_plotly ??= load(new URL(file, document.baseURI).href)
    .catch(() => load(new URL(`../${file}`, document.baseURI).href))
    .then(() => (globalThis.Plotly ??= globalThis.moduleName))
    .catch((error) => {
      globalThis.__pa_plotly = undefined;
      throw error;
    });
  return globalThis.__pa_plotly;
}

function load(address) {
  return new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = done;
    script.onerror = () => fail(new Error(`${address} did not load`));
    document.head.append(script);
  });
}

/** What `var(--name)` stands for at this node: a colour that plotly.js can read, or a font family. */
function palette(node) {
  const probe = document.createElement("span");
  probe.style.display = "none";
  node.append(probe);
  const seen = new Map();
  const look = (text) => {
    probe.style.backgroundColor = "";
    probe.style.backgroundColor = text; // and not `color`: on paper that is black, whatever is asked for
    const raw = getComputedStyle(probe).getPropertyValue(text.slice(4, -1)).trim();
    return text.endsWith("-family)") ? raw.replaceAll('"', "") : getComputedStyle(probe).backgroundColor;
  };
  const find = (text) => seen.get(text) ?? seen.set(text, look(text)).get(text);
  find.done = () => probe.remove();
  return find;
}

const DATA_KEYS = new Set(["x", "y", "customdata", "text", "bdata"]);

/** A copy of a figure (or a part of one) with every `var(--name)` replaced by what it stands for. */
function themed(part, find) {
  if (typeof part === "string") return /^var\(--[\w-]+\)$/.test(part) ? find(part) : part;
  if (Array.isArray(part)) return part.map((item) => themed(item, find));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, DATA_KEYS.has(key) ? value : themed(value, find)]),
  );
}

const CONFIG = { displayModeBar: false, responsive: false, doubleClick: false, scrollZoom: false, showTips: false };

/** Paint a figure into `node`, which keeps its canvas: nothing is ever taken down and put up again. */
async function paint(node, file, figure) {
  const library = await plotly(file);
  const find = palette(node.parentElement);
  const layout = { ...themed(figure.layout, find), width: node.clientWidth, height: node.clientHeight, autosize: false };
  const data = themed(figure.data, find);
  find.done();
  await library.react(node, data, layout, CONFIG);
  return library;
}

/** Resolves once the browser has put the current state of the page on the screen. */
function painted() {
  return new Promise((done) => {
    const finish = () => done(performance.now());
    if (document.visibilityState === "hidden") return setTimeout(finish, 0);
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = finish;
      channel.port2.postMessage(0);
    });
  });
}

// Numbers and axis ticks

const THIN = "\u202f";

/** Digits in groups of three. Takes numbers and digit strings of any length. */
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** `digits` significant digits, no exponent, grouped: 17.3, 290, 123 000. */
function rounded(number, digits = 3) {
  if (!(Math.abs(number) > 0)) return "0";
  const value = Number(number.toPrecision(digits));
  if (Math.abs(value) >= 10 ** (digits - 1)) return grouped(BigInt(Math.round(value)));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 12));
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** As `rounded`, but no row of digits that mean nothing: 1.05·10⁶ and not 1 050 000. */
function powered(number, digits = 3) {
  if (!(number >= 10 ** 5 || (number > 0 && number < 10 ** -4))) return rounded(number, digits);
  const [mantissa, exponent] = number.toExponential(digits - 1).split("e");
  return `${mantissa}·10${[...String(Number(exponent))].map((digit) => RAISED[digit]).join("")}`;
}

/** Ticks at powers of two (or at round numbers when zoomed in) for a log axis from 10^low to 10^high. */
function ticksOfTwo([low, high], width) {
  const [first, last] = [low / Math.log10(2), high / Math.log10(2)];
  const longest = grouped(Math.round(10 ** high)).length;
  const most = Math.max(2, Math.floor(width / (longest * 6.4 + 24)));
  if (last - first < 2.5) return roundTicks([low, high], most);
  const step = [1, 2, 4, 6, 8, 12, 16].find((size) => (last - first) / size <= most) ?? 20;
  const values = [];
  for (let power = Math.ceil(first / step - 1e-9) * step; power <= last + 1e-9; power += step) values.push(2 ** power);
  return { values, texts: values.map((value) => (value < 1 ? String(value) : grouped(value))) };
}

/** Ticks at powers of ten, written as powers; with 2 and 5 between them where there are few. */
function ticksOfTen([low, high], most) {
  if (high - low < 0.8) return roundTicks([low, high], most, true);
  const step = Math.max(1, Math.ceil((high - low) / most));
  const digits = high - low < 2.4 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let power = Math.floor(low / step - 1e-9) * step; power <= high + 1e-9; power += step) {
    ticks.push(...digits.map((digit) => ({ digit, power })));
  }
  const shown = ticks.filter(({ digit, power }) => Math.log10(digit) + power >= low - 1e-9 && Math.log10(digit) + power <= high + 1e-9);
  return {
    values: shown.map(({ digit, power }) => digit * 10 ** power),
    texts: shown.map(({ digit, power }) => (digit > 1 ? `${digit}·10<sup>${power}</sup>` : `10<sup>${power}</sup>`)),
  };
}

function roundTicks([low, high], most, scientific = false) {
  const [from, to] = [10 ** low, 10 ** high];
  const rough = (to - from) / most;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((size) => size * unit >= rough) ?? 10);
  const values = [];
  for (let count = Math.ceil(from / step); count * step <= to * (1 + 1e-12); count += 1) values.push(count * step);
  const power = Math.floor(Math.log10(to));
  const text = (value) =>
    scientific && power > 5 ? `${Number((value / 10 ** power).toPrecision(6))}·10<sup>${power}</sup>` : grouped(Math.round(value));
  return { values, texts: values.map(text) };
}
