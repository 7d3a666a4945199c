# The few commands that a new user needs. CMake does the work (CMakePresets.json names the builds).
BUILD ?= build/release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TESTS ?= $(JOBS)

CONFIGURE = cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(if $(filter-out build/release,$(BUILD)),-B $(BUILD))

all: build
build: bootstrap
	@$(CONFIGURE) -DYOKE_TESTS=ON -DYOKE_STATIC=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

bootstrap:
	@./bootstrap.sh

# Library and command, and nothing that only tests need. A folder that has the tests keeps them.
product:
	@$(CONFIGURE) $$([ -e $(BUILD)/CMakeCache.txt ] || echo -DYOKE_TESTS=OFF) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

# Traces light in a room on every device found, then denoises a real MRI head, and draws what each device did.
demo:
	@./bootstrap.sh --demo
	@$(MAKE) --no-print-directory product
	@./tools/demo.sh $(BUILD)

check: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(TESTS)

# The reference of the public headers, for a browser: $(BUILD)/docs/html/index.html. Builds nothing else.
docs:
	@./bootstrap.sh --docs
	@$(CONFIGURE) $$([ -e $(BUILD)/CMakeCache.txt ] || echo -DYOKE_TESTS=OFF) >/dev/null
	@cmake --build $(BUILD) --target docs -- -s --no-print-directory

install:
	@./bootstrap.sh --install
	@$(MAKE) --no-print-directory product
	@cmake --install $(BUILD)

clean:
	rm -rf build

.PHONY: all build bootstrap product demo check docs install clean
