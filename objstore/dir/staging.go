package dir

import (
	"crypto/rand"
	"fmt"
	"os"
	"time"
)

const stagingDir = reserved + "/staging"

// staleAfter is the age from which a staging file is one that a process left
// behind when it died. Writing a body from memory takes seconds.
const staleAfter = time.Hour

// stage writes a body to a new file, safe on disk, and returns its name.
func (b *Bucket) stage(body []byte) (string, error) {
	name := fmt.Sprintf("%s/%d-%s", stagingDir, os.Getpid(), rand.Text())
	f, err := b.makeOwn(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return "", err
	}
	_, err = f.Write(body)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = b.root.Remove(name) // what stays is swept later
		return "", err
	}
	return name, nil
}

// sweepStaging removes what dead processes left. It fails silently: a staging
// file does no harm, and the next process tries again.
func (b *Bucket) sweepStaging() {
	dir, err := b.root.Open(stagingDir)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		info, err := b.root.Lstat(stagingDir + "/" + name)
		if err == nil && time.Since(info.ModTime()) > staleAfter {
			_ = b.root.Remove(stagingDir + "/" + name)
		}
	}
}
