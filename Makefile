# A thin front: Meson and Ninja do the work.  'make help' lists the targets.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
BUILD = build
# Where the tests build: gcc with every warning an error, clang with the
# address and undefined-behaviour sanitizers, clang with the thread sanitizer.
TEST_GCC = build/test-gcc
TEST_SANITIZE = build/test-sanitize
TEST_THREADS = build/test-threads
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all deps demo demo-ip test test-long bench lint lint-fast fuzz goldens install
.PHONY: deb clean help

all: $(BUILD)/build.ninja
	@tools/build.sh $(BUILD) $(JOBS)

help:
	@echo "make            build; the program is then build/slimfly"
	@echo "make demo       install what is missing, build, bring up a simulated cluster"
	@echo "make demo-ip    the same layers on Ethernet, with real packets; needs root"
	@echo "make test       install what is missing, build, run the tests: minutes"
	@echo "make test-long  the same under sanitizers, and what takes longer"
	@echo "make bench      measure, side by side"
	@echo "make lint       layout and static checks"
	@echo "make lint-fast  layout, and static checks of what changed"
	@echo "make fuzz       fuzz every reader, FUZZ_SECONDS=$(FUZZ_SECONDS) each"
	@echo "make goldens    write the expected outputs of the tests anew"
	@echo "make install    install below PREFIX=$(PREFIX)"
	@echo "make deb        build packages for Debian in $(BUILD)/deb"

deps:
	@tools/deps.sh build deb demo demo-ip test lint

# Plain 'make' only says what is missing; 'make demo' and 'make test' install.
$(BUILD)/build.ninja:
	@tools/deps.sh --check build
	@echo "setting up $(BUILD)"
	@meson setup $(BUILD) -Dtests=false >$(BUILD)-setup.log 2>&1 || \
	    { cat $(BUILD)-setup.log; exit 1; }
	@rm -f $(BUILD)-setup.log

$(TEST_GCC)/build.ninja:
	@echo "setting up $(TEST_GCC)"
	@CC=gcc meson setup $(TEST_GCC) --buildtype=debugoptimized \
	    -Dwerror=true >/dev/null

$(TEST_SANITIZE)/build.ninja:
	@echo "setting up $(TEST_SANITIZE)"
	@CC=clang meson setup $(TEST_SANITIZE) --buildtype=debugoptimized \
	    -Dwerror=true -Db_sanitize=address,undefined -Db_lundef=false \
	    -Dc_args=-fsanitize=float-cast-overflow,float-divide-by-zero \
	    -Dfuzzers=true >/dev/null

$(TEST_THREADS)/build.ninja:
	@echo "setting up $(TEST_THREADS)"
	@CC=clang meson setup $(TEST_THREADS) --buildtype=debugoptimized \
	    -Dwerror=true -Db_sanitize=thread -Db_lundef=false >/dev/null

demo:
	@tools/deps.sh build demo
	@$(MAKE) -s --no-print-directory all
	@/usr/bin/python3 tools/demo.py $(BUILD)/slimfly $(BUILD)/opensm

demo-ip:
	@tools/deps.sh build demo-ip
	@$(MAKE) -s --no-print-directory all
	@/usr/bin/python3 tools/demo_ip.py $(BUILD)/slimfly

test:
	@tools/deps.sh build demo demo-ip test
	@$(MAKE) -s --no-print-directory all \
	    $(TEST_GCC)/build.ninja $(TEST_SANITIZE)/build.ninja
	@tools/test.sh test $(JOBS) "$(TEST_GCC) short" \
	    "$(TEST_SANITIZE) short --suite sanitize"

# Under sanitizers: all programs that 'make test' has not run so, then the long
# cases of units and the fuzzers.  Long cases of whole programs are larger inputs
# for the same code, and run without.
test-long:
	@tools/deps.sh build deb demo demo-ip test
	@$(MAKE) -s --no-print-directory $(TEST_GCC)/build.ninja \
	    $(TEST_SANITIZE)/build.ninja $(TEST_THREADS)/build.ninja
	@tools/test.sh test-long $(JOBS) "$(TEST_GCC) long --no-suite short" \
	    "$(TEST_SANITIZE) short --no-suite sanitize" \
	    "$(TEST_SANITIZE) long --suite sanitize" \
	    "$(TEST_THREADS) short --suite threads"

bench:
	@tools/deps.sh build demo bench
	@tools/bench.sh build/bench

lint:
	@tools/deps.sh build demo test lint
	@$(MAKE) -s --no-print-directory $(TEST_SANITIZE)/build.ninja
	@ninja -C $(TEST_SANITIZE) --quiet build.ninja >/dev/null
	@tools/lint.sh $(TEST_SANITIZE) $(JOBS)

lint-fast:
	@tools/deps.sh lint
	@tools/lint.sh --fast $(JOBS)

fuzz:
	@tools/deps.sh build demo test
	@$(MAKE) -s --no-print-directory $(TEST_SANITIZE)/build.ninja
	@tools/build.sh $(TEST_SANITIZE) $(JOBS)
	@tools/fuzz.sh $(TEST_SANITIZE)/tests/fuzz $(FUZZ_SECONDS) build/corpus

goldens: all
	@SLIMFLY_WRITE_GOLDENS=1 /usr/bin/python3 tests/cli/test_formats.py \
	    $(BUILD)/slimfly

install: all
	@meson configure $(BUILD) --prefix=$(abspath $(PREFIX)) >/dev/null
	@meson install -C $(BUILD) --quiet
	@echo "installed below $(PREFIX)"

deb:
	@tools/deps.sh build deb
	@tools/deb.sh $(BUILD)/deb

clean:
	@rm -rf $(BUILD) out
