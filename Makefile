# Everything a newcomer or a developer runs. `make help` lists it.
# Needs Python >= 3.11 (with venv) and make; `make PYTHON=python3.12 test` chooses an interpreter.

PYTHON ?= python3
VENV ?= .venv
MODEL ?= smollm2-135m-instruct

BIN := $(VENV)/bin
LOCK := requirements/lock.txt
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help bench bench-quick demo model peers test test-slow lint types format lock wheel clean
.DELETE_ON_ERROR:

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: model ## install sqlax, fetch the default model and answer a query on the bundled reviews
	$(BIN)/sqlax demo

model: $(VENV)/installed ## fetch the default model into the user's cache folder
	$(BIN)/sqlax models pull $(MODEL)

test: lint types ## check style, types and layers, then run the tests
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not slow" $(PYTEST_ARGS)

bench: model $(VENV)/installed-dev peers ## compare with the peers; writes benchmarks/results/latest.json
	$(BIN)/python -m benchmarks.bench
	$(BIN)/python -m benchmarks.charts
	$(BIN)/python -m benchmarks.table

bench-quick: model $(VENV)/installed-dev ## a few rows of the same; fails where a ratio fell by a tenth
	$(BIN)/python -m benchmarks.bench --quick

peers: ## install the peers; one that cannot be installed is reported as missing
	-for peer in llama_cpp transformers vllm; do PYTHON="$(PYTHON)" benchmarks/peers/install.sh $$peer; done

test-slow: $(VENV)/installed-dev ## run the tests that take long: many compiled generate queries
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m slow $(PYTEST_ARGS)

lint: $(VENV)/installed-dev ## check style, formatting and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/installed-dev ## check types
	$(BIN)/mypy

format: $(VENV)/installed-dev ## mend style and formatting in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: ## write requirements/lock.txt anew: the newest versions that pyproject.toml allows
	rm -rf $(VENV)-lock
	$(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	{ echo '# Made by `make lock`. The versions that sqlax is tested with, for pip install --constraint.'; \
	  $(VENV)-lock/bin/python -m pip freeze --exclude sqlax; } > $(LOCK)
	rm -rf $(VENV)-lock build

wheel: $(VENV)/installed ## build dist/sqlax-*.whl
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	rm -rf build

clean: ## remove the virtual environment, builds and caches; models in the user's cache stay
	rm -rf $(VENV) $(VENV)-lock build dist *.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The two stamps say what the environment holds; each is newer than what it was made from.
$(VENV)/installed: $(VENV)/pyvenv.cfg pyproject.toml $(LOCK)
	@echo 'Installing sqlax into $(VENV) (about a minute)'
	$(INSTALL) --constraint $(LOCK) --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(INSTALL) --constraint $(LOCK) --editable '.[dev]'
	@touch $@

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'sqlax needs Python >= 3.11, and $(PYTHON) is' "$$($(PYTHON) --version 2>&1)."; \
	  echo 'Name a newer one, for example: make PYTHON=python3.12 $(MAKECMDGOALS)'; exit 1; }
	$(PYTHON) -m venv $(VENV)
