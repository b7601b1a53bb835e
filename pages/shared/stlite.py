"""What the Streamlit of stlite 1.9.2 lacks: two static methods of `Runtime` that its own components (v2) call."""

from typing import Any

from streamlit import runtime


def mend(kind: Any = runtime.Runtime) -> None:
    """Give `kind` those that it does not have."""
    for name, function in (("exists", runtime.exists), ("instance", runtime.get_instance)):
        if not hasattr(kind, name):
            setattr(kind, name, staticmethod(function))
