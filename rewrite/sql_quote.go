package rewrite

import (
	"strings"
)

// quote writes an identifier for the engine.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal writes a string for the engine, in which a backslash means itself.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
