// What stands around the board: fast memory, the menu of a vertex, the score, the buttons, the moves so far, the result.

class Counter {
  constructor(act) {
    this.act = act;
    this.title = make("div", { class: "counter-title" });
    this.row = make("div", { class: "slots", role: "group" });
    this.element = make("div", { class: "counter" }, this.title, this.row);
  }

  paint(game, level, labels) {
    const { slots, position, rules } = game;
    const shown = slots.slice(0, Math.max(1, ...slots.map((v, i) => (v >= 0 ? i + 1 : 0)), Math.min(slots.length, 24)));
    const title = fill(labels.counter, { red: position.count, m: rules.red });
    this.title.textContent = title;
    this.row.setAttribute("aria-label", title);
    while (this.row.children.length > shown.length) this.row.lastChild.remove();
    while (this.row.children.length < shown.length) {
      const slot = make("button", { type: "button", class: "slot" }, make("i"), make("span"));
      slot.addEventListener("click", () => slot.dataset.v >= 0 && this.act.choose(+slot.dataset.v));
      this.row.append(slot);
    }
    shown.forEach((v, i) => {
      const slot = this.row.children[i], name = v < 0 ? "" : level.names[v];
      slot.dataset.v = v;
      slot.disabled = v < 0;
      slot.classList.toggle("full", v >= 0);
      slot.classList.toggle("both", v >= 0 && Boolean(position.blue[v]));
      slot.lastChild.textContent = slot.title = name;
      slot.setAttribute("aria-label", v < 0 ? labels.slot_empty : name);
    });
  }

  warn(on) {
    this.element.classList.toggle("warned", on);
  }
}

// The moves of one vertex, beside it. Illegal ones can be chosen too: then the board says why not.
const KEYS = { [LOAD]: "l", [STORE]: "s", [COMPUTE]: "x", [SLIDE]: "g", [DELETE]: "d" };

