package gateway_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestCommitsCarryWhatTheSessionSays sets message and metadata in every way that
// settings are set, and looks at the commits.
func TestCommitsCarryWhatTheSessionSays(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto", wire.Option{Name: "ontosql.commit_message", Value: "from the start"})
	show := func(name, want string) {
		t.Helper()
		if got := must(t, s, "SHOW "+name); got[0] != want {
			t.Errorf("%s shows %q, want %q", name, got[0], want)
		}
	}
	show("ontosql.last_commit_id", "")
	must(t, s, "INSERT INTO shelf VALUES ('a', 1)")
	show("ontosql.last_commit_id", "2")

	must(t, s, `SET ontosql.commit_meta = '{"ticket":"OPS-7","who":"é"}'`)
	must(t, s, "BEGIN")
	must(t, s, "SET LOCAL ontosql.commit_message = 'local'")
	must(t, s, "SET LOCAL ontosql.notice_commits = on")
	must(t, s, "INSERT INTO shelf VALUES ('b', 1)")
	must(t, s, "COMMIT")
	show("ontosql.commit_message", "from the start")
	if diff := cmp.Diff([]string{"NOTICE 00000 committed as 3"}, h.notices); diff != "" {
		t.Errorf("notices of a transaction with SET LOCAL notice_commits (-want +got):\n%s", diff)
	}

	must(t, s, "BEGIN")
	must(t, s, "SET ontosql.commit_message = 'rolled back'")
	must(t, s, "ROLLBACK")
	must(t, s, "SET ontosql.notice_commits = on")
	must(t, s, "SET client_min_messages = warning")
	must(t, s, `SELECT set_config('ontosql.commit_message', '', false), set_config('ontosql.commit_meta', '', false)`)
	must(t, s, "INSERT INTO shelf VALUES ('c', 1)")
	must(t, s, "RESET ALL")
	must(t, s, "INSERT INTO shelf VALUES ('d', 1)")
	show("ontosql.last_commit_id", "5")
	if len(h.notices) != 1 {
		t.Errorf("notices %q, want none under client_min_messages = warning", h.notices)
	}

	want := []string{
		"2|from the start|tester|NULL|NULL",
		"3|local|tester|OPS-7|é",
		"4|NULL|tester|NULL|NULL",
		"5|from the start|tester|NULL|NULL",
	}
	got := must(t, s, "SELECT commit_id, message, actor, metadata->>'ticket', metadata->>'who' FROM ontosql.commits WHERE commit_id > 1 ORDER BY 1")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}

	// A read makes no commit, a failed insert neither.
	must(t, s, "BEGIN")
	must(t, s, "SELECT count(*) FROM shelf")
	must(t, s, "COMMIT")
	refused(t, s, pgerr.UniqueViolation, "INSERT INTO shelf VALUES ('a', 2)")
	show("ontosql.last_commit_id", "5")
	refused(t, s, pgerr.CantChangeRuntimeParam, "SET ontosql.last_commit_id = '7'")
	refused(t, s, pgerr.CantChangeRuntimeParam, "RESET ontosql.last_commit_id")
	refused(t, s, pgerr.UndefinedObject, "SET ontosql.nosuch = '7'")
	listed := must(t, s, "SELECT name, setting, context FROM pg_settings WHERE name LIKE 'ontosql.%' ORDER BY 1")
	want = []string{
		"ontosql.as_of||user", "ontosql.commit_message|from the start|user", "ontosql.commit_meta||user", "ontosql.expect_head||user",
		"ontosql.last_commit_id|5|internal", "ontosql.max_requests|0|superuser", "ontosql.max_result_rows|0|superuser", "ontosql.max_scan_bytes|0|superuser", "ontosql.notice_commits|off|user", "ontosql.on_conflict|error|user", "ontosql.purge_history|off|user", "ontosql.read_after||user", "ontosql.result_cache|on|user",
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("pg_settings (-want +got):\n%s", diff)
	}
}

