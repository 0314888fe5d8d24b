// Package ontosql is the dictionary of the program: the words every room uses
// (commit, type, point, window, pin), the errors that more than one room
// branches on, and nothing that does I/O.
//
// ontosql is a program, not a library: its Go API is not offered to others and
// changes with it. The map of the house is ARCHITECTURE.md; which room may
// import which is internal/archtest.
package ontosql
