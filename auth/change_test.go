package auth

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/auth/roles"
)

// everyForm is a users file with all kinds of lines.
const everyForm = `# people
alice:` + postgresVerifier + `

{"role":"a: b","attributes":["login","createrole","noinherit"],"connection_limit":3,"valid_until":"2030-01-01T00:00:00Z","password":"` + postgresVerifier + `"}
{"role":"readers"}
# who reads
{"member":"alice","of":"readers","admin":true,"grantor":"ontosql"}
{"settings_of":"alice","database":"onto","settings":["statement_timeout=5s","a.b=c=d"]}
{"settings_of":"","settings":["TimeZone=UTC"]}
`

func TestEveryForm(t *testing.T) {
	users, err := Load(writeUsers(t, everyForm, 0o600), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := users.Roles()
	odd, _ := r.Lookup("a: b")
	want := roles.Role{
		Name: "a: b", Login: true, CreateRole: true, ConnectionLimit: 3, ValidUntil: "2030-01-01T00:00:00Z", Password: postgresVerifier,
	}
	if odd != want {
		t.Errorf("got %+v, want %+v", odd, want)
	}
	if alice, _ := r.Lookup("alice"); !alice.Login || alice.Superuser || !alice.Inherit {
		t.Errorf("a line of the first form: got %+v, want LOGIN alone", alice)
	}
	if !r.Has("alice", "readers") || !r.Administers("alice", "readers") {
		t.Error("alice is no member of readers")
	}
	if got := r.Settings(roles.Scope{Role: "alice", Database: "onto"}); len(got) != 2 || got[1].Value != "c=d" {
		t.Errorf("settings: %v", got)
	}
}

// TestChangeKeepsTheRest: only the lines that are about what changes are written anew.
func TestChangeKeepsTheRest(t *testing.T) {
	path := writeUsers(t, everyForm, 0o600)
	users, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	change, err := users.Prepare(t.Context(), func(r *roles.Roles) (*roles.Roles, error) {
		boss := roles.New("boss")
		boss.Superuser = true
		return r.With(boss).Without("a: b").Granted(roles.Membership{Role: "readers", Member: "alice", Grantor: "boss"}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if users.Roles().Exists("boss") {
		t.Error("a change is seen before its Commit")
	}
	if err := change.Commit(); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(everyForm, "\n")
	lines = append(append(lines[:3:3], lines[4:]...), `{"role":"boss","attributes":["superuser"]}`+"\n")
	want := strings.Replace(strings.Join(lines, ""), `"admin":true,"grantor":"ontosql"`, `"grantor":"boss"`, 1)
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if !users.Roles().IsSuperuser("boss") {
		t.Error("a change is not seen after its Commit")
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// TestChangesOfTwoProcesses: no change is lost, however many make one at the same time.
func TestChangesOfTwoProcesses(t *testing.T) {
	path := writeUsers(t, "", 0o600)
	var all sync.WaitGroup
	for i := range 2 {
		users, err := Load(path, nil) // each has a view of its own
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			for k := range 20 {
				change, err := users.Prepare(t.Context(), func(r *roles.Roles) (*roles.Roles, error) {
					return r.With(roles.New(string(rune('a'+i)) + string(rune('a'+k)))), nil
				})
				if err == nil {
					err = change.Commit()
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	text, _ := os.ReadFile(path)
	if got := bytes.Count(text, []byte("\n")); got != 40 {
		t.Errorf("%d roles of 40 are in the file:\n%s", got, text)
	}
}

func TestEditedMeanwhile(t *testing.T) {
	path := writeUsers(t, everyForm, 0o600)
	users, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	change, err := users.Prepare(t.Context(), func(r *roles.Roles) (*roles.Roles, error) { return r.Without("readers"), nil })
	if err != nil {
		t.Fatal(err)
	}
	edited := everyForm + "# a note\n"
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := change.Commit(); !errors.Is(err, ErrEdited) {
		t.Errorf("got %v, want ErrEdited", err)
	}
	if got, _ := os.ReadFile(path); string(got) != edited {
		t.Errorf("the edit is lost:\n%s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".users-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRefresh: what others write is seen, and what nobody can read changes nothing.
func TestRefresh(t *testing.T) {
	path := writeUsers(t, "alice:"+postgresVerifier+"\n", 0o600)
	var log bytes.Buffer
	users, err := Load(path, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		users.Refresh(t.Context())
	}
	if write("alice:" + postgresVerifier + "\n{\"role\":\"bob\"}\n"); !users.Roles().Exists("bob") {
		t.Error("a new line is not seen")
	}
	write("alice:" + postgresVerifier + "\nbob:secret\n")
	if !users.Roles().Exists("bob") || strings.Count(log.String(), "users:2: ") != 1 || strings.Contains(log.String(), "secret") {
		t.Errorf("a damaged file: the log is\n%s", log.String())
	}
	users.Refresh(t.Context())
	if strings.Count(log.String(), "cannot be read") != 1 {
		t.Errorf("the same damage is logged again:\n%s", log.String())
	}
	if _, err := users.Prepare(t.Context(), func(r *roles.Roles) (*roles.Roles, error) { return r, nil }); err == nil {
		t.Error("a damaged file was changed")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	users.Refresh(t.Context())
	users.Refresh(t.Context())
	if !users.Roles().Exists("alice") || strings.Count(log.String(), "no such file") != 1 {
		t.Errorf("a missing file: the log is\n%s", log.String())
	}
	if write("{\"role\":\"carol\"}\n"); !users.Roles().Exists("carol") || users.Roles().Exists("alice") {
		t.Error("the file is not read when it is back")
	}
}

// TestNoPlace: a file that cannot be written beside the old one leaves that as it is.
func TestNoPlace(t *testing.T) {
	path := writeUsers(t, everyForm, 0o600)
	users, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(path)
	moved := dir + "-moved"
	edit := func(r *roles.Roles) (*roles.Roles, error) {
		return r.Without("readers"), os.Rename(dir, moved) // there is no place for the new file
	}
	if _, err := users.Prepare(t.Context(), edit); err == nil || !strings.Contains(err.Error(), "write users file") {
		t.Errorf("got %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(moved, "users")); string(got) != everyForm || !users.Roles().Exists("readers") {
		t.Error("the file or the roles have changed")
	}
}

func TestLockIsHeldForTooLong(t *testing.T) {
	t.Parallel()
	path := writeUsers(t, "", 0o600)
	users, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	same := func(r *roles.Roles) (*roles.Roles, error) { return r, nil }
	first, err := users.Prepare(t.Context(), same)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Discard()
	began := time.Now()
	if _, err := users.Prepare(t.Context(), same); !errors.Is(err, ErrBusy) || time.Since(began) < lockWait {
		t.Errorf("got %v after %s, want ErrBusy", err, time.Since(began))
	}
}

func TestExpiredPasswords(t *testing.T) {
	verifier := newVerifier(t, "x")
	users, err := Load(writeUsers(t, `{"role":"old","attributes":["login"],"valid_until":"2020-01-01T00:00:00Z","password":"`+verifier+`"}
{"role":"new","attributes":["login"],"valid_until":"infinity","password":"`+verifier+`"}
{"role":"none","attributes":["login"]}
`, 0o600), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"old": false, "new": true, "none": false} {
		if err := logIn(t, users, name, "x"); (err == nil) != want {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestLoadRefusesRecords(t *testing.T) {
	for text, want := range map[string]string{
		`{"role":"a","attributes":["god"]}`:        `no attribute "god"`,
		`{"role":"a","colour":"red"}`:              "unknown field",
		`{"role":"a","attributes":true}`:           "another type",
		`{"role":""}`:                              "no name",
		`{"role":"pg_monitor"}`:                    "predefined",
		`{"role":"a","connection_limit":-2}`:       "invalid connection limit",
		`{"role":"a","valid_until":"tomorrow"}`:    "valid_until",
		`{"role":"a","password":"md5abc"}`:         "want SCRAM-SHA-256",
		`{"member":"a","of":"b"}`:                  `no role "b"`,
		`{"settings_of":"a","settings":["x=1"]}`:   `no role "a"`,
		`{"settings_of":"","settings":["x"]}`:      "no name=value",
		`{}`:                                       `want an object with "role"`,
		`{"role":"a"`:                              "a JSON object",
		`{"role":"a"}` + "\n" + `{"role":"a"}`:     "occurs twice",
		"pg_monitor:" + postgresVerifier:           "predefined",
		`{"role":"a"}` + "\na:" + postgresVerifier: "occurs twice",
	} {
		var at *LineError
		if _, err := Load(writeUsers(t, text, 0o600), nil); !errors.As(err, &at) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
