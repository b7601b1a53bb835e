// What is shown as a file, for every component (`__pa_files`): text, a drawing with the page's type in it, or a drawing of
// the page on a sheet with what it is above it and what its marks mean below. Needs assets/curves/measure.js.

function download(content, type, name) {
  const link = document.createElement("a");
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

/** Save a drawing of this size as "svg" or "png", the page's type inside it. */
async function saveSvg(raw, { width, height }, format, name) {
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

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "paint-order", "opacity", "display"];
const FONTS = ["font-family", "font-size", "font-weight", "font-style", "text-anchor"];

function svgNode(name, attributes, words) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (words !== undefined) node.textContent = words;
  return node;
}

/** A copy of a drawing with every style that the page gives written into its nodes. */
function styled(live) {
  const copy = live.cloneNode(true);
  const [from, to] = [live, copy].map((svg) => [...svg.querySelectorAll("*")]);
  from.forEach((node, k) => {
    const style = getComputedStyle(node);
    const names = node.localName === "text" ? [...STYLES, ...FONTS] : STYLES;
    to[k].setAttribute("style", names.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"));
  });
  return copy;
}

class Paper {
  /** A sheet for drawings up to `width` px wide, in the colours that `node` has. */
  constructor(node, width) {
    this.find = (name) => getComputedStyle(node).getPropertyValue(`--pa-${name}`).trim();
    this.margin = 14;
    this.inner = width;
    this.width = width + 2 * this.margin;
    this.y = this.margin;
    this.parts = [];
  }

  line(words, x, y, size, weight, token, anchor = "start") {
    const style = `fill:${this.find(token)};font:${weight} ${size}px "Source Sans",sans-serif;text-anchor:${anchor}`;
    this.parts.push(svgNode("text", { x, y, style }, words));
  }

  /** Words, in as many lines as they need. */
  say(words, size = 13, weight = 400, token = "ink") {
    for (const part of wrapped(words, this.inner / (weight > 400 ? 1.06 : 1), size)) {
      this.line(part, this.margin, (this.y += size * LINE_HEIGHT), size, weight, token);
    }
  }

  draw(live, width, height) {
    this.y += 10;
    const copy = styled(live);
    for (const [name, value] of Object.entries({ x: this.margin, y: this.y, width, height })) copy.setAttribute(name, value);
    copy.style.overflow = "visible";
    this.parts.push(copy);
    this.y += height + 10;
  }

  /** What the marks mean: pairs of a small drawing of 14 px and its words, side by side while there is room. */
  key(entries) {
    let x = this.margin;
    for (const [icon, words] of entries) {
      const box = icon.getBoundingClientRect();
      const room = box.width + 6 + sizeOf({ text: words, font: { size: 13 } }).w;
      if (x > this.margin && x + room > this.width - this.margin) [x, this.y] = [this.margin, this.y + 20];
      const copy = styled(icon);
      const place = { x, y: this.y + (14 - box.height) / 2, width: box.width, height: box.height };
      for (const [name, value] of Object.entries(place)) copy.setAttribute(name, value);
      this.parts.push(copy);
      this.line(words, x + box.width + 4, this.y + 12, 13, 400, "ink");
      x += room + 16;
    }
    this.y += 18;
  }

  /** Save as "svg" or "png". */
  save(format, name) {
    const [width, height] = [this.width, Math.ceil(this.y + this.margin)];
    const ground = svgNode("rect", { width, height, style: `fill:${this.find("background")}` });
    const svg = svgNode("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    svg.append(ground, ...this.parts);
    return saveSvg(new XMLSerializer().serializeToString(svg), { width, height }, format, name);
  }
}

globalThis.__pa_files = { download, saveSvg, Paper };
