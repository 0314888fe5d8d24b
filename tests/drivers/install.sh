#!/usr/bin/env bash
# Installs the clients that tests/drivers tries: the distribution's (Debian, Ubuntu) as
# its packages, all others below .tools/drivers at the versions that python/requirements.txt,
# node/package-lock.json, golang/go.mod, rust/Cargo.toml and this file name. What is there
# already is left alone. One installer at a time, one job each: the machine may be small.
set -euo pipefail
cd "$(dirname "$0")"

pgjdbc=42.7.7
tools=$(cd ../.. && pwd)/.tools/drivers
mkdir -p "$tools"

packages=()
need() { # program package
	command -v "$1" >/dev/null || packages+=("$2")
}
need psql postgresql-client
need java default-jdk-headless
need javac default-jdk-headless
need mvn maven
need npm npm
need odbcinst odbcinst
need pkg-config pkg-config
[ -x /usr/lib/postgresql/15/bin/initdb ] || packages+=(postgresql-15)
[ -e /usr/include/openssl/ssl.h ] || packages+=(libssl-dev)
/usr/bin/perl -MDBD::Pg -e 1 2>/dev/null || packages+=(libdbd-pg-perl)
odbcinst -q -d -n "PostgreSQL Unicode" >/dev/null 2>&1 || packages+=(odbc-postgresql unixodbc)
python3 -c 'import venv, ensurepip' 2>/dev/null || packages+=(python3-venv)
if [ ${#packages[@]} -gt 0 ]; then
	as_root=()
	[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
	"${as_root[@]}" apt-get update -qq
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

# fresh NAME FILE... says whether NAME was installed from these very files.
fresh() {
	cat "${@:2}" | sha256sum >"$tools/$1.new"
	cmp -s "$tools/$1.new" "$tools/$1.done"
}
finish() { mv "$tools/$1.new" "$tools/$1.done"; }

if ! fresh python python/requirements.txt; then
	python3 -m venv --clear "$tools/python"
	"$tools/python/bin/pip" install --quiet --requirement python/requirements.txt
	finish python
fi
if ! fresh node node/package.json node/package-lock.json; then
	mkdir -p "$tools/node"
	cp node/package.json node/package-lock.json "$tools/node"
	npm --prefix "$tools/node" ci --silent
	finish node
fi
if [ ! -e "$tools/postgresql-$pgjdbc.jar" ]; then
	mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
		-Dartifact="org.postgresql:postgresql:$pgjdbc" -DoutputDirectory="$tools"
fi
(cd golang && go mod download)
# The distribution's Rust may be too old for today's crates.
if ! command -v cargo >/dev/null; then
	echo "drivers: no cargo; tokio-postgres is left out" >&2
elif ! fresh rust rust/Cargo.toml rust/src/*; then
	CARGO_TARGET_DIR=$tools/rust cargo build --quiet --jobs 1 --manifest-path rust/Cargo.toml
	finish rust
fi
