package psql

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/writepath"
)

// asPostgres is the first line of a file that PostgreSQL answers in the same way,
// to the letter. Its copy of the demo has table document, too.
const asPostgres = "-- store: a copy, and PostgreSQL's"

// demoInPostgres are the tables of such a copy, with the columns in the order in
// which ontosql shows them.
var demoInPostgres = map[string]string{
	"customer":     "id text PRIMARY KEY, balance double precision NOT NULL, email text, name text NOT NULL, tier text NOT NULL",
	"product":      "sku bigint PRIMARY KEY, price double precision NOT NULL, title text NOT NULL",
	"store":        "code text PRIMARY KEY, city text NOT NULL, open boolean NOT NULL",
	"subscription": "left_key text, right_key bigint, note text, seats bigint NOT NULL, PRIMARY KEY (left_key, right_key)",
	"purchase":     "left_key text, right_key bigint, order_no text, qty bigint NOT NULL, store text NOT NULL, PRIMARY KEY (left_key, right_key, order_no)",
	"document":     "id text PRIMARY KEY, at timestamptz, attrs jsonb, body text, day date, price numeric, raw bytea, ref uuid",
}

// serveCopyWithDocument serves a copy of the demo that has table document, too.
func serveCopyWithDocument(t *testing.T) *url.URL {
	t.Helper()
	return serveStores(t, "onto="+copyWithDocument(t))
}

// copyWithDocument is the directory of such a copy.
func copyWithDocument(t *testing.T) string {
	t.Helper()
	copied := copyStore(t)
	if err := addDocument(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	return copied
}

// addDocument registers table document, which has the types that the demo has not.
func addDocument(ctx context.Context, store string) error {
	bucket, err := dir.Open(store, dir.Options{})
	if err != nil {
		return err
	}
	p, err := writepath.NewPublisher(ctx, bucket, "tests-psql")
	if err != nil {
		return err
	}
	id := format.NewField("id", format.FieldStr, false)
	id.PrimaryKey = true
	_, err = p.Register(ctx, time.Now(), []format.Schema{{
		Ref: ontosql.TypeRef{Kind: ontosql.Entity, Name: "Document"},
		Fields: []format.SchemaField{
			id, format.NewField("at", format.FieldDatetime, true), format.NewField("attrs", format.FieldJSON, true),
			format.NewField("body", format.FieldStr, true), format.NewField("day", format.FieldDate, true),
			format.NewField("price", format.FieldDecimal, true), format.NewField("raw", format.FieldBytes, true),
			format.NewField("ref", format.FieldUUID, true),
		},
	}})
	if closed := p.Close(ctx); err == nil {
		err = closed
	}
	return err
}

// TestPostgresSaysTheSame runs the files that say so on PostgreSQL, over tables
// with the rows of the demo. That the gateway prints what they expect is
// TestFiles' to see.
func TestPostgresSaysTheSame(t *testing.T) {
	if os.Getenv("ONTOSQL_TEST_MIRROR") != "" {
		t.Skip("PostgreSQL has no mirror")
	}
	postgres, err := url.Parse(testenv.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	run := func(at *url.URL, database, script string) {
		t.Helper()
		file := filepath.Join(tmp, "script.sql")
		if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := psql(t, at, file, database); strings.Contains(got, "ERROR") {
			t.Fatal(got)
		}
	}
	var out, in strings.Builder
	for table, columns := range demoInPostgres {
		fmt.Fprintf(&in, "CREATE TABLE %s (%s);\n", table, columns)
		if table != "document" {
			fmt.Fprintf(&out, "\\copy %s to '%s/%s'\n", table, tmp, table)
			fmt.Fprintf(&in, "\\copy %s from '%s/%s'\n", table, tmp, table)
		}
	}
	run(server, "onto", out.String())
	for _, file := range sqlFiles(t) {
		if file.first != asPostgres {
			continue
		}
		t.Run(file.name, func(t *testing.T) {
			database := "psql_" + file.name
			run(postgres, "postgres", "CREATE DATABASE "+database+";")
			run(postgres, database, in.String())
			want, err := os.ReadFile(filepath.Join("expected", file.name+".out"))
			if err != nil {
				t.Fatal(err)
			}
			got := psql(t, postgres, file.path, database)
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("PostgreSQL prints something else for %s (-expected +PostgreSQL):\n%s", file.path, diff)
			}
		})
	}
}
