"""A file of the project that cannot be read is named in the server's log."""

import contextlib
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Read `path` in here: whatever is raised carries a note that says which file it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"while reading {path}: the file is damaged or missing, put the project's own in its place")
        raise
