//go:build !mirrormode

package mirror

// MinReads is how often a type is read before a copy of it is made: a single read ends before it
// could be. The size of the type does not matter. Tables have narrower numerics than files, and a
// statement over a file is planned again at each execution.
const MinReads = 2

// TargetHistory returns the history that the copies of types follow, for that of the newest pin.
func TargetHistory(h History) History { return h }

// waitForTables is called before the tables of a type are used. It waits only in builds with
// the tag mirrormode.
func (m *Mirror) waitForTables(*entry) {}
