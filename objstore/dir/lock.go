package dir

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// PROTOCOL. A write stores the whole body in a staging file and syncs it. Then it
// takes the exclusive flock of the key's lock stripe. Under the lock it compares
// the version (Swap, DeleteIf), renames or links the staging file to its final
// name, and syncs the folder. All four kinds of writes take the lock; otherwise a
// Put could run between the comparison and the rename of a Swap. Reads take no
// lock: a name always refers to a complete file. A Swap from Absent uses link,
// which is atomic by itself. So it also fails correctly if a program that does not
// use the lock created the file first.

// lockStripes is the number of lock files. Keys share them by hash, so lock files
// are never removed. 64 makes it unlikely that two writers share one by chance.
const lockStripes = 64

const locksDir = reserved + "/locks"

// lock waits for the exclusive lock of key, which excludes other goroutines of this
// Bucket and other processes. It returns early when ctx ends. The caller calls
// unlock.
func (b *Bucket) lock(ctx context.Context, key string) (unlock func(), err error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // never fails
	stripe := h.Sum32() % lockStripes

	// A flock belongs to the open file, so it would also exclude goroutines. But
	// waiting for it means polling; a channel wakes the next goroutine at once.
	select {
	case b.locks[stripe] <- struct{}{}:
	case <-ctx.Done():
		return nil, objstore.ContextError(ctx)
	}
	f, err := b.flock(ctx, fmt.Sprintf("%s/%02x", locksDir, stripe))
	if err != nil {
		<-b.locks[stripe]
		return nil, err
	}
	return func() {
		f.Close() // releases the flock
		<-b.locks[stripe]
	}, nil
}

func (b *Bucket) flock(ctx context.Context, name string) (*os.File, error) {
	// A flock needs only read permission, so writers of other users can take it
	// regardless of the umask.
	f, err := b.makeOwn(name, os.O_RDONLY|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", classify(err))
	}
	// A waiting flock(2) cannot be cancelled, so poll. The lock is held for one
	// rename and one fsync.
	for wait := 250 * time.Microsecond; ; wait = min(2*wait, 8*time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			f.Close()
			return nil, fmt.Errorf("flock: %w", classify(err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			f.Close()
			return nil, objstore.ContextError(ctx)
		}
	}
}

// makeOwn opens a file below the reserved folder. It creates missing folders.
func (b *Bucket) makeOwn(name string, flag int) (*os.File, error) {
	f, err := b.root.OpenFile(name, flag, 0o666)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	for _, dir := range []string{locksDir, stagingDir} {
		if err := b.root.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	return b.root.OpenFile(name, flag, 0o666)
}