class Menu {
  constructor(act) {
    this.act = act;
    this.v = -1;
    this.element = make("div", { class: "menu", role: "menu", hidden: true });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  open(v, choices, level, labels, focus) {
    this.v = v;
    const item = ({ move, broken }) => {
      const text = fill(labels[`do_${OP_NAMES[move.op]}`], { u: move.u >= 0 ? level.names[move.u] : "" });
      const key = make("kbd", { text: KEYS[move.op], "aria-hidden": "true" });
      const button = make("button", { type: "button", role: "menuitem", class: broken.length ? "not" : "can", tabindex: -1 }, make("span", { text }), key);
      button.dataset.op = OP_NAMES[move.op];
      if (move.u >= 0) button.dataset.u = move.u;
      if (broken.length) button.setAttribute("aria-label", `${text} (${labels.not_now})`);
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        this.act.play(move);
      });
      return button;
    };
    const legal = choices.filter(({ broken }) => !broken.length), others = choices.filter(({ broken }) => broken.length);
    this.element.setAttribute("aria-label", fill(labels.menu, { v: level.names[v] }));
    this.element.replaceChildren(
      make("div", { class: "menu-title", text: level.names[v] }),
      ...[...legal, ...others].map(item),
    );
    this.element.hidden = false;
    if (focus) this.buttons()[0]?.focus({ preventScroll: true });
  }

  // Beside the vertex, on the outer side, where it hides least of what the vertex is connected to; else below it.
  placeBeside(cell, table, room) {
    const { element } = this, box = table.getBoundingClientRect(), edge = room.getBoundingClientRect();
    const width = element.offsetWidth, height = element.offsetHeight;
    const right = cell.right - box.left + 14, left = cell.left - box.left - width - 14;
    const onLeft = cell.right - box.left < box.width * 0.45 && left >= 0;
    const beside = onLeft || right + width <= edge.width;
    const x = onLeft ? left : beside ? right : Math.max(0, box.width - width);
    const wish = beside ? (cell.top + cell.bottom) / 2 - box.top - 52 : cell.bottom - box.top + 10;
    element.style.left = `${Math.round(x)}px`;
    element.style.top = `${Math.round(Math.max(0, beside ? Math.min(wish, Math.max(0, box.height - height)) : wish))}px`;
  }

  buttons() {
    return [...this.element.querySelectorAll("button")];
  }

  close() {
    this.v = -1;
    this.element.hidden = true;
  }

  key(event) {
    const list = this.buttons(), at = list.indexOf(event.composedPath()[0]);
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (by) list[(at + by + list.length) % list.length].focus();
    else if (event.key === "Home") list[0].focus();
    else if (event.key === "End") list[list.length - 1].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.act.dismiss();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

class Score {
  constructor() {
    const number = (name) => {
      const value = make("b"), kind = make("small"), title = make("span");
      this[name] = { value, kind, title };
      return make("div", { class: `figure ${name}` }, title, value, kind);
    };
    this.bar = make("div", { class: "race", "aria-hidden": "true" }, make("i"), make("u", { class: "at-bound" }), make("u", { class: "at-par" }));
    this.element = make("div", { class: "score" }, make("div", { class: "figures" }, number("io"), number("par"), number("bound")), this.bar);
  }

  paint(io, level, labels) {
    this.io.title.textContent = labels.your_io;
    this.io.value.textContent = grouped(io);
    this.io.kind.textContent = labels.io_kind;
    this.par.title.textContent = labels.par;
    this.par.value.textContent = level.par ? grouped(level.par) : labels.unknown;
    this.par.kind.textContent = level.par ? labels[level.proven ? "par_proven" : "par_known"] : labels.par_none;
    this.bound.title.textContent = labels.bound;
    this.bound.value.textContent = grouped(level.bound);
    this.bound.kind.textContent = labels[`bound_${level.bound_kind}`];
    const most = Math.max((level.par || level.bound) * 1.5, io + 1), [bar, bound, par] = this.bar.children;
    bar.style.transform = `scaleX(${io / most})`;
    bound.style.left = `${(100 * level.bound) / most}%`;
    par.style.left = `${(100 * level.par) / most}%`;
    par.hidden = !level.par;
    this.element.classList.toggle("over", Boolean(level.par) && io > level.par);
  }
}

class Tools {
  constructor(act) {
    const button = (name, handler) => {
      this[name] = make("button", { type: "button", class: name }, make("span"));
      this[name].addEventListener("click", handler);
      return this[name];
    };
    this.element = make(
      "div",
      { class: "tools", role: "group" },
      button("undo", () => act.seek(-1)),
      button("redo", () => act.seek(1)),
      button("again", () => act.reset()),
      button("hint", () => act.hint()),
      button("solution", () => act.solution()),
    );
  }

  // `show`: "showing" while the solution plays by itself, "paused" while the rest of it lies ahead.
  paint(game, level, labels, show) {
    this.element.setAttribute("aria-label", labels.tools);
    for (const [name, key] of [["undo", "u"], ["redo", "y"], ["again", ""], ["hint", "h"], ["solution", ""]]) {
      this[name].firstChild.textContent = labels[name];
      this[name].title = key ? `${labels[name]} (${key})` : labels[name];
    }
    this.undo.disabled = this.again.disabled = game.t === 0;
    this.redo.disabled = game.t === game.line.length;
    this.solution.firstChild.textContent = this.solution.title = labels[{ showing: "pause", paused: "go_on" }[show] ?? "solution"];
    this.hint.hidden = this.solution.hidden = !level.solution.length;
    this.hint.disabled = game.position.solved();
  }
}

// The moves so far, and those that can be redone; each takes the reader to the state after it.
class Moves {
  constructor(act) {
    this.act = act;
    this.title = make("h3");
    this.list = make("ol", { class: "moves" });
    this.element = make("section", { class: "log" }, this.title, this.list);
  }

  paint(game, level, labels) {
    const { line, t } = game;
    this.title.textContent = t ? fill(labels.moves_made, { t }) : labels.moves_none;
    if (this.line !== line || this.drawn !== line.length || this.words !== labels || this.last !== line[line.length - 1]) {
      this.list.replaceChildren(
        ...line.map((move, i) => {
          const button = make("button", { type: "button", text: moveWords(move, level, labels) });
          button.addEventListener("click", () => this.act.seekTo(i + 1));
          return make("li", {}, button, make("span", { class: "cost", text: move.op <= STORE ? "+1" : "" }));
        }),
      );
      Object.assign(this, { line, drawn: line.length, words: labels, last: line[line.length - 1] });
    }
    [...this.list.children].forEach((item, i) => {
      item.classList.toggle("ahead", i >= t);
      if (i === t - 1) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    const now = this.list.children[Math.max(0, t - 1)];
    if (now) this.list.scrollTop = now.offsetTop + now.offsetHeight / 2 - this.list.clientHeight / 2; // the list is its offset parent
  }
}

function moveWords({ op, v, u }, level, labels) {
  return fill(labels[`move_${OP_NAMES[op]}`], { v: level.names[v], u: u >= 0 ? level.names[u] : "" });
}

class Result {
  constructor(act) {
    this.head = make("p", { class: "claim" });
    this.text = make("p");
    this.lesson = make("p", { class: "lesson" });
    this.next = make("button", { type: "button", class: "primary next" });
    this.link = make("button", { type: "button", class: "link" });
    this.next.addEventListener("click", () => act.next());
    this.link.addEventListener("click", () => act.copy());
    this.element = make("section", { class: "result", hidden: true }, this.head, this.text, this.lesson, make("div", { class: "ways" }, this.next, this.link));
  }

  // `shown`: the solution that was asked for; `opened`: a game from a link or a file. Neither is `ticked` in the list.
  paint(game, level, labels, shown, opened, ticked) {
    const { io } = game.position, { par, proven } = level;
    const name = shown ? (proven ? "shown_proven" : "shown_known") : !par ? "done_unknown" : io > par ? "done_over" : io < par ? "done_better" : proven ? "done_proven" : "done_known";
    this.head.textContent = fill(opened ? labels.solved_opened : labels.solved, { io });
    const claim = fill(labels[name], { over: io - par, par, better: par - io });
    this.text.textContent = (shown || opened) && level.shareable && !ticked ? `${claim} ${labels.no_tick}` : claim;
    this.lesson.textContent = level.lesson;
    this.lesson.hidden = !level.lesson;
    this.next.textContent = labels.next;
    this.next.hidden = !level.next;
    this.link.hidden = !level.shareable;
    this.link.textContent = labels.copy;
  }
}
