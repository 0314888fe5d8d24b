//go:build !mirrormode

package mirror

// What is worth a mirror. A single statement is answered before anything could
// be built, and a handful of small files is read as fast.
const (
	enoughReads = 2
	enoughFiles = 4
	enoughRows  = 10_000
)

// aim is the history that the tables follow.
func aim(h History) History { return h }

// linger is before the tables of a type are looked for. Nothing waits for them.
func (m *Mirror) linger(*entry) {}
