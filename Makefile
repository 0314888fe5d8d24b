# The words a newcomer looks for. `make demo` and `make test` need Go and a C
# compiler; test installs the rest.
SHELL        := bash
.SHELLFLAGS  := -euo pipefail -c
.DEFAULT_GOAL := help

TOOLS        := $(CURDIR)/.tools/bin
VERSITYGW    := github.com/versity/versitygw/cmd/versitygw@v1.8.0
GOLANGCI     := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0
GOFUMPT      := mvdan.cc/gofumpt@v0.9.1
GOVULNCHECK  := golang.org/x/vuln/cmd/govulncheck@v1.1.4
CYCLONEDX    := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0
export PATH  := $(TOOLS):$(PATH)

# What runs in every state of the mirror, and what of that is cheap enough for test.
MODES        := ./gateway ./tests/compat ./tests/fixtures ./tests/psql
MODES_CHEAP  := ./gateway ./tests/fixtures ./tests/psql

# How many packages are tested at a time. A third of its time a suite waits: for servers and
# clients to start and to answer each other.
PACKAGES     := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) * 3 / 2)))

.PHONY: help build demo vet test modes quick torture race drivers check lint fmt vuln sbom bench fuzz services generate clean

help: ## what there is to make
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the binary, bin/ontosql
	go build -o bin/ontosql ./cmd/ontosql

demo: build ## a small ontology with a year of history, served on 127.0.0.1:5433
	./bin/ontosql demo

vet: ## go vet of both builds
	go vet ./...
	go vet -tags mirrormode ./...

test: services vet ## everything: unit, S3, DynamoDB, PostgreSQL and psql tests
	go test -p $(PACKAGES) -shuffle=on -timeout 20m ./...
	$(MAKE) modes MODES='$(MODES_CHEAP)'

modes: services ## suites that know nothing of the mirror with a complete one, half of one, and none
	$(MAKE) -j3 -O mode-on mode-half mode-off

mode-%:
	ONTOSQL_TEST_MIRROR=$* go test -p 1 -tags mirrormode -shuffle=on -timeout 20m $(MODES)

quick: ## go test alone; what needs a service that is missing is skipped
	go test ./...

torture: services ## 200 servers killed, then histories of several writers under faults for TORTURE (default 1h)
	ONTOSQL_TEST_REQUIRE=s3 ONTOSQL_CRASH_ROUNDS=200 go test -count=1 -timeout 0 -v -run Kill ./tests/crash
	ONTOSQL_TEST_REQUIRE=s3 ONTOSQL_TORTURE=$(or $(TORTURE),1h) go test -count=1 -timeout 0 -v -run 'TestHistories$$' ./tests/histories

race: services ## everything under the race detector
	go test -race -shuffle=on -timeout 60m ./...

services: $(TOOLS)/versitygw ## the servers that tests talk to
	./internal/testenv/install.sh

$(TOOLS)/versitygw:
	GOBIN=$(TOOLS) go install $(VERSITYGW)

drivers: ## the clients that tests/drivers tries, by their own package managers, below .tools
	./tests/drivers/install.sh

check: services lint race ## what must pass before a change lands
	go mod tidy -diff
	go generate ./...
	git diff --exit-code

lint: ## formatting, vet and the linters of .golangci.yml
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	go run $(GOFUMPT) -l $$(git ls-files '*.go') | (! grep .)
	$(MAKE) vet
	go run $(GOLANGCI) run ./...

fmt: ## gofumpt over the tree
	go run $(GOFUMPT) -w $$(git ls-files '*.go')

vuln: ## known vulnerabilities in what is called; needs vuln.go.dev
	go run $(GOVULNCHECK) ./...

sbom: ## a bill of materials of the binary, bin/sbom.json (CycloneDX)
	mkdir -p bin
	go run $(CYCLONEDX) app -json -licenses -main cmd/ontosql -output bin/sbom.json .

bench: services ## ratios against PostgreSQL and DuckDB on this machine, for SIZE (S, M or default L) and RUN (P1, ...)
	go run ./bench -size $(or $(SIZE),L) -run '$(RUN)' -data bin/bench -json bin/bench.json

fuzz: ## every fuzz target, or those of the folders FUZZ, for FUZZTIME (default 30s)
	./internal/testenv/fuzz.sh $(or $(FUZZTIME),30s) $(FUZZ)

generate: ## files that are made from others
	go generate ./...

clean: ## what make made
	rm -rf bin .tools
