package dir

import (
	"sync"
	"time"

	"github.com/ontosql/ontosql/objstore"
)

// Every statement lists the schema objects. While a watch of the folders says that
// nothing below them has changed, the objects need not be looked at one by one.
const (
	// mostKept is of how many prefixes listings are kept.
	mostKept = 4
	// longestKept is how long one is, though no change was told: a file that is reached
	// by another hard link, or through memory, changes without a word.
	longestKept = time.Second
	// mostFolders is how many folders a listing that is kept may be of, and
	// mostObjects how many objects it may have.
	mostFolders, mostObjects = 64, 10_000
)

// kept are the listings of prefixes that are listed again and again.
type kept struct {
	mu       sync.Mutex
	last     string // the prefix that was asked for last
	listings map[string]*listing
}

// listing is what was found below a prefix.
type listing struct {
	mu      sync.Mutex
	watch   *watch // nil where nothing is known to hold
	began   time.Time
	objects []objstore.Object
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

// holds are the objects, if they are still what is there.
func (l *listing) holds() ([]objstore.Object, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watch == nil || time.Since(l.began) > longestKept || l.watch.changed() {
		l.forget()
		return nil, false
	}
	return l.objects, true
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
	l.watch, l.began, l.objects = w, began, objects
}

// forget ends the watch; l.mu is held.
func (l *listing) forget() {
	l.watch.close()
	l.watch, l.objects = nil, nil
}
