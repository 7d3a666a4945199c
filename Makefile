# The few words a newcomer needs; CMake does the work (CMakePresets.json names the builds).
BUILD ?= build/release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

all: build
build: bootstrap
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(if $(filter-out build/release,$(BUILD)),-B $(BUILD)) >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

bootstrap:
	@./bootstrap.sh

# Denoises a real MRI head on every device found, then traces light in a room, and draws who did what.
demo: build
	@./tools/demo.sh $(BUILD)

check: build
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

install: build
	@cmake --install $(BUILD)

clean:
	rm -rf build

.PHONY: all build bootstrap demo check install clean
