// Package sequences executes CREATE, ALTER, DROP and COMMENT ON SEQUENCE. It makes the sequences
// of serial and IDENTITY columns and keeps the defaults that call a sequence true. Package
// workspace keeps the values.
package sequences
