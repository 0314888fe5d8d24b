//go:build !linux

package dir

import "os"

// watch would tell of changes, which is known of Linux only.
type watch struct{}

func isLocal(*os.Root) bool { return false }

func newWatch() *watch                   { return nil }
func (*watch) add(*os.Root, string) bool { return false }
func (*watch) changed() bool             { return true }
func (*watch) close()                    {}
