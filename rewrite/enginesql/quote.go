package enginesql

import (
	"strings"
)

// Quote writes an identifier for the engine.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Literal writes a string for the engine, in which a backslash means itself.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
