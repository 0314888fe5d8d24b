// Package input is PostgreSQL's input functions: it reads the text form of a value, refuses
// what PostgreSQL refuses with the same error, and writes it so that the engine reads the
// same value. CastText does that in SQL, for texts that a statement computes.
package input
