//go:build !mirrormode

package mirror

// The thresholds for building tables. A single read ends before tables could be built, and a
// few small files are read as fast as tables.
const (
	minReads = 2
	minFiles = 4
	minRows  = 10_000
)

// targetHistory returns the history that the tables follow.
func targetHistory(h History) History { return h }

// waitForTables is called before the tables of a type are used. It waits only in builds with
// the tag mirrormode.
func (m *Mirror) waitForTables(*entry) {}
