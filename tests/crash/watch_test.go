package crash

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// step is a moment of a commit that shows in the folder of a store.
type step string

const (
	lockWritten     step = "lock written"     // taken, renewed or given back
	folderMade      step = "folder made"      // the first object of an attempt is about to be there
	manifestWritten step = "manifest written" // the attempt is staged, or nearly
	headSwapped     step = "head swapped"     // before the client received the answer
	indexWritten    step = "index written"
)

// watch tells the steps of the commits in a store as they happen. It is Linux's
// inotify: polling would take the processor from those that are watched.
type watch struct {
	file    *os.File
	fd      int
	path    string
	folders map[int32]string // by watch descriptor, relative to path
}

// newWatch watches a store that was written to. The caller closes it.
func newWatch(path string) (*watch, error) {
	fd, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	// A user may have 128 of them, and other programs that run give theirs back.
	for end := time.Now().Add(patience); err == syscall.EMFILE && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		fd, err = syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	}
	if err != nil {
		return nil, fmt.Errorf("inotify: %w", err)
	}
	w := &watch{file: os.NewFile(uintptr(fd), "inotify"), fd: fd, path: path, folders: map[int32]string{}}
	for _, folder := range []string{"commits", "meta", "meta/locks", "meta/indices/entities", "meta/indices/relations"} {
		if err := w.add(folder); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *watch) add(folder string) error {
	wd, err := syscall.InotifyAddWatch(w.fd, filepath.Join(w.path, folder), syscall.IN_CREATE|syscall.IN_MOVED_TO)
	if err != nil {
		return fmt.Errorf("watch %s: %w", folder, err)
	}
	w.folders[int32(wd)] = folder
	return nil
}

func (w *watch) close() { _ = w.file.Close() }

// until waits until a step was seen n times, or ctx ends.
func (w *watch) until(ctx context.Context, want step, n int) error {
	defer context.AfterFunc(ctx, w.close)()
	buf := make([]byte, 64<<10)
	for {
		got, err := w.file.Read(buf)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("read what happens: %w", err)
		}
		for rest := buf[:got]; len(rest) >= syscall.SizeofInotifyEvent; {
			wd := int32(binary.NativeEndian.Uint32(rest))
			end := syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			name := string(bytes.TrimRight(rest[syscall.SizeofInotifyEvent:end], "\x00"))
			rest = rest[end:]
			seen := w.step(w.folders[wd], name)
			if seen == folderMade && want == manifestWritten {
				seen = w.enter("commits/" + name)
			}
			if seen == want {
				if n--; n <= 0 {
					return nil
				}
			}
		}
	}
}

func (w *watch) step(folder, name string) step {
	switch {
	case folder == "commits":
		return folderMade
	case folder == "meta" && name == "head.json":
		return headSwapped
	case folder == "meta/locks" && strings.HasSuffix(name, ".json"):
		return lockWritten
	case strings.HasPrefix(folder, "meta/indices/") && strings.HasSuffix(name, ".json"):
		return indexWritten
	case name == "manifest.json":
		return manifestWritten
	}
	return ""
}

// enter watches the folder of an attempt, whose manifest may be there already.
func (w *watch) enter(folder string) step {
	if w.add(folder) != nil {
		return "" // already deleted
	}
	if _, err := os.Stat(filepath.Join(w.path, folder, "manifest.json")); err == nil {
		return manifestWritten
	}
	return folderMade
}
