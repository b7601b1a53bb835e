// The play page in the browser: what a tap or a key does, what is said about it, and what Python and the address hear.

const FLIGHT = 240; // milliseconds: a word on its way between board and fast memory
const SHOWING = 520; // milliseconds between two moves of a shown solution

class Play {
  // `host` has log(moves as text, whether they are the shown solution), wish({ level }).
  constructor(root, host) {
    this.root = root;
    this.host = host;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.near = -1;
    this.marked = [];
    this.hinted = -1;
    const act = {
      choose: (v) => this.choose(v),
      point: (v) => this.point(v),
      play: (move) => this.play(move),
      dismiss: () => this.dismiss(),
      seek: (by) => this.seek(this.game.t + by),
      seekTo: (t) => this.seek(t),
      reset: () => this.seek(0),
      hint: () => this.hint(),
      solution: () => (this.showing ? this.stopShow() : this.showSolution()),
      next: () => this.next(),
      copy: () => this.copyLink(),
    };
    this.act = act;
    this.scene = new Scene(act);
    this.menu = new Menu(act);
    this.counter = new Counter(act);
    this.score = new Score();
    this.tools = new Tools(act);
    this.moves = new Moves(act);
    this.result = new Result(act);
    this.task = make("p", { class: "task" });
    this.words = make("span");
    this.doHint = make("button", { type: "button", class: "do-hint", hidden: true });
    this.doHint.addEventListener("click", () => this.suggested && this.play(this.suggested));
    this.say = make("div", { class: "say" }, this.words, this.doHint);
    this.live = make("div", { class: "unseen", "aria-live": "polite" });
    this.legend = make("div", { class: "legend" });
    this.table = make("div", { class: "table" }, this.scene.element, this.menu.element);
    this.side = make("div", { class: "beside" }, this.score.element, this.tools.element, this.result.element, this.moves.element, this.legend);
    const left = make("div", { class: "left" }, this.task, this.table, this.say, this.counter.element);
    root.replaceChildren(left, this.side, this.live);
    this.onKey = (event) => this.key(event);
    root.addEventListener("keydown", this.onKey);
    this.observer = new ResizeObserver(() => this.fit());
    this.observer.observe(this.scene.element);
    this.onPop = () => this.popped();
    window.addEventListener("popstate", this.onPop);
  }

  load(level, labels, text, ticked) {
    this.stopShow();
    this.ticked = ticked;
    const other = this.level?.id !== level.id || this.level?.stamp !== level.stamp;
    this.level = level;
    this.labels = labels;
    if (other) {
      const dag = { preds: level.preds, outputs: level.outputs };
      const rules = { red: level.red, sliding: level.sliding, recompute: level.recompute };
      this.codec = new MoveCodec(dag, rules);
      this.game = new PlayGame(dag, rules);
      level.solution = this.codec.read(level.best);
      this.continuations = new Continuations(dag, rules, level.solution);
      this.game.adopt(this.codec.read(text));
      this.known = new Set([text]);
      this.shown = false;
      this.lend(this.game.position.solved() ? this.game.made() : [], "opened");
    } else level.solution = this.codec.read(level.best);
    this.quiet();
    this.menu.close();
    this.scene.load(level, labels);
    this.task.textContent = level.task;
    this.doHint.textContent = labels.do_hint;
    this.showLegend();
    this.fit();
    this.tell(this.state());
    this.paint();
    if (other && this.wished) this.scene.walkTo(0); // the button that was pressed is gone: the keyboard goes on here
    this.wished = false;
  }

  text() {
    return this.codec.write(this.game.made());
  }

  showLegend() {
    const entry = (name) => make("span", { class: "entry" }, make("span", { class: `key ${name}`, "aria-hidden": "true" }), this.labels[`legend_${name}`]);
    this.legend.replaceChildren(...["red", "blue", "both", "goal"].map(entry));
  }

  fit() {
    if (!this.level) return;
    const { clientWidth, clientHeight } = this.scene.element;
    this.scene.fit(clientWidth, clientHeight);
    if (this.menu.v >= 0) this.menu.placeBeside(this.scene.boxOf(this.menu.v), this.table, this.root);
  }

