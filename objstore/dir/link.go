package dir

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"github.com/ontosql/ontosql/objstore"
)

const (
	// linkers is the number of goroutines that link files. More wait for the same journal of the file
	// system.
	linkers = 4
	// syncedTogether is how many folders with all that is below them are synced at a time: the first
	// sync writes the journal, and the others have nothing left to do.
	syncedTogether = 64
)

// tree is the keys below one folder.
type tree struct {
	files   []file
	folders []*tree
	name    string
	byName  map[string]*tree
}

// file is a file of a folder and its key.
type file struct{ name, key string }

func newTree(keys []string) *tree {
	root := &tree{}
	for _, key := range keys {
		at, rest := root, key
		for {
			segment, below, more := strings.Cut(rest, "/")
			if !more {
				at.files = append(at.files, file{segment, key})
				break
			}
			at, rest = at.folder(segment), below
		}
	}
	return root
}

func (t *tree) folder(name string) *tree {
	if below := t.byName[name]; below != nil {
		return below
	}
	if t.byName == nil {
		t.byName = map[string]*tree{}
	}
	below := &tree{name: name}
	t.byName[name], t.folders = below, append(t.folders, below)
	return below
}

// each calls visit for each key.
func (t *tree) each(visit func(key string)) {
	for _, f := range t.files {
		visit(f.key)
	}
	for _, below := range t.folders {
		below.each(visit)
	}
}

// folder links the files of a tree from one open folder to another, and syncs it. Folders are opened
// by name in their parent and never through a symbolic link, so that no path leads out.
func (l *linker) folder(from, to int, t *tree) error {
	var g errgroup.Group
	g.SetLimit(linkers)
	for some := range slices.Chunk(t.folders, syncedTogether) {
		if len(t.folders) <= syncedTogether { // few folders, which may have many below them
			for _, below := range some {
				if err := l.below(from, to, below, l.folder); err != nil {
					return err
				}
			}
			break
		}
		g.Go(func() error { return l.together(from, to, some) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	l.files(from, to, t)
	return syncFD(to)
}

// together links some folders with all that is below them, and then syncs all of them.
func (l *linker) together(from, to int, folders []*tree) error {
	var open []int
	defer func() {
		for _, fd := range open {
			_ = unix.Close(fd)
		}
	}()
	var link func(from, to int, t *tree) error
	link = func(from, to int, t *tree) error {
		kept, err := unix.FcntlInt(uintptr(to), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return classify(err)
		}
		open = append(open, kept)
		for _, below := range t.folders {
			if err := l.below(from, to, below, link); err != nil {
				return err
			}
		}
		l.files(from, to, t)
		return nil
	}
	for _, t := range folders {
		if l.ctx.Err() != nil {
			return objstore.ContextError(l.ctx)
		}
		if err := l.below(from, to, t, link); err != nil {
			return err
		}
	}
	for _, fd := range open {
		if err := syncFD(fd); err != nil {
			return err
		}
	}
	return nil
}

// below opens a folder on both sides, which is made in the target, and calls do with it. One that is
// no folder is left to be copied.
func (l *linker) below(from, to int, t *tree, do func(from, to int, t *tree) error) error {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	source, err := unix.Openat(from, t.name, flags, 0)
	if err != nil {
		l.leave(t)
		return nil
	}
	defer func() { _ = unix.Close(source) }()
	if err := unix.Mkdirat(to, t.name, 0o777); err != nil && !errors.Is(err, syscall.EEXIST) {
		l.leave(t)
		return nil
	}
	target, err := unix.Openat(to, t.name, flags, 0)
	if err != nil {
		l.leave(t)
		return nil
	}
	defer func() { _ = unix.Close(target) }()
	return do(source, target, t)
}

// files links the files of a folder.
func (l *linker) files(from, to int, t *tree) {
	for _, f := range t.files {
		if !linkFile(from, to, f.name) {
			l.leave(&tree{files: []file{f}})
		}
	}
}

// linkFile links a file, or finds the link there. It does not follow a symbolic link.
func linkFile(from, to int, name string) bool {
	var there, here unix.Stat_t
	if err := unix.Fstatat(from, name, &there, unix.AT_SYMLINK_NOFOLLOW); err != nil || there.Mode&unix.S_IFMT != unix.S_IFREG {
		return false
	}
	switch err := unix.Linkat(from, name, to, name, 0); {
	case err == nil:
		return true
	case !errors.Is(err, syscall.EEXIST):
		return false
	}
	err := unix.Fstatat(to, name, &here, unix.AT_SYMLINK_NOFOLLOW)
	return err == nil && here.Dev == there.Dev && here.Ino == there.Ino
}

// syncFD syncs an open folder. Some file systems do not support that.
func syncFD(fd int) error {
	if err := unix.Fsync(fd); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return classifyAfterRename(err)
	}
	return nil
}
