package column

import "strconv"

// Aliases are the engine's names of the columns of one query. The engine compares
// identifiers without regard to the case of ASCII letters, even quoted ones, so it has one
// column where PostgreSQL has "A" and a.
type Aliases map[string]bool

// Pick returns a name that the engine tells from all names picked before, and remembers it:
// name itself, or name with a suffix. The result depends only on the names picked before, so
// two rooms that pick for the same columns in the same order get the same names.
func (a Aliases) Pick(name string) string {
	alias := a.Free(name)
	a[foldASCII(alias)] = true
	return alias
}

// Free is what Pick would return.
func (a Aliases) Free(name string) string {
	alias := name
	for i := 0; a[foldASCII(alias)]; i++ {
		alias += "_"
		if i > 7 { // one of many
			alias = name + "_" + strconv.Itoa(len(a)+i)
		}
	}
	return alias
}

// AliasesOf are the engine's names of columns that one relation has, by their positions.
// Those of the first columns do not depend on the columns behind them.
func AliasesOf(cols []Named) []string {
	names, taken := make([]string, len(cols)), make(Aliases, len(cols))
	for i, c := range cols {
		names[i] = taken.Pick(c.Name)
	}
	return names
}

// foldASCII is an identifier as the engine compares it.
func foldASCII(name string) string {
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			folded := []byte(name)
			for ; i < len(name); i++ {
				if c := name[i]; 'A' <= c && c <= 'Z' {
					folded[i] = c + ('a' - 'A')
				}
			}
			return string(folded)
		}
	}
	return name
}
