# `make run` and `make test` need Python 3.11 or newer and nothing else: they make their own virtual environment.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test prove bench check clean

$(VENV)/.ready: pyproject.toml twisted/plugins/gamed_plugin.py $(wildcard schemas/*)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/pip install --quiet --editable . --group test
	# Twisted looks at all plugins once, and remembers them; no test or daemon need do it.
	$(BIN)/python -c "from twisted.plugin import IPlugin, getPlugins; list(getPlugins(IPlugin))"
	# Compiled once: where Python writes no bytecode (PYTHONDONTWRITEBYTECODE), each of many processes would do it again.
	$(BIN)/python -m compileall -q gamed tests twisted
	touch $@

# The daemon in the foreground, with the options in ARGS: make run ARGS="--config etc/gamed.toml"
run: $(VENV)/.ready
	$(BIN)/twistd -n gamed $(ARGS)

# The whole test suite, in a few minutes, by two processes.
test: $(VENV)/.ready
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder $(ARGS)

# The long proofs: kills, floods, thousands of games. PROVE=short runs a sample of each.
prove: $(VENV)/.ready
	PROVE=$(or $(PROVE),whole) $(BIN)/python -m pytest -s tests/proofs $(ARGS)

# The benchmarks, with their figures.
bench: $(VENV)/.ready
	$(BIN)/python -m tests.benchmarks $(ARGS)
	$(BIN)/python -m tests.benchmarks.imports

# Lint, types, import contracts, links and citations, and what tests/checks.py holds.
check: $(VENV)/.ready
	$(BIN)/pip install --quiet --group check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --quiet tests/test_citations.py tests/test_javascript.py
	$(BIN)/python -m tests.checks

clean:
	rm -rf $(VENV) dist _trial_temp*
