//go:build !linux

package sqlconn

// On other systems a write is tried, and its error tells.

// CannotCreateWAL is unknown here.
func CannotCreateWAL(string) bool { return false }

// WALOfAnotherUser is unknown here.
func WALOfAnotherUser(string) bool { return false }

// NotWritable is unknown here.
func NotWritable(string) bool { return false }
