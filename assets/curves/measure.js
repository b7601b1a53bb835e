// how wide words are, and where they break

const LINE_HEIGHT = 1.3;

/** Width and height of a label in px; `<br>` begins a line, other tags have no width. */
function sizeOf({ text, font }) {
  sizeOf.pen ??= document.createElement("canvas").getContext("2d");
  sizeOf.pen.font = `${font.size}px "Source Sans", sans-serif`;
  const lines = text.split("<br>").map((line) => line.replace(/<[^>]*>/g, ""));
  return { w: Math.max(...lines.map((line) => sizeOf.pen.measureText(line).width)) + 4, h: lines.length * font.size * LINE_HEIGHT };
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
