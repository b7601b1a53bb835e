"""Lower bounds: below every optimum and every schedule, right where a second method knows the number."""

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels_ref.pebbling import pebble
from pebble_engine import (
    PebbleDag,
    Rules,
    attention_backward,
    attention_forward,
    butterfly,
    grid,
    improve,
    matmul,
    pebble_order,
    pyramid,
    read_dag,
    solve,
    write_dag,
)
from pebble_engine.bounds import best_bound, bounds
from pebble_engine.bounds.attention import entries_value, most_entries, products_value
from pebble_engine.bounds.core import Core
from pebble_engine.bounds.partition import least_parts
from pebble_engine.bounds.recognize import as_attention, as_matmul
from pebble_engine.bounds.spectral import laplacian, spectral, spectral_value
from pebble_engine.bounds.wavefront import widest_wavefront
from pebble_engine.solver import DoesNotFit
from tests.property.engine.strategies import dags
from tests.unit.engine.test_schedules import KNOWN, known_dag

ONE_SHOT = {"wavefront", "spectral"}


def named(dag: PebbleDag, rules: Rules) -> dict[str, float]:
    return {bound.name: bound.value for bound in bounds(dag, rules)}


@pytest.mark.parametrize("name", sorted({line["dag"] for line in KNOWN}))
def test_no_bound_is_above_a_known_optimum(name: str) -> None:
    for line in KNOWN:
        if line["dag"] == name and line["cost"] is not None:
            found = bounds(known_dag(name), Rules(red=line["red"], sliding=line["sliding"]))
            assert found[0].name == "trivial"
            assert [bound for bound in found if bound.words > line["cost"]] == []
            assert not ONE_SHOT & {bound.name for bound in found}


@settings(max_examples=60)
@given(dags(most=7), st.integers(2, 4), st.booleans(), st.booleans())
def test_no_bound_is_above_the_optimum_of_a_random_dag(dag: PebbleDag, red: int, sliding: bool, again: bool) -> None:
    rules = Rules(red=red, sliding=sliding, recompute=again)
    try:
        solution = solve(dag, rules)
    except DoesNotFit:
        return
    assert solution.proved
    assert best_bound(dag, rules) <= solution.cost


def larger() -> Iterator[tuple[PebbleDag, int]]:
    """DAGs on which the bounds say more than the trivial one."""
    yield from ((matmul(5, 5, 5), red) for red in (4, 12, 24))
    yield from ((matmul(3, 3, 2), red) for red in (4, 5))
    yield from ((attention_backward(n=6, d=1), red) for red in (4, 9))
    yield from ((attention_backward(n_q=6, n_k=5, d=1, granularity="tree"), red) for red in (4, 6))
    yield attention_backward(n_q=9, n_k=3, d=1, granularity="entry"), 19
    yield attention_backward(n=5, d=1, form="weights", target=True), 4
    yield attention_backward(n_q=3, n_k=8, d=1, form="weights", granularity="entry"), 17
    yield from ((attention_forward(n=8, d=1), red) for red in (4, 6))
    yield from ((butterfly(16), red) for red in (3, 4))
    yield grid(6, 6), 3
    yield pyramid(9), 3


@pytest.mark.parametrize(("dag", "red"), list(larger()), ids=str)
def test_no_bound_is_above_a_schedule(dag: PebbleDag, red: int) -> None:
    for sliding, again in ((False, False), (True, False), (True, True)):
        rules = Rules(red=red, sliding=sliding, recompute=again)
        best = best_bound(dag, rules)
        assert best <= improve(dag, rules, rounds=10, time_limit=None).io
        assert best <= pebble_order(dag, rules, "depth-first", "lru").io


@pytest.mark.parametrize("algorithm", ["flash2", "small-cache"])
@pytest.mark.parametrize(("n", "d", "memory"), [(4, 1, 16), (6, 1, 12), (5, 2, 24)])
def test_no_bound_is_above_a_kernel(algorithm: str, n: int, d: int, memory: int) -> None:
    run = pebble(algorithm, n=n, d=d, memory=memory)
    assert 4 * n * d + 2 * n < best_bound(run.dag, run.rules) <= run.io


def test_trivial_counts_what_is_needed_once() -> None:
    dag = PebbleDag.of({"a": (), "b": (), "c": ("a",), "d": ("c", "b"), "e": ()}, outputs=["c", "e"])
    assert named(dag, Rules(red=2)) == {"trivial": 2}  # b and d are not needed, e is blue from the start


