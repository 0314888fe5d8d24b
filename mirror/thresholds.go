//go:build !mirrormode

package mirror

// minReads is how often a type is read before tables are built: a single read ends before they
// could be. The size of the type does not matter. Tables have narrower numerics than files, and a
// statement over a file is planned again at each execution.
const minReads = 2

// targetHistory returns the history that the tables follow.
func targetHistory(h History) History { return h }

// waitForTables is called before the tables of a type are used. It waits only in builds with
// the tag mirrormode.
func (m *Mirror) waitForTables(*entry) {}
