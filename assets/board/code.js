// The kernel beside the board: its lines with a restrained tint, the line that made the current move lit.

const KEYWORDS = /^(?:def|for|in|if|elif|else|while|with|as|return|yield|from|import|not|and|or|pass|break|continue|None|True|False)$/;
const TOKENS = /("""[^]*?"""|"[^"\n]*"|'[^'\n]*')|(#.*)|([A-Za-z_]\w*)|([^A-Za-z_#"']+|["'])/g;

class CodePanel {
  constructor(box) {
    this.box = box;
    this.lit = -1;
  }

  // `numbered` is false for a note in the place of a listing.
  show(lines, numbered = true) {
    this.lit = -1;
    this.box.classList.toggle("note", !numbered);
    if (!numbered) {
      this.lines = [];
      this.box.replaceChildren(...lines);
      return;
    }
    let inText = false;
    this.lines = lines.map((line, i) => {
      const row = make("div", { class: "line" });
      row.append(make("span", { class: "number", text: String(i + 1) }));
      const code = make("span", { class: "source" });
      const quotes = (line.match(/"""/g) || []).length;
      if (inText || quotes === 1) code.append(make("span", { class: "comment", text: line || " " }));
      else for (const piece of tinted(line)) code.append(piece);
      if (quotes === 1) inText = !inText;
      row.append(code);
      return row;
    });
    this.box.replaceChildren(...this.lines);
    this.box.scrollTop = 0;
  }

  light(line, smooth) {
    if (line === this.lit) return;
    this.lines[this.lit]?.removeAttribute("aria-current");
    this.lit = line;
    const row = this.lines[line];
    if (!row) {
      if (line < 0) this.box.scrollTop = 0;
      return;
    }
    row.setAttribute("aria-current", "true");
    const { box } = this, height = row.offsetHeight, top = row.offsetTop;
    const margin = Math.min(height * 1.5, (box.clientHeight - height) / 2);
    if (top < box.scrollTop + margin || top + height > box.scrollTop + box.clientHeight - margin) {
      const above = Math.floor((box.clientHeight - height) / 2 / height); // whole lines above the lit one
      box.scrollTo({ top: top - above * height, behavior: smooth ? "smooth" : "instant" });
    }
  }
}

function tinted(line) {
  const pieces = [];
  for (const [text, string, comment, word] of line.matchAll(TOKENS)) {
    if (comment) pieces.push(make("span", { class: "comment", text }));
    else if (string) pieces.push(make("span", { class: "string", text }));
    else if (word && KEYWORDS.test(word)) pieces.push(make("span", { class: "keyword", text }));
    else pieces.push(text);
  }
  return pieces;
}
