package introspect

import (
	"strings"
	"testing"
)

// TestPasswordsAreNotShown: no other session and no log sees what a statement says after PASSWORD.
func TestPasswordsAreNotShown(t *testing.T) {
	for _, sql := range []string{
		"CREATE ROLE a PASSWORD 'secret'", "alter user a password 'secret'", "/* x */ Alter /* y */ Role a LOGIN PassWord\nE'secret'",
		"ALTER GROUP a ENCRYPTED PASSWORD $$secret$$", "SELECT 1; ALTER USER a PASSWORD 'secret", "create role \"password\" password 'secret'",
		"ALTER USER a PASSWORD/**/'secret'", "CREATE ROLE a VALID UNTIL 'x' PASSWORD U&'secret' LOGIN",
	} {
		if got := ShownText(sql); strings.Contains(got, "secret") || !strings.HasSuffix(got, " <not shown>") {
			t.Errorf("%s is shown as %s", sql, got)
		}
	}
	for _, sql := range []string{"SELECT password FROM users", "CREATE TABLE a (password text)", "ALTER ROLE a LOGIN", "SELECT passwor"} {
		if got := ShownText(sql); got != sql {
			t.Errorf("%s is shown as %s", sql, got)
		}
	}
}
