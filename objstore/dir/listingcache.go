package dir

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Every statement asks whether the head is still the one it was, and lists the schema
// objects. While a watch of the folders says that nothing in them has changed, the head
// need not be read, nor the objects be looked at one by one.
const (
	// maxCached is of how many prefixes listings are kept, and of how many keys versions.
	maxCached = 4
	// maxCacheAge is how long one is, though no change was told: a file that is reached
	// by another hard link, or through memory, changes without a word.
	maxCacheAge = time.Second
	// maxWatchedFolders is how many folders a listing that is kept may be of, and
	// maxCachedObjects how many objects it may have.
	maxWatchedFolders, maxCachedObjects = 64, 10_000
)

// listingCache are the listings of prefixes that are listed again and again, and the versions of
// objects that are read again and again.
type listingCache struct {
	mu       sync.Mutex
	last     string // the prefix that was asked for last
	byPrefix map[string]*cachedListing
	byKey    map[string]*cachedListing // of the one object
}

// cachedListing is what was found below a prefix, or at a key.
type cachedListing struct {
	mu      sync.Mutex
	watch   *watch // nil where nothing is known to hold
	began   time.Time
	ended   time.Time
	objects []objstore.Object
	shared  bool // objects is in the hands of a caller and does not change any more
}

// forPrefix is the listing of a prefix, nil where none is kept. One is from the second time on
// that the prefix is asked for and no other between.
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

// forKey is what is kept of the object of a key, nil for nothing. It takes the place of
// one that nobody has asked for lately.
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

// dropIfStale reports whether nothing is kept that still counts.
func (l *cachedListing) dropIfStale() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch != nil && time.Since(l.began) <= maxCacheAge {
		return false
	}
	l.clear()
	return true
}

// recordVersion takes down the version that an object had when it was read, which began at a time:
// who lists it need not read it as long as it is known not to have changed.
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

// current are the objects, if they are still what is there.
func (l *cachedListing) current() ([]objstore.Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shared = l.isValid()
	return l.objects, l.shared
}

// isValid reports whether nothing has changed; what has is forgotten. l.mu is held.
func (l *cachedListing) isValid() bool {
	if l.watch == nil || time.Since(l.began) > maxCacheAge || l.watch.changed() {
		l.clear()
		return false
	}
	return true
}

// set puts a new listing there. The watch is from before its beginning.
func (l *cachedListing) set(w *watch, began time.Time, objects []objstore.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	if len(objects) > maxCachedObjects {
		w.close()
		return
	}
	l.watch, l.began, l.ended, l.objects, l.shared = w, began, time.Now(), objects, true
}

// clear ends the watch; l.mu is held.
func (l *cachedListing) clear() {
	l.watch.close()
	l.watch, l.objects = nil, nil
}
