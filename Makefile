# MHA-CSP trainer. `make run` and `make test` are the two commands to know; `make help` lists the others.

BIN  := bin/mhacsp
ARGS ?=
OUT  ?= runs/first
BACKEND ?= cpu

# An older Go says what it needs; it shall not fetch another toolchain. (make exports to $(shell) only from 4.4 on.)
export GOTOOLCHAIN ?= local

.PHONY: help run train site setup test beside loops race fuzz browser newest has-newest arm64 systems windows \
	bench lint vet build desktop clean

help: ## this list
	@awk -F':.*## ' '/^[a-z0-9]+:.*##/ { printf "%-10s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build the page and serve it on this machine; needs nothing but Go
	@go run ./site/build -quality -1
	@echo "make train trains in the terminal. The page (Ctrl-C ends it):"
	@$(BIN) serve

site: ## site/dist: the page as static files for any host, each with a compressed twin
	go run ./site/build

train: build ## train on the paper's main task in the terminal; ARGS='--steps 3000' adds flags, OUT folder, BACKEND=gpu
	@$(BIN) train --out $(OUT) --backend $(BACKEND) $(ARGS)

setup: ## what the tests need: Debian packages, as root where apt-get is at hand, and npm packages
	@.ci/setup

test: setup vet ## what this machine can check: lint, tests with vectors and without, races, fuzzing, the page
	go test $(VETTED) ./model/backend/webgpu ./native ./...
	@$(MAKE) --no-print-directory -j2 browser beside

# Browsers wait half of their time, for what a page shows in its own. What has no clock of its own fills the gaps. What
# can take two cores comes last: the browsers may be done by then.
beside:
	@nice -n 5 $(MAKE) --no-print-directory fuzz loops race

loops: ## the processor's tests with its older vectors, and without
	MHACSP_SIMD=avx2 go test -count=1 $(VETTED) -skip Pool ./model/backend/cpu
	MHACSP_SIMD=portable go test -count=1 $(VETTED) -skip Pool ./model/backend/cpu
	MHACSP_SIMD=portable go test -count=1 $(VETTED) -run '$(FAST)' ./model

# lint has vetted them with more analysers. The two packages that take longest come first, so that no core is idle at
# the end. On a machine that others use too a package may take longer than Go's own ten minutes.
VETTED = -vet=off -timeout 30m

# The tests of package model that look at the fast path. The others compute in float64, in which there are no vectors.
FAST = FastAgrees|Threads|Padding|Causality|Prefix|Overflow|Isometry|StateClip

# The detector needs cgo, which is promised where a GPU is. Without it the window's tests run as they are.
race: ## the race detector over what starts goroutines, and the tests of the window
	@if [ "$$(go env CGO_ENABLED)" = 0 ]; then \
		echo "The race detector is left out: it needs cgo, and so a C compiler."; [ "$$MHACSP_GPU" != require ] && \
		go test $(VETTED) -tags desktop -run 'Viewer|Curves|SmallestWindow' ./native/cmd/view; \
	else \
		.ci/race; \
	fi

# Targets are found by their name; Go fuzzes one at a time. Few tries to shorten an input leave time for others.
# Go 1.26 may fail with "context deadline exceeded" when the time is over (go.dev/issue/75804): then it is tried once
# more. An input that fails is kept as a seed, and fails again.
FUZZTIME = 1s
fuzz: ## every fuzz target, FUZZTIME=1s each
	@grep -rEo --include='*_test.go' '^func Fuzz\w+' . | sed 's,/[^/]*:func , ,' | while read -r dir target; do \
		try() { (set -x; go test -run '^$$' -fuzz "^$$target$$" \
			-fuzztime $(FUZZTIME) -fuzzminimizetime 20x -parallel 1 "$$dir") </dev/null; }; \
		try || try || exit 1; \
	done

# Without Node.js, its packages or Chromium these are skipped, or fail where MHACSP_BROWSER=require promises them. The
# tests in Firefox ESR and WebKitGTK see by themselves whether these are there, likewise.
browser: ## the page and its trainer in real browsers; after make setup
	@missing=; for tool in node npm "$${CHROMIUM:-chromium}" site/test/node_modules/.bin/playwright-core; do \
		command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	if [ -n "$$missing" ]; then \
		echo "Browser tests are skipped: not there:$$missing"; [ "$$MHACSP_BROWSER" != require ]; \
	else \
		go run ./site/build -quality -1 && cd site/test && npm test; \
	fi

# What these two need in addition to Go is in .ci/setup: Go's own module proxy has the other release, Debian has qemu.
NEWEST = go1.27.1

newest: ## not in test: today's Go compiles everything, builds the page; the model, the tasks, bad input pass
	GOTOOLCHAIN=$(NEWEST) go vet ./...
	GOTOOLCHAIN=$(NEWEST) go test $(VETTED) $$(go list ./model/... ./tasks/... ./site/build | grep -v webgpu)
	GOTOOLCHAIN=$(NEWEST) go test $(VETTED) -run 'Input|Own|Rule|Typed|Resume' ./native/...
	@dir=$$(mktemp -d); trap "rm -rf $$dir" EXIT; \
		GOTOOLCHAIN=$(NEWEST) go run ./site/build -quality -1 -out "$$dir/site"

has-newest:
	GOTOOLCHAIN=$(NEWEST) go version

arm64: ## not in test: the processor's loops, checkpoints and a training on arm64, by qemu
	@.ci/arm64

systems: ## not in test: go vet for macOS on arm64, Windows and FreeBSD; the first time minutes of compiling
	@.ci/systems

windows: ## not in test: the Windows program by wine, and a checkout with Windows' line ends
	@.ci/windows

bench: build ## time training steps and kernels on this machine
	$(BIN) bench --model mha-csp
	$(BIN) bench --model mha-csp-2
	$(BIN) bench --model mha-csp-s

lint: vet ## formatting, the budget of lines, vet for this machine and for the browser, shaders
	go test -count=1 -run 'Naga|Limits' ./shaders

vet:
	@.ci/lines
	@test -z "$$(gofmt -l .)" || { echo "gofmt these:"; gofmt -l .; exit 1; }
	go vet ./...
	go vet -tags desktop ./native/...
	GOOS=js GOARCH=wasm go vet -trimpath -tags families ./...
	GOOS=js GOARCH=wasm go vet -trimpath ./wasm/... ./model/zoo

# The commit that records name. Go's own stamp is missing in a worktree of git, and where GOFLAGS has -buildvcs=false.
# Empty where this folder is no checkout: it may lie in another one. Records of runs are no part of the program.
COMMIT = $(shell [ -z "$$(git rev-parse --show-prefix 2>&1)" ] && \
	printf %s "$$(TZ=UTC git log -1 --date=format-local:%FT%TZ --format='%H of %cd')" && \
	[ -n "$$(git status --porcelain -- . ':!native/testdata/study')" ] && printf ', with changes')

# A program that has the window keeps it.
build: ## bin/mhacsp
	@mkdir -p bin
	go build -buildvcs=false $$(go version -m $(BIN) 2>/dev/null | grep -o -- '-tags=desktop') \
		-ldflags "-X 'mhacsp/native/cli.commit=$(COMMIT)'" -o $(BIN) ./native/mhacsp

# The window's libraries are loaded when it opens: none is needed to build.
desktop: ## bin/mhacsp with the window of mhacsp view
	@mkdir -p bin
	go build -buildvcs=false -tags desktop -ldflags "-X 'mhacsp/native/cli.commit=$(COMMIT)'" -o $(BIN) ./native/mhacsp
	@.ci/setup window
	@echo "Try: $(BIN) view --run site/demo/clocks.safetensors"

clean: ## remove what was built; runs stay
	rm -rf bin site/dist site/test/node_modules site/test/peers/node_modules site/test/sites/node_modules