def test_matrix_product_constants() -> None:
    dag = matmul(4, 4, 4)
    assert named(dag, Rules(red=9))["matrix-product"] == pytest.approx(2 * 64 / 3 + 16)
    assert named(dag, Rules(red=8, sliding=True))["matrix-product"] == pytest.approx(2 * 64 / 3 + 16)
    assert named(dag, Rules(red=9))["matrix-product-safe"] == pytest.approx(2 * 64 / 3 - 18)
    assert "matrix-product" in named(dag, Rules(red=15))
    assert "matrix-product" not in named(dag, Rules(red=16))
    assert "matrix-product" not in named(dag, Rules(red=15, sliding=True))
    # 2x2x1 at M = 3: the formula gives 8.62; the optimum is 9 without sliding and 8 with.
    assert [solve(matmul(2, 2, 1), Rules(red=3, sliding=sliding)).cost for sliding in (False, True)] == [9, 8]


def test_attention_constants() -> None:
    """The closed forms of math.md, section 5, are what the best phase length improves on."""
    for n, d, red in itertools.product((4, 16, 64), (1, 2, 4), (4, 16, 64)):
        best = entries_value(n * n, 2 * d, red)
        assert best >= 4 * n**2 * d**2 / (red + 8 * d**2) - red - 1e-9
        sizes = np.arange(red + 1, n * n + red + 2)
        exact = (sizes - red) * (n * n / (sizes**2 / (16 * d * d) + sizes) - 1)
        assert best >= exact.max() - 1e-9
        assert entries_value(n * n, d, red) >= n**2 * d**2 / (red + 4 * d**2) - red - 1e-9
        exact_products = 2 * n**2 * d**2 / (red + 3**0.5 * d * red**0.5) - red
        assert products_value(n * n, d, red) == pytest.approx(exact_products)


def test_attention_entries_by_brute_force() -> None:
    """cap(X): rows a, columns b and entries of their own c, width (a + b) + c <= X, a b + c at most."""
    for width, size in itertools.product((1, 2, 4), range(1, 40)):
        most = max(
            a * b + size - width * (a + b) for a in range(size + 1) for b in range(size + 1) if width * (a + b) <= size
        )
        assert most_entries(size, width) == most


def test_bounds_know_the_dag_by_its_edges_not_by_its_name() -> None:
    dag = attention_backward(n=3, d=1)
    renamed = PebbleDag(dag.labels, dag.edges, dag.outputs, name="something else")
    assert "attention-entries" in named(renamed, Rules(red=4))
    impostor = PebbleDag(dag.labels, dag.edges[1:], dag.outputs, name=dag.name)
    assert as_attention(impostor) is None
    assert as_matmul(matmul(2, 3, 4)) == (2, 3, 4)
    assert as_matmul(read_dag(write_dag(matmul(2, 2, 2), form="node-link"))) == (2, 2, 2)
    assert as_matmul(PebbleDag.of({"A[0,0]": (), "B[0,0]": (), "C[0,0]": ("A[0,0]", "B[0,0]")})) is None
    mask = np.array([[True, False, True], [True, True, False]])
    for granularity in ("chain", "tree", "entry"):
        options = {"n_q": 2, "n_k": 3, "d": 2, "granularity": granularity, "mask": mask}
        for build, what in (
            (attention_forward, "forward"),
            (partial(attention_forward, divide="last"), "forward"),
            (attention_backward, "qkv"),
            (partial(attention_backward, form="weights"), "weights"),
            (partial(attention_backward, form="weights", target=True), "weights"),
            (partial(attention_backward, form="weights", divide="last"), "weights"),
        ):
            assert as_attention(build(**options)) == (what, granularity, 4, 2)


def closed_sets(core: Core) -> Iterator[set[int]]:
    """All sets of vertices that hold their operands."""
    for bits in range(1 << len(core)):
        chosen = {v for v in range(len(core)) if bits >> v & 1}
        if all(set(core.operands[v]) <= chosen for v in chosen):
            yield chosen


@settings(max_examples=60)
@given(dags())
def test_wavefronts_by_brute_force(dag: PebbleDag) -> None:
    core = Core(dag)
    descendants: dict[int, set[int]] = {}
    for v in reversed(range(len(core))):
        descendants[v] = set().union(*({w} | descendants[w] for w in core.users[v])) if core.users[v] else set()
    inner = {v for v in range(len(core)) if not core.is_input[v] and not core.is_output[v]}
    sets = list(closed_sets(core))
    widest = max(
        min(
            len([v for v in done & inner if not set(core.users[v]) <= done])
            for done in sets
            if x in done and not done & descendants[x]
        )
        for x in range(len(core))
    )
    assert widest_wavefront(core, 0) == widest


