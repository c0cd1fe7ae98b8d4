# fmrl_ros without a ROS installation: `make demo`. In a ROS workspace use colcon, as for any package.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
INTERFACES := ros2_ws/src/fmrl_interfaces
UNDERLAY := -DCMAKE_PROJECT_fmrl_interfaces_INCLUDE=cmake/pypi_underlay.cmake

# The first interpreter that the ROS wheels support; `make env PYTHON=...` chooses another.
SUPPORTED := -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
PYTHON ?= $(or $(shell for p in python3 python3.13 python3.12 python3.11 python3.10; do \
  $$p $(SUPPORTED) && echo $$p && break; done),python3)

ACTIVATED := VIRTUAL_ENV=$(CURDIR)/$(VENV) PATH=$(CURDIR)/$(BIN):$$PATH
PIP := $(ACTIVATED) PIP_DISABLE_PIP_VERSION_CHECK=1 ./install.sh $(BIN)/python -m pip install --constraint constraints.txt

# An index that has torch, such as the one with builds for processors alone: a third of a gigabyte instead of several.
TORCH_INDEX ?=

.DEFAULT_GOAL := help
.PHONY: help env dev demo test lint build clean system announcement

help:  ## show this list
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1 \t\2/p' $(MAKEFILE_LIST) | expand -t 16

env: $(VENV)/.ready  ## create or update .venv with everything the demo needs

demo: env  ## say a sentence to the simulated robot and watch it (ARGS='"put the ..." --seed 3'; TORCH_INDEX=URL)
	$(BIN)/fmrl demo $(ARGS)

test: lint  ## everything that must hold before a change goes in (ARGS="-k name" selects)
	$(BIN)/python -m pytest $(ARGS)

lint: dev  ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/mypy fmrl_ros

build: dev  ## colcon build of ros2_ws on the ROS wheels (BUILD_ARGS are colcon's)
	cd ros2_ws && AMENT_PREFIX_PATH=$(CURDIR)/$(VENV) CMAKE_PREFIX_PATH=$(CURDIR)/$(VENV) $(ACTIVATED) \
	  colcon build $(BUILD_ARGS) --cmake-args $(UNDERLAY)

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build *.egg-info ros2_ws/build ros2_ws/install ros2_ws/log .mypy_cache .ruff_cache .pytest_cache

dev: $(VENV)/.ready-dev

# What pip cannot bring: an interpreter with headers, a compiler, a software renderer.
system:
	@missing=; \
	if command -v $(PYTHON) >/dev/null; then \
	  version=$$($(PYTHON) -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); \
	  $(PYTHON) $(SUPPORTED) || { echo "error: fmrl_ros needs Python 3.10 to 3.13, not $$version." \
	    "Install one of them, then: make demo PYTHON=/path/to/python3.12" >&2; exit 2; }; \
	  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || missing+=" $$version-venv"; \
	  [ -e "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ] || missing+=" $$version-dev"; \
	else \
	  missing+=" python3 python3-venv python3-dev"; \
	fi; \
	command -v g++ >/dev/null || missing+=" g++"; \
	libraries=$$(PATH=$$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null); \
	[[ $$libraries == *libEGL.so.1*libEGL_*.so.0* || $$libraries == *libEGL_*.so.0*libEGL.so.1* \
	   || $$libraries == *libOSMesa.so* ]] || missing+=" libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri"; \
	if [ -e $(VENV) ] && ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	  echo "$(VENV) is half finished or its Python is gone; it is made anew"; rm -rf $(VENV); \
	fi; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing system packages:$$missing"; \
	  apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive \
	    apt-get install -qy --no-install-recommends $$missing >/dev/null || { \
	    echo "error: apt-get could not install them; mend that, then: apt-get install$$missing && make demo" >&2; exit 2; }; \
	else \
	  echo "error: system packages are missing. On Debian and Ubuntu: sudo apt-get install$$missing" >&2; exit 2; \
	fi

$(VENV)/.ready-venv: | system announcement
	@[ -e $(VENV)/.ready-torch ] || ./install.sh $(PYTHON) -m venv --clear $(VENV)
	@./install.sh $(BIN)/python -m pip install -qq --upgrade pip
	@touch $@

announcement:
	@[ -e $(VENV)/.ready ] || { \
	  echo "Set-up downloads PyTorch (0.2 GB for processors alone, 3 GB and more with CUDA: your package index decides)," \
	    "about 0.6 GB of other packages and, at the first run, a language model of 0.1 GB."; \
	  [ -n "$(TORCH_INDEX)" ] || [ -e /proc/driver/nvidia ] || \
	    echo "This machine shows no NVIDIA GPU: make demo TORCH_INDEX=URL takes PyTorch from another index, such as" \
	      "the CPU one that its download page names."; }

# torch first and alone: where an index carries a build for this machine, that one is taken.
$(VENV)/.ready-torch: | $(VENV)/.ready-venv
	@echo "installing torch (the largest download)"
	@[ -z "$(TORCH_INDEX)" ] || $(PIP) --index-url $(TORCH_INDEX) --no-deps torch==2.13.0
	@$(PIP) torch==2.13.0
	@touch $@

# The tools are those that the interfaces' own pyproject.toml asks for.
$(VENV)/.ready-interfaces: constraints.txt $(shell find $(INTERFACES) -type f) | $(VENV)/.ready-venv
	@echo "building fmrl_interfaces (about a minute)"
	@$(PIP) -qq cmake ninja $$(sed -nE '/^requires = \[/,/^\]/s/^ *"(.*)",/\1/p' $(INTERFACES)/pyproject.toml)
	@$(PIP) -qq --no-build-isolation --no-deps --force-reinstall ./$(INTERFACES)
	@touch $@

$(VENV)/.ready: setup.py constraints.txt $(VENV)/.ready-torch $(VENV)/.ready-interfaces
	@echo "installing fmrl_ros"
	@$(PIP) -qq --editable ".[ros]"
	@touch $@

# open_clip lies apart: it wants a torchvision, which must not be found by others unless it fits the torch.
$(VENV)/.ready-dev: $(VENV)/.ready
	@echo "installing the development tools"
	@$(PIP) -qq --editable ".[ros,build,dev]"
	@$(PIP) -qq --no-deps --upgrade --target $(VENV)/open_clip open_clip_torch torchvision timm ftfy wcwidth
	@touch $@
