package sqlite

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// withoutPower makes a file and its directory read-only, and takes from the
// test's thread what would let it write there all the same. The function it gives
// does something with that power.
func withoutPower(t *testing.T, path string) func(func()) {
	t.Helper()
	return withoutPowerIn(t, path, 0o555)
}

// withoutPowerIn is withoutPower, which leaves the directory with this mode.
func withoutPowerIn(t *testing.T, path string, mode os.FileMode) func(func()) {
	t.Helper()
	dir := filepath.Dir(path)
	set := func(files, folder os.FileMode) {
		names, err := filepath.Glob(path + "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.Chmod(name, files); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, folder); err != nil {
			t.Fatal(err)
		}
	}
	user := syscall.Geteuid()
	become := func(id int) {
		if user == 0 { // whom no mode keeps out
			if err := syscall.Setfsuid(id); err != nil {
				t.Fatal(err)
			}
		}
	}
	for parent := dir; user == 0 && len(parent) > len(os.TempDir()); parent = filepath.Dir(parent) {
		if err := os.Chmod(parent, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	runtime.LockOSThread()
	down := func() { set(0o444, mode); become(nobody) }
	up := func() { become(user); set(0o644, 0o755) }
	t.Cleanup(func() { up(); runtime.UnlockOSThread() })
	down()
	return func(f func()) { up(); f(); down() }
}
