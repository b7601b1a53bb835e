// Where things stand on the board: the matrices (inputs left, intermediate values in the middle, outputs right) and
// below them the slots of fast memory. Pure arithmetic in CSS pixels; whole numbers, so that hairlines stay crisp.

const ROLES = ["input", "middle", "output"];
const SMALLEST_CELL = 8, LARGEST_CELL = 38, NAME_HEIGHT = 17;

// Slots of fast memory, from roomy ones with a label to a compact grid of dots.
const SLOT_KINDS = [
  { kind: "label", width: 72, height: 25, gap: 5, font: 12.5 },
  { kind: "label", width: 60, height: 22, gap: 4, font: 11.5 },
  { kind: "label", width: 54, height: 20, gap: 3, font: 10.5 },
  { kind: "dot", width: 18, height: 18, gap: 2 },
  { kind: "dot", width: 12, height: 12, gap: 2 },
  { kind: "dot", width: 8, height: 8, gap: 1 },
  { kind: "dot", width: 5, height: 5, gap: 1 },
];

function packCounter(memory, peak, width, height, smallest = 0) {
  const title = 18;
  const plans = SLOT_KINDS.slice(smallest).map((kind) => {
    const most = Math.max(1, Math.floor((width + kind.gap) / (kind.width + kind.gap)));
    return { kind, most, rows: Math.ceil(memory / most), tall: title + Math.ceil(memory / most) * (kind.height + kind.gap) };
  });
  const fitting = plans.filter((plan) => plan.tall <= height);
  // Labels one can read from afar, in as few rows as possible; else smaller ones, else dots.
  const roomy = fitting.filter((plan) => plan.kind.font > 11).sort((a, b) => a.rows - b.rows);
  const { kind, most, rows } = roomy[0] ?? fitting[0] ?? plans[plans.length - 1];
  const allowed = Math.max(Math.ceil(peak / most), Math.floor((height - title) / (kind.height + kind.gap)), 1);
  const used = Math.min(rows, allowed), isLabel = kind.kind === "label";
  const columns = rows === used ? Math.ceil(memory / rows) : most;
  const shown = Math.min(memory, used * columns);
  const widest = Math.floor((width + kind.gap) / columns) - kind.gap;
  const slotWidth = isLabel ? Math.min(Math.round(kind.width * 1.3), widest) : kind.width;
  return { ...kind, slotWidth, columns, rows: used, shown, hidden: memory - shown, title, total: title + used * (kind.height + kind.gap) };
}

// The tensors of one role as rows of grids, `perRow` matrices in each; vectors stand at the ends of the rows.
function packGroup(tensors, perRow, cell) {
  const gap = Math.max(9, Math.round(cell * 0.7)), names = NAME_HEIGHT;
  const matrices = tensors.filter((tensor) => !tensor.vector), vectors = tensors.filter((tensor) => tensor.vector);
  const rows = [];
  for (let i = 0; i < matrices.length; i += perRow) rows.push(matrices.slice(i, i + perRow));
  if (!rows.length) rows.push([]);
  vectors.forEach((tensor, i) => rows[i % rows.length].push(tensor));
  const placed = [];
  let y = 0, width = 0;
  for (const row of rows) {
    let x = 0, height = 0;
    for (const tensor of row) {
      const nameWidth = tensor.vector || tensor.name.length > 3 ? 9 * tensor.name.length : 0; // names may not touch
      const own = { tensor, x, y: y + names, width: tensor.columns * cell, height: tensor.rows * cell };
      placed.push(own);
      x += Math.max(own.width + gap, nameWidth + 4);
      height = Math.max(height, own.height);
    }
    width = Math.max(width, x - gap);
    y += names + height + Math.round(gap * 0.6);
  }
  return { placed, width, height: y - Math.round(gap * 0.6) };
}

function arrangements(groups) {
  const counts = groups.map((group) => {
    const matrices = group.filter((tensor) => !tensor.vector).length;
    return [...new Set([1, 2, Math.ceil(matrices / 2), matrices])].filter((k) => k >= 1 && k <= Math.max(1, matrices));
  });
  let all = [[]];
  for (const options of counts) all = all.flatMap((start) => options.map((option) => [...start, option]));
  return all;
}