// TestExpectHead commits on the head that is expected, and on another one.
func TestExpectHead(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	must(t, s, "SET ontosql.expect_head = '1'")
	must(t, s, "INSERT INTO shelf VALUES ('a', 1)")
	for _, ending := range []bool{true, false} {
		h.ending = ending
		e := refused(t, s, pgerr.SerializationFailure, "INSERT INTO shelf VALUES ('b', 1)")
		if e.Detail != "Expected commit 1, the head is commit 2." {
			t.Errorf("detail %q names not both heads", e.Detail)
		}
	}
	must(t, s, "BEGIN")
	must(t, s, "SET LOCAL ontosql.expect_head = '2'")
	must(t, s, "INSERT INTO shelf VALUES ('b', 1)")
	must(t, s, "COMMIT")
	must(t, s, "RESET ontosql.expect_head")
	must(t, s, "INSERT INTO shelf VALUES ('c', 1)")
	answers(t, s, "SELECT name, commit_id FROM shelf ORDER BY 1", "a|2", "b|3", "c|4")
}

// TestReadAfterWaits lets one gateway wait for what another one commits.
func TestReadAfterWaits(t *testing.T) {
	bucket := shop(t)
	writer := newHouse(t, bucket).session(t, "onto")
	reader := newHouse(t, bucket).session(t, "onto")
	must(t, reader, "SET ontosql.read_after = '1'") // it is there
	seen := make(chan error, 1)
	go func() {
		_, err := ask(t, reader, "SET ontosql.read_after = '2'")
		seen <- err
	}()
	select {
	case err := <-seen:
		t.Fatalf("SET returned before the commit: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, writer, "INSERT INTO shelf VALUES ('a', 1)")
	if err := <-seen; err != nil {
		t.Fatalf("SET, with the commit made meanwhile: %v", err)
	}
	answers(t, reader, "SELECT count(*) FROM shelf", "1")
	answers(t, reader, "SHOW ontosql.read_after", "2")
}

// TestReadAfterGivesUp waits for a commit that never comes.
func TestReadAfterGivesUp(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto", wire.Option{Name: "ontosql.read_after", Value: "1"})
	for _, sql := range []string{"SET ontosql.read_after = '7'", "SELECT set_config('ontosql.read_after', '7', false)"} {
		must(t, s, "SET statement_timeout = 500") // enough to see the newest commit
		e := refused(t, s, pgerr.QueryCanceled, sql)
		must(t, s, "SET statement_timeout = 0")
		if e.Detail != "Commit 7 was waited for; the newest commit seen is 1." {
			t.Errorf("%s: detail %q, want both commits", sql, e.Detail)
		}
		answers(t, s, "SHOW ontosql.read_after", "1")
	}
	refused(t, s, pgerr.InvalidParameterValue, "SET ontosql.read_after = 'HEAD'")
	must(t, s, "BEGIN")
	must(t, s, "SET LOCAL ontosql.read_after = '1'")
	must(t, s, "SELECT count(*) FROM shelf")
	refused(t, s, pgerr.ActiveSQLTransaction, "SET ontosql.read_after = '1'")
	must(t, s, "ROLLBACK")
	must(t, s, "RESET ontosql.read_after")

	_, _, err := h.gateway.Open(t.Context(), wire.Startup{User: "tester", Database: "onto", Options: []wire.Option{
		{Name: "statement_timeout", Value: "50"}, {Name: "ontosql.read_after", Value: "7"},
	}})
	var e *pgerr.Error
	if !errors.As(err, &e) || e.Code != pgerr.QueryCanceled {
		t.Errorf("a connection that wants to read after commit 7: %v, want 57014", err)
	}
}

// TestLockWait meets a lock that another writer holds.
func TestLockWait(t *testing.T) {
	h := newHouse(t, shop(t))
	until := time.Now().Add(time.Minute).UTC().Truncate(time.Microsecond)
	holdLock(t, h, until)
	s := h.session(t, "onto")
	must(t, s, "SET lock_timeout = '300ms'")
	e := refused(t, s, pgerr.LockNotAvailable, "INSERT INTO shelf VALUES ('a', 1)")
	if want := "held by writer-b until " + until.Format("2006-01-02 15:04:05.999999+00"); e.Detail != want {
		t.Errorf("detail %q, want %q", e.Detail, want)
	}
	holdLock(t, h, time.Now().Add(-time.Second))
	must(t, s, "RESET lock_timeout")
	must(t, s, "INSERT INTO shelf VALUES ('a', 1)")
}

// TestCommitOutcome asks for attempts in every state, and in every form.
func TestCommitOutcome(t *testing.T) {
	h := newHouse(t, shop(t))
	s := h.session(t, "onto")
	must(t, s, "BEGIN")
	must(t, s, "SELECT count(*) FROM shelf") // the transaction has its pin
	must(t, h.session(t, "onto"), "INSERT INTO shelf VALUES ('a', 1)")
	path := must(t, h.session(t, "onto"), "SELECT manifest FROM ontosql.commits WHERE commit_id = 2")[0]
	ours := strings.Split(path, "/")[1] // commits/2-9f3c1d2e/manifest.json
	other := "2-00000000"
	if ours == other {
		other = "2-00000001"
	}
	for attempt, want := range map[string]string{ours: "committed", other: "aborted", "3-9f3c1d2e": "in progress"} {
		for _, c := range []struct {
			sql  string
			args []string
		}{
			{"SELECT ontosql.commit_outcome('" + attempt + "')", nil},
			{"SELECT ontosql.commit_outcome($1)", []string{attempt}},
			{"SELECT o FROM ontosql.commit_outcome($1::text) AS o", []string{attempt}},
			{"SELECT ontosql.commit_outcome($2) FROM shelf RIGHT JOIN (SELECT $1::int) x ON true", []string{"7", attempt}},
		} {
			if got := must(t, s, c.sql, c.args...); len(got) != 1 || got[0] != want {
				t.Errorf("%s %q: %q, want %q", c.sql, c.args, got, want)
			}
		}
	}
	answers(t, s, "SELECT ontosql.commit_outcome(NULL)", "NULL")
	answers(t, s, "SELECT oid::regprocedure, pg_get_function_result(oid), pg_get_function_arguments(oid), provolatile, proretset, proisstrict, obj_description(oid, 'pg_proc') LIKE 'What became of a commit%' FROM pg_proc WHERE proname = 'commit_outcome'",
		"ontosql.commit_outcome(text)|text|text|v|false|true|true")
	must(t, s, "ROLLBACK")
	for _, attempt := range []string{"", "42", "9f3c1d2e", "0-9f3c1d2e", "42-9F3C1D2E", "42-9f3c1d2e ", "99999999999999999999-9f3c1d2e"} {
		refused(t, s, pgerr.InvalidParameterValue, "SELECT ontosql.commit_outcome($1)", attempt)
	}
	refused(t, s, pgerr.UndefinedFunction, "SELECT commit_outcome('42-9f3c1d2e')")
	refused(t, s, pgerr.UndefinedFunction, "SELECT ontosql.commit_outcome()")

	// A prepared statement reads the setting at each execution.
	st, err := s.Prepare(t.Context(), wire.Query{SQL: "SELECT ontosql.commit_outcome('3-9f3c1d2e')"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, want := range []string{"in progress", "aborted"} {
		got, err := bindAndRun(t, s, st)
		if err != nil || got[0] != want {
			t.Errorf("a prepared statement answers %q, %v; want %q", got, err, want)
		}
		if want == "in progress" {
			must(t, h.session(t, "onto"), "INSERT INTO shelf VALUES ('b', 1)")
		}
	}
}

// holdLock puts another writer's lock in place.
func holdLock(t *testing.T, h *house, until time.Time) {
	t.Helper()
	put(t, h.bucket, format.LockKey, format.EncodeLock(&format.Lock{
		OwnerID: "writer-b", AcquiredAt: format.TimeOf(until.Add(-time.Minute)), ExpiresAt: format.TimeOf(until), LeaseTTLms: 60000,
	}))
}
