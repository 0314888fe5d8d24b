package mirror_test

import (
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/mirror"
)

// TestHistoryThatWasReplaced puts other commits under the same numbers, as
// init --force or a restored bucket do: nothing of the old ones is shown.
func TestHistoryThatWasReplaced(t *testing.T) {
	w, m := full(t, 11)
	old := w.view()
	if old.check(m) != 6 {
		t.Fatal("the world is not mirrored")
	}
	w.commits = w.commits[:7]
	restored := w.view()
	if n := restored.check(m); n != 6 {
		t.Errorf("%d of 6 answers come from the mirror after the store was put back to commit 7", n)
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

// TestRestoredWhileNobodyLooked opens the file of a history that has lost its
// newest commits since.
func TestRestoredWhileNobodyLooked(t *testing.T) {
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

// TestDropAndMigration changes types under readers of older pins: those go on by
// files, and the new tables are right for the new ones.
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
