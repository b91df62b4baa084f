# The two commands most people need: `make run` and `make test`. Each installs what is missing first
# (scripts/bootstrap.sh; NO_INSTALL=1 forbids that).
SHELL := /bin/bash
JOBS ?= $(shell nproc)

.PHONY: run build test test-all bench format format-check clean bootstrap

bootstrap:
	@scripts/bootstrap.sh

# Builds the emulator and verifies every op and algorithm on small problems.
run: bootstrap
	@cmake --preset dev -DWARPMARK_TESTS=OFF > build-dev.log 2>&1 || (cat build-dev.log; exit 1); rm -f build-dev.log
	@cmake --build build/dev --target warpmark -j $(JOBS)
	build/dev/warpmark run configs/quick.json --format table $(ARGS)

# The full tool: emulator always, CUDA where nvcc is found.
build: bootstrap
	cmake --preset release
	cmake --build --preset release -j $(JOBS)

test: bootstrap
	scripts/test.sh quick

test-all: bootstrap
	scripts/test.sh all

# The emulator against PoCL on the same kernels (needs the OpenCL packages of bootstrap.sh --bench).
bench:
	scripts/bootstrap.sh --bench
	cmake --preset dev -DWARPMARK_TESTS=ON
	cmake --build build/dev --target emu_bench -j $(JOBS)
	build/dev/bench/emu_bench

format:
	scripts/format.sh

format-check:
	scripts/format.sh --check

clean:
	rm -rf build
