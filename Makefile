# MHA-CSP trainer. `make run` and `make test` are the two commands to know; `make help` lists the others.

BIN  := bin/mhacsp
ARGS ?=
OUT  ?= runs/first
BACKEND ?= cpu

# Go's SIMD package is an experiment of the toolchain and exists for amd64 only; elsewhere plain Go takes its place.
ifeq ($(shell go env GOARCH),amd64)
export GOEXPERIMENT = simd
endif

.PHONY: help run train site test browser bench lint build desktop clean vulkan display

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

test: lint vulkan display ## everything that can fail: lint, tests with SIMD, the portable loops
	go test ./...
	go test -tags desktop -run 'Viewer|Curves|SmallestWindow' ./native
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

# The window's tests, and the circle's, draw on a display without a screen (Xvfb) with software OpenGL. Both are installed
# where apt-get is at hand and we are root; without them those tests are skipped, or fail where MHACSP_DISPLAY=require.
display:
	@if [ -z "$$DISPLAY" ] && ! command -v Xvfb >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		echo "Installing Xvfb and software OpenGL for the window's tests."; \
		{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y xvfb $(WINDOW_PACKAGES); } >/dev/null 2>&1 \
			|| echo "That failed; tests that draw are skipped."; \
	fi

lint: ## formatting, vet for this machine and for the browser, shaders
	@test -z "$$(gofmt -l .)" || { echo "gofmt these:"; gofmt -l .; exit 1; }
	go vet ./...
	go vet -tags desktop ./native
	GOEXPERIMENT= GOOS=js GOARCH=wasm go vet ./...
	@for tool in tint naga; do command -v $$tool >/dev/null || echo "$$tool is not on the PATH: shaders are not validated with it (CI needs it)."; done
	go test -count=1 -run 'Validate|Limits' ./shaders

# A program that has the window keeps it.
build: ## bin/mhacsp
	@mkdir -p bin
	go build $$(go version -m $(BIN) 2>/dev/null | grep -o -- '-tags=desktop') -o $(BIN) ./native

# The window's libraries are loaded when it opens: none is needed to build. A Linux desktop has them; where one is missing,
# we are root and apt-get is at hand, they are installed.
WINDOW_PACKAGES = libx11-6 libxcursor1 libxext6 libxi6 libxinerama1 libxrandr2 libxrender1 libgl1 libgl1-mesa-dri
desktop: ## bin/mhacsp with the window of mhacsp view
	@mkdir -p bin
	go build -tags desktop -o $(BIN) ./native
	@if [ "$$(uname)" = Linux ] && PATH=$$PATH:/sbin:/usr/sbin command -v ldconfig >/dev/null; then \
		missing=; for lib in libX11 libXcursor libXext libXi libXinerama libXrandr libXrender libGL; do \
			PATH=$$PATH:/sbin:/usr/sbin ldconfig -p | grep -q "$$lib\.so" || missing="$$missing $$lib"; done; \
		if [ -n "$$missing" ] && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
			echo "Installing what the window loads:$$missing"; \
			apt-get update >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y $(WINDOW_PACKAGES) >/dev/null; \
		elif [ -n "$$missing" ]; then \
			echo "The window needs$$missing, which this machine lacks. On Debian: apt-get install $(WINDOW_PACKAGES)"; \
		fi; \
	fi
	@echo "Try: $(BIN) view --run site/demo/arithmetic.safetensors"

clean: ## remove what was built; runs stay
	rm -rf bin site/dist site/test/node_modules
