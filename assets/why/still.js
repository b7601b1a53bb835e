// a still picture of the proof page, and what saves it
const SAID = new WeakMap();

/** The picture as a file: its drawings one below the other, each under its name, then what the lines mean. */
function savePicture(figure, { title, source, name }, format) {
  const drawings = [...figure.querySelectorAll("svg")].filter((svg) => !svg.closest("figcaption"));
  const paper = new __pa_files.Paper(figure, Math.max(420, ...drawings.map((svg) => svg.viewBox.baseVal.width)));
  paper.say(title, 16, 600);
  for (const svg of drawings) {
    const heading = svg.previousElementSibling?.textContent;
    if (heading) paper.say(heading, 14, 600);
    paper.draw(svg, svg.viewBox.baseVal.width, svg.viewBox.baseVal.height);
  }
  const key = [...figure.querySelectorAll("figcaption span")];
  if (key.length) paper.key(key.map((item) => [item.querySelector("svg"), item.textContent.trim()]));
  paper.say(source, 12.5, 400, "muted");
  return paper.save(format, name);
}

export default function ({ data, parentElement }) {
  const said = JSON.stringify(data);
  const [figure, tools] = parentElement.querySelector(".still").children;
  if (SAID.get(parentElement) === said) return;
  SAID.set(parentElement, said);
  figure.innerHTML = data.picture;
  const { labels, numbers, name } = data;
  const help = (format) => labels[format === "CSV" ? "csv" : "picture"].replace("{format}", format);
  const save = (format) => (format === "csv" ? __pa_files.download(numbers, "text/csv", `${name}.csv`) : savePicture(figure, data, format));
  tools.replaceChildren(labels.save, ...saveButtons(numbers ? ["PNG", "SVG", "CSV"] : ["PNG", "SVG"], help, save));
}
