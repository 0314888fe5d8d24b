//go:build !mirrormode

package rowstore

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/mirror"
)

// minReads is how often a type is looked up before a table is made.
const minReads = 2

// target is the history that the tables follow.
func target(h mirror.History) mirror.History { return h }

// waitForTable is called before the table of a type is used. It waits only in builds with the tag
// mirrormode.
func (s *Store) waitForTable(ontosql.TypeRef) {}
