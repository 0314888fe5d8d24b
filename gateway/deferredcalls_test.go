package gateway_test

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// pg_dump looks a setting up in pg_settings and sets it in one statement.
func TestSetConfigOfRows(t *testing.T) {
	asksNoMirror(t)
	s := newHouse(t, nil).session(t, "onto")
	shown := func(want ...string) {
		t.Helper()
		if got := must(t, s, "SELECT current_setting('a.b'), current_setting('DateStyle')"); !slices.Equal(got, want) {
			t.Errorf("settings are %s, want %s", got, want)
		}
	}
	rows := must(t, s, "SELECT set_config(n, v, false) FROM (VALUES ('a.b', '1'), ('datestyle', 'german')) x(n, v) ORDER BY n")
	if want := []string{"1", "German, DMY"}; !slices.Equal(rows, want) {
		t.Errorf("%q, want %q", rows, want)
	}
	shown("1|German, DMY")
	must(t, s, "SELECT set_config(name, 'x', false) FROM pg_settings WHERE name = 'no such setting'")

	must(t, s, "BEGIN")
	must(t, s, "SELECT set_config(n, '2', true) FROM (VALUES ('a.b')) x(n)")
	shown("2|German, DMY")
	must(t, s, "ROLLBACK")
	shown("1|German, DMY")

	refused(t, s, pgerr.UndefinedObject, "SELECT set_config(n, '3', false) FROM (VALUES ('a.b'), ('nowhere')) x(n)")
	refused(t, s, "22004", "SELECT set_config(n, '3', false) FROM (VALUES ('a.b'), (NULL)) x(n)")
	shown("1|German, DMY")
	must(t, s, "SELECT set_config(n, NULL, false) FROM (VALUES ('a.b'), ('DateStyle')) x(n)")
	shown("|ISO, MDY") // a setting of one's own stays known
}
