package backends

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/writepath"
)

// foreign are rows that SQL cannot write and the original can: with U+0000, with half of
// a surrogate pair, and with a number that is not finite.
var foreign = []string{
	`{"born":"2026-01-02","doc":{"k":1},"id":"a","n":1,"title":"a\u0000b","x":1.5}`,
	`{"born":"2026-01-03","doc":{"k":2},"id":"b","n":2,"title":"x\ud800y","x":NaN}`,
	`{"born":"2026-01-04","doc":{"k":["\u0000"]},"id":"c","n":3,"title":"\ud83d\ude00","x":-Infinity}`,
	`{"born":"\udfff","doc":"\\u0000","id":"d","n":4,"title":"\\ud800","x":null}`,
}

// commitForeign commits the rows behind a commit, as another program would.
func commitForeign(t *testing.T, o gatewaytest.Options, behind ontosql.CommitID) {
	t.Helper()
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	fields := []format.SchemaField{
		key, format.NewField("title", format.FieldStr, true), format.NewField("n", format.FieldInt, true), format.NewField("x", format.FieldFloat, true),
		format.NewField("born", format.FieldDate, true), format.NewField("doc", format.FieldJSON, true),
	}
	rows := func(yield func(writepath.Row, error) bool) {
		for i, text := range foreign {
			if !yield(writepath.Row{Row: format.Row{Key: string(rune('a' + i)), Fields: []byte(text)}}, nil) {
				return
			}
		}
	}
	tx := writepath.Tx{Pin: behind, Data: []writepath.Data{{Type: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Thing"}, Fields: format.DataFields(fields), SchemaVersion: 1, Rows: rows}}}
	ctx := context.WithoutCancel(t.Context())
	var err error
	if o.Bucket != nil {
		c := writepath.Open(writepath.Options{Bucket: o.Bucket, RuntimeID: "another"})
		_, err = c.Commit(ctx, tx)
		err = errors.Join(err, c.Close(ctx))
	} else {
		db, openErr := sqlite.Open(sqlite.Options{Path: o.SQLite})
		if openErr != nil {
			t.Fatal(openErr)
		}
		c := commit.Open(commit.Options{DB: db, RuntimeID: "another"})
		_, err = c.Commit(ctx, tx)
		err = errors.Join(err, c.Close(ctx), db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

const (
	foreignTitles = "WARNING: 2 stored values of column \"title\" of \"thing\" are no text and read as NULL\n"
	foreignBirths = "WARNING: 1 stored values of column \"born\" of \"thing\" are no date and read as NULL\n"
	foreignDocs   = "WARNING: 1 stored values of column \"doc\" of \"thing\" are no jsonb and read as NULL\n"
	foreignImages = "WARNING: 4 stored values of column \"fields_json\" of \"thing\" are no jsonb and read as NULL\n"
)

// foreignAnswers are the warnings about these rows, the same for every backend.
var foreignAnswers = []struct{ sql, want string }{
	{"SELECT id, title, length(title), n, x FROM thing WHERE id < 'f' ORDER BY id", "a|NULL|NULL|1|1.5\nb|NULL|NULL|2|NaN\nc|😀|1|3|-Infinity\nd|\\ud800|6|4|NULL\ne|fine|4|5|0\n" + foreignTitles},
	{"SELECT id, born, doc FROM thing WHERE id < 'f' ORDER BY id", "a|2026-01-02|{\"k\": 1}\nb|2026-01-03|{\"k\": 2}\nc|2026-01-04|NULL\nd|NULL|\"\\\\u0000\"\ne|NULL|NULL\n" + foreignBirths + foreignDocs},
	{"SELECT id FROM thing WHERE title IS NULL ORDER BY id", "a\nb\n" + foreignTitles},
	{"SELECT sum(n) FROM thing WHERE id < 'f'", "15\n"},
	{"SELECT id, title, is_current FROM history.thing WHERE title IS NULL OR id = 'e' ORDER BY id", "a|NULL|t\nb|NULL|t\ne|fine|t\n" + foreignTitles},
	{"SELECT id, title FROM as_of.thing(2) ORDER BY id", "a|NULL\nb|NULL\nc|😀\nd|\\ud800\n" + foreignTitles},
	{"SELECT id, change, title FROM changes.thing WHERE n < 3 ORDER BY id", "a|insert|NULL\nb|insert|NULL\n" + foreignTitles},
	{"SELECT id, fields_json FROM history.thing WHERE n <> 5 ORDER BY id", "a|NULL\nb|NULL\nc|NULL\nd|NULL\n" + foreignImages},
}

// TestForeignTexts reads texts that PostgreSQL cannot have, and documents that only the
// original can read: on every backend they are NULL, with a warning.
func TestForeignTexts(t *testing.T) {
	for i := range backends {
		b := &backends[i]
		t.Run(b.name, func(t *testing.T) {
			for _, engine := range engines {
				for _, way := range []string{"files", "mirror"} {
					t.Run(engine+"/"+way, func(t *testing.T) { readForeign(t, b, engine, way == "mirror") })
				}
			}
		})
	}
}

func readForeign(t *testing.T, b *backend, engine string, mirrored bool) {
	o := b.fresh(t, engine)
	o.Mirror = mirrored
	ctx := context.WithoutCancel(t.Context())
	g, err := gatewaytest.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	c := connect(t, g.Listen(t))
	c.say(ctx, `CREATE TABLE "Thing" (id text PRIMARY KEY, title text, n bigint, x double precision, born date, doc jsonb)`)
	commitForeign(t, o, 1)
	for _, id := range []string{"e", "f", "g"} { // each in a file of its own: fewer are not worth a mirror
		if got := c.say(ctx, "INSERT INTO thing VALUES ('"+id+"', 'fine', 5, 0)"); got != "INSERT 0 1\n" {
			t.Fatal(got)
		}
	}
	for round := range 2 {
		for _, q := range foreignAnswers {
			if diff := cmp.Diff(q.want, c.say(ctx, q.sql)); diff != "" {
				t.Errorf("round %d: %s (-want +got):\n%s", round, q.sql, diff)
			}
		}
		// The number that is counted for a look-up depends on the files that are read for it.
		if got := c.say(ctx, "SELECT title, n FROM thing WHERE id = 'a'"); !strings.HasPrefix(got, "NULL|1\nWARNING: ") || !strings.Contains(got, `of column "title" of "thing" are no text`) {
			t.Errorf("round %d: a look-up is told %s", round, got)
		}
		if !mirrored {
			return
		}
		awaitMirror(t, c)
	}
}

// awaitMirror waits until a type's native tables are in use.
func awaitMirror(t *testing.T, c *client) {
	t.Helper()
	for limit := time.Now().Add(testenv.Patience); ; time.Sleep(time.Millisecond) {
		c.say(t.Context(), "SELECT count(*) FROM thing")
		got := c.say(t.Context(), "SELECT state, through_commit_id FROM ontosql.mirror")
		if strings.HasPrefix(got, "ready|") {
			return
		}
		if time.Now().After(limit) {
			t.Fatal(fmt.Sprint("the mirror is behind: ", got))
		}
	}
}