function packTensors(tensors, width, height, largest = LARGEST_CELL) {
  const groups = ROLES.map((role) => tensors.filter((tensor) => tensor.role === role)).filter((group) => group.length);
  const choices = arrangements(groups);
  const attempt = (perRow, stacked, cell) => {
    const apart = stacked ? Math.max(8, Math.round(cell * 0.5)) : Math.max(18, Math.round(cell * 1.5));
    const packed = groups.map((group, i) => packGroup(group, perRow[i], cell));
    const sum = (key) => packed.reduce((total, group) => total + group[key], 0) + apart * (packed.length - 1);
    const most = (key) => Math.max(...packed.map((group) => group[key]));
    const size = stacked ? { width: most("width"), height: sum("height") } : { width: sum("width"), height: most("height") };
    return { packed, apart, stacked, cell, ...size };
  };
  let best = null;
  for (const stacked of [false, true]) {
    for (const perRow of choices) {
      let low = SMALLEST_CELL, high = largest;
      while (low < high) {
        const middle = (low + high + 1) >> 1, plan = attempt(perRow, stacked, middle);
        if (plan.width <= width && plan.height <= height) low = middle;
        else high = middle - 1;
      }
      const plan = attempt(perRow, stacked, low);
      plan.overflow = Math.max(0, plan.width - width) + Math.max(0, plan.height - height);
      // Left, middle, right, two matrices a row, is how the board is known; another order only for far larger cells.
      const strange = perRow.reduce((sum, k) => sum + Math.abs(k - 2), 0) + (stacked ? 3 : 0);
      plan.rank = plan.cell - plan.overflow * 10 - 3 * strange;
      if (!best || plan.rank > best.rank) best = plan;
    }
  }
  return best;
}

// The whole board, no taller than it needs to be; taller or wider than the box when even the smallest cells do not fit.
function packBoard(run, peak, width, height, options = {}) {
  const counterMost = Math.max(44, Math.min(options.counter ?? 132, Math.round(height * 0.36)));
  const counter = packCounter(run.red, peak, width, counterMost, options.smallestSlot);
  const between = 12;
  const plan = packTensors(run.tensors, width - 2, height - counter.total - between - 2, options.largest);
  const total = { width: Math.max(width, plan.width + 2), height: plan.height + between + counter.total + 2 };
  const cells = run.tensors.reduce((sum, tensor) => sum + tensor.rows * tensor.columns, 0);
  const cellX = new Int32Array(cells), cellY = new Int32Array(cells), grids = [];
  const first = new Map();
  let next = 0;
  for (const tensor of run.tensors) {
    first.set(tensor, next);
    next += tensor.rows * tensor.columns;
  }
  const free = Math.max(0, total.width - 2 - plan.width);
  // Spare width goes between the groups (up to a point), the rest to both sides.
  const apart = plan.stacked ? plan.apart : plan.apart + Math.min(free / Math.max(1, plan.packed.length), plan.cell * 3);
  const spread = plan.stacked ? plan.width : plan.width + (apart - plan.apart) * (plan.packed.length - 1);
  let x = Math.round(Math.max(0, total.width - spread) / 2), y = 0;
  for (const group of plan.packed) {
    const dx = Math.round(plan.stacked ? (total.width - group.width) / 2 : x);
    const dy = Math.round(plan.stacked ? y : y + (plan.height - group.height) / 2);
    for (const own of group.placed) {
      const grid = { ...own, x: own.x + dx, y: own.y + dy, first: first.get(own.tensor) };
      grids.push(grid);
      for (let row = 0; row < own.tensor.rows; row++) {
        for (let column = 0; column < own.tensor.columns; column++) {
          const cell = grid.first + row * own.tensor.columns + column;
          cellX[cell] = grid.x + column * plan.cell;
          cellY[cell] = grid.y + row * plan.cell;
        }
      }
    }
    if (plan.stacked) y += group.height + plan.apart;
    else x += group.width + apart;
  }
  const counterWidth = counter.columns * (counter.slotWidth + counter.gap) - counter.gap;
  return {
    ...total,
    cell: plan.cell,
    cellX,
    cellY,
    grids,
    counter: { ...counter, x: 1, y: total.height - counter.total, width: counterWidth },
  };
}

function slotBox(layout, slot) {
  const { counter } = layout, row = Math.floor(slot / counter.columns), column = slot % counter.columns;
  return {
    x: counter.x + column * (counter.slotWidth + counter.gap),
    y: counter.y + counter.title + row * (counter.height + counter.gap),
    width: counter.slotWidth,
    height: counter.height,
  };
}

function cellAt(layout, x, y) {
  for (const grid of layout.grids) {
    const column = Math.floor((x - grid.x) / layout.cell), row = Math.floor((y - grid.y) / layout.cell);
    if (column >= 0 && row >= 0 && column < grid.tensor.columns && row < grid.tensor.rows) return grid.first + row * grid.tensor.columns + column;
  }
  return -1;
}

function slotAt(layout, x, y) {
  const { counter } = layout;
  const column = Math.floor((x - counter.x) / (counter.slotWidth + counter.gap));
  const row = Math.floor((y - counter.y - counter.title) / (counter.height + counter.gap));
  const slot = row * counter.columns + column;
  return column >= 0 && row >= 0 && column < counter.columns && slot < counter.shown ? slot : -1;
}
