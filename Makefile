# Two commands carry the project: `make book` and `make test`. Each sets up .venv by itself.
.DEFAULT_GOAL := help
.PHONY: help setup book test coverage lint size verify verdicts bench serve lock upgrade-lock clean
SHELL := /bin/bash
TIMED = @start=$$SECONDS; run() { echo "→ $$*"; "$$@" || exit $$?; }; done_in() { echo "$@: done in $$((SECONDS - start)) s"; };
BIN := .venv/bin
# What requirements.lock holds besides the package itself. Not `records`: dedupe's affinegap needs a C compiler.
LOCKED_EXTRAS := crate data embeddings explain graphs senses text run book test

# Where Python is told to keep no bytecode, each process would compile torch anew: keep it under _build instead.
ifneq ($(PYTHONDONTWRITEBYTECODE),)
export PYTHONPYCACHEPREFIX := $(CURDIR)/_build/pycache
unexport PYTHONDONTWRITEBYTECODE
endif

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## create .venv and install the lock (nothing to do when it is there)
	@.ci/setup

book: setup ## run every notebook under `smoke` and render the HTML
	$(TIMED) run $(BIN)/trustnlp book; done_in

serve: book ## build the book and serve it on localhost
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/html

lint: setup ## style and types
	$(TIMED) run $(BIN)/ruff check .; run $(BIN)/ruff format --check src tests benchmarks book; run $(BIN)/mypy; done_in

size: ## lines of code by part of the house, beside their limits
	@.ci/size

test: lint size ## run every test (browser tests need a built book and Chromium)
	$(TIMED) run $(BIN)/pytest -q -n 2 $(PYTEST_ARGS); done_in

coverage: setup ## which lines of src the quick tests run, by file, and the share of all
	$(TIMED) export COVERAGE_FILE=_build/coverage; run $(BIN)/pytest -q -n 2 --cov=src/trustnlp --cov-report=term-missing:skip-covered \
	  tests/unit tests/properties tests/oracle $(PYTEST_ARGS); done_in

verify: setup ## re-run the quick part of the `paper` profile on the real data, compare with the committed records
	$(TIMED) run $(BIN)/trustnlp verify $(VERIFY_ARGS); done_in

verdicts: setup ## the verdict of every claim, and whether the ledgers expect it
	@$(BIN)/trustnlp verdicts --check

bench: setup ## our speed beside that of other libraries, which stand in _build/peers; ten minutes
	$(TIMED) run $(BIN)/python benchmarks/table.py $(BENCH_ARGS); done_in

# uv keeps the versions it finds in the file it writes to. What torch's build with CUDA needs besides stands apart, and
# beside its hashes stand those of the build without, which the package index does not have.
lock: setup ## fit requirements.lock to pyproject.toml, for every system; what it pins already stays
	$(TIMED) mkdir -p _build && cat requirements.lock requirements-cuda.lock > _build/lock.raw && \
	  $(BIN)/uv pip compile -q $(UPGRADE) --universal --generate-hashes --python-version 3.11 \
	  $(foreach extra,$(LOCKED_EXTRAS),--extra $(extra)) --no-annotate --no-header --constraints <(echo "torch==2.13.0") \
	  pyproject.toml -o _build/lock.raw && \
	  awk '/^[^ ]/ {to = /^(nvidia-|cuda-|triton)/ ? "requirements-cuda.lock" : "requirements.lock"} !($$1 in told) {print > to} \
	  /^torch==/ {while ((getline < ".ci/torch-cpu.txt") > 0) if (/hash/) {print > to; told[$$1]}}' _build/lock.raw; done_in

upgrade-lock: ## move every pin of requirements.lock to the newest version in range
	@$(MAKE) lock UPGRADE=--upgrade

clean: ## remove everything that was built (not .venv)
	rm -rf _build .mypy_cache .pytest_cache .ruff_cache
