package nameservicetest

import (
	"encoding/json"
	"fmt"

	"github.com/ontosql/ontosql/nameservice"
)

func (w *world) changes(known nameservice.Subscriptions, in nameservice.Interest) []string {
	w.Helper()
	changes, err := nameservice.ChangedSince(w.Context(), w, known, in)
	if err != nil {
		w.Fatal(err)
	}
	all := []string{}
	for _, c := range changes {
		if c.Gone {
			all = append(all, c.Alias.String()+" gone")
			continue
		}
		all = append(all, fmt.Sprintf("%s %s %d", c.Alias, c.Concern, c.Value.V))
	}
	known.Advance(changes, in)
	return all
}

// testSubscriptions: a client that knows watermarks gets what is newer, once.
func testSubscriptions(w *world) {
	search := nameservice.Alias{Graph: true, Name: "search", Branch: "main"}
	w.create(shop)
	w.create(search)
	w.create(nameservice.Alias{Name: "other", Branch: "main"})
	var known nameservice.Subscriptions
	const text = `{"shop:main":{"type":"ledger","head_v":0,"index_v":0,"status_v":1,"config_v":0},"vg:search:main":{"type":"vg:bm25","index_v":0}}`
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		w.Fatal(err)
	}
	if again, err := json.Marshal(known); err != nil || string(again) != text {
		w.Errorf("subscriptions as JSON: got %s, %v; want %s", again, err, text)
	}
	w.equal("nothing is new", w.changes(known, nameservice.Interest{}), []string{})
	w.mustWrite(shop, nameservice.NewFastForward(nameservice.Status, value(2, `{"state":"indexing"}`)))
	w.mustWrite(shop, nameservice.NewFastForward(nameservice.Head, value(42, `{"t":42}`)))
	w.mustWrite(search, nameservice.NewFastForward(nameservice.Head, value(1, `{"sync_t":42}`)))
	w.mustWrite(search, nameservice.NewFastForward(nameservice.Index, value(5, `{"sync_t":42}`)))
	w.equal("of search only the index is of interest", w.changes(known, nameservice.Interest{}),
		[]string{"shop:main head 42", "shop:main status 2", "vg:search:main index 5"})
	w.equal("what was told is known", w.changes(known, nameservice.Interest{}), []string{})
	w.mustWrite(shop, nameservice.NewRetract(2, value(3, `{"state":"retracted"}`)))
	w.equal("a retraction is a change of the status", w.changes(known, nameservice.Interest{}), []string{"shop:main status 3"})
	if _, err := w.Purge(w.Context(), w.get(shop)); err != nil {
		w.Fatal(err)
	}
	w.equal("a record that was purged", w.changes(known, nameservice.Interest{}), []string{"shop:main gone"})
	w.equal("it is gone once", w.changes(known, nameservice.Interest{}), []string{})
}

// testInterest: a client that subscribes to a type hears of records that appear later.
func testInterest(w *world) {
	ledgers := nameservice.Interest{Types: []string{nameservice.Ledger}, Concerns: []nameservice.Concern{nameservice.Head, nameservice.Status}}
	known := nameservice.Subscriptions{}
	w.create(shop)
	w.create(nameservice.Alias{Graph: true, Name: "search", Branch: "main"})
	w.equal("a ledger", w.changes(known, ledgers), []string{"shop:main status 1"})
	w.mustWrite(shop, nameservice.NewFastForward(nameservice.Config, value(1, `{}`)))
	w.mustWrite(shop, nameservice.NewFastForward(nameservice.Head, value(7, `{"t":7}`)))
	w.create(nameservice.Alias{Name: "new", Branch: "main"})
	w.equal("its head, and another ledger", w.changes(known, ledgers), []string{"new:main status 1", "shop:main head 7"})
	w.equal("everything, for a client that knows nothing", w.changes(nameservice.Subscriptions{}, nameservice.Interest{Types: []string{""}}),
		[]string{"new:main status 1", "shop:main head 7", "shop:main status 1", "shop:main config 1", "vg:search:main status 1"})
}
