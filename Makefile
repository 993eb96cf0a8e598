# make setup, test, check, demo, paper, bench: each sets up first what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

.PHONY: setup test check demo paper bench soak clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,figures,service,parquet]'
	touch $(READY)

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: check
	$(BIN)/pytest

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
