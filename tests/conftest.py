"""What all tests share: hypothesis without a clock (the machine is shared), the same examples everywhere."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("default", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=2_000, print_blob=True)  # --hypothesis-profile=search
settings.load_profile("default")


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT
