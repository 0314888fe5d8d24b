package schemas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/faulty"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/writepath"
)

// TestRefusedDefinitions asks for what cannot be: each is refused at once, with
// what the client needs to know, and changes nothing.
func TestRefusedDefinitions(t *testing.T) {
	long := strings.Repeat("n", 64)
	refusals := []struct {
		sql, state, told string // told is a part of message and detail
	}{
		{"CREATE TABLE x (id text PRIMARY KEY, commit_id bigint)", pgerr.DuplicateColumn, `"commit_id"`},
		{"CREATE TABLE x (entity_key text PRIMARY KEY)", pgerr.DuplicateColumn, `"entity_key"`},
		{`CREATE TABLE x (id text PRIMARY KEY, "fields_json" jsonb)`, pgerr.DuplicateColumn, `"fields_json"`},
		{"CREATE TABLE x (left_key bigint REFERENCES item, right_key text REFERENCES shelf, instance_key text, PRIMARY KEY (left_key, right_key, instance_key))", pgerr.DuplicateColumn, `"instance_key"`},
		{"ALTER TABLE item ADD COLUMN schema_version_id bigint", pgerr.DuplicateColumn, `"schema_version_id"`},
		{"ALTER TABLE item RENAME COLUMN title TO entity_type", pgerr.DuplicateColumn, `"entity_type"`},
		{"ALTER TABLE stands RENAME COLUMN since TO left_key", pgerr.DuplicateColumn, `"left_key"`},
		{`CREATE TABLE "a/b" (id text PRIMARY KEY)`, pgerr.InvalidName, `"a/b"`},
		{`CREATE TABLE ".hidden" (id text PRIMARY KEY)`, pgerr.InvalidName, `".hidden"`},
		{"CREATE TABLE x (left_key text REFERENCES nothing, right_key text REFERENCES shelf, PRIMARY KEY (left_key, right_key))", pgerr.UndefinedTable, `"nothing"`},
		{"CREATE TABLE x (left_key text REFERENCES gone, right_key text REFERENCES shelf, PRIMARY KEY (left_key, right_key))", pgerr.UndefinedTable, `"gone"`},
		{"CREATE TABLE x (left_key text REFERENCES item, right_key text REFERENCES shelf, PRIMARY KEY (left_key, right_key))", pgerr.DatatypeMismatch, "incompatible types"},
		{"CREATE TABLE item (id text PRIMARY KEY)", pgerr.DuplicateTable, `"item"`},
		{"CREATE TABLE x (id text PRIMARY KEY, a text, a bigint)", pgerr.DuplicateColumn, `"a"`},
		{`CREATE TABLE x (id text PRIMARY KEY, ` + long + `a text, ` + long + `b text)`, pgerr.DuplicateColumn, long[:63]},
		{"ALTER TABLE item ADD COLUMN title bigint", pgerr.DuplicateColumn, `"title"`},
		{"ALTER TABLE item ADD COLUMN a text, ADD COLUMN a text", pgerr.DuplicateColumn, `"a"`},
		{"ALTER TABLE item " + added(1598), pgerr.TooManyColumns, "at most 1600 columns"},
		{"ALTER TABLE item ALTER COLUMN title TYPE bigint", pgerr.DatatypeMismatch, "cannot be cast automatically"},
		{"ALTER TABLE item ALTER COLUMN title TYPE bigint USING CASE id WHEN 2 THEN title ELSE '7' END::bigint", pgerr.InvalidTextRepresentation, "Key (id)=(2)."},
		{"ALTER TABLE item ALTER COLUMN title TYPE varchar(3)", pgerr.StringDataRightTruncation, "Key (id)=(3)."},
		{"ALTER TABLE item ALTER COLUMN price TYPE bigint USING 100 / (price - 30)", pgerr.DivisionByZero, "Key (id)=(3)."},
		{"ALTER TABLE item ALTER COLUMN price TYPE numeric(2,1) USING price", pgerr.NumericValueOutOfRange, "Key (id)=("},
		{"ALTER TABLE item ALTER COLUMN price SET NOT NULL", pgerr.NotNullViolation, "Key (id)=(2)."},
		{"ALTER TABLE item ADD COLUMN must text NOT NULL", pgerr.NotNullViolation, "Key (id)=("},
		{"ALTER TABLE stands ALTER COLUMN since TYPE bigint USING 1 / (left_key - 1)", pgerr.DivisionByZero, "Key (left_key, right_key, slot)=(1, top, a)."},
		{"ALTER TABLE item DROP COLUMN id", pgerr.FeatureNotSupported, `"id"`},
		{"ALTER TABLE item ALTER COLUMN id TYPE text", pgerr.FeatureNotSupported, `"id"`},
		{"ALTER TABLE stands DROP COLUMN left_key", pgerr.FeatureNotSupported, `"left_key"`},
		{"ALTER TABLE stands DROP COLUMN slot", pgerr.FeatureNotSupported, `"slot"`},
		{"ALTER TABLE stands ALTER COLUMN slot TYPE bigint USING 1", pgerr.FeatureNotSupported, `"slot"`},
		{"ALTER TABLE item ALTER COLUMN id DROP NOT NULL", pgerr.InvalidTableDefinition, `"id"`},
		{"ALTER TABLE item ADD COLUMN a interval", pgerr.FeatureNotSupported, "interval"},
		{"DROP TABLE item", pgerr.DependentObjectsStillExist, "stands"},
		{"DROP TABLE stands", pgerr.ObjectNotInPrerequisiteState, "has rows"},
		{"DROP TABLE gone", pgerr.UndefinedTable, `"gone"`},
	}
	disk := filled(t, founded(t, format.EngineV1))
	if err := doAll(t.Context(), disk, []string{"CREATE TABLE gone (id text PRIMARY KEY)", "DROP TABLE gone"}); err != nil {
		t.Fatal(err)
	}
	want := objectsOf(t, disk)
	counted := &faulty.Bucket{Bucket: disk, At: -1}
	g := gateOver(t, counted)
	s, err := g.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refusals {
		before := counted.Requests()
		_, err := s.ask(r.sql)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != r.state || !strings.Contains(e.Message+" "+e.Detail, r.told) {
			t.Errorf("%s: %v (%s), want SQLSTATE %s and %q", r.sql, err, detailOf(err), r.state, r.told)
		}
		// A look at the head, the checkpoint of the manifests and the files of the rows, and not
		// again and again.
		if n := counted.Requests() - before; n > 24 {
			t.Errorf("%s: %d requests for a refusal", r.sql, n)
		}
	}
	s.Close()
	g.Close()
	if diff := cmp.Diff(want, objectsOf(t, disk)); diff != "" {
		t.Errorf("what was refused changed the store (-before +after):\n%s", diff)
	}
}

// added are so many actions that add a column each.
func added(columns int) string {
	actions := make([]string, columns)
	for i := range actions {
		actions[i] = fmt.Sprintf("ADD COLUMN c%d text", i)
	}
	return strings.Join(actions, ", ")
}

func detailOf(err error) string {
	var e *pgerr.Error
	if errors.As(err, &e) {
		return e.Detail
	}
	return ""
}

// TestThousandColumns makes a table of 1,000 columns, writes to it and changes it.
// What it takes is logged.
func TestThousandColumns(t *testing.T) {
	const columns = 1000
	disk := filled(t, founded(t, format.EngineV1))
	s, err := gateOver(t, disk).session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var declared, names, values, actions []string
	for i := range columns - 1 {
		declared = append(declared, fmt.Sprintf("c%d bigint DEFAULT %d", i, i))
		names, values = append(names, fmt.Sprint("c", i)), append(values, fmt.Sprint(i*10))
		if i%10 == 0 {
			actions = append(actions, fmt.Sprintf("ALTER COLUMN c%d TYPE text USING 'c' || c%d", i, i), fmt.Sprintf("DROP COLUMN c%d", i+1))
		}
	}
	for _, step := range []struct{ what, sql string }{
		{"create", "CREATE TABLE wide (id text PRIMARY KEY, " + strings.Join(declared, ", ") + ")"},
		{"insert", "INSERT INTO wide (id, " + strings.Join(names, ", ") + ") VALUES ('a', " + strings.Join(values, ", ") + ")"},
		{"insert defaults", "INSERT INTO wide (id) SELECT 'r' || g FROM generate_series(1, 100) AS g"},
		{"add a column", "ALTER TABLE wide ADD COLUMN extra text DEFAULT 'x'"},
		{"200 actions", "ALTER TABLE wide " + strings.Join(actions, ", ")},
		{"update", "UPDATE wide SET c2 = 7 WHERE id = 'a'"},
	} {
		began := time.Now()
		if err := s.do(step.sql); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		t.Logf("%s: %s", step.what, time.Since(began).Round(time.Millisecond))
	}
	rows, err := s.ask("SELECT count(*), min(c0), sum(c2)::text, min(c990), max(extra) FROM wide WHERE c998 IN (998, 9980)")
	if err != nil || !cmp.Equal(rows, []string{"101|c0|207|c990|x"}) {
		t.Errorf("in the end the table shows %q, %v", rows, err)
	}
	if n := len(agree(t, disk)["entity:wide"].Columns); n != 1+columns+1-100 {
		t.Errorf("the type has %d columns, want %d", n-1, columns+1-100)
	}
}

// TestLongNames declares names of PostgreSQL's length and beyond it, which are cut
// as PostgreSQL cuts them, in the middle of no character.
func TestLongNames(t *testing.T) {
	disk := filled(t, founded(t, format.EngineV1))
	s, err := gateOver(t, disk).session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	full, over, wide := strings.Repeat("t", 63), strings.Repeat("u", 70), strings.Repeat("ü", 40)
	err = s.do(
		fmt.Sprintf("CREATE TABLE %s (%s text PRIMARY KEY, %s bigint DEFAULT 4)", full, full, over),
		fmt.Sprintf("CREATE TABLE %s (id text PRIMARY KEY, %s text)", over, wide),
		fmt.Sprintf("INSERT INTO %s (%s) VALUES ('a')", full, full),
		fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE text USING 'n' || %s", full, over, over),
		fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", over, wide, full),
		fmt.Sprintf("COMMENT ON COLUMN %s.%s IS 'long'", over, full),
	)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := s.ask(fmt.Sprintf("SELECT %s, %s FROM %s", full, over, full))
	if err != nil || !cmp.Equal(rows, []string{"a|n4"}) {
		t.Errorf("the table shows %q, %v", rows, err)
	}
	rows, err = s.ask("SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE table_schema = 'public' AND length(table_name) = 63 ORDER BY 1")
	if want := []string{full + " " + full, full + " " + over[:63], over[:63] + " id", over[:63] + " " + full}; err != nil || !cmp.Equal(rows, want) {
		t.Errorf("the catalog shows %q, %v, want %q", rows, err, want)
	}
	if _, err := s.ask(fmt.Sprintf("CREATE TABLE %s (id text PRIMARY KEY)", over[:63]+"x")); stateOf(err) != pgerr.DuplicateTable {
		t.Errorf("a name that is cut to one that is there: %v, want SQLSTATE %s", err, pgerr.DuplicateTable)
	}
	agree(t, disk)
}

// fullBucket has room for a number of writes.
type fullBucket struct {
	objstore.Bucket
	room atomic.Int64
}

func (b *fullBucket) write(op, key string, send func() (objstore.Version, error)) (objstore.Version, error) {
	if b.room.Add(-1) < 0 {
		return objstore.Absent, &objstore.Error{Op: op, Bucket: b.String(), Key: key, Err: fmt.Errorf("%w: %w", objstore.ErrFull, syscall.ENOSPC)}
	}
	return send()
}

