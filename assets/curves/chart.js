// one figure from Python, redrawn in place: no flicker, zoom kept until the double click that undoes it
const CHARTS = new WeakMap();

class Chart {
  constructor(root) {
    this.node = root.querySelector(".pa-chart");
    this.watch = new ResizeObserver(() => this.data && this.draw());
    this.watch.observe(this.node.parentElement);
    this.resets = 0;
  }

  async draw() {
    const { library, figure, height, alt } = this.data;
    this.node.style.height = `${height}px`;
    this.node.setAttribute("aria-label", alt);
    const { data, layout } = JSON.parse(figure);
    await paint(this.node, library, { data, layout: { ...layout, uirevision: `view ${this.resets}` } });
    if (this.listening) return;
    this.listening = true;
    this.node.on("plotly_doubleclick", () => {
      this.resets += 1;
      this.draw();
    });
  }

  destroy() {
    this.watch.disconnect();
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
