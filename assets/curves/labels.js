// words on the chart, put where no curve runs through them: each label has a few places to choose from

const CLEAR = 4; // px between a label and a curve

/** Where data lies inside a plot of this size, in px from its upper left corner. */
function scaleOf([left, right], [bottom, top], width, height) {
  return {
    width,
    height,
    x: (log) => ((log - left) / (right - left)) * width,
    y: (log) => ((top - log) / (top - bottom)) * height,
  };
}

/** A curve as points at most 3 px apart, inside the plot. */
function traceInPixels(xs, ys, scale) {
  const points = [];
  for (let i = 0; i < xs.length; i += 1) {
    const point = { x: scale.x(Math.log10(xs[i])), y: scale.y(Math.log10(ys[i])) };
    const last = points.at(-1);
    const gap = last ? Math.hypot(point.x - last.x, point.y - last.y) : 0;
    for (let step = 3; step < gap; step += 3) {
      points.push({ x: last.x + ((point.x - last.x) * step) / gap, y: last.y + ((point.y - last.y) * step) / gap });
    }
    points.push(point);
  }
  return points.filter(({ x, y }) => x >= -2 && x <= scale.width + 2 && y >= -2 && y <= scale.height + 2);
}

/** How bad a place is: curves through the box, other labels under it, edges crossed. */
function cost(box, obstacles, scale) {
  let bad = 0;
  for (const { points, weight } of obstacles.curves) {
    for (const { x, y } of points) {
      if (x > box.x - CLEAR && x < box.x + box.w + CLEAR && y > box.y - CLEAR && y < box.y + box.h + CLEAR) bad += weight;
    }
  }
  for (const other of obstacles.boxes) {
    const over = Math.min(box.x + box.w, other.x + other.w) - Math.max(box.x, other.x);
    const under = Math.min(box.y + box.h, other.y + other.h) - Math.max(box.y, other.y);
    if (over > -6 && under > -2) bad += 40 + over + under;
  }
  const out = Math.max(0, -box.x) + Math.max(0, box.x + box.w - scale.width - 4) + Math.max(0, -4 - box.y) + Math.max(0, box.y + box.h - scale.height);
  return bad + 6 * out;
}

/** Places just above (or below) a curve, from one end of it to the other. */
function alongside(points, { w, h }, { below = false, fromRight = false } = {}) {
  const places = [];
  const ends = points.map(({ x }) => x);
  const [first, last] = [Math.min(...ends) + 6, Math.max(...ends) - w - 2];
  const count = 14;
  for (let i = 0; i <= count; i += 1) {
    const share = fromRight ? 1 - i / count : i / count;
    const x = first + (last - first) * share;
    const ys = points.filter((point) => point.x >= x - 2 && point.x <= x + w + 2).map(({ y }) => y);
    if (ys.length === 0) continue;
    places.push({ x, y: below ? Math.max(...ys) + CLEAR + 2 : Math.min(...ys) - h - CLEAR - 1, w, h, far: i * 0.8 });
  }
  return places;
}

/** Places around a point, nearer ones first; `ax`, `ay` lead back to it. */
function around(point, { w, h }) {
  const places = [];
  for (const radius of [46, 66, 92, 124, 160]) {
    for (const degrees of [-45, -25, -10, -65, 135, 155, 115, 20, 45, -135, 65, 180]) {
      const [dx, dy] = [radius * Math.cos((degrees * Math.PI) / 180), radius * Math.sin((degrees * Math.PI) / 180)];
      const box = { x: dx >= 0 ? point.x + dx : point.x + dx - w, y: point.y + dy - h / 2, w, h };
      places.push({ ...box, ax: dx, ay: dy, far: radius / 14 + Math.abs(degrees + 45) / 90 });
    }
  }
  return places;
}

function best(places, obstacles, scale, before) {
  let chosen = null;
  for (const [index, place] of places.entries()) {
    const total = cost(place, obstacles, scale) + place.far - (index === before ? 4 : 0);
    if (!chosen || total < chosen.total) chosen = { ...place, index, total };
  }
  return chosen;
}

