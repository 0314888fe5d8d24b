package compat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/tests/compat/corpus"
)

// TestWorkspaceCorpus runs corpus/workspace/*.sql on the gateway and on PostgreSQL, each file on
// a shop of its own, and compares all that they say: rows to the last digit, command tags,
// every field of errors, and notices with DETAIL and HINT. A statement that answers otherwise
// is in corpus/workspace/differences.txt with a reason.
//
// A statement begins with "b: " if session b runs it, "b waits: " if it has to wait there for a
// lock, and the answer of a statement that waits is compared at "b answers". The lines after
// the first of a COPY FROM STDIN are its data.
func TestWorkspaceCorpus(t *testing.T) {
	known := statements(t, "corpus/workspace/differences.txt")
	files, err := filepath.Glob("corpus/workspace/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatal("no corpus", err)
	}
	asked := map[string]bool{}
	seen, differ := 0, map[string]bool{}
	for _, f := range files {
		all := statements(t, f)
		seen += len(all)
		for _, st := range all {
			asked[st.SQL] = true
		}
		name := strings.TrimSuffix(filepath.Base(f), ".sql")
		t.Run(name, func(t *testing.T) {
			theirs, ours := newStage(t, postgresShop(t, "compat_workspace_"+name)), newStage(t, serveShop(t))
			for _, st := range all {
				want, got := theirs.run(st.SQL), ours.run(st.SQL)
				for i, l := range want {
					want[i] = temporarySchema.ReplaceAllString(l, "pg_temp")
				}
				diff := ""
				if !slices.Equal(want, got) {
					diff = "  postgres: " + strings.Join(want, "\n            ") + "\n  ontosql:  " + strings.Join(got, "\n            ")
				}
				k := slices.IndexFunc(known, func(k corpus.Statement) bool { return k.SQL == st.SQL })
				switch {
				case diff == "":
				case k < 0:
					t.Errorf("%s:%d: %s\n%s", f, st.Line, st.SQL, diff)
				default:
					differ[st.SQL] = true
					if held := known[k].Held; held != "" && !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, "ERROR "+held+":") }) {
						t.Errorf("%s:%d: %s is not %s, as differences.txt:%d says:\n%s", f, st.Line, st.SQL, held, known[k].Line, strings.Join(got, "\n"))
					}
				}
			}
		})
	}
	if t.Failed() {
		return
	}
	for _, k := range known {
		switch {
		case !asked[k.SQL]:
			t.Errorf("differences.txt:%d: not in the corpus: %s", k.Line, k.SQL)
		case !differ[k.SQL]:
			t.Errorf("differences.txt:%d: listed as different and is not: %s", k.Line, k.SQL)
		}
	}
	if seen < 500 {
		t.Errorf("the corpus has %d statements, fewer than 500", seen)
	}
}

// stage is a server with the sessions of one file.
type stage struct {
	t       *testing.T
	dsn     string
	actors  map[string]*actor
	watcher *pgconn.PgConn
}

// actor is a session that keeps its notices.
type actor struct {
	*pgconn.PgConn
	notices []string
	waiting chan []string // of the statement that waits
}

func newStage(t *testing.T, dsn string) *stage {
	return &stage{t: t, dsn: dsn, actors: map[string]*actor{}, watcher: connect(t, dsn)}
}

func (s *stage) actor(name string) *actor {
	if a := s.actors[name]; a != nil {
		return a
	}
	a := &actor{}
	config, err := pgconn.ParseConfig(s.dsn)
	if err != nil {
		s.t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		a.notices = append(a.notices, messageLines((*pgconn.PgError)(n))...)
	}
	if a.PgConn, err = pgconn.ConnectConfig(s.t.Context(), config); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = a.Close(context.Background()) })
	must(s.t, s.t.Context(), a.PgConn, "SET TimeZone = 'UTC'")
	s.actors[name] = a
	return a
}

var ofSession = regexp.MustCompile(`^([b-z])(:| waits:| answers$)\s*`)

