"""Attention DAGs of every form, granularity and mask: exact sizes, and their vertices evaluated give the gradients."""

import itertools

import numpy as np
import pytest
import torch

from pebble_engine import InvalidDag, PebbleDag, attention_backward, attention_forward

GRANULARITIES = ["chain", "tree", "entry"]
SIZES = [(1, 1, 1), (2, 3, 1), (3, 2, 2), (2, 5, 3)]
SOME = np.array([[1, 0, 1], [0, 0, 0], [1, 0, 0], [0, 0, 1]], dtype=bool)  # a query and a key with nothing kept
MASKED = [(*SOME.shape, d, SOME) for d in (1, 2)]
CASES = [(n_q, n_k, d, np.ones((n_q, n_k), dtype=bool)) for n_q, n_k, d in SIZES] + MASKED


def count_sum(cells: int, terms: int, granularity: str, factors: int = 2) -> int:
    """Vertices of `cells` sums with `terms` terms in all, counted as math.md, section 6, describes them."""
    if granularity == "entry":
        return cells
    if granularity == "chain":
        return terms
    return terms * (factors - 1) + terms - cells


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize(("n_q", "n_k", "d", "mask"), CASES)
def test_number_of_vertices(n_q: int, n_k: int, d: int, mask: np.ndarray, granularity: str) -> None:
    r, c, kept = mask.any(1).sum(), mask.any(0).sum(), mask.sum()
    options = {"n_q": n_q, "n_k": n_k, "d": d, "granularity": granularity, "mask": mask}

    def sums(*groups: tuple[int, ...]) -> int:
        return sum(count_sum(cells, terms, granularity, *rest) for cells, terms, *rest in groups)

    scores = (kept, kept * d)
    of_rows, of_columns = (r * d, kept * d), (c * d, kept * d)
    qkv = attention_backward(**options)
    assert len(qkv) == 2 * (r + c) * d + 2 * r + 2 * kept + sums(scores, scores, of_rows, of_columns, of_columns)
    assert len(qkv.outputs) == (r + 2 * c) * d
    forward = attention_forward(**options)
    assert len(forward) == (r + 2 * c) * d + 2 * kept + r + sums(scores, (r, kept, 1), of_rows)
    last = attention_forward(**options, divide="last")
    assert len(last) == len(forward) - kept + r * d
    assert len(forward.outputs) == len(last.outputs) == r * d + r
    products = ((r * d, r * d * d), (c * d, c * d * d), (d * d, r * d * d), (d * d, c * d * d))
    weights = attention_backward(**options, form="weights")
    assert len(weights) == 2 * (r + c) * d + 2 * d * d + 3 * kept + r + sums(
        *products, scores, scores, (r, kept, 1), (r, r * d), of_rows, of_rows, of_columns
    )
    assert len(weights.outputs) == 2 * d * d
    target = attention_backward(**options, form="weights", target=True)
    weights_last = attention_backward(**options, form="weights", divide="last")
    assert len(target) == len(weights_last) == len(weights) + r * d
    for dag in (qkv, forward, last, weights, target, weights_last):
        assert "" not in {place.tensor for place in dag.places}
        assert len(set(dag.places)) == len(dag)
        assert all(dag.successors[v] or v in dag.outputs for v in range(len(dag)))


def test_sizes_of_the_weights_form_and_the_forward_pass() -> None:
    n, d = 3, 2
    chains = attention_backward(n=n, d=d, form="weights")
    elementwise = 4 * n * n + n + n * d  # A, l, f, p; lse; D
    assert len(chains) == 4 * n * d * d + 5 * n * n * d + elementwise + 4 * n * d + 2 * d * d
    assert len(attention_forward(n=n, d=d)) == 2 * n * n * d + 3 * n * n + 3 * n * d + n
    trees = attention_backward(n=n, d=d, granularity="tree")
    assert len(trees) == 10 * n * n * d - 3 * n * d + 4 * n * d + 2 * n
    assert len(attention_backward(n=n, d=d, granularity="entry")) == 4 * n * n + 7 * n * d + 2 * n


