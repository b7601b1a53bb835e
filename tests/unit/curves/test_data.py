"""The sweep behind the curves: one serves every M, and says what a sweep made for that M would."""

import pytest

from kernels_ref import sweep_columns
from pages.shared.curve_data import HIGH, LOW, curves
from pages.shared.settings import CurveSettings


@pytest.mark.parametrize("memory", [1, LOW, 777, 4096, 65_537, HIGH, 2**23, 2**30])
@pytest.mark.parametrize("d", [1, 3, 64])
def test_a_shared_sweep_is_that_of_its_own_memory(d: int, memory: int) -> None:
    settings = CurveSettings(n=1000, d=d, memory=memory, algorithms=("flash2", "small-cache", "flash1"), heads=2)
    found = curves(settings)
    assert list(found.memory) == sorted({*found.memory, memory, d * d} - {m for m in (d * d,) if m < found.memory[0]})
    assert found.memory[0] == min(LOW, memory)
    assert found.memory[-1] >= max(HIGH, memory)
    assert found.columns == sweep_columns(settings.algorithms, 1000, d, found.memory, heads=2)
