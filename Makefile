# The one entry point; `make` alone lists what there is.
# Each target first makes $(VENV) where it is missing or older than the lock.

PYTHON ?= python3
VENV ?= .venv
LOCK := requirements-dev.lock

PY := $(VENV)/bin/python
PIP := $(PY) -m pip --quiet --disable-pip-version-check --no-input
PYTEST := $(PY) -m pytest --numprocesses=auto --no-header
MADE := $(VENV)/.made
READY := $(VENV)/.ready

# A Python that the caller named is used or refused; only the default may be replaced by a newer one.
ifeq ($(origin PYTHON),file)
CANDIDATES := $(PYTHON) python3.13 python3.12 python3.11
else
CANDIDATES := $(PYTHON)
endif

# A Python that was named wins over an environment made with another.
ifneq ($(origin PYTHON),file)
VERSION := import sys; print(sys.version)
ifneq ($(shell command -v "$(PYTHON)" > /dev/null && "$(PYTHON)" -c '$(VERSION)'),$(shell test -x $(PY) && $(PY) -c '$(VERSION)'))
$(shell rm -f $(MADE) $(READY))
endif
endif

# Hundreds of tests start a Python of their own, which would compile everything anew without it.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test lint reference bench peers long lock walk clean
MAKEFLAGS += --no-print-directory

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' Makefile

demo: $(READY) ## the five systems, one screen each: keys, a comparison, a proof
	@$(PY) -m pksk demo

test: $(READY) ## every test and docstring example, on all cores
	@$(PYTEST)

lint: $(READY) ## ruff, the format, strict types, the layers
	@status=0; \
	$(PY) -m ruff check --quiet . || status=1; \
	$(PY) -m ruff format --quiet --diff . || status=1; \
	$(PY) -m mypy || status=1; \
	layers=$$($(VENV)/bin/lint-imports --no-logo 2>&1) || { echo "$$layers"; status=1; }; \
	[ $$status -ne 0 ] || echo "ruff, format, mypy and layers: no findings"; \
	exit $$status

reference: $(READY) ## write docs/reference anew from the code
	@$(PY) -m tests.project.reference

bench: $(READY) ## measure pksk beside its peers
	@$(PY) -m benchmarks

peers: $(READY) ## get what bench runs beside ours; takes minutes
	@$(PY) -m benchmarks.get_peers

long: $(READY) ## the same tests with many more examples, and those marked long
	@PKSK_LONG=1 $(PYTEST)

walk: $(READY) ## sizes, imports, files behind a call, files that a change touches
	@$(PY) -m tests.project.walk

lock: $(MADE) ## resolve every dependency again and write the lock
	@$(PIP) install 'uv>=0.5'
	@$(VENV)/bin/uv pip compile pyproject.toml --extra all --group dev \
		--universal --python-version 3.11 --upgrade --generate-hashes \
		--no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
		--quiet --output-file $(LOCK)
	@echo "$(LOCK): $$(grep -c '^[a-z].*==' $(LOCK)) packages"

clean: ## remove the environment and all that tools have cached
	@rm -rf $(VENV) build dist .hypothesis .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): $(MADE) $(LOCK) pyproject.toml
	@echo "Installing what $(LOCK) lists into $(VENV) ..."
	@$(PIP) install --require-hashes --requirement $(LOCK)
	@$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

$(MADE):
	@found=; seen=; \
	for candidate in $(CANDIDATES); do \
		version=$$($$candidate -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue; \
		if ! $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
			seen="$$seen  $$candidate is Python $$version, which is too old\n"; \
		elif ! $$candidate -c 'import ensurepip, venv' 2>/dev/null; then \
			seen="$$seen  $$candidate is Python $$version, which lacks venv or ensurepip"; \
			seen="$$seen (on Debian and Ubuntu: apt install python$${version%.*}-venv)\n"; \
		else found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		echo "pksk needs Python 3.11 or later with its venv module. Found:" >&2; \
		printf '%b' "$${seen:-  nothing by the name of $(CANDIDATES)\n}" >&2; \
		echo "Fix: install one, or name it: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi; \
	echo "Making $(VENV) with Python $$version ..."; \
	rm -rf $(VENV) && $$found -m venv $(VENV) && touch $@
