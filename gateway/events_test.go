package gateway_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
)

// eachBackend runs a test over an empty bucket and an empty SQLite file.
func eachBackend(t *testing.T, test func(t *testing.T, h *house)) {
	t.Run("bucket", func(t *testing.T) { test(t, newHouse(t, shop(t))) })
	t.Run("file", func(t *testing.T) { test(t, fileHouse(t, emptyFile(t), false)) })
}

// send sends an event past SQL.
func (h *house) send(t *testing.T, namespace, name, payload string) format.Event {
	t.Helper()
	sent, err := h.db.Events.Enqueue(t.Context(), []eventbus.New{{Namespace: namespace, Type: name, Payload: []byte(payload)}})
	if err != nil {
		t.Fatal(err)
	}
	return sent[0]
}

// TestEventRelations reads what a worker leaves on the bus.
func TestEventRelations(t *testing.T) {
	eachBackend(t, func(t *testing.T, h *house) {
		bus, s := h.db.Events, h.session(t, "onto")
		first := h.send(t, "orders", "order.placed", `{"total": 7, "tags": ["a"]}`)
		h.send(t, "orders", "order.paid", `{}`)
		h.send(t, "mail", "mail.sent", `{}`)
		if err := bus.Register(t.Context(), eventbus.NewSession{Namespace: "orders", ID: "w1", Metadata: []byte(`{"pid": 4}`)}); err != nil {
			t.Fatal(err)
		}
		taken, err := bus.Claim(t.Context(), eventbus.Request{Namespace: "orders", Handler: "h", Types: []string{"order.placed"}, Session: "w1"})
		if err != nil || len(taken) != 1 {
			t.Fatalf("claimed %v, %v", taken, err)
		}
		id := first.ID
		answers(t, s, "SELECT id::text, type, payload->>'total', priority, root_event_id::text, chain_depth, status, handler_id FROM ontosql.events WHERE namespace = 'orders' AND type = 'order.placed'",
			id+"|order.placed|7|100|"+id+"|0|claimed|h")
		answers(t, s, "SELECT count(*), count(DISTINCT namespace), count(handler_id) FROM ontosql.events", "3|2|1")
		answers(t, s, "SELECT e.type, c.handler_id, c.session_id, c.attempts, c.last_error, c.ack_at, c.lease_until > c.claimed_at FROM ontosql.event_claims c JOIN ontosql.events e ON e.id = c.event_id AND e.namespace = c.namespace WHERE c.namespace = 'orders'",
			"order.placed|h|w1|0|NULL|NULL|true")
		answers(t, s, "SELECT session_id, is_dead, metadata->'pid' FROM ontosql.event_sessions WHERE namespace IN ('orders', 'none')", "w1|false|4")
		answers(t, s, "SELECT namespace, pending, events, unclaimed, oldest_unclaimed_at IS NOT NULL, claims, leased, retries, dead_letters, live_sessions FROM ontosql.event_namespaces ORDER BY 1",
			"mail|1|1|1|true|0|0|0|0|0", "orders|1|2|1|true|1|1|0|0|1")
		if _, err := bus.Fail(t.Context(), eventbus.Lease{Namespace: "orders", Event: id, Handler: "h"}, "no stock", 1); err != nil {
			t.Fatal(err)
		}
		answers(t, s, "SELECT event_id::text, handler_id, attempts, last_error FROM ontosql.dead_letters WHERE namespace = 'orders'", id+"|h|1|no stock")
		answers(t, s, "SELECT status FROM ontosql.events WHERE namespace = 'orders' AND id = '"+id+"'", "dead_lettered")
		answers(t, s, "SELECT count(*) FROM ontosql.events WHERE namespace IN ('orders', '', 'a/../b', '\\')", "3") // with the one about the dead letter
		answers(t, s, "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'ontosql' AND (relname LIKE 'event%' OR relname = 'dead_letters')", "5")
	})
}

