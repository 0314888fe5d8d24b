package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/original"
)

// hear waits for the next notification.
func hear(t *testing.T, c *pgx.Conn, channel string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n, err := c.WaitForNotification(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n.Channel != channel || n.PID != 0 {
		t.Fatalf("heard %+v, want one of the gateway on %s", n, channel)
	}
	return n.Payload
}

// hearsNothing checks that the next notification is one that the test sends itself.
func hearsNothing(t *testing.T, c *pgx.Conn) {
	t.Helper()
	time.Sleep(3 * houseInterval) // for what might come
	say(t, c, "LISTEN mark; NOTIFY mark")
	n, err := c.WaitForNotification(t.Context())
	if err != nil || n.Channel != "mark" {
		t.Errorf("heard %+v, %v", n, err)
	}
	say(t, c, "UNLISTEN mark")
}

// TestListenForCommits hears of the commits of this gateway, of another one and of the original.
func TestListenForCommits(t *testing.T) {
	bucket := shop(t)
	here, there := newHouse(t, bucket), newHouse(t, bucket)
	listener, late, writer, other := here.client(t), here.client(t), here.client(t), there.client(t)
	const channel = "ontosql.commits"
	say(t, writer, "INSERT INTO shelf VALUES ('before', 1)")
	say(t, listener, `LISTEN "ontosql.commits"`)
	say(t, listener, `BEGIN; LISTEN "ontosql.events:never"; ROLLBACK`)
	want := func(c *pgx.Conn, id int64, types, runtime string) {
		t.Helper()
		if got := hear(t, c, channel); got != fmt.Sprintf(`{"commit_id":%d,"types":%s,"runtime_id":"%s"}`, id, types, runtime) {
			t.Errorf("heard %s, want commit %d of %s by %s", got, id, types, runtime)
		}
	}
	var head int64
	if err := writer.QueryRow(t.Context(), "SELECT max(commit_id) FROM ontosql.commits").Scan(&head); err != nil {
		t.Fatal(err)
	}
	say(t, writer, "INSERT INTO shelf VALUES ('own', 1)")
	want(listener, head+1, `["Shelf"]`, "house")
	say(t, late, `LISTEN "ontosql.commits"`)
	say(t, other, "BEGIN; INSERT INTO shelf VALUES ('there', 1); INSERT INTO item (sku, title) VALUES (1, 'x'); COMMIT")
	for _, c := range []*pgx.Conn{listener, late} {
		want(c, head+2, `["Shelf","Item"]`, "house")
	}
	_, err := (&original.Writer{Bucket: bucket, Owner: "original"}).Commit(t.Context(), func(*format.Head) ([]original.Data, error) {
		return []original.Data{{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Shelf"}, Rows: []format.Row{{Key: "low", Fields: []byte(`{"height":2,"name":"low"}`)}}}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(listener, head+3, `["Shelf"]`, "original")
	say(t, listener, `UNLISTEN "ontosql.commits"`)
	say(t, writer, "INSERT INTO shelf VALUES ('unheard', 1)")
	hearsNothing(t, listener)
	if err := late.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	quiet(t, here)
}

// quiet waits until a house asks its store for nothing any more.
func quiet(t *testing.T, h *house) {
	t.Helper()
	for try := 0; ; try++ {
		before := h.bucket.Status().Total().Requests
		time.Sleep(4 * houseInterval)
		switch spent := h.bucket.Status().Total().Requests - before; {
		case spent == 0:
			return
		case try == 50:
			t.Fatalf("%d requests while nobody listens", spent)
		}
	}
}

// TestListenForCommitsInAFile hears of commits in a SQLite file.
func TestListenForCommitsInAFile(t *testing.T) {
	asksNoMirror(t)
	path := emptyFile(t)
	here, there := fileHouse(t, path, false), fileHouse(t, path, false)
	listener, other := here.client(t), there.client(t)
	say(t, listener, `LISTEN "ontosql.commits"`)
	say(t, listener, `LISTEN "ontosql.events:n"`)
	say(t, other, "CREATE TABLE shelf (name text PRIMARY KEY, height bigint)")
	if got := hear(t, listener, "ontosql.commits"); got != `{"commit_id":1,"types":[],"runtime_id":null}` {
		t.Errorf("heard %s", got)
	}
	say(t, listener, "INSERT INTO shelf VALUES ('own', 1)")
	if got := hear(t, listener, "ontosql.commits"); got != `{"commit_id":2,"types":["shelf"],"runtime_id":null}` {
		t.Errorf("heard %s", got)
	}
	e := there.send(t, "n", "order.placed", "{}")
	if got := hear(t, listener, "ontosql.events:n"); got != `{"type":"order.placed","id":"`+e.ID+`"}` {
		t.Errorf("heard %s", got)
	}
}

// TestManyCommitsAreHeardInOrder lets two gateways commit a thousand times.
func TestManyCommitsAreHeardInOrder(t *testing.T) {
	bucket := shop(t)
	here, there := newHouse(t, bucket), newHouse(t, bucket)
	listener := here.client(t)
	say(t, listener, `LISTEN "ontosql.commits"`)
	commits := 1000
	if testing.Short() {
		commits = 100
	}
	for w, h := range []*house{here, there} {
		c := h.client(t)
		go func() {
			for i := range commits / 2 {
				if _, err := c.Exec(t.Context(), fmt.Sprintf("INSERT INTO shelf VALUES ('%d-%d', 1)", w, i)); err != nil {
					t.Errorf("insert: %v", err)
				}
			}
		}()
	}
	last, first := int64(0), int64(0)
	for range commits {
		var n struct {
			ID int64 `json:"commit_id"`
		}
		if err := json.Unmarshal([]byte(hear(t, listener, "ontosql.commits")), &n); err != nil {
			t.Fatal(err)
		}
		if first == 0 {
			first = n.ID
		} else if n.ID != last+1 {
			t.Fatalf("commit %d was heard after commit %d", n.ID, last)
		}
		last = n.ID
	}
	if last-first != int64(commits-1) {
		t.Errorf("heard of the commits %d to %d", first, last)
	}
}

// TestListenForEvents hears of events that this gateway, another one and the original send.
func TestListenForEvents(t *testing.T) {
	asksNoMirror(t)
	bucket := shop(t)
	here, there := newHouse(t, bucket), newHouse(t, bucket)
	listener := here.client(t)
	here.send(t, "orders", "order.old", "{}")
	say(t, listener, `LISTEN "ontosql.events:orders"`)
	want := func(e *format.Event) {
		t.Helper()
		if got := hear(t, listener, "ontosql.events:orders"); got != `{"type":"`+e.Type+`","id":"`+e.ID+`"}` {
			t.Errorf("heard %s, want %s %s", got, e.Type, e.ID)
		}
	}
	e := there.send(t, "orders", "order.placed", "{}")
	want(&e)
	there.send(t, "mail", "mail.sent", "{}")
	worker := &original.Worker{Bucket: bucket, Namespace: "orders", Session: "py", Now: time.Now}
	sent, err := worker.Enqueue(t.Context(), "order.paid", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	want(sent)
	var ids []string
	for range 20 {
		batch := make([]eventbus.New, 25)
		for i := range batch {
			batch[i] = eventbus.New{Namespace: "orders", Type: "many", Payload: []byte("{}")}
		}
		events, err := there.db.Events.Enqueue(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			ids = append(ids, events[i].ID)
		}
	}
	var heard []string
	for range ids {
		payload := hear(t, listener, "ontosql.events:orders")
		heard = append(heard, strings.TrimSuffix(payload[strings.LastIndex(payload, `:"`)+2:], `"}`))
	}
	slices.Sort(heard)
	slices.Sort(ids)
	if !slices.Equal(heard, ids) {
		t.Errorf("heard of %d events, not of the %d that were sent", len(heard), len(ids))
	}
	var copied string
	if err := listener.QueryRow(t.Context(), "SELECT id::text FROM ontosql.replay('"+sent.ID+"', 'orders')").Scan(&copied); err != nil {
		t.Fatal(err)
	}
	want(&format.Event{Type: sent.Type, ID: copied})
	say(t, listener, "UNLISTEN *")
	there.send(t, "orders", "order.placed", "{}")
	hearsNothing(t, listener)
	quiet(t, here)
}

// TestOwnEventsAreHeardAtOnce: a gateway that looks for those of others once an hour tells of its own
// without waiting, those of a commit and one that is sent alone.
func TestOwnEventsAreHeardAtOnce(t *testing.T) {
	bucket := shop(t)
	h := buildHouse(t, bucket, houseOptions{mirror: mirrorBudget(true), interval: time.Hour})
	listener, writer := h.client(t), h.client(t)
	say(t, listener, `LISTEN "ontosql.events:default"`)
	for _, sql := range []string{
		"BEGIN; INSERT INTO shelf VALUES ('heard', 1); SELECT ontosql.enqueue('with.commit', '{}'); COMMIT",
		"SELECT ontosql.enqueue('alone', '{}')",
	} {
		say(t, writer, sql)
		if got := hear(t, listener, "ontosql.events:default"); !strings.Contains(got, `"type":`) {
			t.Errorf("%s: heard %s", sql, got)
		}
	}
}

// TestReservedChannels: clients cannot send what only the gateway knows.
func TestReservedChannels(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, shop(t)).session(t, "onto")
	refused(t, s, "42939", `NOTIFY "ontosql.commits", '{}'`)
	refused(t, s, "42939", `SELECT pg_notify('ontosql.events:orders', '{}')`)
	refused(t, s, "42939", `SELECT pg_notify('ontosql.' || x, '{}') FROM (VALUES ('commits')) v(x)`)
	refused(t, s, "22023", `LISTEN "ontosql.events:"`)
	must(t, s, `NOTIFY "ontosql.mine"`)
	must(t, s, `UNLISTEN "ontosql.events:"`)
}
