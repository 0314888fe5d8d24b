package auth

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xdg-go/scram"

	"github.com/ontosql/ontosql/auth/roles"
)

// postgresVerifier is what PostgreSQL 15 stored for the password "pencil".
const postgresVerifier = "SCRAM-SHA-256$4096:FY8v9xL2S3icrNkZKTEDvw==$G07gzpxqCIWeNZUdqQtPMIjn1v3V/hKJSPK8A/EhbsI=:8bdY19jIBcdb6xFsIz5pfjA7s8GYUkLwIwXIukdhENc="

func writeUsers(t testing.TB, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// logIn runs both halves of an exchange and reports the server's verdict.
func logIn(t *testing.T, users *Users, user, password string) error {
	t.Helper()
	client, err := scram.SHA256.NewClient("ignored", password, "")
	if err != nil {
		if client, err = scram.SHA256.NewClientUnprepped("ignored", password, ""); err != nil {
			t.Fatal(err)
		}
	}
	return converse(t, client.NewConversation(), users.Begin(user, Mechanism, Endpoint{}))
}

// converse passes the messages on and reports the server's verdict.
func converse(t *testing.T, conversation *scram.ClientConversation, server *Exchange) error {
	t.Helper()
	message, err := conversation.Step("")
	for err == nil && !conversation.Done() {
		var answer []byte
		if answer, err = server.Step([]byte(message)); err != nil {
			return err
		}
		message, err = conversation.Step(string(answer))
	}
	if err != nil {
		t.Fatalf("the client refuses the server: %v", err)
	}
	return nil
}

func TestExchange(t *testing.T) {
	mine, err := NewVerifier("I\u00adX") // SASLprep drops the soft hyphen
	if err != nil {
		t.Fatal(err)
	}
	odd, err := NewVerifier("a\u0007b") // refused by SASLprep, used raw
	if err != nil {
		t.Fatal(err)
	}
	users, err := Load(writeUsers(t, "# people\n\nalice:"+postgresVerifier+"\n bob : "+mine+"\nodd:"+odd+"\n", 0o600), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user, password string
		ok             bool
	}{
		{"alice", "pencil", true},
		{"alice", "Pencil", false},
		{"bob", "IX", true},
		{"bob", "I\u00adX", true},
		{"odd", "a\u0007b", true},
		{"carol", "pencil", false},
		{"", "pencil", false},
	} {
		if err := logIn(t, users, c.user, c.password); (err == nil) != c.ok || errors.Is(err, ErrMalformed) {
			t.Errorf("%s with %q: got %v, want success %v", c.user, c.password, err, c.ok)
		}
	}
}

func TestMalformedMessages(t *testing.T) {
	users, err := Load(writeUsers(t, "alice:"+postgresVerifier+"\n", 0o600), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, first := range []string{"", "n,,", "x,,n=,r=abc", "p=tls-server-end-point,,n=,r=abc", "p=tls-unique,,n=,r=abc", "n,,m=x,n=,r=abc", "n,,n=\xff,r=abc"} {
		if _, err := users.Begin("alice", Mechanism, Endpoint{}).Step([]byte(first)); !errors.Is(err, ErrMalformed) {
			t.Errorf("first message %q: got %v, want ErrMalformed", first, err)
		}
	}
	for _, header := range []string{"n,,", "y,,"} {
		e := users.Begin("alice", Mechanism, Endpoint{})
		if _, err := e.Step([]byte(header + "n=,r=abc")); err != nil {
			t.Errorf("header %q: %v", header, err)
		}
		for _, final := range []string{"", "c=biws,r=abc,p=AAAA"} {
			if _, err := e.Step([]byte(final)); err == nil {
				t.Errorf("final message %q was accepted", final)
			}
		}
	}
}

// TestUnknownUserLooksKnown: the challenge has the form of a real one, and the
// same salt each time.
func TestUnknownUserLooksKnown(t *testing.T) {
	users, err := Load(writeUsers(t, "alice:"+postgresVerifier+"\n", 0o600), nil)
	if err != nil {
		t.Fatal(err)
	}
	salt := func(user string) string {
		challenge, err := users.Begin(user, Mechanism, Endpoint{}).Step([]byte("n,,n=,r=abc"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(challenge), ",")
		return rest
	}
	if a, b := salt("nobody"), salt("nobody"); a != b || !strings.HasSuffix(a, ",i=4096") || len(a) != len(salt("alice")) {
		t.Errorf("unknown user: %s then %s; known: %s", a, b, salt("alice"))
	}
	if salt("nobody") == salt("somebody") {
		t.Error("unknown users share a salt")
	}
}

func TestLoadRefuses(t *testing.T) {
	good := "alice:" + postgresVerifier
	for _, c := range []struct {
		name, text string
		line       int
		want       string
	}{
		{"twice", good + "\n#\n" + good + "\n", 3, "occurs twice"},
		{"no verifier", good + "\nbob\n", 2, "want SCRAM-SHA-256$"},
		{"md5", "bob:md5abc\n", 1, "want SCRAM-SHA-256$"},
		{"plain password", "bob:secret\n", 1, "want SCRAM-SHA-256$"},
		{"no name", ":" + postgresVerifier, 1, "no user name"},
		{"iterations", "bob:SCRAM-SHA-256$0:YQ==$a:b", 1, "bad iteration count"},
		{"salt", "bob:SCRAM-SHA-256$1:!$a:b", 1, "bad salt"},
		{"stored key", "bob:SCRAM-SHA-256$1:YQ==$YQ==:b", 1, "bad StoredKey"},
		{"server key", strings.TrimSuffix(good, "=") + "\n", 1, "bad ServerKey"},
	} {
		_, err := Load(writeUsers(t, c.text, 0o600), nil)
		var at *LineError
		if !errors.As(err, &at) || at.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in line %d", c.name, err, c.want, c.line)
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error shows the line: %v", c.name, err)
		}
	}
	for _, mode := range []os.FileMode{0o640, 0o604, 0o666} {
		path := writeUsers(t, good, mode)
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		var bad *ModeError
		if _, err := Load(path, nil); !errors.As(err, &bad) || bad.Mode != mode {
			t.Errorf("mode %o: got %v, want a ModeError", mode, err)
		}
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: got %v", err)
	}
}

func TestAdd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "users")
	one, two := newVerifier(t, "one"), newVerifier(t, "two")
	for _, step := range []struct{ name, verifier, want string }{
		{"alice", one, "alice:" + one + "\n"},
		{"bob", one, "alice:" + one + "\nbob:" + one + "\n"},
		{"alice", two, "alice:" + two + "\nbob:" + one + "\n"},
	} {
		if err := Add(path, step.name, step.verifier, false); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != step.want {
			t.Errorf("after adding %s: got %q, %v, want %q", step.name, got, err, step.want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode: %v, %v", info.Mode(), err)
	}
	users, err := Load(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := logIn(t, users, "alice", "two"); err != nil {
		t.Errorf("alice's new password: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAddKeepsTheFileWhenItRefuses(t *testing.T) {
	good := newVerifier(t, "x")
	for _, c := range []struct{ name, verifier, file string }{
		{"a:b", good, ""}, {"", good, ""}, {"#a", good, ""}, {" a", good, ""}, {"a\nb", good, ""}, {"a", "secret", ""}, {"a", good, "broken line\n"},
	} {
		text := c.file + "# mine\n"
		path := writeUsers(t, text, 0o600)
		if err := Add(path, c.name, c.verifier, false); err == nil {
			t.Errorf("%q %q was added", c.name, c.verifier)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q: the file became %q", c.name, got)
		}
	}
	if _, err := NewVerifier(""); err == nil {
		t.Error("an empty password got a verifier")
	}
}

func newVerifier(t *testing.T, password string) string {
	t.Helper()
	v, err := NewVerifier(password)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func FuzzUsersFile(f *testing.F) {
	f.Add([]byte("# c\nalice:" + postgresVerifier + "\n"))
	f.Add([]byte("a:SCRAM-SHA-256$1:YQ==$a:b\n::$$"))
	f.Add([]byte(everyForm))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, lines, err := parse("users", text)
		if err != nil {
			return
		}
		for _, role := range r.All() {
			if role.Name == "" || role.Password != "" && !IsVerifier(role.Password) {
				t.Errorf("role %q: %q", role.Name, role.Password)
			}
		}
		if again, _, err := parse("users", format(lines, roles.Initial(), r)); err != nil {
			t.Errorf("the file cannot be written again: %v", err)
		} else if diff := cmp.Diff(records(r), records(again), cmp.AllowUnexported(fileLine{})); diff != "" {
			t.Errorf("the file says something else when it is written again (-want +got):\n%s", diff)
		}
	})
}

func FuzzExchange(f *testing.F) {
	f.Add([]byte("n,,n=,r=abc"), []byte("c=biws,r=abc,p=AAAA"))
	f.Fuzz(func(t *testing.T, first, final []byte) {
		u := &Users{}
		u.current.Store(&loaded{roles: roles.Initial()})
		e := u.Begin("nobody", Mechanism, Endpoint{})
		if _, err := e.Step(first); err != nil {
			return
		}
		if _, err := e.Step(final); err == nil {
			t.Error("an unknown user got in")
		}
	})
}