/** Move the annotations of a figure to free places. `kept` remembers each label's last place, so that it rarely jumps. */
function settleLabels({ layout, data }, scale, kept) {
  const curves = data
    .filter(({ mode, x }) => mode === "lines" && x.length > 0)
    .map(({ x, y, meta }) => ({ meta, points: traceInPixels(x, y, scale), weight: meta.role === "count" ? 2 : meta.role === "arm" ? 0.9 : 1 }));
  const squared = layout.shapes.find(({ name }) => name === "squared");
  const names = data.filter(({ meta }) => meta.role === "count").map(({ meta }) => meta.algorithm);
  const edge = { x: scale.x(Math.log10(squared.x0)), y: 0 };
  curves.push({ meta: { role: "squared" }, points: Array.from({ length: Math.ceil(scale.height / 6) }, (_, i) => ({ x: edge.x, y: i * 6 })), weight: 0.8 });
  const obstacles = { curves, boxes: [{ x: edge.x - 60, y: -22, w: 120, h: 16 }] };
  const find = (role, algorithm) => curves.find(({ meta }) => meta.role === role && (!algorithm || meta.algorithm === algorithm))?.points;

  const put = (name, placesOf, write) => {
    const note = layout.annotations.find((annotation) => annotation.name === name);
    if (!note) return;
    const places = placesOf(sizeOf(note));
    if (places.length === 0) {
      note.visible = false; // what it names is out of sight
      return;
    }
    const place = best(places, obstacles, scale, kept.get(name));
    kept.set(name, place.index);
    obstacles.boxes.push(place);
    write(note, place);
  };
  const free = (note, { x, y }) =>
    Object.assign(note, { xref: "paper", yref: "paper", x: x / scale.width, y: 1 - y / scale.height, xanchor: "left", yanchor: "top", xshift: 0, yshift: 0 });

  put(
    "crossing",
    (size) => {
      const mark = data.find(({ meta }) => meta.role === "crossing");
      const [point] = mark ? traceInPixels(mark.x, mark.y, scale) : [];
      return point ? around(point, size) : [];
    },
    (note, { ax, ay }) => Object.assign(note, { ax, ay, xanchor: ax >= 0 ? "left" : "right", yanchor: "middle" }),
  );
  names.forEach((name, index) => {
    const curve = find("count", name);
    put(`line ${name}`, (size) => (curve?.length ? alongside(curve, size, { fromRight: index % 2 === 1 }) : []), free);
  });
  put(
    "unfit",
    (size) => {
      const band = layout.shapes.find(({ name }) => name === "unfit");
      if (scale.x(Math.log10(band.x1)) < 8) return [];
      const lowest = data.find(({ meta }) => meta.role === "floor");
      const floor = lowest ? scale.y(Math.log10(lowest.y[0])) : scale.height;
      const foot = Math.min(floor, scale.height) - size.h - 4;
      return Array.from({ length: 12 }, (_, i) => ({ x: 6, y: foot * (1 - i / 12), ...size, far: i }));
    },
    (note, place) => {
      free(note, place);
      if (place.x < edge.x && edge.x < place.x + place.w) note.bgcolor = "var(--pa-background)"; // over the line at d²
    },
  );
  const floor = find("floor");
  put("line floor", (size) => (floor?.length ? alongside(floor, size, { below: true, fromRight: true }) : []), free);
  for (const role of ["bound", "ridge"]) {
    const line = find(role);
    const roomy = ({ w, h }) => ({ w, h: role === "ridge" ? h + 4 : h }); // a heavy line, and letters that hang down
    put(`line ${role}`, (size) => (line?.length ? [...alongside(line, roomy(size)), ...alongside(line, size, { below: true })] : []), free);
  }
  const theta = find("theta");
  put("line theta", (size) => (theta?.length ? [...alongside(theta, size), ...alongside(theta, size, { below: true })] : []), free);
}

/** The words of an annotation as nodes: `<br>` and `<b>` are all the markup there is. */
function wordsOf(text) {
  return text.split("<br>").flatMap((line, index) => {
    const parts = line.split(/<\/?b>/).map((part, odd) => (odd % 2 ? element("b", "", part) : document.createTextNode(part)));
    return index > 0 ? [document.createElement("br"), ...parts] : parts;
  });
}

/**
 * Annotations as HTML over the chart. plotly.js would draw them again, measuring each, at every move of a slider: half
 * of all its time. It gets them when a picture is saved.
 */
class Notes {
  constructor(layer, lead) {
    this.layer = layer;
    this.lead = lead;
    this.nodes = new Map();
  }

  write(notes, color) {
    this.notes = notes.filter(({ visible }) => visible !== false);
    const names = new Set(this.notes.map(({ name }) => name));
    for (const [name, node] of this.nodes) {
      if (names.has(name)) continue;
      node.remove();
      this.nodes.delete(name);
    }
    for (const { name, text, font, align, bgcolor } of this.notes) {
      let node = this.nodes.get(name);
      if (!node) {
        node = element("span", "pa-note");
        node.dataset.name = name;
        this.nodes.set(name, node);
        this.layer.append(node);
      }
      if (node.said !== text) {
        node.replaceChildren(...wordsOf(text));
        node.said = text;
      }
      Object.assign(node.style, { color: font.color, fontSize: `${font.size}px`, textAlign: align, background: bgcolor ?? "" });
    }
  }

  place(full) {
    const { xaxis, yaxis } = full;
    const share = { left: 0, center: -50, right: -100, top: 0, middle: -50, bottom: -100 };
    this.lead.style.display = "none";
    for (const note of this.notes ?? []) {
      const x = xaxis._offset + (note.xref === "paper" ? note.x * xaxis._length : xaxis.l2p(note.x));
      const y = yaxis._offset + (note.yref === "paper" ? (1 - note.y) * yaxis._length : yaxis.l2p(note.y));
      const [dx, dy] = note.showarrow ? [note.ax, note.ay] : [note.xshift ?? 0, -(note.yshift ?? 0)];
      const [h, v] = [share[note.xanchor], share[note.yanchor]];
      this.nodes.get(note.name).style.transform = `translate(${x + dx}px, ${y + dy}px) translate(${h}%, ${v}%)`;
      if (note.showarrow) this.draw(x, y, dx, dy, note.standoff);
    }
  }

  /** The line from a label to its point, ending short of it. */
  draw(x, y, dx, dy, standoff) {
    const length = Math.hypot(dx, dy);
    const near = standoff / length;
    this.lead.style.display = "";
    const ends = { x1: x + dx * near, y1: y + dy * near, x2: x + dx * (1 - 3 / length), y2: y + dy };
    for (const [name, value] of Object.entries(ends)) this.lead.setAttribute(name, value);
  }
}