def test_a_wavefront_that_recomputing_beats() -> None:
    """Five values made from x are summed, then each meets the sum: six are live. Made again, they cost nothing."""
    values = {f"f{k}": ("x",) for k in range(5)}
    sums = {f"m{k}": (f"f{k}", f"m{k - 1}") if k else ("f0",) for k in range(5)}
    meets = {f"h{k}": (f"f{k}", f"h{k - 1}" if k else "m4") for k in range(5)}
    dag = PebbleDag.of({"x": (), **values, **sums, **meets}, name="again")
    one_shot, free = Rules(red=4, recompute=False), Rules(red=4)
    assert named(dag, one_shot)["wavefront"] == 2 + 2 * (6 - 4)
    assert solve(dag, one_shot).cost >= 6
    assert solve(dag, free).cost == 2  # the bound must not be shown
    assert not ONE_SHOT & set(named(dag, free))


def test_spectral_constant() -> None:
    """16^3 matmul with n-ary sums at M = 32, nothing halved: 6.6467. Its eigenvalues come from Fourier blocks."""
    assert spectral_value(product_eigenvalues(16), 32) == pytest.approx(6.6467, abs=5e-5)
    assert spectral_value(np.array([0.0, 10, 10, 10, 10]), 4) == 2 * 0 + 2 * 10 + 1 * 10 - 2 * 3 * 4
    small = product_dag(3)
    found = np.linalg.eigvalsh(laplacian(Core(small), halved=False))
    np.testing.assert_allclose(found, product_eigenvalues(3), atol=1e-9)


def product_dag(n: int) -> PebbleDag:
    """C = A B with a vertex for every product and one n-ary sum for every entry."""
    cells = list(itertools.product(range(n), repeat=2))
    operands: dict[str, tuple[str, ...]] = {f"{name}[{i},{k}]": () for name in "AB" for i, k in cells}
    for i, j in cells:
        operands.update({f"P{k}[{i},{j}]": (f"A[{i},{k}]", f"B[{k},{j}]") for k in range(n)})
        operands[f"C[{i},{j}]"] = tuple(f"P{k}[{i},{j}]" for k in range(n))
    return PebbleDag.of(operands)


def product_eigenvalues(n: int) -> np.ndarray:
    """Of that DAG's Laplacian. A Fourier mode over (i, j, k) meets A where it is constant in j, and so on."""
    found: list[float] = []
    for constant_j, constant_i, constant_k in itertools.product((False, True), repeat=3):
        couplings = [(constant_j, 1.0, 1 / n), (constant_i, 1.0, 1 / n), (constant_k, float(n), 1.0)]
        met = [(degree, weight * n**0.5) for present, degree, weight in couplings if present]
        block = np.diag([1 + 2 / n] + [degree for degree, _ in met])
        for at, (_, coupling) in enumerate(met, start=1):
            block[0, at] = block[at, 0] = -coupling
        modes = (n - 1) ** (3 - len(met))
        found += list(np.linalg.eigvalsh(block)) * modes
    return np.sort(found)


def test_spectral_says_something_and_holds() -> None:
    dag, rules = matmul(8, 8, 8), Rules(red=3, sliding=True, recompute=False)
    (bound,) = spectral(Core(dag), rules)
    assert 192 + 5 < bound.value < pebble_order(dag, rules).io
    assert list(spectral(Core(matmul(11, 11, 11)), rules)) == []  # 1,573 vertices: left out


def parts_by_brute_force(core: Core, size: int) -> int:
    """H(size): shortest way through the closed sets, dominators by trying all small sets of vertices."""
    inner = [v for v in range(len(core)) if not core.is_input[v]]

    def dominated(part: set[int]) -> bool:
        for cut in itertools.combinations(range(len(core)), min(size, len(core))):
            reached: list[bool] = []
            for v in range(len(core)):
                from_input = core.is_input[v] or any(reached[u] for u in core.operands[v])
                reached.append(from_input and v not in cut)
            if not any(reached[v] for v in part):
                return True
        return False

    sets = [
        frozenset(done & set(inner))
        for done in closed_sets(core)
        if all(core.is_input[v] <= (v in done) for v in range(len(core)))
    ]
    level, parts = {frozenset[int]()}, 0
    while frozenset(inner) not in level:
        level = {
            more
            for done, more in itertools.product(level, sets)
            if done < more
            and sum(not set(core.users[v]) & (more - done) for v in more - done) <= size
            and dominated(set(more - done))
        }
        parts += 1
        if not level:
            return -1
    return parts


@settings(max_examples=40)
@given(dags(), st.integers(1, 3))
def test_partitions_by_brute_force(dag: PebbleDag, size: int) -> None:
    core = Core(dag)
    found = least_parts(core, size)
    assert (-1 if found is None else found) == parts_by_brute_force(core, size)


def test_every_bound_says_where_it_is_from() -> None:
    for bound in bounds(matmul(7, 7, 7), Rules(red=4, recompute=False)):
        assert bound.source
        assert bound.holds_for == ("no recomputation" if bound.name in ONE_SHOT else "every rule set")
        assert bound.words >= bound.value - 1e-5
        assert bound.holds(Rules(red=9)) == (bound.name not in ONE_SHOT)
