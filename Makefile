# Two commands carry the project: `make book` and `make test`. Each sets up .venv by itself.
.DEFAULT_GOAL := help
.PHONY: help setup book test lint verify verdicts serve lock clean
SHELL := /bin/bash
TIMED = @start=$$SECONDS; run() { echo "→ $$*"; "$$@" || exit $$?; }; done_in() { echo "$@: done in $$((SECONDS - start)) s"; };
BIN := .venv/bin

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## create .venv and install the lock (nothing to do when it is there)
	@.ci/setup

book: setup ## run every notebook under `smoke` and render the HTML
	$(TIMED) run $(BIN)/trustnlp book; done_in

serve: setup ## build the book and serve it on localhost
	@$(BIN)/trustnlp book --serve

lint: setup ## style and types
	$(TIMED) run $(BIN)/ruff check .; run $(BIN)/ruff format --check src tests benchmarks book; run $(BIN)/mypy; done_in

test: lint ## run every test (browser tests need a built book and Chromium)
	$(TIMED) run $(BIN)/pytest -q -n 2 $(PYTEST_ARGS); done_in

verify: setup ## re-run the quick part of the `paper` profile on the real data, compare with the committed records
	$(TIMED) run $(BIN)/trustnlp verify; done_in

verdicts: setup ## the verdict of every claim, and whether the ledgers expect it
	@$(BIN)/trustnlp verdicts --check

lock: setup ## resolve pyproject.toml's ranges anew into requirements.lock
	$(TIMED) $(BIN)/uv pip compile -q --upgrade --python-version 3.11 $(foreach link,$(PIP_FIND_LINKS),--find-links $(link)) --all-extras \
	  --no-annotate --no-header --no-emit-find-links --override <(echo "torch==2.13.0") pyproject.toml -o _build/lock.raw && \
	  sed 's/^\(torch==[0-9.]*\)+cpu$$/\1/' _build/lock.raw > requirements.lock; done_in

clean: ## remove everything that was built (not .venv)
	rm -rf _build .mypy_cache .pytest_cache .ruff_cache
