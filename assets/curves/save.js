// a figure as a file: what the page shows, with a title, the M of the moment, and where the numbers come from

function download(content, type, name) {
  const link = element("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The page's type as a style sheet that an image can carry: pictures may not fetch anything. */
async function typeface(family) {
  if (typeface.kept) return typeface.kept;
  const rules = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules];
    } catch {
      return []; // a sheet from elsewhere
    }
  });
  const faces = rules.filter((rule) => rule instanceof CSSFontFaceRule && rule.style.getPropertyValue("font-family").includes(family));
  const texts = await Promise.all(
    faces.map(async (face) => {
      const source = /url\("?([^")]+)"?\)/.exec(face.style.getPropertyValue("src"))?.[1];
      const upright = !/italic/.test(face.style.getPropertyValue("font-style"));
      if (!source || !upright) return "";
      try {
        const answer = await fetch(new URL(source, face.parentStyleSheet?.href ?? document.baseURI));
        const bytes = new Uint8Array(await answer.arrayBuffer());
        let binary = "";
        for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
        const weight = face.style.getPropertyValue("font-weight") || "400";
        return `@font-face{font-family:"${family}";font-weight:${weight};src:url(data:font/woff2;base64,${btoa(binary)})}`;
      } catch {
        return "";
      }
    }),
  );
  return (typeface.kept = texts.join(""));
}

/** The picture's layout: the chart's own, with room for a title above and a source below. */
function pictureOf({ chart, notes, data, memory, summary, find }) {
  const { words, settings, table, algorithms, named } = data;
  const layout = structuredClone(chart.layout);
  const curves = !["exponents", "winners"].includes(settings.plot);
  const over = settings.plot !== "exponents";
  const legend = !named || !curves || chart.clientWidth < 640;
  const [above, below] = [58, legend ? 96 : 58];
  const annotations = themed(notes.filter(({ visible }) => visible !== false), find);
  const ink = find("var(--pa-ink)");
  const line = (text, y, shift, size, color) => ({
    text, showarrow: false, xref: "paper", yref: "paper", x: 0, y, xanchor: "left", yanchor: shift > 0 ? "bottom" : "top",
    xshift: -layout.margin.l + 8, yshift: shift, font: { size, color }, align: "left",
  });
  const foot = layout.margin.b + below - 40;
  annotations.push(line(`<b>${words.title}</b>`, 1, layout.margin.t + 22, 15, ink));
  annotations.push(line(words.kind, 1, layout.margin.t + 4, 12.5, find("var(--pa-muted)")));
  if (over) {
    annotations.push({
      text: `<b>M = ${grouped(memory)}</b>`, showarrow: false, xref: "x", yref: "paper", x: Math.log10(memory), y: 0, yanchor: "top", yshift: -5,
      font: { size: 13, color: find("var(--pa-on-primary)") }, bgcolor: find("var(--pa-primary)"), borderpad: 3,
    });
    annotations.push(line(summary, 0, -foot + 2, 12.5, ink));
  }
  annotations.push(line(words.source, 0, -foot - 18, 12, find("var(--pa-muted)")));
  const shapes = [...(layout.shapes ?? [])];
  const traces = [...chart.data];
  if (over) {
    shapes.push({ type: "line", x0: memory, x1: memory, y0: 0, y1: 1, yref: "paper", line: { color: find("var(--pa-primary)"), width: 1.5 } });
  }
  if (curves) {
    const at = table.memory.indexOf(memory);
    for (const { id } of algorithms) {
      const value = at < 0 ? null : table.values[id][at];
      if (value !== null) {
        traces.push({ type: "scatter", mode: "markers", x: [memory], y: [Number(value)], showlegend: false, marker: { size: 9, color: find(`var(--pa-${id})`) } });
      }
    }
  }
  const wide = { t: layout.margin.t + above, b: layout.margin.b + below };
  Object.assign(layout, {
    annotations,
    shapes,
    margin: { ...layout.margin, ...wide },
    height: chart.clientHeight + above + below,
    width: chart.clientWidth,
    paper_bgcolor: find("var(--pa-background)"),
    showlegend: legend && settings.plot !== "exponents",
    legend: { orientation: "h", x: 0, xanchor: "left", yanchor: "top", y: -(layout.margin.b - 8) / (chart.clientHeight - layout.margin.t - layout.margin.b), font: { size: 12 } },
  });
  return { data: traces, layout };
}

/** Save the picture as "svg" or "png", the page's type inside it. */
async function savePicture(library, picture, format, name) {
  const { width, height } = picture.layout;
  const raw = await library.toImage(picture, { format: "svg", width, height, imageDataOnly: true });
  const faces = await typeface("Source Sans");
  const svg = raw.replace(/<svg([^>]*)>/, (tag) => `${tag}<style>${faces}text{text-rendering:geometricPrecision}</style>`);
  if (format === "svg") return download(svg, "image/svg+xml", `${name}.svg`);
  const image = new Image();
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await new Promise((done, fail) => Object.assign(image, { onload: done, onerror: fail, src: address }));
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.drawImage(image, 0, 0, width, height);
  URL.revokeObjectURL(address);
  canvas.toBlob((blob) => download(blob, "image/png", `${name}.png`), "image/png");
}
