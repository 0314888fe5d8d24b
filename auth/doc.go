// Package auth decides who may enter: it keeps the users file, which has the roles (package roles), reads it again
// when it changes, and runs the server's half of SCRAM-SHA-256 (RFC 5802, RFC 7677). It knows no protocol
// messages; wire carries the texts.
package auth
