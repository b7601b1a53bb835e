// The best continuation that is known from a position, found from one good solution of the level: go on as the solution
// does from one of its positions, after loading (or computing) what is not yet in fast memory there. The position that
// costs least in all wins. Every continuation is played out by the rules, so what is said to cost k words costs k words.

class Continuations {
  constructor(dag, rules, solution) {
    this.dag = dag;
    this.solution = solution;
    this.positions = [new Position(dag, rules)];
    for (const move of solution) {
      const next = this.positions[this.positions.length - 1].copy();
      next.play(move);
      this.positions.push(next);
    }
  }

  // { moves, io } with the fewest words, then the fewest moves; null if there is no solution to go by.
  best(position) {
    let best = null;
    if (!this.solution.length) return best;
    for (let k = 0; k < this.positions.length; k++) {
      const found = this.from(position, k);
      if (found && (!best || found.io < best.io || (found.io === best.io && found.moves.length < best.moves.length))) best = found;
    }
    return best;
  }

  from(start, k) {
    const play = { position: start.copy(), moves: [], k, wanted: this.positions[k].red };
    if (!play.position.solved() && !this.catchUp(play)) return null;
    for (let j = k; j < this.solution.length && !play.position.solved(); j++) {
      play.k = j;
      play.wanted = this.positions[j].red;
      if (!this.follow(play, this.solution[j])) return null;
    }
    return play.position.solved() ? { moves: play.moves, io: play.position.io - start.io } : null;
  }

  // Red pebbles on everything on which the solution has one at this point.
  catchUp(play) {
    const { position, wanted } = play, { preds } = this.dag;
    const missing = () => preds.map((_, v) => v).filter((v) => wanted[v] && !position.red[v]);
    for (let progress = true; progress; ) {
      progress = false;
      for (const v of missing()) {
        if (!preds[v].length || !preds[v].every((u) => position.red[u])) continue;
        if (this.make(play, { op: COMPUTE, v, u: NO_SOURCE }, preds[v])) progress = true;
        else {
          const spare = preds[v].find((u) => !wanted[u]);
          if (spare !== undefined && this.make(play, { op: SLIDE, v, u: spare }, preds[v])) progress = true;
        }
      }
    }
    return missing().every((v) => this.make(play, { op: LOAD, v, u: NO_SOURCE }, []));
  }

  follow(play, move) {
    const { position } = play, { op, v } = move;
    if (op === DELETE) return true; // only when room is needed
    if (op === STORE ? position.blue[v] : position.red[v]) return true; // done already
    return this.make(play, move, []);
  }

  // One move, with one pebble taken off first if fast memory is full.
  make(play, move, kept) {
    const { position } = play;
    if (position.count >= position.rules.red && (move.op === LOAD || move.op === COMPUTE)) {
      const spare = this.spare(play, kept);
      if (spare < 0) return false;
      this.record(play, { op: DELETE, v: spare, u: NO_SOURCE });
    }
    return this.record(play, move);
  }

  record(play, move) {
    if (play.position.broken(move).length) return false;
    play.position.play(move);
    play.moves.push(move);
    return true;
  }

  // A red vertex that the solution does without here; of those, the one whose next use lies farthest away.
  spare({ position, wanted, k }, kept) {
    let best = -1, far = -1;
    for (let v = 0; v < wanted.length; v++) {
      if (!position.red[v] || wanted[v] || kept.includes(v)) continue;
      let next = k;
      while (next < this.solution.length && this.solution[next].v !== v) next++;
      if (next > far) [best, far] = [v, next];
    }
    return best;
  }
}
