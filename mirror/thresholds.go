//go:build !mirrormode

package mirror

// What is worth a mirror. A single statement is answered before anything could
// be built, and a handful of small files is read as fast.
const (
	minReads = 2
	minFiles = 4
	minRows  = 10_000
)

// targetHistory is the history that the tables follow.
func targetHistory(h History) History { return h }

// waitForTables is before the tables of a type are looked for. Nothing waits for them.
func (m *Mirror) waitForTables(*entry) {}
