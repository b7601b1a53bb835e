// drawings as files: the page's type goes with them

const LINE_HEIGHT = 1.3;

/** Width and height of a label in px; `<br>` begins a line, other tags have no width. */
function sizeOf({ text, font }) {
  sizeOf.pen ??= document.createElement("canvas").getContext("2d");
  sizeOf.pen.font = `${font.size}px "Source Sans", sans-serif`;
  const lines = text.split("<br>").map((line) => line.replace(/<[^>]*>/g, ""));
  return { w: Math.max(...lines.map((line) => sizeOf.pen.measureText(line).width)) + 4, h: lines.length * font.size * LINE_HEIGHT };
}

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

/** Words in lines that fit a width. */
function wrapped(words, width, size) {
  const lines = [""];
  for (const part of words.split(" ")) {
    const longer = lines.at(-1) ? `${lines.at(-1)} ${part}` : part;
    if (lines.at(-1) && sizeOf({ text: longer, font: { size } }).w > width) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
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
