// a figure as a file: what the page shows, with a title, the M of the moment, and where the numbers come from
const WIDE = 640; // px: from here on the lines carry their names themselves

/** Curves that want a name beneath the picture: every kernel, and each kind of line once. */
function named(traces) {
  const seen = new Set();
  return traces.map((trace) => {
    const first = !seen.has(trace.name) && !["crossing", "here"].includes(trace.meta?.role);
    if (trace.meta?.role !== "arm") seen.add(trace.name);
    return { ...trace, showlegend: first && trace.meta?.role !== "arm" };
  });
}

/** What is drawn at the M of the moment: its line, its label, a dot on every curve. */
function momentOf({ data: { settings, table, algorithms }, memory, find }) {
  const purple = find("var(--pa-primary)");
  const line = { type: "line", x0: memory, x1: memory, y0: 0, y1: 1, yref: "paper", line: { color: purple, width: 1.5 } };
  const label = {
    text: `<b>M = ${grouped(memory)}</b>`, showarrow: false, xref: "x", yref: "paper", x: Math.log10(memory), y: 0, yanchor: "top", yshift: -5,
    font: { size: 13, color: find("var(--pa-on-primary)") }, bgcolor: purple, borderpad: 3,
  };
  const dot = (y, color, size) => ({ type: "scatter", mode: "markers", x: [memory], y: [y], showlegend: false, marker: { size, color } });
  if (settings.plot === "winners") return { line, label, dots: [dot(Math.log2(settings.d), purple, 12)] };
  const at = table.memory.indexOf(memory);
  const here = algorithms.filter(({ id }) => at >= 0 && table.values[id][at] !== null);
  return { line, label, dots: here.map(({ id }) => dot(Number(table.values[id][at]), find(`var(--pa-${id})`), 9)) };
}

/** The picture: the chart's own layout with a title above; names of the curves, their values and the source below. */
function pictureOf({ chart, notes, data, memory, summary, find }) {
  const { words, settings } = data;
  const layout = structuredClone(chart.layout);
  const [width, height] = [chart.clientWidth, chart.clientHeight];
  const over = settings.plot !== "exponents";
  const legend = over && (!data.named || settings.plot === "winners" || width < WIDE);
  const traces = named(chart.data);
  const entries = traces.filter(({ showlegend }) => showlegend).map(({ name }) => sizeOf({ text: name, font: { size: 12 } }).w + 62);
  const columns = Math.max(1, Math.floor((width - layout.margin.l - layout.margin.r) / Math.max(1, ...entries)));
  const names = legend ? 20 * Math.ceil(entries.length / columns) + 14 : 0;
  const titles = wrapped(words.title, width - 24, 15.5);
  const said = over ? summary : data.legend.map(({ name, dash }) => (dash ? `\u2013\u2009\u2013 ${name}` : name)).join(";  ");
  const lines = [...wrapped(said, width - 24, 12.5), words.kind, words.source];
  const [above, below] = [22 * titles.length + 10, names + 17 * lines.length + 14];
  const ink = find("var(--pa-ink)");
  const muted = find("var(--pa-muted)");
  const line = (text, y, yshift, yanchor, size, color) => ({
    text, y, yshift, yanchor, showarrow: false, xref: "paper", yref: "paper", x: 0, xanchor: "left", xshift: 12 - layout.margin.l,
    font: { size, color }, align: "left",
  });
  const annotations = themed(notes.filter(({ visible }) => visible !== false), find);
  annotations.push(line(titles.map((part) => `<b>${part}</b>`).join("<br>"), 1, layout.margin.t + 4, "bottom", 15, ink));
  lines.forEach((text, index) => {
    const quiet = index >= lines.length - 2;
    annotations.push(line(text, 0, -(layout.margin.b + names + 17 * index), "top", quiet ? 12 : 12.5, quiet ? muted : ink));
  });
  const shapes = [...(layout.shapes ?? [])];
  if (over) {
    const moment = momentOf({ data, memory, find });
    shapes.push(moment.line);
    annotations.push(moment.label);
    const { range, tickvals, ticktext } = layout.xaxis;
    const scale = (width - layout.margin.l - layout.margin.r) / (range[1] - range[0]);
    const reach = (words, size) => sizeOf({ text: words, font: { size } }).w / 2;
    layout.xaxis.ticktext = ticktext?.map((words, at) => {
      const away = scale * Math.abs(Math.log10(tickvals[at] / memory));
      return away < reach(words, 13) + reach(moment.label.text, 14) ? "" : words; // rather none than half a number
    });
    traces.push(...moment.dots);
  }
  Object.assign(layout, {
    annotations,
    shapes,
    width,
    height: height + above + below,
    margin: { ...layout.margin, t: layout.margin.t + above, b: layout.margin.b + below, autoexpand: false },
    paper_bgcolor: find("var(--pa-background)"),
    showlegend: legend,
    legend: { orientation: "h", x: 0, y: -(layout.margin.b - 4) / (height - layout.margin.t - layout.margin.b), xanchor: "left", yanchor: "top", font: { size: 12 } },
  });
  return { data: traces, layout };
}

/** Save the picture as "svg" or "png". */
async function savePicture(library, picture, format, name) {
  const { width, height } = picture.layout;
  await __pa_files.saveSvg(await library.toImage(picture, { format: "svg", width, height, imageDataOnly: true }), { width, height }, format, name);
}
