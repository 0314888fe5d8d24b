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

// watch reports whether anything in a set of folders has changed since they were
// added. The kernel queues an inotify event before the changing system call returns,
// so a later read of the queue sees every acknowledged change (inotify(7)).
type watch struct {
	fd      int
	names   map[uint32]string // by watch descriptor: the name to watch in the folder, "" for all names
	cleanup runtime.Cleanup
}

// changeEvents are the events for a change in a folder or of the folder itself.
const changeEvents = syscall.IN_MODIFY | syscall.IN_ATTRIB | syscall.IN_CLOSE_WRITE | syscall.IN_MOVED_FROM | syscall.IN_MOVED_TO |
	syscall.IN_CREATE | syscall.IN_DELETE | syscall.IN_DELETE_SELF | syscall.IN_MOVE_SELF | syscall.IN_ONLYDIR

// localFileSystems are the file systems (statfs f_type) that only this kernel
// changes. inotify does not report changes that other hosts make on a network file
// system.
var localFileSystems = []int64{
	0xef53,     // ext2, ext3, ext4
	0x58465342, // xfs
	0x9123683e, // btrfs
	0xf2f52010, // f2fs
	0x2fc12fc1, // zfs
	0x01021994, // tmpfs
}

// newWatch returns a watch without folders, or nil if inotify is not available.
func newWatch() *watch {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	if err != nil {
		return nil
	}
	w := &watch{fd: fd, names: map[uint32]string{}}
	w.cleanup = runtime.AddCleanup(w, func(fd int) { _ = syscall.Close(fd) }, fd)
	return w
}

// add watches a folder, or only one name in it. It returns false if changes could
// be missed.
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

// isLocal reports whether a folder is on a local file system.
func isLocal(folder *os.Root) (yes bool) {
	withLocalFD(folder, func(uintptr) { yes = true })
	return yes
}

// withLocalFD calls do with a file descriptor of folder if it is on a local file
// system. The descriptor is valid only during the call.
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
	_ = conn.Control(func(fd uintptr) { // fails only on a closed file
		var fs syscall.Statfs_t
		if syscall.Fstatfs(int(fd), &fs) == nil && slices.Contains(localFileSystems, int64(fs.Type)) { //nolint:unconvert // Type has 32 bits on some platforms
			do(fd)
		}
	})
}

// changed reports whether anything has changed. After the first true, call close:
// later changes are not reported.
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