def evaluate(dag: PebbleDag, given: dict[str, np.ndarray], granularity: str) -> dict[str, dict[tuple[int, int], float]]:
    """Values of all vertices from the operands alone; tensor -> cell -> the value of the cell's last step."""
    value = [np.nan] * len(dag)
    cells: dict[str, dict[tuple[int, int], float]] = {}
    for v in dag.order:
        tensor, row, column, step, _ = dag.places[v]
        names = [dag.places[u][0] for u in dag.predecessors[v]]
        product = difference if tensor == "D" and "E" in names else float.__mul__
        operands = [value[u] for u in dag.predecessors[v]]
        if not operands:
            value[v] = given[tensor][row, column]
        elif tensor == "A":
            value[v] = np.exp(operands[0])
        elif tensor in ("P", "f"):
            value[v] = np.exp(operands[0] - operands[1])
        elif tensor == "lse":
            value[v] = np.log(operands[0])
        elif tensor == "O" and "N" in names:
            value[v] = operands[0] / operands[1]
        elif tensor in ("dS", "p"):
            p, dp, delta = operands
            value[v] = p * (dp - delta)
        elif tensor == "dO":
            value[v] = operands[0] - operands[1]
        elif tensor == "l":
            value[v] = sum(operands)
        elif granularity == "entry":
            value[v] = sum(product(a, b) for a, b in zip(operands[::2], operands[1::2], strict=True))
        elif granularity == "tree":
            value[v] = sum(operands) if set(names) == {tensor} else product(*operands)
            assert len(operands) == 2
        else:
            *before, left, right = operands
            assert len(before) == min(step, 1)
            value[v] = sum(before) + product(left, right)
        cells.setdefault(tensor, {})[row, column] = value[v]
    return cells


def difference(out: float, target: float) -> float:
    """A term of D where E is given: O dO."""
    return out * (out - target)


