package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/maintain/maintaintest"
	"github.com/ontosql/ontosql/objstore/dir"
)

// TestServeCompacts serves with the flag from the environment. The files of a type that gets many
// commits are merged while it is written, a client sees that the flag is set, and the store is in
// order when the server has ended.
func TestServeCompacts(t *testing.T) {
	path, flags := shopDir(t)
	t.Setenv("ONTOSQL_AUTO_COMPACT", "true")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stdout, ready := io.Pipe()
	var problem bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...), strings.NewReader(""), ready, &problem)
	}()
	where, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the server says %q, %v", where, err)
	}
	conn, err := pgconn.Connect(t.Context(), strings.TrimSpace(strings.TrimPrefix(where, "ready "))+"?user=ada&sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(sql string) string {
		t.Helper()
		results, err := conn.Exec(t.Context(), sql).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if len(results) == 0 || len(results[0].Rows) == 0 {
			return ""
		}
		return string(bytes.Join(results[0].Rows[0], []byte("|")))
	}
	if got := ask("SELECT value, source FROM ontosql.settings WHERE name = 'auto_compact'"); got != "true|environment" {
		t.Errorf("the setting is %s", got)
	}
	rows := 0
	compacted := func() bool {
		return ask("SELECT 1 FROM ontosql.index_health WHERE type_name = 'Store' AND status = 'ok' AND entries < files") != ""
	}
	for until := time.Now().Add(30 * time.Second); !compacted(); rows++ {
		if time.Now().After(until) {
			t.Fatalf("nothing was compacted; the server says %s", problem.String())
		}
		ask(fmt.Sprintf("INSERT INTO store (code, city, open) VALUES ('auto-%d', 'Riga', true)", rows))
		time.Sleep(20 * time.Millisecond)
	}
	if got := ask("SELECT count(*) FROM store WHERE code LIKE 'auto-%'"); got != fmt.Sprint(rows) {
		t.Errorf("%s rows, want %d", got, rows)
	}
	stop()
	if code := <-ended; code != exitOK || !strings.Contains(problem.String(), "type compacted") {
		t.Errorf("the server ended with exit %d and %s", code, problem.String())
	}
	b, err := dir.Open(path, dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	maintaintest.Clean(t, b)
	if _, err := os.Stat(filepath.Join(path, "meta/ontosql/compaction_lock.json")); err != nil {
		t.Error(err)
	}
}
