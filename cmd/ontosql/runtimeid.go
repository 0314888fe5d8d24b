package main

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
)

// runtimeIDs are the valid names of a writer. They occur in heads, manifests and the owner of
// the write lock, and in tables and logs.
var runtimeIDs = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}$`)

// newRuntimeID is ontosql-HOST-8hex: it says where a writer runs, and tells two
// on one machine apart.
func newRuntimeID() string {
	host, _ := os.Hostname()
	return "ontosql-" + hostPart(host) + "-" + randomHex()
}

func randomHex() string {
	var id [4]byte
	_, _ = rand.Read(id[:])
	return hex.EncodeToString(id[:])
}

// hostPart is a host's name as far as a runtime id can hold it.
func hostPart(host string) string {
	host = strings.Map(func(r rune) rune {
		if r < 128 && runtimeIDs.MatchString("x"+string(r)) {
			return r
		}
		return '-'
	}, host)
	const longest = 63 // of a DNS label; a full name is cut
	host = strings.Trim(host[:min(len(host), longest)], "-.")
	if host == "" {
		return "localhost"
	}
	return host
}

// checkRuntimeID refuses a name that is not one of runtimeIDs.
func checkRuntimeID(id string) error {
	if !runtimeIDs.MatchString(id) {
		return usagef("--runtime-id %q: want a letter or digit, then up to 127 letters, digits or any of . _ : @ + -", id)
	}
	return nil
}
