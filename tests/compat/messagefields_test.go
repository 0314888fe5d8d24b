package compat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/gateway/gatewaytest"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/writepath"
)

// TestMessageFields compares every field of errors and notices: the gateway and
// PostgreSQL run corpus/fields/*.sql over tables that the same DDL has made. Left out are
// the fields about PostgreSQL's source files, and two additions of ontosql: the context
// of a value that cannot be stored, and the key of the row that ALTER TABLE cannot convert.
func TestMessageFields(t *testing.T) {
	ctx := context.WithoutCancel(t.Context())
	bucket := mem.New("fields")
	if _, err := writepath.Init(ctx, bucket, writepath.InitOptions{Engine: "v1"}); err != nil {
		t.Fatal(err)
	}
	g, err := gatewaytest.Open(ctx, gatewaytest.Options{Bucket: bucket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("close the gateway: %v", err)
		}
	})
	theirs, ours := newTalker(t, postgresDatabase(t, "compat_fields")), newTalker(t, g.Listen(t))
	for _, tab := range tables {
		create, fill := tab.postgres()[0], tab.create(tab.name, func(c tableColumn) string { return c.postgres })[1:]
		if tab.ddl == "" {
			create = strings.TrimSuffix(create, ")") + ", PRIMARY KEY (" + strings.Join(tab.key, ", ") + "))"
		}
		must(t, ctx, theirs.PgConn, create)
		// A key of two columns is that of a relation, which says what it relates.
		must(t, ctx, ours.PgConn, strings.NewReplacer(`"left_key" text`, "left_key text REFERENCES customer", `"right_key" bigint`, "right_key bigint REFERENCES product").Replace(create))
		for _, sql := range fill {
			must(t, ctx, theirs.PgConn, sql)
			must(t, ctx, ours.PgConn, sql)
		}
	}
	files, err := filepath.Glob("corpus/fields/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	for _, f := range files {
		for _, st := range statements(t, f) {
			want, got := theirs.messages(ctx, st.SQL), ours.messages(ctx, st.SQL)
			for i := range min(len(want), len(got)) {
				got[i].leaveOut(&want[i])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s:%d: %s (-PostgreSQL +ontosql):\n%s", f, st.Line, st.SQL, diff)
			}
		}
	}
}

// message is an error or a notice with the fields that a client may read.
type message pgconn.PgError

// leaveOut takes what ontosql adds to a message from it.
func (m *message) leaveOut(theirs *message) {
	lines := strings.Split(m.Where, "\n")
	if last := lines[len(lines)-1]; strings.Contains(last, " of the rows for ") {
		m.Where = strings.Join(lines[:len(lines)-1], "\n")
	}
	if theirs.Detail == "" && strings.HasPrefix(m.Detail, "Key (") && (m.Code == "22P02" || m.Code == "23502") {
		m.Detail = ""
	}
}

// talker is a client that keeps the messages of a server.
type talker struct {
	*pgconn.PgConn
	notices []message
}

func newTalker(t *testing.T, dsn string) *talker {
	t.Helper()
	c := &talker{}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.notices = append(c.notices, message(*n)) }
	if c.PgConn, err = pgconn.ConnectConfig(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	must(t, t.Context(), c.PgConn, "SET TimeZone = 'UTC'")
	return c
}

// messages are the notices and the error that a statement is answered with.
func (c *talker) messages(ctx context.Context, sql string) []message {
	c.notices = nil
	_, err := c.Exec(ctx, sql).ReadAll()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		c.notices = append(c.notices, message(*e))
	case err != nil:
		c.notices = append(c.notices, message{Message: fmt.Sprint(err)})
	}
	for i := range c.notices {
		c.notices[i].File, c.notices[i].Line, c.notices[i].Routine = "", 0, ""
	}
	return c.notices
}
