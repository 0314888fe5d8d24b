package diskcache

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// usage counts the bytes in the directory: those found by the last scan and those that
// this process has added since.
type usage struct {
	mu           sync.Mutex
	scanned      bool
	found, added int64
}

func (r *usage) total() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found + r.added
}

func (r *usage) add(size int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.added += size
}

func (r *usage) set(found int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scanned, r.found, r.added = true, found, 0
}

// due reports whether to scan the directory: files were added and it was never
// scanned, the budget is exceeded, or so much was added that other processes may have
// exceeded the budget together.
func (r *usage) due(budget int64) bool {
	const looks = 16
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.scanned {
		return r.added > 0
	}
	return budget > 0 && (r.found+r.added > budget || r.added > budget/looks)
}

// cachedFile is a data file in the directory.
type cachedFile struct {
	name string
	size int64
	used time.Time
}

// evictOverBudget scans the directory if usage.due and evicts files if the budget is
// exceeded. It evicts 10 % more than needed, so that not every new file causes a scan.
// A process that adds no file never scans: start-up time must not depend on the size
// of the cache.
func (c *Cache) evictOverBudget() error {
	if !c.usage.due(c.budget) {
		return nil
	}
	found, err := c.scan()
	if c.usage.set(sizeOf(found)); c.budget > 0 && c.usage.total() > c.budget {
		c.evict(found, c.budget-c.budget/10)
	}
	return err
}

// evictHalf evicts half of the files by size, because the disk is full.
func (c *Cache) evictHalf() error {
	found, err := c.scan()
	c.evict(found, sizeOf(found)/2)
	return err
}

// evict removes the least recently used files, of any process, until at most target
// bytes are left or all remaining files are leased.
func (c *Cache) evict(found []cachedFile, target int64) {
	slices.SortFunc(found, func(a, b cachedFile) int { return a.used.Compare(b.used) })
	total, files := sizeOf(found), 0
	for _, f := range found {
		if total <= target {
			break
		}
		if removeUnused(c.path(f.name, dataSuffix)) {
			total -= f.size
			files++
		}
	}
	c.usage.set(total)
	c.log.Debug("cached objects evicted", "files", files, "bytes_left", total)
}

func sizeOf(found []cachedFile) int64 {
	var total int64
	for _, f := range found {
		total += f.size
	}
	return total
}

// metadataLifetime is how long metadata is kept after the last use of its data file.
const metadataLifetime = 30 * 24 * time.Hour

// scan lists the data files with the time of their last use, which is the modification
// time of their metadata file. It removes abandoned part files and old metadata.
func (c *Cache) scan() ([]cachedFile, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	sizes := map[string]fs.FileInfo{}
	used := map[string]time.Time{}
	var infoErr error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // evicted by another process
				infoErr = err
			}
			continue
		}
		if name, ok := strings.CutSuffix(e.Name(), dataSuffix); ok {
			sizes[name] = info
		} else if name, ok := strings.CutSuffix(e.Name(), metadataSuffix); ok {
			used[name] = info.ModTime()
		} else {
			sweep(c.path(e.Name(), ""))
		}
	}
	var found []cachedFile
	for name, info := range sizes {
		at, noted := used[name]
		if !noted {
			at = info.ModTime()
		}
		found = append(found, cachedFile{name, info.Size(), at})
		delete(used, name)
	}
	for name, at := range used {
		if time.Since(at) > metadataLifetime {
			_ = os.Remove(c.path(name, metadataSuffix))
		}
	}
	return found, infoErr
}
