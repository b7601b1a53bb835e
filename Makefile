# make app    the app: environment, dependencies, server; prints the address      (PORT=8501)
# make test   every test, Chromium included                                       (ARGS="-k lab")
# make check  ruff and mypy
# make bench  the measurements
# make loadtest  a class on a fresh server, and whether it holds      (ARGS="--sessions 300", "--with-run", "--soak 60")
# make static the app as files for any static host, in dist/; nobody's server runs it      (PYODIDE=folder)
# make lock   deploy/requirements.lock and deploy/static.lock anew; make audit asks what is known against them
# Needs Python 3.11 or later and make; everything else is fetched from the package registries.

PORT ?= 8501
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)
CHROMIUM = command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome

# Browser tests run two at a time, each worker with a server and a browser of its own. Those that fail are run once more
# by themselves: a machine busy with other work can starve a browser, and a real fault fails again.

.PHONY: app test check bench loadtest static lock audit format browser clean
.DEFAULT_GOAL := app

app: $(VENV)/.stamp-app
	@echo "Pebbling Attention: http://localhost:$(PORT)  (stop with Ctrl-C)"
	@$(BIN)/python -m streamlit run app.py --server.port $(PORT) --server.headless true --browser.serverAddress localhost

test: $(VENV)/.stamp-dev browser
ifeq ($(ARGS),)
	$(BIN)/python -m pytest -n auto -m "not browser"
	$(BIN)/python -m pytest -n 2 -m browser || $(BIN)/python -m pytest -m browser --last-failed
else
	$(BIN)/python -m pytest $(ARGS)
endif

check: $(VENV)/.stamp-dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

bench: $(VENV)/.stamp-bench browser
	$(BIN)/python -m tests.bench $(ARGS)

loadtest: $(VENV)/.stamp-dev
	@$(BIN)/python -m tests.load $(ARGS)

static: $(BIN)/python
	@$(BIN)/python deploy/static.py $(if $(PYODIDE),--pyodide "$(PYODIDE)") $(ARGS)

# The versions and hashes that deployments install, from requirements.txt; and what is known against them.
lock: $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile requirements.txt --universal --generate-hashes --no-header --no-emit-index-url \
		--python-version 3.11 --quiet --output-file deploy/requirements.lock
	$(BIN)/uv pip compile deploy/static.in --no-deps --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--python-version 3.13 --quiet --output-file deploy/static.lock

audit: $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pip-audit
	$(BIN)/python -m pip_audit --requirement deploy/requirements.lock --disable-pip
	$(BIN)/python -m pip_audit --requirement deploy/static.lock --disable-pip

format: $(VENV)/.stamp-dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

# The browser that the tests drive. As root on Debian or Ubuntu it is installed; elsewhere the message says what to install.
browser:
	@$(CHROMIUM) >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the browser tests"; \
		apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium && \
		{ DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends chromium-headless-shell || true; }; \
	else \
		echo "The browser tests need Chromium. Install the package 'chromium' (Debian, Fedora, Arch: chromium;" >&2; \
		echo "macOS: brew install --cask chromium), then run this again." >&2; exit 1; \
	fi

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later with venv is needed (Debian: apt-get install python3-venv)." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A stamp is newer than the requirements that it stands for, so a second run starts at once.
$(VENV)/.stamp-app: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.stamp-dev: requirements-dev.txt requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.stamp-app

$(VENV)/.stamp-bench: requirements-bench.txt $(VENV)/.stamp-dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.txt
	@touch $@

clean:
	rm -rf $(VENV) .hypothesis .mypy_cache .pytest_cache .ruff_cache tests/browser/shots dist
