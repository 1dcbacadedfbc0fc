# One place for every command; a person and CI run the same ones.
PYTHON ?= python3
BIN := .venv/bin
RUN := .venv/.run
DEV := .venv/.dev

.DEFAULT_GOAL := help
.PHONY: help run test check format bench bench-large soak lock schemas tables clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(RUN)  ## judge the example plan, then serve on 127.0.0.1:8000
	@$(BIN)/domain-access serve --demo

test: $(DEV)  ## every test, in random order, on all cores; prints the ten slowest
	@$(BIN)/pytest $(WITH)

check: $(DEV)  ## format, lint, types, imports, tests and their coverage
	$(BIN)/ruff format --check app tests examples
	$(BIN)/ruff check app tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory test WITH="--cov --cov-report=term:skip-covered --cov-fail-under=90"

format: $(DEV)  ## format the code and mend what the linter can
	$(BIN)/ruff format app tests examples
	$(BIN)/ruff check --fix app tests examples

bench: $(DEV)  ## measure: verdicts, Situations, HTTP, and peers on the same question
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements-bench.lock
	$(BIN)/python -m tests.bench

bench-large: $(DEV)  ## the same of worlds on disk, up to 1,000,000 entities; minutes, and pictures in bench/
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements-bench.lock
	$(BIN)/python -m tests.bench stores --large --plots bench

soak: $(DEV)  ## kill servers 1,000 times for dialogues and for worlds, check what they left (other counts: make soak KILLS=50)
	$(BIN)/python -m tests.soak $(KILLS)
	$(BIN)/python -m tests.kill $(KILLS)
KILLS := 1000

schemas: $(DEV)  ## write schemas/ anew from the models
	$(BIN)/python -m app.exchange.schemas

tables: $(DEV)  ## write the table of Actions in rules/README.md anew from their files
	$(BIN)/python -m app.authoring.actions

lock:  ## resolve the dependencies anew (Python 3.11 and newer, every platform)
	$(PYTHON) -m venv .venv && $(BIN)/pip install --quiet 'uv>=0.13,<0.14'
	$(BIN)/uv pip compile $(LOCK) pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile $(LOCK) pyproject.toml --extra authoring --extra postgres --group dev -c requirements.lock -o requirements-dev.lock
	$(BIN)/uv pip compile $(LOCK) --group bench -c requirements-dev.lock -o requirements-bench.lock
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-emit-package domain-access

$(RUN): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say which with: make PYTHON=python3.12 ...")'
	@echo "setting up .venv (once) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --require-hashes -r requirements.lock
	@$(BIN)/pip install --quiet --no-deps --editable .
	@touch $@

$(DEV): $(RUN) requirements-dev.lock
	@echo "setting up the test tools (once) ..."
	@$(BIN)/pip install --quiet --require-hashes -r requirements-dev.lock
	@touch $@

clean:  ## remove what the commands above made
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage
