package gc

// Reason is why an object is garbage, or why it is kept although nothing names it. It is what an
// operator reads.
type Reason string

// Why an object is garbage.
const (
	// Lost: the commit of this number is another attempt, and commit numbers are never given
	// again (I3).
	Lost Reason = "another attempt became the commit"
	// Unnamed: the folder is that of a commit, whose manifest does not name the file and never
	// changes.
	Unnamed Reason = "the commit's manifest does not name it"
	// Above: the head has not reached the commit. The writer may be alive, so that it takes the
	// write lock and a fence (writepath.Maintenance.Fence) to remove it.
	Above Reason = "the head never reached this attempt"
	// Replaced: no index names the snapshot.
	Replaced Reason = "no index names the snapshot"
)

// Why an object is kept.
const (
	// Young: it is younger than the grace, or what made garbage of it is: the snapshot in whose place
	// it was read, the commit of its number, or the head below it.
	Young Reason = "younger than the grace"
	// Committed: it belongs to commits that the head has left (abandoned.go).
	Committed Reason = "was committed: the head went back behind it"
	// Copying: it is above the head, and a copy into this store has begun and not ended.
	Copying Reason = "a copy to this store is not complete"
	// Unreadable: the index that may name the snapshot is damaged.
	Unreadable Reason = "the index of its type is damaged"
)

// garbage reports whether the reason is one for removing an object.
func (r Reason) garbage() bool {
	return r == Lost || r == Unnamed || r == Above || r == Replaced
}

// contested reports whether an object may be named by a writer that is at work, so that it is
// removed only under the write lock.
func (r Reason) contested() bool { return r == Above || r == Replaced }