def check(dag: PebbleDag, cells: dict[str, dict[tuple[int, int], float]], right: dict[str, torch.Tensor]) -> None:
    outputs = {dag.places[v][:3] for v in dag.outputs}
    for tensor, array in right.items():
        for (row, column), exact in np.ndenumerate(array.numpy()):
            if (tensor, row, column) in outputs:
                assert cells[tensor][row, column] == pytest.approx(exact, rel=1e-9, abs=1e-12)
            else:
                assert exact == 0  # nothing kept: no output, and a zero gradient
    assert len(outputs) == len(dag.outputs)


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize(("n_q", "n_k", "d", "mask"), CASES)
def test_every_form_computes_what_autograd_does(n_q: int, n_k: int, d: int, mask: np.ndarray, granularity: str) -> None:
    generator = torch.Generator().manual_seed(1)

    def random(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    kept = torch.tensor(mask)

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        weight = torch.exp(q @ k.T) * kept
        total = weight.sum(1, keepdim=True)
        return weight / torch.where(total == 0, 1, total) @ v

    options = {"n_q": n_q, "n_k": n_k, "d": d, "mask": mask, "granularity": granularity}
    q, k, v, do = random(n_q, d), random(n_k, d), random(n_k, d), random(n_q, d)
    lse = torch.log((torch.exp(q @ k.T) * kept).sum(1, keepdim=True))
    for divide in ("first", "last"):
        dag = attention_forward(**options, divide=divide)
        cells = evaluate(dag, {"Q": q.numpy(), "K": k.numpy(), "V": v.numpy()}, granularity)
        check(dag, cells, {"O": attend(q, k, v), "lse": torch.where(torch.isinf(lse), 0, lse)})

    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out = attend(*leaves)
    out.backward(do)
    delta = (do * out.detach()).sum(1, keepdim=True)
    dag = attention_backward(**options)
    given = {"Q": q, "K": k, "V": v, "dO": do, "lse": lse, "D": delta}
    cells = evaluate(dag, {name: array.numpy() for name, array in given.items()}, granularity)
    check(dag, cells, {"dQ": leaves[0].grad, "dK": leaves[1].grad, "dV": leaves[2].grad})

    x, y = random(d, d).requires_grad_(), random(d, d).requires_grad_()
    a1, a2, a3, e = random(n_q, d), random(n_k, d), random(n_k, d), random(n_q, d)
    for target, divide in itertools.product((False, True), ("first", "last")):
        x.grad = y.grad = None
        out = attend(a1 @ x, a2, a3 @ y)
        loss = ((out - e) ** 2)[kept.any(1)].sum() / 2 if target else (out * e).sum()
        loss.backward()
        dag = attention_backward(**options, form="weights", target=target, divide=divide)
        given = {"A1": a1, "A2": a2, "A3": a3, "X": x.detach(), "Y": y.detach(), ("E" if target else "dO"): e}
        cells = evaluate(dag, {name: array.numpy() for name, array in given.items()}, granularity)
        check(dag, cells, {"gX": x.grad, "gY": y.grad})


def test_a_mask_that_keeps_all_changes_only_the_name() -> None:
    for build, d in itertools.product((attention_backward, attention_forward), (1, 2)):
        plain, masked = build(n_q=2, n_k=3, d=d), build(n_q=2, n_k=3, d=d, mask=np.ones((2, 3), dtype=bool))
        assert plain.labels == masked.labels
        assert plain.predecessors == masked.predecessors
        assert masked.name == f"{plain.name} mask=111/111"


def test_tree_steps_are_products_then_sums() -> None:
    dag = attention_backward(n=1, d=3, granularity="tree")

    def operands(label: str) -> list[str]:
        return [dag.labels[u] for u in dag.predecessors[dag.index(label)]]

    assert operands("S[0,0]#2") == ["Q[0,2]", "K[0,2]"]
    assert operands("S[0,0]#3") == ["S[0,0]#0", "S[0,0]#1"]
    assert operands("S[0,0]#4") == ["S[0,0]#3", "S[0,0]#2"]
    assert operands("P[0,0]") == ["S[0,0]#4", "lse[0]"]
    assert dag.places[dag.index("S[0,0]#4")] == ("S", 0, 0, 4, 5)


@pytest.mark.parametrize(
    ("options", "reason", "sentence"),
    [
        ({"form": "kqv"}, "bad_choice", "form must be qkv or weights, got 'kqv'"),
        ({"granularity": "fine"}, "bad_choice", "granularity must be chain or tree or entry, got 'fine'"),
        ({"target": True}, "bad_choice", "a target is for form=weights"),
        ({"divide": "last"}, "bad_choice", "divide must be first, got 'last'"),
        ({"form": "weights", "divide": "never"}, "bad_choice", "divide must be first or last, got 'never'"),
        ({"mask": [[True, True]]}, "bad_mask", r"a mask must be booleans of shape \(2, 2\)"),
        ({"mask": [[1, 0], [1, 1]]}, "bad_mask", "must be booleans"),
        ({"mask": [[True], [True, True]]}, "bad_mask", "rows of a mask"),
        ({"mask": np.zeros((2, 2), dtype=bool)}, "bad_mask", "keeps no pair"),
    ],
)
def test_what_is_refused(options: dict[str, object], reason: str, sentence: str) -> None:
    with pytest.raises(InvalidDag, match=sentence) as refused:
        attention_backward(n=2, **options)
    assert refused.value.reason == reason


@pytest.mark.parametrize("granularity", GRANULARITIES)
def test_what_is_too_large_is_refused_before_it_is_built(granularity: str) -> None:
    for build in (attention_forward, attention_backward, lambda **o: attention_backward(**o, form="weights")):
        with pytest.raises(InvalidDag, match="at most 100000 are allowed"):
            build(n=10**6, d=64, granularity=granularity)
