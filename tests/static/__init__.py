"""A try of the static build in Chromium, where a full Pyodide distribution cannot be had: ``python -m tests.static``."""
