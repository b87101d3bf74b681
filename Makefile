# Everything runs in .venv, which the first command makes; nothing else on the machine is touched,
# except that a browser is installed for the tests when none is found.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TESTS := $(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: demo test check bench clean

demo: $(VENV)/.demo-ready
	@$(BIN)/rightcall demo

test: $(VENV)/.test-ready
	$(TESTS)

check: $(VENV)/.test-ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(TESTS)

bench: $(VENV)/.test-ready
	$(BIN)/python -m benchmarks

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/.demo-ready: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[local,web]"
	@touch $@

$(VENV)/.test-ready: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(BIN)/python -m tests.support.browser
	@touch $@ $(VENV)/.demo-ready

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
