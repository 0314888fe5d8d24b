#!/usr/bin/env bash
# Installs what the tests and the bench talk to and `go install` cannot bring: psql, the
# PostgreSQL 15 programs, the shell of SQLite and Java, from the distribution (Debian, Ubuntu),
# and by Maven the emulator of DynamoDB, below .tools/dynamodb at the version that
# dynamodb/pom.xml names. What is there already is left alone. What cannot be installed, for
# lack of root and sudo for example, is named, and the script ends well: those tests are then
# skipped, unless ONTOSQL_TEST_REQUIRE names them.
set -euo pipefail
cd "$(dirname "$0")"

major=15
emulator=$(cd ../.. && pwd)/.tools/dynamodb

distribution() {
	local packages=() as_root=() package
	command -v psql >/dev/null || packages+=(postgresql-client)
	command -v sqlite3 >/dev/null || packages+=(sqlite3)
	[ -x "/usr/lib/postgresql/$major/bin/initdb" ] || command -v initdb >/dev/null || packages+=("postgresql-$major")
	command -v java >/dev/null || packages+=(default-jre-headless)
	command -v mvn >/dev/null || dynamodb_is_there || packages+=(maven)
	[ ${#packages[@]} -gt 0 ] || return 0

	if [ "$(id -u)" -ne 0 ]; then
		as_root=(sudo -n)
	fi
	if ! command -v apt-get >/dev/null || { [ ${#as_root[@]} -gt 0 ] && ! sudo -n true 2>/dev/null; }; then
		echo "testenv: please install ${packages[*]}; their tests are skipped" >&2
		return 0
	fi
	"${as_root[@]}" apt-get update -qq
	for package in "${packages[@]}"; do
		# A cluster of the distribution's own is of no use here.
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" ||
			echo "testenv: no package $package; its tests are skipped" >&2
	done
}

# The pom beside the libraries says from which they were installed.
dynamodb_is_there() { cmp -s dynamodb/pom.xml "$emulator/pom.xml"; }

dynamodb() {
	dynamodb_is_there && return
	rm -rf "$emulator"
	if ! command -v mvn >/dev/null || ! mvn -B -q -f dynamodb/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory="$emulator" </dev/null; then
		echo "testenv: DynamoDB Local is not installed; its tests are skipped" >&2
		return
	fi
	cp dynamodb/pom.xml "$emulator"
}

distribution
dynamodb
