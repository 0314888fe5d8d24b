#!/usr/bin/env bash
# Runs every fuzz target of the module, or of the folders that are named, for the given
# time each (default 30s).
# A target that fails stops the run and leaves its input in testdata/fuzz.
set -euo pipefail

time=${1:-30s}
folders=("${@:2}")
cd "$(dirname "$0")/../.."
grep -rl --include='*_test.go' '^func Fuzz' "${folders[@]:-.}" | xargs -n1 dirname | sort -u | while read -r package; do
	grep -h -o '^func Fuzz[A-Za-z0-9_]*' "$package"/*_test.go | sed 's/^func //' | sort -u | while read -r target; do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package" </dev/null
	done
done
