//go:build !mirrormode

package rowstore

import "github.com/ontosql/ontosql"

// waitForTable is called before the table of a type is used. It waits only in builds with the tag
// mirrormode (mirror/thresholds_mode.go).
func (s *Store) waitForTable(ontosql.TypeRef) {}
