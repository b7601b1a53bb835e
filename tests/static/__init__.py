"""A try of the static build in Chromium, without a full Pyodide distribution: ``python -m tests.static``."""