// TestEventBoundsPrune counts what is read for conditions on namespace and created_at.
func TestEventBoundsPrune(t *testing.T) {
	h := newHouse(t, shop(t))
	var cut time.Time
	for i := range 40 {
		h.send(t, "big", "e", fmt.Sprintf(`{"n": %d}`, i))
		if i == 29 {
			cut = time.Now()
		}
	}
	h.send(t, "small", "e", `{}`)
	s := h.session(t, "onto")
	must(t, s, "SELECT 1")
	requests := func(sql string, args ...string) int64 {
		t.Helper()
		other := newHouse(t, h.bucket) // which has read no event yet
		o := other.session(t, "onto")
		must(t, o, "SELECT 1 FROM shelf")
		before := other.bucket.Status().Total().Requests
		must(t, o, sql, args...)
		return other.bucket.Status().Total().Requests - before
	}
	at := cut.UTC().Format("2006-01-02 15:04:05.999999+00")
	all := requests("SELECT count(*) FROM ontosql.events")
	one := requests("SELECT count(*) FROM ontosql.events WHERE namespace = 'small'")
	late := requests("SELECT count(*) FROM ontosql.events WHERE namespace = 'big' AND created_at >= '" + at + "'")
	bound := requests("SELECT count(*) FROM ontosql.events WHERE namespace = $1 AND created_at < $2::timestamptz AND created_at > $2", "big", at)
	const asked = 8 // of the head and the types, which are asked for again after a second
	if all < 41 || one > 1+asked || late < 10 || late > 20+asked || bound > asked {
		t.Errorf("requests: all %d, one namespace %d, ten events of 40: %d, none by parameters %d", all, one, late, bound)
	}
	answers(t, s, "SELECT count(*) FROM ontosql.events WHERE created_at >= '"+at+"' AND namespace = 'big'", "10")
	answers(t, s, "SELECT count(*) FROM ontosql.events WHERE '"+at+"' > created_at AND namespace = 'big'", "30")
	answers(t, s, "SELECT count(*) FROM ontosql.events WHERE created_at > 'infinity'", "0")
}

