# make setup, test, check, docs, coverage, demo, paper, bench: each sets up first what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: setup test check docs coverage demo paper bench soak clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,figures,service,parquet,postgres]'
	touch $(READY)

check: setup docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Strict: a broken link fails. Not --quiet, which would let it pass.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

test: check
	$(BIN)/pytest

# Branch coverage of src, of child processes too. Code that numba compiled is not seen.
coverage: setup
	$(BIN)/pytest --cov --cov-report=term --cov-report=html:out/coverage

demo: setup
	$(BIN)/floorline demo

paper: setup
	$(BIN)/floorline paper --out out/paper

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/simulation.py
	$(BIN)/python benchmarks/paper.py
	$(BIN)/python benchmarks/live.py

soak: setup
	$(BIN)/pytest -m soak

clean:
	rm -rf .venv out
