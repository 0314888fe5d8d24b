#!/usr/bin/env bash
# Runs every fuzz target of the module, or of the folders that are named, for the given
# time each (default 30s).
# A target that fails stops the run and leaves its input in testdata/fuzz.
set -euo pipefail

time=${1:-30s}
folders=("${@:2}")
cd "$(dirname "$0")/../.."
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# fuzz runs one target. Before Go 1.27 the end of the time can itself be reported as a
# failure (golang/go#75804): "context deadline exceeded" and no input that fails. Such a
# run says nothing of the target, so it is done again; the third counts whatever it says.
fuzz() {
	local attempt
	for attempt in 1 2 3; do
		go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" "$1" </dev/null 2>&1 | tee "$output" && return
		grep -qx '    context deadline exceeded' "$output" || return
		! grep -q 'Failing input written to\|panic:' "$output" || return
	done
	return 1
}

grep -rl --include='*_test.go' '^func Fuzz' "${folders[@]:-.}" | xargs -n1 dirname | sort -u | while read -r package; do
	grep -h -o '^func Fuzz[A-Za-z0-9_]*' "$package"/*_test.go | sed 's/^func //' | sort -u | while read -r target; do
		echo "== $package $target"
		fuzz "$package" "$target"
	done
done
