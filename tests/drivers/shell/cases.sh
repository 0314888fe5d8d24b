# What the programs around psql share: how a case is told.

# about CLIENT VERSION
about() {
	printf '{"client":"%s","version":"%s"}\n' "$1" "$2"
}

# check NAME WANT COMMAND... runs the command and tells whether it printed WANT, as it
# stands or as a pattern of bash, on output and standard error.
check() {
	local name=$1 want=$2 got
	shift 2
	got=$("$@" 2>&1) || true
	# shellcheck disable=SC2053
	if [[ $got == "$want" || $got == $want ]]; then
		printf '{"case":"%s","ok":true}\n' "$name"
	else
		printf '{"case":"%s","ok":false,"detail":%s}\n' "$name" "$(quote "got $got, want $want")"
	fi
}

# quote prints a text as a string of JSON.
quote() {
	local text=$1
	text=${text//\\/\\\\}
	text=${text//\"/\\\"}
	text=${text//$'\n'/\\n}
	text=${text//$'\t'/\\t}
	printf '"%s"' "$text"
}
