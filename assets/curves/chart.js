// one figure from Python, redrawn in place: no flicker, zoom kept until the double click that undoes it
const CHARTS = new WeakMap();

class Chart {
  constructor(root) {
    this.node = root.querySelector(".pa-chart");
    this.watch = new ResizeObserver(() => this.data && this.width !== this.node.clientWidth && this.draw());
    this.watch.observe(this.node.parentElement);
    this.onPrint = () => this.data && this.draw();
    addEventListener("pa-print", this.onPrint); // assets/document/print.js
    this.resets = 0;
    this.zoomed = new Set(); // axes
  }

  async draw() {
    const { library, figure, height, alt } = this.data;
    this.width = this.node.clientWidth;
    this.node.style.height = `${height}px`;
    this.node.setAttribute("aria-label", alt);
    const { data, layout } = JSON.parse(figure);
    for (const axis of this.zoomed) {
      // uirevision alone gives a zoom up as soon as the figure brings another range
      layout[axis] = { ...layout[axis], range: [...this.node._fullLayout[axis].range], autorange: false };
    }
    await paint(this.node, library, { data, layout: { ...layout, uirevision: `view ${this.resets}` } });
    if (this.listening) return;
    this.listening = true;
    this.node.on("plotly_relayout", (change) => {
      for (const name of Object.keys(change)) {
        const axis = /^([xy]axis\d*)\.range/.exec(name)?.[1];
        if (axis) this.zoomed.add(axis);
      }
    });
    this.node.on("plotly_doubleclick", () => {
      this.resets += 1;
      this.zoomed.clear();
      this.draw();
    });
  }

  destroy() {
    this.watch.disconnect();
    removeEventListener("pa-print", this.onPrint);
    globalThis.Plotly?.purge(this.node);
  }
}

export default function ({ data, parentElement }) {
  let chart = CHARTS.get(parentElement);
  if (!chart) CHARTS.set(parentElement, (chart = new Chart(parentElement)));
  chart.data = data;
  chart.draw();
  return () => {
    chart.destroy();
    CHARTS.delete(parentElement);
  };
}
