// Package textvalue reads values from the text form that PostgreSQL prints and clients
// send, without allocating. A reader reports a spelling that it does not read, valid or
// not; input.Argument then reads it with all of PostgreSQL's rules.
package textvalue
