# Each recipe stands here once, for a person at a keyboard and for CI alike.
# A machine needs Python 3.11 or later, make, and at the first run a network; nothing else.

PYTHON ?= python3
BIN := .venv/bin
UV ?= $(BIN)/uv

# Passed through: make run SERVE_ARGS=..., make test PYTEST_ARGS="-k bids -x" PARALLEL=, make lock LOCK_ARGS=--upgrade
SERVE_ARGS ?=
PYTEST_ARGS ?=
PARALLEL ?= -n auto --dist loadfile
LOCK_ARGS ?=
BENCH_ARGS ?=

PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --custom-compile-command "make lock" $(LOCK_ARGS) pyproject.toml --group build

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-slow check lint format schema bench install lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: .venv/.runtime ## start the service, with its own store unless REDIS_URL names one
	@exec $(BIN)/spades serve $(SERVE_ARGS)

test: .venv/.dev ## run the tests, without the long proofs
	@$(BIN)/pytest -m "not slow" $(PARALLEL) $(PYTEST_ARGS)

test-all: .venv/.dev ## run every test
	@$(BIN)/pytest $(PARALLEL) $(PYTEST_ARGS)

# Exit code 5 says that no test is marked slow.
test-slow: .venv/.dev ## run the long proofs alone
	@$(BIN)/pytest -m slow $(PARALLEL) $(PYTEST_ARGS) || [ $$? -eq 5 ]

check: lint ## everything a change must pass: style, types, layers, schemas, tests
	@$(MAKE) --no-print-directory test

# pyright runs on node and would download one where there is none: a check must not.
lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	@if command -v node >/dev/null; then \
	  echo "$(BIN)/pyright"; PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright; \
	else \
	  echo "*** SKIPPED: pyright, because no node is on the PATH ***" >&2; \
	fi
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m spades_schema.export --check

format: .venv/.dev ## rewrite the code in the project's style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: .venv/.dev ## write schema.graphql, openapi.json and events.schema.json anew
	$(BIN)/python -m spades_schema.export

bench: .venv/.dev ## measure (BENCH_ARGS="fold" for a part)
	@PYTHONPATH=tests $(BIN)/python -m bench $(BENCH_ARGS)

install: .venv/.dev ## make .venv with all that the other commands need

# The dev lock first: it holds all of the other one, which then can only agree with it.
lock: $(UV) ## resolve both locks anew (LOCK_ARGS=--upgrade for newer versions)
	$(COMPILE) --extra dev --output-file requirements-dev.lock
	$(COMPILE) --constraints requirements-dev.lock --output-file requirements.lock

# The games in .data stay: they are not ours to throw away.
clean: ## remove .venv, caches and built files
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps inside .venv make the second run start at once and without a network.
.venv/.runtime: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing what the service needs into .venv"
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: requirements-dev.lock pyproject.toml | .venv/bin/python
	@echo "Installing what the service and its tests need into .venv"
	@$(PIP) --require-hashes -r requirements-dev.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch .venv/.runtime $@

.venv/bin/uv: .venv/.dev

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "spades-service needs Python 3.11 or later: name one with make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments: install its venv package (Debian, Ubuntu: apt install python3-venv) and call make again." >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { rm -rf .venv; exit 1; }
