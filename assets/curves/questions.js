// questions to Python, one at a time; each has a number, and an answer says which question it is to
const PATIENCE = 4000; // ms: an answer that has not come by then does not hold up the next question
const KEPT = 500; // redraws remembered for whoever measures

function remember(list, entry) {
  list.push(entry);
  if (list.length > KEPT) list.shift();
}

class Questions {
  /** `timing` is what whoever measures reads: `redraws`, and whether anything is `pending`. */
  constructor(timing) {
    this.timing = timing;
  }

  /** Whether an answer is outstanding. */
  get open() {
    return Boolean(this.asked || this.wanted);
  }

  /** Ask for `values` in place of what is in force, `current`. While an answer is outstanding, only the newest wish is kept. */
  ask(current, values, moving = false) {
    this.wanted = { ...current, ...this.wanted, ...values };
    this.moving = moving;
    this.since ??= performance.now();
    this.timing.pending = true;
    this.soon ??= setTimeout(() => this.flush(), 0); // a key sends "input" and "change" at once: one question
  }

  flush() {
    this.soon = null;
    const now = performance.now();
    if (!this.wanted || (this.asked && now - this.asked.sent < PATIENCE)) return;
    const number = Math.max(Date.now(), (this.asked?.number ?? 0) + 1);
    this.asked = { number, input: this.since, sent: now, wish: this.wanted };
    this.wanted = this.since = null;
    this.send({ ...this.asked.wish, number, moving: this.moving });
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.flush(), PATIENCE + 50);
  }

  /** A message from Python. Returns the question that it answers, if it answers the one that was asked last. */
  heard({ number, csv }, setStateValue, fileName) {
    this.send = (question) => setStateValue("question", question);
    this.wishCsv = () => setStateValue("csv", Date.now());
    if (csv && this.savedCsv !== csv.number) {
      this.savedCsv = csv.number;
      __pa_files.download(csv.text, "text/csv", `${fileName}.csv`);
    }
    if (!this.asked || number < this.asked.number) return null;
    const answered = { ...this.asked, answered: performance.now() };
    this.asked = null;
    this.flush();
    return answered;
  }

  /** The page is drawn, perhaps because a question was answered: note when that was on the screen. */
  async drawn(answered) {
    if (answered) remember(this.timing.redraws, { ...answered, painted: await painted() });
    this.timing.pending = this.open;
  }

  destroy() {
    clearTimeout(this.patience);
  }
}

function quietButton(words, help, act) {
  const button = element("button", "pa-quiet", words);
  button.type = "button";
  if (help) button.setAttribute("aria-label", (button.title = help));
  button.addEventListener("click", act);
  return button;
}
