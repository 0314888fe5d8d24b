package gateway_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/demo"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

func TestParametersKeepTheirNumbers(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	for _, c := range []struct {
		sql  string
		args []string
		want string
	}{
		{"SELECT $2::bigint, $1::text", []string{"a", "7"}, "7|a"},
		{"SELECT id FROM customer WHERE id = $3 AND $2 = 'y' AND $1 <> $2", []string{"x", "y", "c1"}, "c1"},
		{"SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF $1 c WHERE id <> $2", []string{"10", "c1"}, "11"},
		{"SELECT count(*) FROM as_of.customer($1)", []string{"HEAD~100"}, "0"},
		{"SELECT count(*) FROM as_of.customer($1::bigint + 1)", []string{"9"}, "12"},
		{"SELECT count(*) FROM as_of.customer($2::bigint) WHERE id <> $1", []string{"c1", "10"}, "11"},
		{"SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF 9223372036854775807 c", nil, "40"},
		{"SELECT id FROM customer WHERE id = ANY($1) ORDER BY id", []string{"{c1,c2}"}, "c1;c2"},
		{"SELECT $1::bytea = '\\x00ff'::bytea", []string{`\x00ff`}, "true"},
		{"SELECT count(*) FROM customer WHERE commit_id > $1", []string{"50"}, "12"},
		{"SELECT count(*) FROM history.customer WHERE commit_id > $1 AND commit_id <= $2", []string{"50", "52"}, "6"},
	} {
		got := strings.Join(must(t, s, c.sql, c.args...), ";")
		if got != c.want {
			t.Errorf("%s %q answered %q, want %q", c.sql, c.args, got, c.want)
		}
	}
	refused(t, s, pgerr.IndeterminateDatatype, "SELECT id FROM customer WHERE id = $2", "x", "c1")
	refused(t, s, pgerr.InvalidTextRepresentation, "SELECT $1::int", "x")
	refused(t, s, pgerr.InvalidParameterValue, "SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF $1", "nonsense")
}

func TestOneHeadPerTransaction(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	must(t, s, "BEGIN")
	before := h.bucket.Status().Total().Requests
	must(t, s, "SELECT count(*) FROM ontosql.commits")
	pinned := h.bucket.Status().Total().Requests
	must(t, s, "SELECT count(*) FROM ontosql.commits")
	if again := h.bucket.Status().Total().Requests; again != pinned || pinned == before {
		t.Errorf("requests: %d before the transaction, %d after its first statement, %d after its second; want the second to need none", before, pinned, again)
	}
	if st := s.Status(); st != wire.InTransaction {
		t.Errorf("status after BEGIN is %c, want T", st)
	}
	refused(t, s, pgerr.UndefinedColumn, "SELECT nosuch")
	if st := s.Status(); st != wire.Failed {
		t.Errorf("status after an error is %c, want E", st)
	}
	refused(t, s, pgerr.InFailedSQLTransaction, "SELECT 1")
	must(t, s, "ROLLBACK")
	if st := s.Status(); st != wire.Idle {
		t.Errorf("status after ROLLBACK is %c, want I", st)
	}
}

func TestPortalSurvivesTheNextStatement(t *testing.T) {
	s := newHouse(t, nil).session(t, "onto")
	ctx := t.Context()
	must(t, s, "BEGIN")
	st, err := s.Prepare(ctx, wire.Query{SQL: "SELECT v FROM generate_series(1, 10000) AS g(v)"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := st.Bind(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Next(ctx)
	if err != nil {
		t.Fatalf("first batch: %v", err)
	}
	n := first.Len
	answers(t, s, "SELECT count(*) FROM customer", "40")
	rest, err := drain(ctx, p)
	if err != nil {
		t.Fatalf("the rest of the portal: %v", err)
	}
	if n+len(rest) != 10000 {
		t.Errorf("the portal gave %d rows before the other statement and %d after, want 10000 in all", n, len(rest))
	}
	if len(rest) > 0 && rest[len(rest)-1] != "10000" {
		t.Errorf("its last row is %q, want 10000", rest[len(rest)-1])
	}
	p.Close()
	must(t, s, "COMMIT")
}

func TestFiveWaysToNameThePast(t *testing.T) {
	h := newHouse(t, nil)
	const want = "12"
	count := func(s wire.Session, sql string) {
		t.Helper()
		if got := must(t, s, sql); !cmp.Equal(got, []string{want}) {
			t.Errorf("%s answered %q, want %s", sql, got, want)
		}
	}
	s := h.session(t, "onto")
	count(s, "SELECT count(*) FROM as_of.customer(10)")
	count(s, "SELECT count(*) FROM as_of.customer(4 + 6)")
	count(s, "SELECT count(*) FROM customer FOR SYSTEM_TIME AS OF 10")
	must(t, s, "SET ontosql.as_of = '10'")
	count(s, "SELECT count(*) FROM customer")
	count(h.session(t, "onto@10"), "SELECT count(*) FROM customer")
	count(h.session(t, "onto", wire.Option{Name: "ontosql.as_of", Value: "10"}), "SELECT count(*) FROM customer")
}

func TestOpenRefuses(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	for database, code := range map[string]string{
		"nosuch":        pgerr.InvalidCatalogName,
		"onto:feature":  pgerr.InvalidCatalogName,
		"onto@nonsense": pgerr.InvalidParameterValue,
	} {
		_, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: database})
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("opening %s: %v, want SQLSTATE %s", database, err, code)
		}
	}
}

func TestCachedPlanMustNotChangeItsColumns(t *testing.T) {
	bucket := mem.New("schema")
	if err := demo.Fill(t.Context(), bucket, nil); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, bucket)
	s := h.session(t, "onto")
	star, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT * FROM store"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT city FROM store ORDER BY city"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	described(t, star)
	described(t, narrow)
	if err := s.Sync(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	addField(t, bucket, "Store", "phone")

	_, err = bindAndRun(t, s, star)
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.FeatureNotSupported || e.Routine != "RevalidateCachedQuery" {
		t.Errorf("SELECT * after a column came: %v, want 0A000 of RevalidateCachedQuery", err)
	}
	if rows, err := bindAndRun(t, s, narrow); err != nil || len(rows) != 4 {
		t.Errorf("a statement whose columns stayed answered %q, %v; want 4 rows", rows, err)
	}
	if rows := must(t, s, "SELECT phone FROM store"); !cmp.Equal(rows, []string{"NULL", "NULL", "NULL", "NULL"}) {
		t.Errorf("the new column of old rows is %q, want NULL", rows)
	}
}

// addField registers a new schema version as the original does: the versions
// object first, then the registry, without a commit.
func addField(t *testing.T, b objstore.Bucket, typeName, name string) {
	t.Helper()
	ctx := t.Context()
	key := format.RegistryKey
	body, _, err := b.Get(ctx, key)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := format.DecodeRegistry(key, body)
	if err != nil {
		t.Fatal(err)
	}
	schema, err := format.DecodeSchema(key, "entity", registry.Entity[typeName])
	if err != nil {
		t.Fatal(err)
	}
	schema.Fields = append(schema.Fields, format.NewField(name, format.FieldStr, true))
	text, err := format.SchemaJSON(format.EncodeSchema(schema))
	if err != nil {
		t.Fatal(err)
	}
	hash, err := format.SchemaHash([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	key = format.VersionsKey(schema.Ref)
	if body, _, err = b.Get(ctx, key); err != nil {
		t.Fatal(err)
	}
	versions, err := format.DecodeVersions(key, body)
	if err != nil {
		t.Fatal(err)
	}
	last := versions.Versions[len(versions.Versions)-1]
	next := last
	next.SchemaVersionID, next.SchemaJSON, next.SchemaHash = last.SchemaVersionID+1, text, hash
	versions.Versions = append(versions.Versions, next)
	put(t, b, key, format.EncodeVersions(versions))
	registry.Entity[typeName] = format.EncodeSchema(schema)
	if body, err = format.EncodeRegistry(registry); err != nil {
		t.Fatal(err)
	}
	put(t, b, format.RegistryKey, body)
}

func put(t *testing.T, b objstore.Bucket, key string, body []byte) {
	t.Helper()
	if _, err := b.Put(t.Context(), key, body); err != nil {
		t.Fatal(err)
	}
}

func TestLiveRelationsOfTheCatalog(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	s := h.session(t, "onto")
	other := h.session(t, "onto@3")
	must(t, other, "SELECT 1")
	must(t, s, "SET statement_timeout = '1h'")
	answers(t, s, "SELECT setting, unit FROM pg_settings WHERE name = 'statement_timeout'", "3600000|ms")
	got := must(t, s, "SELECT state, query FROM pg_stat_activity WHERE usename = 'tester' ORDER BY state DESC")
	if len(got) != 2 || got[0] != "idle|SELECT 1" || !strings.HasPrefix(got[1], "active|SELECT state") {
		t.Errorf("pg_stat_activity shows %q, want the other session idle and this one active", got)
	}
	answers(t, s, "SELECT rolname FROM pg_roles WHERE rolname = current_user", "tester")
}

func TestIdleInTransactionTimeoutFires(t *testing.T) {
	asksNoMirror(t)
	h := newHouse(t, nil)
	ended := make(chan *pgerr.Error, 1)
	s, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: "onto", Terminate: func(e *pgerr.Error) { ended <- e }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	must(t, s, "SET idle_in_transaction_session_timeout = 20")
	must(t, s, "BEGIN")
	select {
	case e := <-ended:
		if e.Code != pgerr.IdleInTransactionSessionTimeout {
			t.Errorf("the session ended with %v, want 25P03", e)
		}
	case <-t.Context().Done():
		t.Error("the session was never ended")
	}
}

// TestWhatOnlySuperusersSee runs the queries that pg_activity starts with. It continues without
// what it may not see.
func TestWhatOnlySuperusersSee(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	refused(t, s, "42501", "SHOW data_directory")
	refused(t, s, "42501", "SELECT current_setting('hba_file')")
	refused(t, s, "42704", "SET data_directory = '/'")
	refused(t, s, "42501", "SELECT count(*) FROM pg_tablespace ts, LATERAL pg_catalog.pg_ls_tmpdir(ts.oid) tmp")
	must(t, s, "SET log_min_duration_sample TO -1")
	must(t, s, "SELECT current_setting('autovacuum_max_workers')::bigint, current_setting('max_wal_senders')::int")
}