// run runs a statement of a file and returns the answer as lines.
func (s *stage) run(sql string) []string {
	name, how := "a", ":"
	if m := ofSession.FindStringSubmatch(sql); m != nil {
		name, how, sql = m[1], m[2], sql[len(m[0]):]
	}
	a := s.actor(name)
	switch how {
	case ":":
		return a.ask(s.t.Context(), sql)
	case " waits:":
		a.waiting = make(chan []string, 1)
		go func() { a.waiting <- a.ask(s.t.Context(), sql) }()
		for until := time.Now().Add(testenv.Patience); time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
			if r := ask(s.t.Context(), s.watcher, "SELECT count(*) FROM pg_locks WHERE NOT granted"); r.rows[0][0] != "0" {
				return []string{"waits"}
			}
			if len(a.waiting) > 0 {
				return <-a.waiting
			}
		}
		return []string{"neither waits nor answers"}
	}
	select {
	case lines := <-a.waiting:
		return lines
	case <-time.After(testenv.Patience):
		return []string{"still waits"}
	}
}

// ask sends a statement and returns all of the answer: notices, results, the error, and the
// state of the transaction.
func (a *actor) ask(ctx context.Context, sql string) (lines []string) {
	a.notices = nil
	first, data, _ := strings.Cut(sql, "\n")
	var err error
	switch {
	case strings.HasPrefix(first, "COPY ") && strings.Contains(first, "FROM STDIN"):
		var tag pgconn.CommandTag
		tag, err = a.CopyFrom(ctx, strings.NewReader(data), first)
		lines = append(lines, tag.String())
	case strings.HasPrefix(first, "COPY ") && strings.Contains(first, "TO STDOUT"):
		var out bytes.Buffer
		var tag pgconn.CommandTag
		tag, err = a.CopyTo(ctx, &out, sql)
		lines = append(lines, tag.String(), out.String())
	default:
		var results []*pgconn.Result
		results, err = a.Exec(ctx, sql).ReadAll()
		for _, r := range results {
			lines = append(lines, exact(r, ordered(sql))...)
		}
	}
	lines = append(a.notices, lines...)
	if e := new(pgconn.PgError); errors.As(err, &e) {
		lines = append(lines, messageLines(e)...)
	} else if err != nil {
		lines = append(lines, "connection: "+err.Error())
	}
	return append(lines, fmt.Sprintf("state %c", a.TxStatus()))
}

// exact is a result with every digit. Rows without ORDER BY are sorted.
func exact(r *pgconn.Result, ordered bool) (lines []string) {
	for _, row := range r.Rows {
		var values []string
		for _, v := range row {
			if v == nil {
				values = append(values, "NULL")
			} else {
				values = append(values, string(v))
			}
		}
		lines = append(lines, "  "+strings.Join(values, " | "))
	}
	if tag := r.CommandTag.String(); !ordered && !strings.HasPrefix(tag, "FETCH") {
		slices.Sort(lines)
	}
	if len(r.FieldDescriptions) == 0 && len(lines) == 0 && r.CommandTag.String() == "" {
		return nil
	}
	var columns []string
	for _, f := range r.FieldDescriptions {
		columns = append(columns, fmt.Sprintf("%s %d %d", f.Name, f.DataTypeOID, f.TypeModifier))
	}
	return append([]string{r.CommandTag.String() + ": " + strings.Join(columns, ", ")}, lines...)
}

// messageLines are the fields of an error or a notice.
func messageLines(e *pgconn.PgError) []string {
	lines := []string{fmt.Sprintf("%s %s: %s", e.Severity, e.Code, e.Message)}
	for _, field := range []struct{ name, value string }{{"detail", e.Detail}, {"hint", e.Hint}, {"schema", e.SchemaName}, {"table", e.TableName}, {"column", e.ColumnName}, {"constraint", e.ConstraintName}, {"type", e.DataTypeName}} {
		if field.value != "" {
			lines = append(lines, "  "+field.name+": "+field.value)
		}
	}
	if e.Position != 0 {
		lines = append(lines, fmt.Sprintf("  position: %d", e.Position))
	}
	return lines
}
