package dir

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// watch tells whether anything in some folders has changed since they were added. The
// kernel queues an event before the call that changes something returns, so whoever
// looks at the queue later misses no change that was acknowledged (inotify(7)).
type watch struct {
	fd      int
	names   map[uint32]string // by watch descriptor: the one name that counts in a folder, "" for all
	cleanup runtime.Cleanup
}

// changeEvents are all events of a change in a folder, and of the folder itself.
const changeEvents = syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_CLOSE_WRITE | syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO |
	syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_DELETE_SELF | syscall.IN_MOVE_SELF | syscall.IN_ONLYDIR

// localFileSystems are the file systems that this kernel alone changes: on those of a network
// others do, and nobody is told.
var localFileSystems = []int64{
	0xef53,     // ext2, ext3, ext4
	0x58465342, // xfs
	0x9123683e, // btrfs
	0xf2f52010, // f2fs
	0x2fc12fc1, // zfs
	0x01021994, // tmpfs
}

// newWatch is a watch of no folder yet, nil where there can be none.
func newWatch() *watch {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		return nil
	}
	w := &watch{fd: fd, names: map[uint32]string{}}
	w.cleanup = runtime.AddCleanup(w, func(fd int) { _ = syscall.Close(fd) }, fd)
	return w
}

// add watches a folder, or one name in it. It reports false where changes may go
// unnoticed.
func (w *watch) add(folder *os.Root, name string) bool {
	if len(w.names) == maxWatchedFolders {
		return false
	}
	ok := false
	withLocalFD(folder, func(fd uintptr) {
		wd, err := syscall.InotifyAddWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", fd), changeEvents)
		if err == nil {
			w.names[uint32(wd)], ok = name, true
		}
	})
	return ok
}

// isLocal reports whether a folder is on a file system of this machine.
func isLocal(folder *os.Root) (yes bool) {
	withLocalFD(folder, func(uintptr) { yes = true })
	return yes
}

// withLocalFD calls do with a descriptor of a folder that is on a local file system.
func withLocalFD(folder *os.Root, do func(fd uintptr)) {
	f, err := folder.OpenFile(".", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { // fails on a closed file
		var fs syscall.Statfs_t
		if syscall.Fstatfs(int(fd), &fs) == nil && slices.Contains(localFileSystems, int64(fs.Type)) { //nolint:unconvert // it has 32 bits on some machines
			do(fd)
		}
	})
}

// changed reports whether anything has changed. Once it has, the watch says no more.
func (w *watch) changed() bool {
	var buf [4096]byte
	for {
		n, err := syscall.Read(w.fd, buf[:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return err != syscall.EAGAIN
		}
		for b := buf[:n]; len(b) >= syscall.SizeofInotifyEvent; {
			wd, length := binary.NativeEndian.Uint32(b), binary.NativeEndian.Uint32(b[12:])
			mask := binary.NativeEndian.Uint32(b[4:])
			end := syscall.SizeofInotifyEvent + int(length)
			name := strings.TrimRight(string(b[syscall.SizeofInotifyEvent:end]), "\x00")
			if only, known := w.names[wd]; !known || only == "" || name == only || name == "" || mask&syscall.IN_IGNORED != 0 {
				return true
			}
			b = b[end:]
		}
	}
}

func (w *watch) close() {
	if w != nil {
		w.cleanup.Stop()
		_ = syscall.Close(w.fd)
	}
}
