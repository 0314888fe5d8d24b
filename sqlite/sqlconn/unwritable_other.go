//go:build !linux

package sqlconn

// What we may not write is not known here before it is tried.

func CannotCreateWAL(string) bool { return false }
func WALOfAnotherUser(string) bool   { return false }
func NotWritable(string) bool  { return false }
