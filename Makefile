# Every target is a few lines; the scripts that do the work are in tools/. `make` alone lists the targets.

PORT ?= 8080
SUMMARY_DIR ?=
PYTEST_ARGS ?=
# One worker more than cores, for tests wait a fifth of their time for browsers and servers; eight at most. Each takes
# whole files, in their order, so that what a file's tests share is made once.
WORKERS = $(shell cores=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1); echo $$((cores < 8 ? cores + 1 : 8)))
SIDE_BY_SIDE = --numprocesses=$(WORKERS) --dist=loadfile --no-loadscope-reorder
DIST ?= dist
export PORT SUMMARY_DIR
# An advertisement that mkdocs-material prints into every build.
export NO_MKDOCS_2_WARNING = 1

PYTHON_BIN := .venv/bin
PREPARE := @sh tools/prepare.sh
NPM := npm --prefix frontend --silent

.DEFAULT_GOAL := help
.PHONY: help run test test-fast test-long test-mutations test-adapters test-versions lint format bench pictures docs proto schema openapi operators lock dist clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

run: ## Start the dashboard with an example training [PORT=8080] [SUMMARY_DIR=your runs instead]
	$(PREPARE) run
	@exec $(PYTHON_BIN)/python tools/run_dashboard.py

test: ## Run every test
	$(PREPARE) test
	@sh tools/test_machine.sh
	$(NPM) run test
	$(PYTHON_BIN)/python -m pytest $(SIDE_BY_SIDE) $(PYTEST_ARGS)

test-fast: ## Run the tests that tell most in 20 seconds
	$(PREPARE) test
	@$(MAKE) --no-print-directory --jobs=2 --output-sync smoke-pages smoke-python

.PHONY: smoke-pages smoke-python
smoke-pages:
	@$(NPM) run test -- src/data
smoke-python:
	@$(PYTHON_BIN)/python -m pytest -m smoke $(PYTEST_ARGS)

test-long: ## Run every test, the repeated ones many more times
	MINDINSIGHT_TEST_COUNTS=long $(MAKE) test

test-mutations: test-mutations-python test-mutations-pages ## Count the small changes to the code that tests notice

# ROOMS="store opt" MUTANTS=all SURVIVORS=1; see tools/test_mutations.py. MUTATE=src/data/frames.ts for the pages.
.PHONY: test-mutations-python test-mutations-pages
test-mutations-pages:
	$(PREPARE) test
	@npm --prefix frontend/mutations --silent ci --no-audit --no-fund
	@cd frontend && npm --prefix mutations --silent run test -- $(if $(MUTATE),--mutate "$(MUTATE)")
test-mutations-python:
	$(PREPARE) test
	$(PYTHON_BIN)/python tools/test_mutations.py $(if $(MUTANTS),--mutants $(MUTANTS)) $(if $(SURVIVORS),--survivors) $(ROOMS)

test-adapters: ## Test the adapters of other frameworks with the real packages
	$(PREPARE) test
	$(PYTHON_BIN)/python tools/test_adapters.py $(PYTEST_ARGS)

test-versions: ## Run every test on each tested version of Python [QUICK=1 for the part that tells most]
	$(PREPARE) test
	$(PYTHON_BIN)/python tools/test_versions.py $(if $(QUICK),--quick) $(PYTEST_ARGS)

# What only looks at the code needs no workspace and no database of its own.
lint schema openapi: export MINDINSIGHT_SECRET_KEY = unused
lint schema openapi: export MINDINSIGHT_DATABASE_URL = sqlite://:memory:
lint: ## Check style, types, imports, generated files, documentation and containers
	$(PREPARE) dev
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint-types lint-pages lint-rest

# The parts of `make lint`, two at a time.
.PHONY: lint-types lint-pages lint-rest
lint-types:
	$(PYTHON_BIN)/mypy
	$(PYTHON_BIN)/mypy manage.py hatch_build.py tools/*.py
lint-pages:
	$(NPM) run lint
	$(NPM) run typecheck
lint-rest:
	$(PYTHON_BIN)/ruff check
	$(PYTHON_BIN)/ruff format --check
	$(PYTHON_BIN)/lint-imports
	$(PYTHON_BIN)/python tools/limits.py
	$(PYTHON_BIN)/python summaries/schema/generate.py --check
	$(PYTHON_BIN)/python manage.py makemigrations --check --dry-run
	$(PYTHON_BIN)/python tools/schema.py --check
	$(PYTHON_BIN)/python tools/openapi.py --check
	$(PYTHON_BIN)/python tools/operators.py --check
	$(PYTHON_BIN)/python tools/audit.py
	$(PYTHON_BIN)/mkdocs build --strict
	$(PYTHON_BIN)/hadolint docker/Dockerfile
	$(PYTHON_BIN)/yamllint --strict docker/compose.yaml mkdocs.yml
	$(PYTHON_BIN)/check-jsonschema --builtin-schema vendor.compose-spec docker/compose.yaml
	$(PYTHON_BIN)/docker-compose --file docker/compose.yaml config --quiet --no-env-resolution

format: ## Put the code into shape
	$(PREPARE) dev
	$(PYTHON_BIN)/ruff check --fix
	$(PYTHON_BIN)/ruff format
	$(NPM) run format

bench: ## Measure every figure that the documentation claims [QUICK=1]
	$(PREPARE) test
	$(PYTHON_BIN)/python benchmarks/report.py $(if $(QUICK),--quick)

pictures: ## Take the documentation's screenshots
	$(PREPARE) test
	$(PYTHON_BIN)/python docs/make_pictures.py

docs: ## Build the documentation into site/
	$(PREPARE) dev
	$(PYTHON_BIN)/mkdocs build --strict
	@echo "Open site/index.html. To search in it, serve it: python3 -m http.server --directory site 8000"

proto: ## Generate Python code from the .proto files
	$(PREPARE) dev
	$(PYTHON_BIN)/python summaries/schema/generate.py

schema: ## Generate the tables that a first start makes instead of migrating
	$(PREPARE) dev
	$(PYTHON_BIN)/python tools/schema.py

openapi: ## Generate the API's description and the front end's types
	$(PREPARE) dev
	$(PYTHON_BIN)/python tools/openapi.py

operators: ## Generate the documentation's tables of operators and of MindSpore's names, and the schema of pipelines
	$(PREPARE) dev
	$(PYTHON_BIN)/python tools/operators.py

lock: ## Pin the versions of all Python packages [UPGRADE=1 for newer ones]
	$(PREPARE) dev
	@sh tools/lock.sh

dist: ## Build the wheels of the dashboard and of the writer into dist/, with their checksums
	$(PREPARE) dev
	@rm -rf "$(DIST)"
	$(PYTHON_BIN)/python -m build --wheel --no-isolation --outdir "$(DIST)" writer
	$(PYTHON_BIN)/python -m build --wheel --no-isolation --outdir "$(DIST)"
	@cd "$(DIST)" && sha256sum *.whl >SHA256SUMS && cat SHA256SUMS

clean: ## Remove everything that was installed or built; your runs in .run/ stay
	rm -rf .venv .venv-3.* frontend/node_modules mindinsight/static/dist dist build site *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .schemathesis .import_linter_cache test-results
