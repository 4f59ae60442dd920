# Everything runs in a virtual environment of its own; nothing but Python 3.11+ is needed.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
TOOLS := build/tools
CI_GROUPS := --group check --group docs --group tutorials
export HAYSTACK_TELEMETRY_ENABLED := False

.PHONY: demo native sanitize test slow alltests ray check lint spelling types imports format lists docs tutorials dist wheel plain floors pythons mutate coverage hooks performance bench clean

demo: $(VENV)/installed ## install and run the main job on shipped data
	$(BIN)/thresher demo

KERNELS := src/thresher/native/_kernels.so

native: $(KERNELS) ## compile the native kernels again; without a compiler numpy is used

# Not made without a compiler: then each target tries again, which takes no time.
$(KERNELS): hatch_build.py $(wildcard src/thresher/native/cpp/*) | $(VENV)/bin/python
	$(BIN)/python hatch_build.py

# The runtime of the sanitizers must be in the process before the library; Python itself leaks, so leaks do not count.
SANITIZED := build/sanitize/_kernels.so
PRELOADED := $(foreach name,libasan.so libstdc++.so.6,$(shell c++ -print-file-name=$(name) 2>/dev/null))

$(SANITIZED): hatch_build.py $(wildcard src/thresher/native/cpp/*)
	$(PYTHON) hatch_build.py --sanitize $@

sanitize: $(VENV)/test $(SANITIZED) ## run the native kernels on adversarial data under address and undefined-behaviour sanitizers
	LD_PRELOAD="$(PRELOADED)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 FUZZ_SEEDS=5 \
	  THRESHER_NATIVE=1 THRESHER_KERNELS=$(SANITIZED) timeout 300 env $(PYTEST) -m "not slow" tests/native

# Workers, and the processes that tests start, load compiled modules even where the environment forbids to write
# them (compiling took 9 of the 20 s of a collection). A worker that runs dry takes over half of what another has
# left, so no long test keeps one alone at the end.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n auto --dist worksteal

test: $(VENV)/test $(KERNELS) ## install and pass the tests, except the slow ones
	$(PYTEST) -m "not slow"

# They wait for other processes half of the time, so there are twice as many workers as processors, up to 8.
slow: $(VENV)/test $(KERNELS) ## pass the slow tests: notebooks, whole commands, processes that are killed, simulations
	PYTEST_XDIST_AUTO_NUM_WORKERS=$$($(BIN)/python -c "import os; n = os.cpu_count() or 1; print(max(n, min(8, 2 * n)))") \
	  $(PYTEST) -m slow

# One collection of the tests, and slow ones that wait leave the processors to the others.
alltests: $(VENV)/test $(KERNELS) ## pass all tests, as CI does: in less time than make test slow
	PYTEST_XDIST_AUTO_NUM_WORKERS=$$($(BIN)/python -c "import os; n = os.cpu_count() or 1; print(max(n, min(8, n + 1)))") \
	  $(PYTEST)

ray: $(VENV)/test $(KERNELS) ## install Ray (214 MB) and pass the tests of runs on it, which CI does not
	$(BIN)/python -m pip install -q -e '.[ray]'
	$(BIN)/pytest -q tests/pipelines/executors -k ray

check: lint spelling types imports ## style, spelling, types and the direction of imports

lint: $(VENV)/check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

spelling: $(VENV)/check
	$(BIN)/codespell

types: $(VENV)/check
	$(BIN)/mypy

imports: $(VENV)/check
	$(BIN)/lint-imports

format: $(VENV)/check ## format the code and apply ruff's safe fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lists: $(VENV)/test ## write the table of metrics, the stubs for type checkers, the catalogue, new public names and kinds
	$(BIN)/python scripts/write_components.py
	$(BIN)/python scripts/write_catalogue.py
	UPDATE_API=additions UPDATE_KINDS=additions \
	  $(BIN)/pytest -q tests/test_public_api.py tests/results/test_stored_kinds.py

docs: $(VENV)/docs ## build the documentation strictly, into build/site
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=scripts $(BIN)/mkdocs build

tutorials: $(VENV)/docs ## run the plain scripts and write the notebooks
	$(BIN)/python scripts/write_tutorials.py

dist: ## build the wheel
	PYTHON=$(PYTHON) bash scripts/test_wheel.sh build

wheel: ## build the wheel and test it as users get it
	PYTHON=$(PYTHON) bash scripts/test_wheel.sh

plain: ## test the wheel as `pip install` gives it: without extras, which are named where they are needed
	PYTHON=$(PYTHON) bash scripts/test_wheel.sh plain

floors: ## test the wheel with exactly the lowest versions that pyproject.toml declares
	PYTHON=$(PYTHON) bash scripts/test_wheel.sh lowest $(TESTS)

pythons: ## test the wheel with later versions of Python (VERSIONS, default "3.12 3.13") that are installed
	@for version in $(or $(VERSIONS),3.12 3.13); do \
	  if found=$$(bash scripts/find_python.sh $$version); then \
	    echo "Python $$version"; PYTHON=$$found bash scripts/test_wheel.sh newest $(TESTS) || exit 1; \
	  else echo "Python $$version is not installed: not tested"; fi; done

mutate: $(VENV)/mutate ## share of small changes to the code that the tests notice
	$(BIN)/python scripts/mutate.py $(MUTATE)

coverage: $(VENV)/coverage ## lines and branches that no test runs, as a table and as build/coverage/index.html
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -q -n auto $(TESTS)
	$(BIN)/coverage combine -q
	$(BIN)/coverage html -q
	$(BIN)/coverage report

hooks: $(VENV)/bin/python ## run the checks of changed files before each commit
	$(BIN)/python -m pip install -q -e . --group check --group hooks
	$(BIN)/pre-commit install

performance: $(VENV)/test $(KERNELS) ## measure the promised bounds, and write the table and picture of docs/performance.md
	mkdir -p build
	$(BIN)/python benchmarks/promises.py --json build/performance.json
	$(BIN)/python scripts/write_performance.py build/performance.json

bench: $(VENV)/test $(KERNELS) ## the promised bounds, and tables of benchmarks/ on small data; BENCH="--full --only text" for others
	$(BIN)/python benchmarks/run.py $(BENCH)

clean:
	rm -rf $(VENV) .venv-wheel* dist build

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: set PYTHON=/path/to/python3"; exit 2; }
	@echo "Setting up $(VENV): a minute or two, once."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade "pip>=25.1"

$(TOOLS)/bin/uv:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install -q build uv

$(VENV)/installed: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e .
	@touch $@

$(VENV)/test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e . --group test
	@touch $@ $(VENV)/installed

$(VENV)/check: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e . --group check
	@touch $@ $(VENV)/test $(VENV)/installed

$(VENV)/docs: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e . --group test --group docs --group tutorials
	@touch $@ $(VENV)/test $(VENV)/installed

# One resolution and one build for all that CI does. uv downloads packages at the same time, shares them with the
# environments of wheels, and leaves compiling to the processes that import. It does not know pip's settings: where
# only those lead to an index, pip installs.
$(VENV)/ci: pyproject.toml | $(VENV)/bin/python $(TOOLS)/bin/uv
	$(TOOLS)/bin/uv pip install -q --system-certs --python $(BIN)/python -e . $(CI_GROUPS) \
	  || $(BIN)/python -m pip install -q -e . $(CI_GROUPS)
	@touch $@ $(VENV)/docs $(VENV)/check $(VENV)/test $(VENV)/installed

$(VENV)/coverage: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e . --group coverage
	@touch $@ $(VENV)/test $(VENV)/installed

$(VENV)/mutate: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install -q -e . --group mutate
	@touch $@ $(VENV)/test $(VENV)/installed
