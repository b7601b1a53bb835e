// what to plot, and everything that the first minute does not need: kernels, problem, heads, number type, mask, models

function picker(caption, id) {
  const node = element("label", "pa-field");
  const select = element("select");
  select.id = id;
  node.append(element("span", "pa-field-name", caption), select);
  return { node, select };
}

/** Options of a list box, written only when they change: a focused box keeps its place. */
function fill(select, options, chosen) {
  const said = JSON.stringify(options);
  if (select.said !== said) {
    select.replaceChildren(...options.map(({ id, name }) => Object.assign(element("option", "", name), { value: id })));
    select.said = said;
  }
  if (chosen !== undefined) select.value = chosen;
}

function field(caption, id, act) {
  const node = element("label", "pa-field");
  const input = element("input");
  Object.assign(input, { id, type: "text", inputMode: "numeric", autocomplete: "off", spellcheck: false });
  input.addEventListener("change", () => act(input.value.replace(/[\s\u202f\u00a0]/g, "")));
  const name = element("span", "pa-field-name", caption);
  node.append(name, input);
  return { node, input, name };
}

class Plots {
  constructor(root, ask) {
    this.root = root;
    this.ask = ask;
  }

  show({ plots, settings, labels }) {
    const said = JSON.stringify(plots);
    if (this.said !== said) {
      this.said = said;
      this.root.setAttribute("aria-label", labels.plot);
      this.buttons = plots.map(({ id, name }) => {
        const button = element("button", "pa-plot-button", name);
        button.type = "button";
        button.dataset.plot = id;
        button.addEventListener("click", () => this.ask({ plot: id }));
        return button;
      });
      this.root.replaceChildren(...this.buttons);
    }
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.plot === settings.plot));
  }
}

class More {
  /** `ask(values)` for a choice; `preset(values)` for a whole point, which undoes a zoom. */
  constructor(button, panel, { ask, preset }) {
    Object.assign(this, { button, panel, ask, preset });
    button.addEventListener("click", () => this.toggle(this.panel.hidden));
    panel.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      this.toggle(false);
      button.focus();
    });
    this.outside = (event) => {
      if (!panel.hidden && !event.composedPath().includes(panel) && !event.composedPath().includes(button)) this.toggle(false);
    };
    document.addEventListener("pointerdown", this.outside);
  }

  toggle(open) {
    this.panel.hidden = !open;
    this.button.setAttribute("aria-expanded", String(open));
    if (open) this.panel.scrollIntoView?.({ block: "nearest" });
  }

  build({ labels }) {
    this.button.textContent = labels.more;
    this.panel.setAttribute("role", "group");
    this.panel.setAttribute("aria-label", labels.more);
    const id = (name) => `pa-curves-${name}`;
    this.model = picker(labels["more.model"], id("model"));
    this.model.select.addEventListener("change", () => {
      const model = this.data.choices.models.find(({ id: chosen }) => chosen === this.model.select.value);
      if (model) this.preset(model.ask);
      this.model.select.value = "";
    });
    this.form = picker(labels["more.form"], id("form"));
    this.form.select.addEventListener("change", () => this.ask({ form: this.form.select.value }));
    this.kernels = element("fieldset", "pa-kernels");
    this.heads = field(labels["more.heads"], id("heads"), (h) => this.ask({ h }));
    this.dtype = picker(labels["more.dtype"], id("dtype"));
    this.dtype.select.addEventListener("change", () => this.ask({ dtype: this.dtype.select.value }));
    this.mask = picker(labels["more.mask"], id("mask"));
    this.keys = field(labels["more.keys"], id("keys"), (keys) => this.ask({ mask: `window:${keys}` }));
    this.blocks = field(labels["more.blocks"], id("blocks"), (blocks) => this.ask({ mask: `block:${blocks}:${this.share.select.value}` }));
    this.share = picker(labels["more.share"], id("share"));
    fill(this.share.select, ["0.1", "0.25", "0.5"].map((share) => ({ id: share, name: `${100 * share}\u202f%` })));
    this.share.select.addEventListener("change", () => this.ask({ mask: `block:${this.blocks.input.value}:${this.share.select.value}` }));
    const masks = { none: "none", causal: "causal", window: "window:512", block: "block:16:0.25" };
    this.mask.select.addEventListener("change", () => this.ask({ mask: masks[this.mask.select.value] }));
    this.problem = element("p", "pa-problem");
    this.problem.setAttribute("role", "alert");
    this.note = element("p", "pa-kind", labels["more.note"]);
    const row = element("div", "pa-fields");
    row.append(this.form.node, this.heads.node, this.dtype.node, this.mask.node, this.keys.node, this.blocks.node, this.share.node);
    this.panel.replaceChildren(this.model.node, this.kernels, row, this.problem, this.note);
  }

  show(data) {
    this.data = data;
    const { choices, settings, labels, problems } = data;
    fill(this.model.select, [{ id: "", name: labels["more.model.none"] }, ...choices.models], "");
    fill(this.form.select, choices.forms, settings.form);
    fill(this.dtype.select, choices.dtypes, settings.dtype);
    const [kind, first, second] = settings.mask.split(":");
    fill(this.mask.select, choices.masks, kind);
    this.keys.node.hidden = kind !== "window";
    this.blocks.node.hidden = this.share.node.hidden = kind !== "block";
    if (kind === "window") this.keys.input.value = grouped(first);
    if (kind === "block") {
      this.blocks.input.value = first;
      if (![...this.share.select.options].some(({ value }) => value === second)) {
        this.share.select.append(Object.assign(element("option", "", `${Math.round(1000 * second) / 10}\u202f%`), { value: second }));
      }
      this.share.select.value = second;
    }
    this.heads.input.value = grouped(settings.h);
    this.heads.input.disabled = settings.form === "weights";
    const wrong = ["heads", "mask", "dtype", "form"].map((name) => problems[name]).filter(Boolean).join(" ");
    this.problem.textContent = wrong;
    this.problem.hidden = !wrong;
    this.showKernels(data);
  }

  showKernels({ choices, algorithms, labels }) {
    const said = JSON.stringify(choices.kernels.map(({ id, name }) => [id, name]));
    if (this.kernels.said !== said) {
      this.kernels.said = said;
      this.boxes = choices.kernels.map(({ id, name, dash }) => this.choice(id, name, dash));
      const legend = element("legend", "pa-field-name", labels["more.algorithms"]);
      this.kernels.replaceChildren(legend, ...this.boxes.map(({ label }) => label));
    }
    const shown = algorithms.map(({ id }) => id);
    for (const { id, box } of this.boxes) {
      box.checked = shown.includes(id);
      box.disabled = shown.length === 1 && box.checked; // the last one stays
    }
  }

  /** A box to tick: whether an algorithm is in the chart. */
  choice(id, name, dash) {
    const label = element("label", "pa-choice");
    const box = element("input");
    box.type = "checkbox";
    box.addEventListener("change", () => {
      const wanted = this.boxes.filter((other) => other.box.checked).map((other) => other.id);
      if (wanted.length) this.ask({ a: wanted.join(",") });
    });
    label.append(box, swatch(`var(--pa-${id})`, dash), element("span", "", name));
    return { id, label, box };
  }

  destroy() {
    document.removeEventListener("pointerdown", this.outside);
  }
}
