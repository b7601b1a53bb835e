// one quantity: its name, a slider over sensible stops, and the exact number, typed

class Control {
  /** `on.move(value)` while the slider moves, `on.settle(value)` when it rests, `on.type(text)` for a typed number. */
  constructor(name, on) {
    this.name = name;
    this.stops = [];
    this.node = element("div", "pa-control");
    this.node.dataset.name = name;
    const id = `pa-curves-${name}`;
    const head = element("div", "pa-control-head");
    this.label = element("label");
    this.label.htmlFor = id;
    this.symbol = element("i", "", name === "m" ? "M" : name);
    this.words = element("span");
    this.label.append(this.symbol, this.words);
    this.exact = element("input", "pa-exact");
    Object.assign(this.exact, { id, type: "text", inputMode: "numeric", autocomplete: "off", spellcheck: false });
    head.append(this.label, this.exact);
    this.slider = element("input", "pa-slider");
    Object.assign(this.slider, { type: "range", min: 0, step: 1 });
    this.problem = element("p", "pa-problem");
    this.problem.id = `${id}-problem`;
    this.problem.setAttribute("role", "alert");
    this.node.append(head, this.slider, this.problem);
    this.slider.addEventListener("input", () => {
      this.value = this.stops[Number(this.slider.value)];
      this.write();
      on.move(this.value);
    });
    this.slider.addEventListener("change", () => on.settle(this.value));
    this.exact.addEventListener("change", () => {
      const typed = this.exact.value.replace(/[\s\u202f\u00a0]/g, "");
      if (typed === String(this.value)) this.write();
      else on.type(typed);
    });
    this.exact.addEventListener("focus", () => this.exact.select());
  }

  caption(words) {
    this.words.textContent = words;
    this.slider.setAttribute("aria-label", words);
  }

  set(value, stops, problem) {
    this.value = value;
    this.stops = stops;
    this.slider.max = stops.length - 1;
    this.slider.value = nearest(stops, value);
    this.problem.textContent = problem ?? "";
    this.problem.hidden = !problem;
    this.exact.toggleAttribute("aria-invalid", Boolean(problem));
    if (problem) this.exact.setAttribute("aria-describedby", this.problem.id);
    else this.exact.removeAttribute("aria-describedby");
    this.write();
  }

  /** Follow a value that was moved elsewhere (the handle in the chart). */
  follow(value) {
    this.value = value;
    this.slider.value = nearest(this.stops, value);
    this.write();
  }

  /** Nothing to set here at the moment. */
  rest(idle) {
    this.slider.disabled = this.exact.disabled = idle;
    this.node.classList.toggle("pa-idle", idle);
  }

  write() {
    this.exact.value = grouped(this.value);
    this.slider.setAttribute("aria-valuetext", `${this.symbol.textContent} = ${grouped(this.value)}`);
    const share = (100 * Number(this.slider.value)) / Math.max(1, this.stops.length - 1);
    this.slider.style.setProperty("--share", `${share}%`);
  }
}

/** Position of the stop nearest to `value` by ratio. */
function nearest(stops, value) {
  let best = 0;
  stops.forEach((stop, index) => {
    if (Math.abs(Math.log(stop / value)) < Math.abs(Math.log(stops[best] / value))) best = index;
  });
  return best;
}
