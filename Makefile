# SPDX-License-Identifier: Apache-2.0
# The everyday commands; `make help` lists them. One build serves all of them: build/release.
# Everything comes from CMakePresets.json, so `cmake --preset dev` and friends work as well.

version = $(shell sed -n 's/.*version_text = "\(.*\)".*/\1/p' tutti/version.hpp)
# The date of packages: that of the last commit, or of the files of `make dist`, which have it.
source_date = $(if $(wildcard .git),$(shell git log -1 --format=%ct),$(shell stat -c %Y CHANGELOG.md))

ifdef PLAIN  # tests see a plainer machine (tests/support/plain_machine.hpp)
export TUTTI_TEST_PLAIN := 1
endif

help:    ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo:    ## set up, build and run the first example: installs and compiles only what that needs
	@tools/setup demo
	@test -e build/release/build.ninja || cmake --preset release -DTUTTI_TESTS=OFF -DTUTTI_TOOL=OFF -DTUTTI_KERNELS=OFF
	cmake --build --preset release --target digits
	build/release/bin/digits

test: build    ## set up, build and run all tests; GATES=1 adds the gates
	tools/run_tests release $(if $(GATES),,--label-exclude '^gate$$')

bench: configure    ## build and run the benchmarks beside JAX and Open MPI; ALL=1: all of them
	cmake --build --preset release --target bench
	tools/bench $(if $(ALL),--all)

soak: configure    ## 20,000 fresh programs, other processors; PARTS="programs haswell": these alone; PLAIN=1: plainer
	cmake --build --preset release --target soundness_tests plan_tests oracle_tests kernels_tests xla_tests tensor_tests read_tests \
	  digits transformer heat experts gp
	tools/soak $(PARTS)

race: configure    ## products of several threads under valgrind; PLAIN=1: as a plainer machine
	cmake --build --preset release --target tensor_tests
	tools/race

mutants: setup    ## plant defects, one at a time, and see the tests notice; NAMES="a* b": some of them
	tools/mutants $(NAMES)

lint: configure    ## clang-tidy over the sources that changed since it last passed
	tools/tidy build/release

format: setup    ## lay out all C++ with clang-format
	git ls-files -z -- '*.cpp' '*.hpp' | xargs -0 clang-format-19 -i

install: configure    ## install headers, library and tool; PREFIX=folder, /usr/local without
	cmake --build --preset release --target installed_targets
	cmake --install build/release --prefix "$(or $(PREFIX),/usr/local)"

package: configure    ## make a .deb in build/release
	cmake --build --preset release --target installed_targets
	umask 022 && SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$(source_date)}" cpack --config build/release/CPackConfig.cmake -B build/release

dist:    ## write the last commit's files to build/tutti-VERSION.tar.xz, the same bytes each time
	mkdir -p build
	git -c tar.umask=0022 archive --format=tar --prefix=tutti-$(version)/ --output=build/tutti-$(version).tar HEAD
	xz --force --threads=1 build/tutti-$(version).tar

wheel: setup    ## a Python wheel with tool, headers and libtutti.so in build/wheel, and a try of it
	tools/wheel

install-check: build    ## build and run a user's project in all ways to use Tutti
	tools/install_check --all build/release

triton: configure    ## install Triton 3.9.0 in .venv-triton (1 GB) and compile the goldens of kernels with it
	cmake --build --preset release --target kernels_tests
	tools/triton

docs:    ## the API reference in build/docs, with a page for each class and topic; installs Doxygen
	@tools/setup docs
	tools/docs

arm: setup    ## build for ARM of 64 bits, and run demo, tool and tests under emulation
	tools/arm

build: configure    ## build everything in build/release
	cmake --build --preset release

configure: setup
	cmake --preset release

setup:
	@tools/setup

.PHONY: help demo test bench soak race mutants lint format install package dist wheel install-check triton docs arm build configure setup