// TestWorkByFunctions claims, extends, releases and acknowledges by SQL.
func TestWorkByFunctions(t *testing.T) {
	eachBackend(t, func(t *testing.T, h *house) {
		a, b := h.session(t, "onto"), h.session(t, "onto")
		first := h.send(t, "default", "order.placed", `{"n": 1}`).ID
		second := h.send(t, "default", "order.paid", `{"n": 2}`).ID
		other := h.send(t, "mail", "m", `{}`).ID

		answers(t, a, "SELECT id::text, type, payload->>'n', attempts, lease_until > now() + interval '50 seconds' FROM ontosql.claim('h', ARRAY['order.placed', 'order.paid'], lease => interval '1 minute', max => 1)",
			first+"|order.placed|1|0|true")
		if got := must(t, b, "SELECT id::text FROM ontosql.claim($1, $2, max => $3, lease => $4)", "h", "{order.placed,order.paid}", "5", "00:01:00"); len(got) != 1 || got[0] != second {
			t.Errorf("b claimed %q, want %s", got, second)
		}
		answers(t, b, "SELECT count(*) FROM ontosql.claim('h', '{order.placed,order.paid}')", "0")
		if got := must(t, b, "SELECT ontosql.ack($1, $2)", first, "h")[0]; got != "false" { // it is a's
			t.Errorf("b acknowledged the event of a: %s", got)
		}
		answers(t, a, "SELECT ontosql.extend('"+first+"', 'h', '1 hour'), ontosql.ack(handler => 'h', id => '"+first+"') AS done", "true|true")
		answers(t, a, "SELECT ontosql.ack('"+first+"', 'h')", "true") // again
		answers(t, b, "SELECT ontosql.release('"+second+"', 'h', 'no stock'), ontosql.release('"+second+"', 'h', 'twice')", "true|false")
		answers(t, b, "SELECT status, last_error, attempts FROM ontosql.events JOIN ontosql.event_claims ON event_id = id WHERE id = '"+second+"'", "pending|no stock|1")

		// A claim of another namespace is acknowledged without naming it again; one of a named
		// session from another connection.
		answers(t, a, "SELECT id::text FROM ontosql.claim('h', '{m}', 'mail')", other)
		answers(t, a, "SELECT ontosql.ack('"+other+"', 'h')", "true")
		answers(t, a, "SELECT id::text FROM ontosql.claim('pool', '{m}', 'mail', session => 'workers')", other)
		answers(t, b, "SELECT ontosql.ack('"+other+"', 'pool', 'mail'), ontosql.ack('"+other+"', 'pool', 'mail', 'workers')", "false|true")
		answers(t, a, "SELECT count(*) FROM ontosql.event_sessions WHERE session_id = 'workers' AND NOT is_dead", "1")

		// What they did is not taken back, and a transaction that writes the workspace may call them.
		must(t, a, "BEGIN")
		answers(t, a, "SELECT count(*) FROM ontosql.claim('tx', '{order.placed}')", "1")
		must(t, a, "ROLLBACK")
		answers(t, b, "SELECT count(*) FROM ontosql.claim('tx', '{order.placed}')", "0")
		must(t, a, "CREATE TEMP TABLE seen (id uuid)")
		must(t, a, "BEGIN")
		must(t, a, "INSERT INTO seen VALUES ('"+must(t, a, "SELECT id::text FROM ontosql.claim('ws', '{order.placed}')")[0]+"')")
		answers(t, a, "SELECT ontosql.ack('"+first+"', 'ws')", "true")
		must(t, a, "COMMIT")
		answers(t, a, "SELECT id::text FROM seen", first)

		again := must(t, a, "SELECT id::text FROM ontosql.replay('"+other+"', 'mail')")[0]
		answers(t, a, "SELECT count(*) FROM ontosql.events WHERE namespace = 'mail' AND type = 'm'", "2")
		answers(t, a, "SELECT ontosql.cleanup_events('mail', now() + interval '1 day')", "2")
		if again == other {
			t.Error("the copy has the id of the event")
		}
		for sql, code := range map[string]string{
			"SELECT ontosql.claim('h', '{}')":                          "0A000",
			"SELECT * FROM ontosql.claim('', '{x}')":                   "22023",
			"SELECT * FROM ontosql.claim('h', '{x}', '')":              "22023",
			"SELECT * FROM ontosql.claim('h', '{x}', max => 0)":        "22023",
			"SELECT * FROM ontosql.claim('h', '{x}', lease => '-1 s')": "22023",
			"SELECT * FROM ontosql.claim('h', '{x,NULL}')":             "22004",
			"SELECT * FROM ontosql.claim('h', NULL)":                   "22004",
			"SELECT * FROM ontosql.claim('h')":                         "42883",
			"SELECT ontosql.ack('seven', 'h')":                         "22P02",
			"SELECT ontosql.ack('" + first + "', NULL)":                "22004",
			"SELECT ontosql.replay('" + other + "', 'mail')":           "42704",
			"SELECT ontosql.cleanup_events('mail', 'infinity')":        "22023",
			"SELECT id, ontosql.ack(id, 'h') FROM ontosql.events":      "0A000",
			"SELECT ontosql.extend('" + first + "', 'h', 'soon')":      "22007",
		} {
			refused(t, h.session(t, "onto"), code, sql)
		}
		must(t, b, "BEGIN READ ONLY")
		refused(t, b, "25006", "SELECT ontosql.ack('"+first+"', 'h')")
		refused(t, h.session(t, "onto@0"), "25006", "SELECT * FROM ontosql.claim('h', '{x}')")
		answers(t, a, "SELECT pg_get_function_arguments(oid), provolatile FROM pg_proc WHERE proname = 'extend'",
			"id uuid, handler text, lease interval, namespace text DEFAULT NULL::text, session text DEFAULT NULL::text|v")
		answers(t, a, "SELECT pg_get_function_identity_arguments(oid) FROM pg_proc WHERE proname = 'claim'",
			"handler text, types text[], namespace text, max integer, lease interval, session text")
	})
}

