package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// TestWhoDidWhat: where it is asked for, the log has an object for each session that begins and ends, and for each
// statement that defines objects, roles or privileges, refused ones too, without their passwords.
func TestWhoDidWhat(t *testing.T) {
	n := newNames(t)
	users := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(users, []byte(`{"role":"ada","attributes":["login","superuser"]}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := n.serve("--nameservice-root", filepath.Join(t.TempDir(), "root"), "--users", users, "--log-format", "json", "--log-connections", "--log-statement", "ddl")
	s.answers("postgres", "CREATE DATABASE shop", "")
	s.answers("shop", "CREATE TABLE item (id text PRIMARY KEY, n int)", "")
	s.answers("shop", "INSERT INTO item VALUES ('not of the log', 1)", "")
	s.answers("shop", "CREATE ROLE ben LOGIN PASSWORD 'sec''ret'; GRANT SELECT ON item TO ben", "")
	s.refuses("shop", "SET ROLE ben; DROP TABLE item", pgerr.InsufficientPrivilege, "")
	type line struct{ Level, Msg, Database, User, Command, Query, SQLState string }
	var statements []string
	began, ended := 0, 0
	within(t, "the log has the end of the last session", func() bool {
		statements, began, ended = nil, 0, 0
		for text := range strings.Lines(s.log()) {
			var l line
			if err := json.Unmarshal([]byte(text), &l); err != nil {
				t.Fatalf("a line of the log is no object: %s", text)
			}
			switch {
			case l.Msg == "session began" && l.User == "ada":
				began++
			case l.Msg == "session ended" && l.User == "ada":
				ended++
			case l.Msg == "statement":
				statements = append(statements, strings.Join([]string{l.Database, l.User, l.Command, l.SQLState}, "|")+" "+l.Query)
			}
		}
		return ended == 5
	})
	want := []string{
		"postgres|ada|CREATE DATABASE| CREATE DATABASE shop",
		"shop|ada|CREATE TABLE| CREATE TABLE item (id text PRIMARY KEY, n int)",
		"shop|ada|CREATE ROLE| CREATE ROLE ben LOGIN PASSWORD",
		"shop|ada|GRANT| GRANT SELECT ON item TO ben",
		"shop|ada|DROP TABLE|42501 DROP TABLE item",
	}
	if began != 5 || len(statements) != len(want) {
		t.Errorf("%d sessions began, want 5; the statements are\n%s", began, strings.Join(statements, "\n"))
	}
	for i, w := range want {
		if i < len(statements) && !strings.HasPrefix(statements[i], w) {
			t.Errorf("statement %d is %s, want %s", i, statements[i], w)
		}
	}
	if log := s.log(); strings.Contains(log, "ret'") || strings.Contains(log, "not of the log") {
		t.Errorf("the log tells too much:\n%s", log)
	}
}
