package dir

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// ServerTime implements objstore.Clock. The file system may be another machine's, whose clock
// dates the files, so the time is that of a new file in the folder of internal files, which is
// removed at once. Where none can be made, as in a directory that cannot be written to or to
// which no Bucket has written yet, it is the time of this machine.
func (b *Bucket) ServerTime(ctx context.Context) (time.Time, error) {
	if ctx.Err() != nil {
		return time.Time{}, b.fail(objstore.OpServerTime, "", objstore.ContextError(ctx))
	}
	name := fmt.Sprintf("%s/%d-%s", stagingDir, os.Getpid(), rand.Text())
	f, err := b.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return time.Now(), nil
	}
	defer func() { _ = b.root.Remove(name) }() // if it fails, a later sweep removes the file
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return time.Time{}, b.fail(objstore.OpServerTime, "", classify(err))
	}
	return info.ModTime(), nil
}
