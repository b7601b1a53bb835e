// Words and numbers. Sentences come from the label catalogue of the reader's language; only values are put in here.

const THIN_SPACE = "\u202f";

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, THIN_SPACE);
}

function fill(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => (typeof values[name] === "number" ? grouped(values[name]) : values[name]));
}

// The last move of a replay in words.
function moveInWords(replay, labels) {
  const { run, t } = replay, move = replay.current();
  if (!move) return labels.move_start;
  const cell = run.cell[move.vertex], steps = run.tensors[replay.index.tensorOf[cell]].steps;
  const values = {
    v: replay.vertexLabel(move.vertex),
    u: move.source === NOTHING ? "" : replay.vertexLabel(move.source),
    k: run.step[move.vertex] + 1,
    steps,
    red: replay.red[t],
    m: run.red,
  };
  if (move.op === LOAD) return fill(labels.move_load, values);
  if (move.op === STORE) return fill(labels.move_store, values);
  if (move.op === DELETE) return fill(labels.move_delete, values);
  if (steps > 1) return fill(labels.move_add, values);
  return fill(move.op === SLIDE ? labels.move_slide : labels.move_compute, values);
}

// One cell in words: what it holds and where; in full, also what it is made from (which the picture shows by edges).
function cellInWords(replay, cell, labels, full) {
  const look = replay.look(cell), { run, index } = replay;
  const where = look.stale ? "where_stale" : look.red && look.blue ? "where_both" : look.red ? "where_red" : look.blue ? "where_blue" : look.past ? "where_past" : "where_none";
  const parts = [labels[where]];
  if (look.steps > 1 && look.vertex !== NOTHING) {
    parts.unshift(fill(labels.sum, { k: run.step[look.vertex] + 1, steps: look.steps }));
  }
  const operands = full ? cellOperands(replay, cell).map((other) => replay.cellLabel(other)) : [];
  const last = index.members[index.start[cell + 1] - 1];
  if (operands.length) parts.push(fill(labels.made_from, { list: shortened(operands).join(", ") }));
  if (run.role[last] === 1) parts.push(labels.is_input);
  if (run.role[last] === 2) parts.push(labels.is_output);
  return `${replay.cellLabel(cell)}: ${parts.join("; ")}`;
}

function shortened(list, most = 9) {
  return list.length <= most ? list : [...list.slice(0, most - 1), "\u2026", list[list.length - 1]];
}

// Every other cell that some step of this cell's chain reads.
function cellOperands(replay, cell) {
  const { index, run } = replay, found = new Set();
  for (let k = index.start[cell]; k < index.start[cell + 1]; k++) {
    for (const other of replay.operands(index.members[k])) found.add(run.cell[other]);
  }
  found.delete(cell);
  return [...found].sort((a, b) => a - b);
}