  paint() {
    const { game, level, labels } = this;
    this.scene.paint(game.position);
    this.light();
    this.counter.paint(game, level, labels);
    this.score.paint(game.position.io, level, labels);
    this.tools.paint(game, level, labels, this.showing ? "showing" : this.paused() ? "paused" : "");
    this.moves.paint(game, level, labels);
    const solved = game.position.solved();
    if (solved) this.result.paint(game, level, labels, this.borrowed() === "shown", this.foreign(), this.ticked);
    this.result.element.hidden = !solved;
    this.root.classList.toggle("solved", solved);
  }

  light() {
    const near = this.near >= 0 ? this.near : this.menu.v;
    this.scene.light({ near, open: this.menu.v, marked: this.marked, hinted: this.hinted });
  }

  // ---- what is said

  tell(text, kind = "") {
    this.words.textContent = text;
    this.say.className = `say ${kind}`;
    this.doHint.hidden = kind !== "hint";
    if (this.live.textContent === text) this.live.textContent = "";
    this.live.textContent = text;
  }

  quiet() {
    this.marked = [];
    this.hinted = -1;
    this.suggested = null;
    this.counter.warn(false);
  }

  // A solution that the reader did not find: "opened" from a link or a file, or "shown" by the button.
  lend(moves, source) {
    this.lent = { moves, source };
    this.hand = new Set(); // places in it whose move the reader has made since
  }

  // Where the solution on the board is from; "" when it is the reader's. Moves that are taken back and made again do not
  // make it theirs, unless they have made all of them; another move does.
  borrowed() {
    const { moves, source } = this.lent, { line, t } = this.game;
    const whole = moves.length > 0 && moves.length <= t && moves.every((move, k) => sameMove(move, line[k]));
    return whole && moves.some((_, k) => !this.hand.has(k)) ? source : "";
  }

  // Whether the game came from a link or a file, and this reader has not solved the level before.
  foreign() {
    return this.borrowed() === "opened" && !this.ticked;
  }

  state() {
    const { game, level, labels } = this, values = { red: game.position.count, m: game.rules.red };
    if (!game.t) return labels.start;
    const words = fill(labels.after, { move: moveWords(game.line[game.t - 1], level, labels), ...values });
    return game.position.solved() ? `${words} ${fill(this.foreign() ? labels.solved_opened : labels.solved, { io: game.position.io })}` : words;
  }

  refuse(move, broken) {
    const { level, labels } = this, name = (v) => level.names[v];
    const sentences = broken.map(([reason, vertices]) =>
      fill(labels[`refusal_${reason}`], { v: name(move.v), names: vertices.map(name).join(", "), m: level.red }),
    );
    this.quiet();
    this.marked = [...new Set(broken.flatMap(([, vertices]) => vertices))];
    this.counter.warn(broken.some(([reason]) => reason === "capacity"));
    this.tell(sentences.join(" "), "refusal");
    this.light();
  }

  // ---- what the reader does

  choose(v, focus = false) {
    this.stopShow();
    if (v < 0 || v === this.menu.v) return this.dismiss();
    this.quiet();
    this.scene.walkTo(v);
    this.menu.open(v, this.game.position.choices(v), this.level, this.labels, focus);
    this.menu.placeBeside(this.scene.boxOf(v), this.table, this.root);
    this.menu.element.scrollIntoView({ block: "nearest" });
    this.light();
  }

  dismiss() {
    const had = this.menu.v;
    this.menu.close();
    if (had >= 0) this.scene.walkTo(had);
    this.light();
  }

  point(v) {
    if (this.near === v) return;
    this.near = v;
    this.light();
  }

  play(move) {
    this.stopShow();
    const from = this.game.slots.slice(), broken = this.game.push(move);
    this.dismiss();
    if (this.game.t > this.level.most) {
      this.game.seek(this.game.t - 1);
      this.game.line.length = this.game.t;
      this.quiet();
      this.tell(fill(this.labels.too_long, { most: this.level.most }), "refusal");
      return;
    }
    if (broken.length) return this.refuse(move, broken);
    this.shown = false;
    this.hand.add(this.game.t - 1);
    this.quiet();
    this.changed();
    this.fly(move, from);
  }

