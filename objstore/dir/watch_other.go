//go:build !linux

package dir

import "os"

// watch is a stub: change notification is implemented for Linux only.
type watch struct{}

func isLocal(*os.Root) bool { return false }

func newWatch() *watch                   { return nil }
func (*watch) add(*os.Root, string) bool { return false }
func (*watch) changed() bool             { return true }
func (*watch) close()                    {}
