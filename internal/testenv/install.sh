#!/usr/bin/env bash
# Installs what the tests and the bench talk to and `go install` cannot bring: psql, the
# PostgreSQL 15 programs and the shell of SQLite, from the distribution (Debian, Ubuntu). What is there
# already is left alone. Without root and sudo it says what is missing and ends
# well: those tests are then skipped, unless ONTOSQL_TEST_REQUIRE names them.
set -euo pipefail

major=15
packages=()
command -v psql >/dev/null || packages+=(postgresql-client)
command -v sqlite3 >/dev/null || packages+=(sqlite3)
[ -x "/usr/lib/postgresql/$major/bin/initdb" ] || command -v initdb >/dev/null || packages+=("postgresql-$major")
[ ${#packages[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo -n)
fi
if ! command -v apt-get >/dev/null || { [ ${#as_root[@]} -gt 0 ] && ! sudo -n true 2>/dev/null; }; then
	echo "testenv: please install ${packages[*]}; their tests are skipped" >&2
	exit 0
fi
"${as_root[@]}" apt-get update -qq
for package in "${packages[@]}"; do
	# A cluster of the distribution's own is of no use here.
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" ||
		echo "testenv: no package $package; its tests are skipped" >&2
done
