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
	// mostKept is of how many prefixes listings are kept, and of how many keys versions.
	mostKept = 4
	// longestKept is how long one is, though no change was told: a file that is reached
	// by another hard link, or through memory, changes without a word.
	longestKept = time.Second
	// mostFolders is how many folders a listing that is kept may be of, and
	// mostObjects how many objects it may have.
	mostFolders, mostObjects = 64, 10_000
)

// kept are the listings of prefixes that are listed again and again, and the versions of
// objects that are read again and again.
type kept struct {
	mu       sync.Mutex
	last     string // the prefix that was asked for last
	listings map[string]*listing
	bodies   map[string]*listing // of the one object
}

// listing is what was found below a prefix, or at a key.
type listing struct {
	mu      sync.Mutex
	watch   *watch // nil where nothing is known to hold
	began   time.Time
	ended   time.Time
	objects []objstore.Object
	lent    bool // objects is in the hands of a caller and does not change any more
}

// of is the listing of a prefix, nil where none is kept. One is from the second time on
// that the prefix is asked for and no other between.
func (k *kept) of(prefix string) *listing {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.listings[prefix]
	if l == nil && prefix == k.last && len(k.listings) < mostKept {
		if k.listings == nil {
			k.listings = map[string]*listing{}
		}
		l = &listing{}
		k.listings[prefix] = l
	}
	k.last = prefix
	return l
}

// body is what is kept of the object of a key, nil for nothing. It takes the place of
// one that nobody has asked for lately.
func (k *kept) body(key string) *listing {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.bodies[key]
	if l == nil {
		maps.DeleteFunc(k.bodies, func(_ string, other *listing) bool { return len(k.bodies) == mostKept && other.rests() })
	}
	if l == nil && len(k.bodies) < mostKept {
		if k.bodies == nil {
			k.bodies = map[string]*listing{}
		}
		l = &listing{}
		k.bodies[key] = l
	}
	return l
}

// rests reports whether nothing is kept that still counts.
func (l *listing) rests() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch != nil && time.Since(l.began) <= longestKept {
		return false
	}
	l.forget()
	return true
}

// met takes down the version that an object had when it was read, which began at a time:
// who lists it need not read it as long as it is known not to have changed.
func (k *kept) met(key string, v objstore.Version, began time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for prefix, l := range k.listings {
		if strings.HasPrefix(key, prefix) {
			l.met(key, v, began)
		}
	}
}

func (l *listing) met(key string, v objstore.Version, began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !began.After(l.ended) || !l.still() {
		return
	}
	i, listed := slices.BinarySearchFunc(l.objects, key, func(o objstore.Object, key string) int { return strings.Compare(o.Key, key) })
	if !listed {
		return
	}
	if l.lent {
		l.objects, l.lent = slices.Clone(l.objects), false
	}
	l.objects[i].Version = v
}

// holds are the objects, if they are still what is there.
func (l *listing) holds() ([]objstore.Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent = l.still()
	return l.objects, l.lent
}

// still reports whether nothing has changed; what has is forgotten. l.mu is held.
func (l *listing) still() bool {
	if l.watch == nil || time.Since(l.began) > longestKept || l.watch.changed() {
		l.forget()
		return false
	}
	return true
}

// keep puts a new listing there. The watch is from before its beginning.
func (l *listing) keep(w *watch, began time.Time, objects []objstore.Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	if len(objects) > mostObjects {
		w.close()
		return
	}
	l.watch, l.began, l.ended, l.objects, l.lent = w, began, time.Now(), objects, true
}

// forget ends the watch; l.mu is held.
func (l *listing) forget() {
	l.watch.close()
	l.watch, l.objects = nil, nil
}