// TestWorkOnRows: a function that is all of the list of a query runs for each of its rows.
func TestWorkOnRows(t *testing.T) {
	eachBackend(t, func(t *testing.T, h *house) {
		s := h.session(t, "onto")
		for range 5 {
			h.send(t, "default", "m", `{}`)
		}
		const byStatus = "SELECT status, count(*) FROM ontosql.events WHERE type = 'm' GROUP BY 1 ORDER BY 1"
		answers(t, s, "SELECT ontosql.ack(id, 'h') FROM ontosql.claim('h', ARRAY['m'], max => 2)", "true", "true")
		answers(t, s, byStatus, "acked|2", "pending|3")
		answers(t, s, "SELECT count(*) FROM ontosql.claim('h', '{m}')", "3")
		answers(t, s, "SELECT ontosql.release(e.id, 'h', e.type || ' failed') AS given FROM ontosql.events e WHERE status = 'claimed' ORDER BY created_at LIMIT 1", "true")
		answers(t, s, "SELECT last_error FROM ontosql.event_claims WHERE attempts = 1", "m failed")
		answers(t, s, "SELECT ontosql.ack(id, 'h') FROM ontosql.events WHERE false")
		if got := must(t, s, "SELECT ontosql.ack(id, $1) FROM ontosql.events WHERE status = $2", "h", "claimed"); len(got) != 2 || got[0] != "true" || got[1] != "true" {
			t.Errorf("acknowledged: %q", got)
		}
		answers(t, s, byStatus, "acked|4", "pending|1")
		if got := must(t, s, "WITH done AS (SELECT id FROM ontosql.events WHERE status = 'acked') SELECT ontosql.replay(done.id) FROM done"); len(got) != 4 {
			t.Errorf("replayed: %q, want four", got)
		}
		answers(t, s, byStatus, "acked|4", "pending|5")
		for _, sql := range []string{
			"SELECT DISTINCT ontosql.ack(id, 'h') FROM ontosql.events",
			"SELECT ontosql.ack(id, 'h') FROM ontosql.events ORDER BY 1",
			"SELECT ontosql.ack(id, 'h') FROM ontosql.events ORDER BY ack",
			"SELECT ontosql.ack(id, 'h') AS done FROM ontosql.events ORDER BY done",
			"SELECT count(*) FROM (SELECT ontosql.ack(id, 'h') FROM ontosql.events) x",
			"SELECT ontosql.tag(type) FROM ontosql.events",
		} {
			refused(t, s, "0A000", sql)
		}
		must(t, s, "BEGIN READ ONLY")
		refused(t, s, "25006", "SELECT ontosql.ack(id, 'h') FROM ontosql.events")
	})
}

// TestWorkWithBinaryParameters calls the functions as a driver does that sends values in binary.
func TestWorkWithBinaryParameters(t *testing.T) {
	asksNoMirror(t)
	eachBackend(t, func(t *testing.T, h *house) {
		sent := h.send(t, "default", "order.placed", `{"n": 1}`)
		c, err := pgx.Connect(t.Context(), h.serve(t))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		var id [16]byte
		var payload map[string]int
		err = c.QueryRow(t.Context(), "SELECT id, payload FROM ontosql.claim($1, $2, max => $3, lease => $4)", "h", []string{"order.placed"}, 5, time.Minute).Scan(&id, &payload)
		if err != nil || uuid.UUID(id).String() != sent.ID || payload["n"] != 1 {
			t.Fatalf("claimed %x with %v, %v, want %s", id, payload, err, sent.ID)
		}
		var extended, acked bool
		if err := c.QueryRow(t.Context(), "SELECT ontosql.extend($1, 'h', $2), ontosql.ack($1, 'h')", id, time.Hour).Scan(&extended, &acked); err != nil || !extended || !acked {
			t.Errorf("extended %v, acknowledged %v, %v", extended, acked, err)
		}
		var copied [16]byte
		if err := c.QueryRow(t.Context(), "SELECT ontosql.replay($1)", id).Scan(&copied); err != nil || copied == id {
			t.Errorf("the copy is %x, %v", copied, err)
		}
		var seen, removed int64
		if err := c.QueryRow(t.Context(), "SELECT count(*) FROM ontosql.events WHERE namespace = $1 AND created_at < $2", "default", time.Now().Add(time.Hour)).Scan(&seen); err != nil || seen != 2 {
			t.Errorf("saw %d events, %v", seen, err)
		}
		if err := c.QueryRow(t.Context(), "SELECT ontosql.cleanup_events('default', $1)", time.Now().Add(time.Hour)).Scan(&removed); err != nil || removed != 2 {
			t.Errorf("removed %d events, %v", removed, err)
		}
	})
}