  // The first legal move of a kind on the vertex under the cursor; with several sources to slide from, the menu asks.
  letter(op) {
    const v = this.scene.current, choices = this.game.position.choices(v).filter(({ move }) => move.op === op);
    const legal = choices.filter(({ broken }) => !broken.length);
    if (legal.length > 1) {
      this.choose(v, true);
      this.menu.buttons().find((button) => button.dataset.op === OP_NAMES[op])?.focus();
    } else if (legal.length) this.play(legal[0].move);
    else {
      const move = choices[0]?.move ?? { op, v, u: op === SLIDE ? (this.level.preds[v][0] ?? v) : NO_SOURCE };
      this.dismiss();
      this.refuse(move, this.game.position.broken(move));
    }
  }

  seek(t) {
    this.stopShow();
    this.menu.close();
    this.quiet();
    if (this.game.seek(t)) this.changed();
  }

  // A new state: say it, paint it, write it into the address, tell Python.
  changed() {
    this.tell(this.state());
    this.paint();
    this.publish();
  }

  hint() {
    this.stopShow();
    this.menu.close();
    this.quiet();
    const { game, level, labels } = this, best = this.continuations.best(game.position);
    if (!best || !best.moves.length) return;
    this.suggested = best.moves[0];
    this.hinted = this.suggested.v;
    const total = game.position.io + best.io, move = moveWords(this.suggested, level, labels);
    let text = fill(labels[total > level.par ? "hint_over" : level.proven ? "hint_par" : "hint_known"], { move, total, par: level.par });
    if (total > level.par) {
      const back = this.lastOnPar();
      if (back < game.t) text += ` ${fill(labels[back ? "hint_back" : "hint_start"], { t: back, par: level.par })}`;
    }
    this.tell(text, "hint");
    this.scene.reveal(this.hinted);
    this.light();
  }

  // The last state of this play from which par is known to be in reach.
  lastOnPar() {
    const { game } = this, position = new Position(game.dag, game.rules);
    let last = 0;
    for (let t = 0; t <= game.t; t++) {
      const best = this.continuations.best(position);
      if (best && position.io + best.io <= this.level.par) last = t;
      if (t < game.t) position.play(game.line[t]);
    }
    return last;
  }

  // The best known solution from the start, or on from where it was stopped, move by move. The reader's own play is one
  // step back in the browser.
  showSolution() {
    const from = this.paused() ? this.game.t : 0;
    this.menu.close();
    this.quiet();
    this.game.seek(0);
    this.game.adopt(this.level.solution);
    this.shown = true;
    this.lend(this.level.solution, "shown");
    if (this.still.matches) return this.changed();
    this.game.seek(from);
    this.showing = setInterval(() => {
      const from = this.game.slots.slice();
      this.game.seek(this.game.t + 1);
      this.tell(this.state());
      this.paint();
      this.fly(this.game.line[this.game.t - 1], from);
      if (this.game.t === this.game.line.length) this.stopShow();
    }, SHOWING);
    this.tell(this.state());
    this.paint();
  }

  // Whether the game is the solution that was asked for, and some of it is still ahead.
  paused() {
    const { game, level } = this;
    return this.shown && !this.showing && game.t > 0 && game.t < game.line.length && game.line.length === level.solution.length;
  }

  stopShow() {
    if (!this.showing) return;
    clearInterval(this.showing);
    this.showing = null;
    this.paint();
    this.publish();
  }

  next() {
    this.wished = true;
    this.host.wish({ level: this.level.next });
  }

