# MHA-CSP trainer. `make run` and `make test` are the two commands to know; `make help` lists the others.

BIN  := bin/mhacsp
ARGS ?=
OUT  ?= runs/first
BACKEND ?= cpu

# Go's SIMD package is an experiment of the toolchain and exists for amd64 only; elsewhere plain Go takes its place.
ifeq ($(shell go env GOARCH),amd64)
export GOEXPERIMENT = simd
endif

.PHONY: help run train test bench lint build clean vulkan

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

run: ## serve the page (not there yet: trains in the terminal)
	@echo "The page is not part of this version yet; training in the terminal instead."
	@$(MAKE) --no-print-directory train

train: build ## train on the paper's main task in the terminal; ARGS='--steps 3000' adds flags, OUT the folder, BACKEND=gpu
	@if [ -e $(OUT)/config.json ]; then $(BIN) train --resume $(OUT) --backend $(BACKEND); \
		else $(BIN) train --out $(OUT) --backend $(BACKEND) $(ARGS); fi

test: lint vulkan ## everything that can fail: lint, tests with SIMD, the portable loops
	go test ./...
	GOEXPERIMENT= go test ./model/backend/cpu/... ./model

bench: build ## time training steps and kernels on this machine
	$(BIN) bench --model mha-csp
	$(BIN) bench --model mha-csp-2
	$(BIN) bench --model mha-csp-s

# The GPU tests need a Vulkan driver. Mesa has one that computes on the CPU; it is installed where apt-get is at hand,
# we are root and no driver is there. Without one those tests are skipped.
vulkan:
	@if ! ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json >/dev/null 2>&1 \
		&& command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "Installing Mesa's software Vulkan driver for the GPU tests."; \
		{ apt-get update && apt-get install -y mesa-vulkan-drivers libvulkan1; } >/dev/null 2>&1 \
			|| echo "That failed; GPU tests are skipped."; \
	fi

lint: ## formatting, vet for this machine and for the browser, shaders
	@test -z "$$(gofmt -l .)" || { echo "gofmt these:"; gofmt -l .; exit 1; }
	go vet ./...
	GOEXPERIMENT= GOOS=js GOARCH=wasm go vet ./...
	@for tool in tint naga; do command -v $$tool >/dev/null || echo "$$tool is not on the PATH: shaders are not validated with it (CI needs it)."; done
	go test -count=1 -run 'Validate|Limits' ./shaders

build: ## bin/mhacsp
	@mkdir -p bin
	go build -o $(BIN) ./native

clean: ## remove what was built; runs stay
	rm -rf bin
