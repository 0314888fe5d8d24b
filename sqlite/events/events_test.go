package events_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/eventbustest"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/events"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
)

var start = time.Date(2026, 2, 11, 12, 0, 0, 0, time.UTC)

// bus is a Bus on a file that reports nothing as damaged.
func bus(t *testing.T, path string) (eventbus.Bus, *eventbustest.Clock) {
	t.Helper()
	clock := eventbustest.NewClock(start)
	return on(t, path)(clock.Now, func(err error) { t.Errorf("reported as damaged: %v", err) }), clock
}

func send(t *testing.T, b eventbus.Bus, n int) []format.Event {
	t.Helper()
	var all []eventbus.New
	for i := range n {
		all = append(all, eventbus.New{Namespace: "n", Type: "t", Payload: fmt.Appendf(nil, `{"number":%d}`, i)})
	}
	sent, err := b.Enqueue(t.Context(), all)
	if err != nil {
		t.Fatalf("Enqueue: %v", err)
	}
	return sent
}

func claim(t *testing.T, b eventbus.Bus, limit int) []eventbus.Delivery {
	t.Helper()
	taken, err := b.Claim(t.Context(), eventbus.Request{Namespace: "n", Handler: "h", Types: []string{"t"}, Session: "s", Limit: limit})
	if err != nil {
		t.Fatalf("Claim: %v", err)
	}
	return taken
}

func ack(t *testing.T, b eventbus.Bus, all []eventbus.Delivery) {
	t.Helper()
	for _, d := range all {
		if ok, err := b.Ack(t.Context(), d.Lease); !ok || err != nil {
			t.Fatalf("Ack: %v, %v", ok, err)
		}
	}
}

// TestFixtures answers from files of the original's what the original answers.
func TestFixtures(t *testing.T) {
	for _, name := range []string{sqlitetest.FileV1, sqlitetest.FileV2} {
		b, clock := bus(t, sqlitetest.Fixture(t, name))
		clock.Advance(365 * 24 * time.Hour)
		var got []string
		listed, err := b.List(t.Context(), eventbus.Query{Namespace: "fixtures"})
		for _, l := range listed {
			payload, _, _ := strings.Cut(string(l.Payload), `"event_id"`)
			got = append(got, fmt.Sprintf("%s %s %s %s %d", l.Type, l.Status, l.Handler, payload, l.ChainDepth))
		}
		sqlitetest.Told(t, fmt.Sprintf("%s: events, %v", name, err), got,
			`order.placed acked make_fixtures.accept_order {"amount":9.5,"order_no":"n1"} 0`,
			`order.rejected dead_lettered make_fixtures.reject_order {"order_no":"n2"} 0`,
			`event.dead_letter pending  {"attempts":1, 1`)
		letters, err := b.DeadLetters(t.Context(), "fixtures", 10)
		if err != nil || len(letters) != 1 || letters[0].EventType != "order.rejected" || letters[0].LastError != "rejected n2" {
			t.Errorf("%s: DeadLetters: %+v, %v", name, letters, err)
		}
		names, err := b.Namespaces(t.Context())
		if err != nil || len(names) != 1 || names[0].Events != 3 || names[0].Sessions != 1 || names[0].DeadLetters != 1 || names[0].Unclaimed != 1 {
			t.Errorf("%s: Namespaces: %+v, %v", name, names, err)
		}
		sessions, err := b.Sessions(t.Context(), "fixtures")
		if err != nil || len(sessions) != 1 || !strings.HasPrefix(string(sessions[0].Metadata), `{"hostname":"vm","namespace":"fixtures","pid":`) {
			t.Errorf("%s: Sessions: %+v, %v", name, sessions, err)
		}
		for handler, of := range map[string]string{"make_fixtures.accept_order": "order.placed", "make_fixtures.reject_order": "order.rejected"} {
			taken, err := b.Claim(t.Context(), eventbus.Request{Namespace: "fixtures", Handler: handler, Types: []string{of}, Session: "s"})
			if err != nil || len(taken) != 0 {
				t.Errorf("%s: Claim for %s: %+v, %v", name, handler, taken, err)
			}
		}
	}
}

// TestRows: our rows are the original's, and its tables are made where they are missing.
func TestRows(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV2)
	b, clock := bus(t, path)
	if all, err := b.List(t.Context(), eventbus.Query{Namespace: "n"}); err != nil || len(all) != 0 {
		t.Errorf("List without the tables: %v, %v", all, err)
	}
	if names, err := b.Namespaces(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("Namespaces without the tables: %v, %v", names, err)
	}
	e, err := b.Enqueue(t.Context(), []eventbus.New{{Namespace: "n", Type: "t", Payload: []byte(`{"b":[1,2.0],"a":"é"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for range eventbus.MaxAttempts {
		clock.Advance(time.Minute)
		if r, err := b.Release(t.Context(), claim(t, b, 1)[0].Lease, "no"); err != nil || !r.Held {
			t.Fatalf("Release: %+v, %v", r, err)
		}
	}
	id, last := e[0].ID, "2026-02-11T12:10:00.000000+00:00"
	sqlitetest.Told(t, "events", sqlitetest.Ask(t, path, "SELECT * FROM events WHERE type = 't'"),
		id+`|n|t|{"a": "\u00e9", "b": [1, 2.0]}|2026-02-11T12:00:00.000000+00:00|100|`+id+`|0`)
	sqlitetest.Told(t, "claims", sqlitetest.Ask(t, path, "SELECT event_id, handler_id, session_id, claimed_at, lease_until, ack_at IS NULL, attempts, last_error, dead_lettered_at FROM event_claims"),
		strings.Join([]string{id, "h", "s", last, last, "1", "10", "no", last}, "|"))
	sqlitetest.Told(t, "dead letters", sqlitetest.Ask(t, path, "SELECT * FROM dead_letters"),
		strings.Join([]string{"1", id, "h", "n", last, "10", "no", "t", `{"a": "\u00e9", "b": [1, 2.0]}`, id, "0"}, "|"))
	sqlitetest.Told(t, "event of the dead letter", sqlitetest.Ask(t, path, "SELECT payload, root_event_id, chain_depth, created_at FROM events WHERE type <> 't'"),
		fmt.Sprintf(`{"attempts": 10, "event_id": "%s", "handler_id": "h", "last_error": "no"}|%s|1|%s`, id, id, last))
	sqlitetest.Sound(t, path)
}

// TestTheOriginalsTimes: the original writes no fraction at full seconds. Such a lease ends in time.
func TestTheOriginalsTimes(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	b, clock := bus(t, path)
	e := send(t, b, 1)[0]
	sqlitetest.Edit(t, path, fmt.Sprintf(`INSERT INTO event_claims VALUES ('%s', 'h', 'python', '2026-02-11T12:00:00+00:00', '2026-02-11T12:00:30+00:00', NULL, 3, '2026-02-11T12:00:00+00:00', 'kept by SQLite', NULL)`, e.ID))
	clock.Advance(30*time.Second - time.Microsecond)
	if taken := claim(t, b, 1); len(taken) != 0 {
		t.Errorf("claimed before the end of the lease: %+v", taken)
	}
	clock.Advance(time.Microsecond)
	if taken := claim(t, b, 1); len(taken) != 1 || taken[0].Attempts != 3 {
		t.Errorf("claimed at the end of the lease: %+v", taken)
	}
}

// TestInsert: events in the transaction of a commit are sent with it, or not at all.
func TestInsert(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	b, clock := bus(t, path)
	sender := eventbus.Sender{Now: clock.Now}
	prepared, err := sender.Prepare([]eventbus.New{{Namespace: "n", Type: "t", Payload: []byte("{}")}, {Namespace: "n", Type: "t", Payload: []byte("{}")}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := sqlconn.OpenWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, end := range []string{"ROLLBACK", "COMMIT", "COMMIT"} { // the second time they are there
		if err := w.Begin(time.Second); err != nil {
			t.Fatal(err)
		}
		if err := events.Insert(w, prepared); err != nil {
			t.Fatalf("Insert: %v", err)
		}
		if err := w.Exec(end); err != nil {
			t.Fatal(err)
		}
		listed, err := b.List(t.Context(), eventbus.Query{Namespace: "n"})
		if want := map[string]int{"ROLLBACK": 0, "COMMIT": 2}[end]; err != nil || len(listed) != want {
			t.Errorf("after %s: %d events, %v, want %d", end, len(listed), err, want)
		}
	}
}

// TestPollOfALongLog: claims of a file with many acknowledged events do not search them each time.
func TestPollOfALongLog(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	b, clock := bus(t, path)
	send(t, b, 1)
	ack(t, b, claim(t, b, 1))
	sqlitetest.Edit(t, path, `
		CREATE TEMP TABLE numbers AS WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s WHERE value < 20000) SELECT value FROM s;
		INSERT INTO events SELECT 'old' || value, 'n', 't', '{}', '2026-02-11T11:00:00.000000+00:00', 100, 'old' || value, 0 FROM numbers;
		INSERT INTO event_claims SELECT 'old' || value, 'h', 's', '', '', '2026-02-11T11:00:00.000000+00:00', 0, '', NULL, NULL FROM numbers;`)
	floor := func(story string, want int64) {
		t.Helper()
		if got := b.(*events.Bus).Floors(); len(got) != 1 || got[0] != want {
			t.Errorf("%s: the next search begins above rows %v, want %d", story, got, want)
		}
	}
	if taken := claim(t, b, 10); len(taken) != 0 {
		t.Fatalf("claimed: %+v", taken)
	}
	floor("all are done", 20001)
	send(t, b, 10)
	for i := range int64(10) {
		clock.Advance(time.Second)
		taken := claim(t, b, 1)
		if len(taken) != 1 {
			t.Fatalf("claimed: %+v", taken)
		}
		floor("one more is done", 20001+i)
		ack(t, b, taken)
	}
}

// TestFloor: the rows that are not searched again are told apart from rows that get their ids later.
func TestFloor(t *testing.T) {
	for name, renumber := range map[string]func(t *testing.T, path string, b eventbus.Bus, clock *eventbustest.Clock){
		"VACUUM": func(t *testing.T, path string, _ eventbus.Bus, _ *eventbustest.Clock) {
			sqlitetest.Edit(t, path, "DELETE FROM events WHERE rowid < 5")
			sqlitetest.Connect(t, path)("VACUUM")
		},
		"a cleanup of all": func(t *testing.T, _ string, b eventbus.Bus, clock *eventbustest.Clock) {
			clock.Advance(time.Minute)
			if count, err := b.Cleanup(t.Context(), "n", clock.Now()); err != nil || count != 10 {
				t.Fatalf("Cleanup: %d, %v", count, err)
			}
		},
		"a cleanup of the last": func(t *testing.T, path string, _ eventbus.Bus, _ *eventbustest.Clock) {
			sqlitetest.Edit(t, path, "DELETE FROM events WHERE rowid > 7")
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := sqlitetest.NewFile(t, format.EngineV1)
			b, clock := bus(t, path)
			send(t, b, 10)
			ack(t, b, claim(t, b, 10))
			if taken := claim(t, b, 10); len(taken) != 0 {
				t.Fatalf("claimed: %+v", taken)
			}
			renumber(t, path, b, clock)
			sent := send(t, b, 10)
			if taken := claim(t, b, 20); len(taken) != len(sent) {
				t.Errorf("claimed %d events, want the %d new ones", len(taken), len(sent))
			}
		})
	}
}

// TestDamaged: a row that cannot be read is named once, and the others are delivered.
func TestDamaged(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	clock := eventbustest.NewClock(start)
	var named []string
	b := on(t, path)(clock.Now, func(err error) {
		var corrupt *ontosql.CorruptError
		if errors.As(err, &corrupt) {
			named = append(named, corrupt.Key)
		}
	})
	sent := send(t, b, 3)
	sqlitetest.Edit(t, path, fmt.Sprintf(`
		INSERT INTO events VALUES ('bad', 'n', 't', '[]', '2026-02-11T12:00:00.000000+00:00', 100, 'bad', 0), ('when', 'n', 't', '{}', 'now', 100, 'when', 0);
		INSERT INTO event_claims VALUES ('%s', 'h', 's', '2026', '2026-02-11T12:00:00.000000+00:00', NULL, 0, '2026-02-11', NULL, NULL);
		INSERT INTO sessions VALUES ('broken', 'n', 'x', 'y', '{}');
		INSERT INTO dead_letters VALUES (NULL, 'bad', 'h', 'n', 'z', 1, '', '', '', '', 0);`, sent[0].ID))
	for range 2 {
		for _, d := range claim(t, b, 10) {
			if d.ID != sent[1].ID && d.ID != sent[2].ID {
				t.Errorf("delivered: %+v", d)
			}
		}
		listed, err := b.List(t.Context(), eventbus.Query{Namespace: "n"})
		if err != nil || len(listed) != 3 {
			t.Errorf("List: %+v, %v", listed, err)
		}
		letters, err := b.DeadLetters(t.Context(), "n", 10)
		if err != nil || len(letters) != 0 {
			t.Errorf("DeadLetters: %+v, %v", letters, err)
		}
		sessions, err := b.Sessions(t.Context(), "n")
		if err != nil || len(sessions) != 0 {
			t.Errorf("Sessions: %+v, %v", sessions, err)
		}
	}
	slices.Sort(named)
	sqlitetest.Told(t, "reported as damaged", named, "dead_letters bad h", "event_claims "+sent[0].ID+" h", "events bad", "events when", "sessions broken")
}

// TestRefused: errors of the file are the dictionary's.
func TestRefused(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	db, err := sqlite.Open(sqlite.Options{Path: path, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	b := events.Open(events.Options{DB: db})
	defer b.Close()
	if err := b.Heartbeat(t.Context(), "n", "s"); !errors.Is(err, ontosql.ErrReadOnly) {
		t.Errorf("Heartbeat in a read-only file: %v", err)
	}
	writable, err := sqlite.Open(sqlite.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer writable.Close()
	other := sqlitetest.Connect(t, path)
	other("BEGIN IMMEDIATE")
	waits := events.Open(events.Options{DB: writable, Wait: 50 * time.Millisecond})
	defer waits.Close()
	if err := waits.Heartbeat(t.Context(), "n", "s"); !errors.Is(err, ontosql.ErrBusy) {
		t.Errorf("Heartbeat while another process writes: %v", err)
	}
	other("COMMIT")
	if err := waits.Heartbeat(t.Context(), "n", "s"); err != nil {
		t.Errorf("Heartbeat afterwards: %v", err)
	}
}

// TestCallsShareATransaction: calls that wait for the file are made together. One that fails, or whose
// caller has gone, leaves nothing, and the others stand.
func TestCallsShareATransaction(t *testing.T) {
	path := sqlitetest.NewFile(t, format.EngineV1)
	b, _ := bus(t, path)
	send(t, b, 6)
	taken := claim(t, b, 6)
	exec := sqlitetest.Connect(t, path)
	for _, event := range []string{"INSERT", "UPDATE"} {
		exec("CREATE TRIGGER refuse_" + event + " BEFORE " + event + " ON event_claims WHEN new.event_id = '" + taken[1].ID + "' BEGIN SELECT RAISE(ABORT, 'refused'); END")
	}
	exec("BEGIN IMMEDIATE") // the calls wait for this one
	gone, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	failures := make([]error, len(taken))
	for i := range taken {
		ctx := t.Context()
		if i == 2 {
			ctx = gone
		}
		all.Go(func() {
			held, err := b.Ack(ctx, taken[i].Lease)
			if failures[i] = err; err == nil && !held {
				t.Errorf("Ack %d: false", i)
			}
		})
	}
	time.Sleep(50 * time.Millisecond)
	leave()
	time.Sleep(50 * time.Millisecond)
	exec("COMMIT")
	all.Wait()
	acked := 0
	listed, err := b.List(t.Context(), eventbus.Query{Namespace: "n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range listed {
		if l.Status == eventbus.Acked {
			acked++
		}
	}
	for i, err := range failures {
		switch {
		case i == 1 && (err == nil || !strings.Contains(err.Error(), "refused")):
			t.Errorf("Ack that a trigger refuses: %v", err)
		case i == 2 && err != nil && !errors.Is(err, context.Canceled):
			t.Errorf("Ack of a caller who has gone: %v", err)
		case i > 2 && err != nil, i == 0 && err != nil:
			t.Errorf("Ack %d: %v", i, err)
		}
	}
	if want := 4; acked != want && acked != want+1 { // the one who has gone may have been too late
		t.Errorf("%d of 6 are acknowledged, want %d", acked, want)
	}
}
