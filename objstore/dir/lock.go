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

// PROTOCOL. A write puts the whole body into a staging file and syncs it. Then,
// holding the exclusive flock of the key's stripe, it compares (Swap, DeleteIf),
// renames or links the staging file to its name, and syncs the folder. All four
// kinds of writes take the lock, or a Put would slip between the comparison and
// the rename of a Swap. Reads take none: a name always leads to a whole file.
// The link of a Swap from Absent would be atomic by itself; it also loses
// properly against a program that does not know the lock.

// lockStripes is how many lock files there are. Keys share them by hash, so that
// they need not be cleaned up, and few enough writers meet by chance.
const lockStripes = 64

const locksDir = reserved + "/locks"

// lock waits for the exclusive lock of a key, between the goroutines of this
// Bucket and between processes. It ends early with ctx. The caller unlocks.
func (b *Bucket) lock(ctx context.Context, key string) (unlock func(), err error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // never fails
	stripe := h.Sum32() % lockStripes

	// A flock is the open file's, so goroutines could poll it just the same;
	// the channel wakes them up instead.
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
	// Reading rights are enough for a flock, so writers of other users can take
	// it whatever the umask was.
	f, err := b.makeOwn(name, os.O_RDONLY|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", classify(err))
	}
	// flock(2) cannot be given up from outside while it waits, so ask again and
	// again; holders keep it for one rename and one fsync.
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

// makeOwn opens a file below the reserved folder, and makes its folders when
// they are not there yet.
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
