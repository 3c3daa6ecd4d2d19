# Needs Python >= 3.11 and make; everything else comes from PyPI into .venv.
# Where there is no C compiler, the C is built by `zig cc` (the package ziglang).

PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2

BIN := $(VENV)/bin
READY := $(VENV)/.installed-by-make

.DEFAULT_GOAL := help
.PHONY: help env demo test test-zoo test-qemu lint bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile

env: $(READY) ## create .venv with all that is needed

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; \
	    sys.exit(v < (3, 11) and f"Python >= 3.11 is needed, this is {v.major}.{v.minor}: make PYTHON=...")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo 'installing into $(VENV) from PyPI: about a minute'
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[all,dev]'
	@touch $@

demo: env ## export the digits example, build it here, prove it bit for bit
	$(BIN)/mcugen demo --output build/demo --force

lint: env ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint ## style, types and all tests but the long ones
	$(BIN)/python -m pytest -n $(JOBS) -m 'not zoo'

test-zoo: env ## whole real models: set MCUGEN_MODELS, and MCUGEN_GOLDEN for recorded kernel cases
	$(BIN)/python -m pytest -n $(JOBS) -m zoo

test-qemu: env ## QEMU's boards, gcc, Xtensa: what of Debian's packages is missing skips; see .ci/run
	$(BIN)/python -m pytest -n $(JOBS) -m qemu

# The README's pictures are of the real models.
bench: PLOTS := $(if $(MCUGEN_MODELS),docs/img,build/bench)
bench: env ## cost on emulated cores; time here against other generators (models in MCUGEN_MODELS)
	$(BIN)/python benchmarks/cores.py --plot $(PLOTS)/cores.png
	$(BIN)/python benchmarks/speed.py --plot $(PLOTS)/speed.png

clean: ## remove what the other targets made, .venv too
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find codegen tests examples -name __pycache__ -type d -prune -exec rm -rf {} +
