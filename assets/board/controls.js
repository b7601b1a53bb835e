// Transport: buttons, scrubber, speed, and the keys that do the same.

const SPEEDS = { least: 1, most: 5000, start: 6 };
const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M11.5 3v10L4.5 8z",
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M3.5 3h3v10h-3zM9.5 3h3v10h-3z",
  forward: "M4.5 3v10l7-5z",
  end: "M11 3h2v10h-2zM3 3v10l7-5z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

class Controls {
  // `act` has toggle, step(by), word(direction), seek(t), rest, speed(value).
  constructor(act) {
    this.act = act;
    this.buttons = {};
    const button = (name, handler) => {
      const element = make("button", { type: "button", class: name }, icon(name));
      element.addEventListener("click", handler);
      return (this.buttons[name] = element);
    };
    this.buttons.set = make(
      "div",
      { class: "buttons" },
      button("start", () => act.seek(0, true)),
      button("back", () => act.step(-1)),
      button("play", () => act.toggle()),
      button("forward", () => act.step(1)),
      button("end", () => act.seek(Infinity, true)),
    );
    this.scrub = make("input", { type: "range", class: "scrub", min: 0, step: 1, max: 1, value: 0 });
    this.scrub.addEventListener("input", () => act.seek(+this.scrub.value));
    this.scrub.addEventListener("change", () => act.rest());
    this.tick = make("span", { class: "tick" });
    this.speed = make("input", { type: "range", class: "speed", min: 0, max: 1, step: 0.01 });
    this.speed.addEventListener("input", () => act.speed(this.speedOf(+this.speed.value)));
    this.rate = make("span", { class: "rate" });
    this.element = make(
      "div",
      { class: "transport", role: "group" },
      this.buttons.set,
      this.scrub,
      this.tick,
      make("label", { class: "pace" }, this.speed, this.rate),
    );
  }

  speedOf(share) {
    return SPEEDS.least * (SPEEDS.most / SPEEDS.least) ** share;
  }

  name(labels) {
    this.labels = labels;
    for (const name of ["start", "back", "forward", "end"]) this.title(this.buttons[name], labels[name]);
    this.scrub.setAttribute("aria-label", labels.position);
    this.speed.setAttribute("aria-label", labels.speed);
    this.element.setAttribute("aria-label", labels.transport);
    this.playing(false);
  }

  title(button, text) {
    button.setAttribute("aria-label", text);
    button.title = text;
  }

  playing(on) {
    this.buttons.play.replaceChildren(icon(on ? "pause" : "play"));
    this.title(this.buttons.play, on ? this.labels.pause : this.labels.play);
  }

  showSpeed(value) {
    this.speed.value = Math.log(value / SPEEDS.least) / Math.log(SPEEDS.most / SPEEDS.least);
    this.rate.textContent = fill(this.labels.speed_value, { speed: Math.round(value) });
    this.speed.setAttribute("aria-valuetext", this.rate.textContent);
  }

  showTick(t, total) {
    if (this.scrub.max !== String(total)) this.scrub.max = total;
    this.scrub.value = t;
    this.scrub.style.setProperty("--share", total ? t / total : 0);
    this.tick.textContent = fill(this.labels.tick, { t, total });
  }

  // Keys work anywhere inside the board. Streamlit's own hotkeys must not hear them.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    event.stopPropagation();
    const { act } = this, target = event.composedPath()[0];
    const onSpeed = target === this.speed, onButton = target.tagName === "BUTTON";
    if (onSpeed && /^(Arrow|Home|End|Page)/.test(event.key)) return;
    if (onButton && (event.key === "Enter" || event.key === " ")) return;
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by && event.shiftKey) act.word(by);
    else if (by) act.step(by);
    else if (event.key === " ") act.toggle();
    else if (event.key === "Home") act.seek(0, true);
    else if (event.key === "End") act.seek(Infinity, true);
    else if (event.key === "+" || event.key === "=") act.faster(1.5);
    else if (event.key === "-") act.faster(1 / 1.5);
    else return;
    event.preventDefault();
  }
}