func (b *fullBucket) Put(ctx context.Context, key string, body []byte) (objstore.Version, error) {
	return b.write(objstore.OpPut, key, func() (objstore.Version, error) { return b.Bucket.Put(ctx, key, body) })
}

func (b *fullBucket) Swap(ctx context.Context, key string, want objstore.Version, body []byte) (objstore.Version, error) {
	return b.write(objstore.OpSwap, key, func() (objstore.Version, error) { return b.Bucket.Swap(ctx, key, want, body) })
}

func (b *fullBucket) Upload(ctx context.Context, key string, body io.ReaderAt, size int64) (objstore.Version, error) {
	return b.write(objstore.OpUpload, key, func() (objstore.Version, error) { return b.Bucket.Upload(ctx, key, body, size) })
}

// TestBucketFull lets a migration of two large tables run out of room at each of
// its writes. Before the head is swapped that is an error and nothing is changed
// but for orphans; after it the commit stands. Once there is room the next
// statement finds everything in order.
func TestBucketFull(t *testing.T) {
	rows := 2_000
	if torture > 0 {
		rows = 100_000
	}
	disk := mem.New("onto")
	if _, err := writepath.Init(t.Context(), disk, writepath.InitOptions{URI: "mem://onto", Engine: format.EngineV1, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	setup := []string{"CREATE TABLE other (id text PRIMARY KEY, n bigint)"}
	for _, table := range []string{"one", "two"} {
		setup = append(setup, "CREATE TABLE "+table+" (id bigint PRIMARY KEY, a text)",
			fmt.Sprintf("INSERT INTO %s SELECT g, md5(g::text) FROM generate_series(1, %d) AS g", table, rows))
	}
	if err := doAll(t.Context(), disk, setup); err != nil {
		t.Fatal(err)
	}
	migration := []string{"BEGIN", "ALTER TABLE one ALTER COLUMN a TYPE text USING upper(a)", "ALTER TABLE two RENAME COLUMN a TO b", "COMMIT"}
	objects := objectsOf(t, disk)
	old, err := ours(t.Context(), disk)
	if err != nil {
		t.Fatal(err)
	}
	done := false
	for room := int64(0); !done; room++ {
		disk := filled(t, objects)
		b := &fullBucket{Bucket: disk}
		b.room.Store(room)
		g := gateOver(t, b)
		s, err := g.session(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = s.do(migration...)
		done = b.room.Load() >= 0
		after, lookErr := ours(t.Context(), disk)
		switch {
		case lookErr != nil:
			t.Errorf("room for %d writes: our reader: %v", room, lookErr)
		case err != nil && stateOf(err) != pgerr.DiskFull:
			t.Errorf("room for %d writes: %v, want SQLSTATE %s", room, err, pgerr.DiskFull)
		case err != nil && !cmp.Equal(old, after):
			t.Errorf("room for %d writes: %v, and the store is not as it was", room, err)
		case err == nil && cmp.Equal(old, after):
			t.Errorf("room for %d writes: told that it is done, and it is not", room)
		}
		if err != nil {
			for key, body := range objectsOf(t, disk) {
				if old, was := objects[key]; was && string(old) == string(body) || strings.HasPrefix(key, "commits/") || key == format.LockKey || strings.HasPrefix(key, "meta/indices/") {
					continue
				}
				t.Errorf("room for %d writes: %s is left behind", room, key)
			}
		}
		b.room.Store(1 << 40)
		if err != nil {
			err = s.do(migration...)
		} else {
			err = s.do("INSERT INTO other VALUES ('next', 1)")
		}
		if err != nil {
			t.Errorf("room for %d writes: when there is room again: %v", room, err)
		}
		s.Close()
		g.Close()
		agree(t, disk)
		if t.Failed() {
			return
		}
	}
}
