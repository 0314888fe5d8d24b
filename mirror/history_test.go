package mirror_test

import (
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/mirror"
)

// TestHistoryThatWasReplaced replaces commits by others with the same ids, as init --force or
// a restored bucket do: no row of the old ones may be shown.
func TestHistoryThatWasReplaced(t *testing.T) {
	w, m := full(t, 11)
	old := w.view()
	if old.check(m) != 6 {
		t.Fatal("the world is not mirrored")
	}
	w.commits = w.commits[:7]
	restored := w.view()
	if n := restored.check(m); n != 6 {
		t.Errorf("%d of 6 answers come from the mirror after the store was restored to commit 7", n)
	}
	for range 4 {
		w.commit()
	}
	v := w.view() // below the mirror's watermark, and another history
	m.Follow(v)
	v.check(m)
	for range 4 {
		w.commit()
	}
	v = w.view()
	v.settled(m, customer, product, purchase)
	if n := v.check(m); n != 6 {
		t.Errorf("%d of 6 answers come from the mirror after it followed the new history", n)
	}
	if u := m.Use(old, old.types[0], mirror.Window{Window: ontosql.Window{Upper: old.Head()}}); u != nil {
		t.Error("a pin of the old history reads the tables of the new one")
	}
}

// TestRestoredWhileClosed opens the file after the history has lost its newest commits.
func TestRestoredWhileClosed(t *testing.T) {
	w, m := full(t, 12)
	m.Close()
	w.commits = w.commits[:6]
	for range 2 {
		w.commit()
	}
	again := w.mirror(1 << 30)
	v := w.view()
	again.Follow(v)
	v.check(again)
	v.settled(again, customer, product, purchase)
	v.check(again)
}

// TestDropAndMigration changes types while older pins are in use: those read files, and newer
// pins read the new tables.
func TestDropAndMigration(t *testing.T) {
	w, m := full(t, 13)
	before := w.view()
	w.drop(0)
	w.migrate(1)
	for range 5 {
		w.commit()
	}
	v := w.view()
	v.settled(m, customer, product, purchase)
	before.check(m)
	if n := v.check(m); n != 6 {
		t.Errorf("%d of 6 answers come from the mirror after a drop and a migration", n)
	}
}
