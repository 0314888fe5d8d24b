// Package defaults handles expressions that stand on their own: DEFAULT of a column and USING
// of ALTER COLUMN TYPE. It parses them, checks what they may contain, and types the value
// that a write stores where none is given.
package defaults
