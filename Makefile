# make run: everything from a fresh clone to a running Gemel. make test: what to run before
# a commit. make test-all: the slow tests too, those of the lab, and all of the browser's.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin

# Some tests wait for a server: one worker more than cores keeps the cores at work. Many start
# programs, which must find their modules compiled.
export PYTHONDONTWRITEBYTECODE =
export PYTEST_XDIST_AUTO_NUM_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)

PYTEST = $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

.PHONY: run test test-all install check wheel clean

run: install
	@$(BIN)/python manage.py up --port $(PORT)

test: install-dev
	$(PYTEST) tests -m "not slow"

test-all: install-dev
	$(PYTEST)

install: $(VENV)/.installed

install-dev: $(VENV)/.installed-dev

check: install-dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy
	$(BIN)/djlint templates --lint --quiet
	@$(BIN)/python -m tools.lines --sizes

$(VENV)/.installed: requirements.lock pyproject.toml $(wildcard annotator/locale/*/LC_MESSAGES/*.po)
	@$(PYTHON) -c 'import sys; sys.exit("Gemel needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.11" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing what Gemel needs (once) ..."
	@$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -r requirements.lock
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	@$(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -r requirements-dev.lock
	@touch $@

# The last commit as dist/*.whl and dist/*.tar.gz, the same bytes wherever it is made.
wheel: install-dev
	@$(BIN)/python -m tools.wheel --out dist

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