  async copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell(this.labels.copied);
    } catch {
      this.tell(fill(this.labels.copy_by_hand, { url: location.href }));
    }
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    event.stopPropagation(); // Streamlit's own hotkeys must not hear them
    const target = event.composedPath()[0], vertex = target.closest?.(".vertex");
    const way = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    const op = { l: LOAD, s: STORE, x: COMPUTE, g: SLIDE, d: DELETE }[event.key.toLowerCase()];
    if (event.key === "u") this.seek(this.game.t - 1);
    else if (event.key === "y") this.seek(this.game.t + 1);
    else if (event.key === "h") this.hint();
    else if (op !== undefined) this.letter(op);
    else if (event.key === "Escape") (this.stopShow(), this.dismiss());
    else if (vertex && way) {
      const next = this.scene.neighbour(+vertex.dataset.v, ...way);
      if (next >= 0) {
        this.menu.close();
        this.scene.walkTo(next);
        this.light();
      }
    } else if (vertex && (event.key === "Enter" || event.key === " ")) this.choose(+vertex.dataset.v, true);
    else return;
    event.preventDefault();
  }

  // ---- the address: one entry in the browser's history for every move, written here; Python keeps what it finds

  publish() {
    const text = this.text();
    this.known.add(text);
    if (this.level.shareable) {
      const url = new URL(location.href);
      if (url.searchParams.get("p") !== text) {
        url.searchParams.set("p", text);
        history.pushState(history.state, "", url);
      }
    }
    this.host.log(text, this.borrowed() !== "");
  }

  // Whether an address that Streamlit is about to write is an answer to an earlier move of this level.
  stale(url) {
    const next = url.searchParams;
    return next.get("level") === this.level.id && this.known.has(next.get("p")) && next.get("p") !== this.text();
  }

  popped() {
    const asked = new URL(location.href).searchParams;
    if (asked.get("level") !== this.level.id) return;
    this.adopt(asked.get("p") ?? MOVES_VERSION);
    this.host.log(this.text(), this.borrowed() !== "");
  }

  // Moves that were not made here: back and forward, an edited address, a file.
  adopt(text) {
    if (!text.startsWith(MOVES_VERSION) || text === this.text()) return;
    this.stopShow();
    this.menu.close();
    this.quiet();
    this.game.adopt(this.codec.read(text));
    if (!this.known.has(text) && this.game.position.solved()) this.lend(this.game.made(), "opened");
    this.known.add(text);
    this.shown = false;
    this.tell(this.state());
    this.paint();
  }

  // A loaded word travels to fast memory, a stored one back. Nothing else moves.
  fly({ op, v }, before) {
    if (op > STORE || this.still.matches || !this.scene.element.animate) return;
    const slot = (op === LOAD ? this.game.slots : before).indexOf(v), there = this.counter.row.children[slot];
    if (!there) return;
    const box = this.root.getBoundingClientRect(), centre = (rect) => [rect.left + rect.width / 2 - box.left, rect.top + rect.height / 2 - box.top];
    const ends = [centre(this.scene.boxOf(v)), centre(there.firstChild.getBoundingClientRect())];
    const [from, to] = op === LOAD ? ends : ends.reverse();
    const word = make("div", { class: `flying ${OP_NAMES[op]}`, "aria-hidden": "true" });
    this.root.append(word);
    const at = ([x, y]) => `translate(${x}px, ${y}px) translate(-50%, -50%)`;
    word.animate([{ transform: at(from) }, { transform: at(to) }], { duration: FLIGHT, easing: "ease-in-out" }).finished.finally(() => word.remove());
  }

  destroy() {
    clearInterval(this.showing);
    this.observer.disconnect();
    window.removeEventListener("popstate", this.onPop);
    this.root.removeEventListener("keydown", this.onKey);
  }
}

// ---- Streamlit's side (Components v2): called again at every change, so it must be idempotent

const PLAYS = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".pebble-play");
  let entry = PLAYS.get(parentElement);
  if (!entry) {
    const host = {};
    entry = { host, play: new Play(root, host), seq: data.seq, rev: null, words: null };
    PLAYS.set(parentElement, entry);
  }
  const { host, play } = entry;
  const level = JSON.parse(data.level);
  host.log = (moves, shown = false) => setStateValue("log", { level: level.id, seq: ++entry.seq, moves, shown });
  host.wish = (wish) => setStateValue("wish", { ...wish, at: Date.now() });
  const words = `${data.lang} ${data.level}`;
  if (entry.rev !== data.rev || entry.words !== words) {
    entry.seq = Math.max(entry.seq, data.seq);
    play.load(level, data.labels, data.moves, data.ticked);
    Object.assign(entry, { rev: data.rev, words });
  } else {
    play.ticked = data.ticked;
    if (data.seq >= entry.seq) play.adopt(data.moves); // else an answer to an earlier move
  }
  play.answered = () => data.seq === entry.seq && data.moves === play.text(); // for tests: Python agrees
  globalThis.__pa = { ...globalThis.__pa, play, stale: (url) => play.stale(url) };
  return () => {
    play.destroy();
    PLAYS.delete(parentElement);
    if (globalThis.__pa.play === play) delete globalThis.__pa.stale;
  };
}
