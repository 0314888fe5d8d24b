package dir

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Every statement checks that the head has not changed and lists the schema objects.
// While a watch reports no change in their folders, the head is not read again and
// the folders are not listed again.
const (
	// maxCached is the maximum number of cached listings, and of cached versions.
	maxCached = 4
	// maxCacheAge is the maximum age of an entry. inotify does not report every
	// change: a file can be written through another hard link or a memory mapping.
	maxCacheAge = time.Second
	// A listing is not cached if it has more than maxWatchedFolders folders or more
	// than maxCachedObjects objects.
	maxWatchedFolders, maxCachedObjects = 64, 10_000
)

// listingCache caches the listings of prefixes and the versions of objects that are
// requested repeatedly.
type listingCache struct {
	mu       sync.Mutex
	last     string // the prefix of the last List
	byPrefix map[string]*cachedListing
	byKey    map[string]*cachedListing // of the one object
}

// cachedListing is the listing of a prefix, or the one object of a key.
type cachedListing struct {
	mu      sync.Mutex
	watch   *watch // nil if the entry is empty
	began   time.Time
	ended   time.Time
	objects []objstore.Object
	shared  bool // a caller has objects, so the slice must not be modified
}

// forPrefix returns the entry of a prefix, or nil if it is not cached. An entry is
// created when the same prefix is listed twice in a row.
func (k *listingCache) forPrefix(prefix string) *cachedListing {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.byPrefix[prefix]
	if l == nil && prefix == k.last && len(k.byPrefix) < maxCached {
		if k.byPrefix == nil {
			k.byPrefix = map[string]*cachedListing{}
		}
		l = &cachedListing{}
		k.byPrefix[prefix] = l
	}
	k.last = prefix
	return l
}

// forKey returns the entry of a key. It creates one if there is space, if necessary
// after removing stale entries. Otherwise it returns nil.
func (k *listingCache) forKey(key string) *cachedListing {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.byKey[key]
	if l == nil {
		maps.DeleteFunc(k.byKey, func(_ string, other *cachedListing) bool { return len(k.byKey) == maxCached && other.dropIfStale() })
	}
	if l == nil && len(k.byKey) < maxCached {
		if k.byKey == nil {
			k.byKey = map[string]*cachedListing{}
		}
		l = &cachedListing{}
		k.byKey[key] = l
	}
	return l
}

// dropIfStale reports whether the entry is stale, and clears it then.
func (l *cachedListing) dropIfStale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch != nil && time.Since(l.began) <= maxCacheAge {
		return false
	}
	l.clear()
	return true
}

// recordVersion adds the version of an object to the listings that contain it. A
// read that started at began found the version. A later List returns it without
// reading the object, while the object does not change.
func (k *listingCache) recordVersion(key string, v objstore.Version, began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for prefix, l := range k.byPrefix {
		if strings.HasPrefix(key, prefix) {
			l.recordVersion(key, v, began)
		}
	}
}

func (l *cachedListing) recordVersion(key string, v objstore.Version, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !began.After(l.ended) || !l.isValid() {
		return
	}
	i, listed := slices.BinarySearchFunc(l.objects, key, func(o objstore.Object, key string) int { return strings.Compare(o.Key, key) })
	if !listed {
		return
	}
	if l.shared {
		l.objects, l.shared = slices.Clone(l.objects), false
	}
	l.objects[i].Version = v
}

// current returns the objects. It returns false if they may have changed.
func (l *cachedListing) current() ([]objstore.Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared = l.isValid()
	return l.objects, l.shared
}

// isValid reports whether the entry is unchanged; otherwise it clears the entry. The
// caller holds l.mu.
func (l *cachedListing) isValid() bool {
	if l.watch == nil || time.Since(l.began) > maxCacheAge || l.watch.changed() {
		l.clear()
		return false
	}
	return true
}

// set replaces the content of the entry. w was started before the listing, at began.
func (l *cachedListing) set(w *watch, began time.Time, objects []objstore.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	if len(objects) > maxCachedObjects {
		w.close()
		return
	}
	l.watch, l.began, l.ended, l.objects, l.shared = w, began, time.Now(), objects, true
	// Otherwise an idle Bucket keeps its watches. Linux lets a user have 128 of them.
	time.AfterFunc(maxCacheAge, func() { l.dropIfStale() })
}

// clear closes the watch and removes the objects. The caller holds l.mu.
func (l *cachedListing) clear() {
	l.watch.close()
	l.watch, l.objects = nil, nil
}
