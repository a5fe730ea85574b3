# MHA-CSP trainer. `make run` and `make test` are the two commands to know; `make help` lists the others.

BIN  := bin/mhacsp
ARGS ?=
OUT  ?= runs/first
BACKEND ?= cpu

# Go's SIMD package is an experiment of the toolchain and exists for amd64 only; elsewhere plain Go takes its place.
ifeq ($(shell go env GOARCH),amd64)
export GOEXPERIMENT = simd
endif

.PHONY: help run train site test browser bench lint build clean vulkan

help: ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

run: build ## build the page and serve it on this machine; needs nothing but Go
	@go run ./site/build -quality -1
	@echo "make train trains in the terminal. The page (Ctrl-C ends it):"
	@$(BIN) serve

site: ## site/dist: the page as static files for any host, compressed beside
	go run ./site/build

train: build ## train on the paper's main task in the terminal; ARGS='--steps 3000' adds flags, OUT the folder, BACKEND=gpu
	@if [ -e $(OUT)/config.json ]; then $(BIN) train --resume $(OUT) --backend $(BACKEND); \
		else $(BIN) train --out $(OUT) --backend $(BACKEND) $(ARGS); fi

test: lint vulkan ## everything that can fail: lint, tests with SIMD, the portable loops
	go test ./...
	GOEXPERIMENT= go test ./model/backend/cpu/... ./model
	@$(MAKE) --no-print-directory browser

# The page's tests need Node.js and Chromium; the latter is installed where apt-get is at hand and we are root. Without
# either they are skipped, or fail where MHACSP_BROWSER=require promises them.
browser: ## the page and its trainer in a real browser
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "Installing Chromium for the browser tests."; \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y chromium; } >/dev/null 2>&1 || echo "That failed."; \
	fi
	@missing=; for tool in node npm $${CHROMIUM:-chromium}; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -n "$$missing" ]; then \
		echo "Browser tests are skipped: not installed:$$missing"; [ "$$MHACSP_BROWSER" != require ]; \
	else \
		go run ./site/build -quality -1 && cd site/test && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && \
			npm test; \
	fi

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
	rm -rf bin site/dist site/test/node_modules
