package compat

import "testing"

// TestLookAroundParameters gives expressions as parameters, of which it is not known
// beforehand who is to search for them.
func TestLookAroundParameters(t *testing.T) {
	real, ours := postgresTables(t, "compatlook", tables), connect(t, start(t, tables))
	for _, pattern := range []string{"a", "^A(?=d)", "(?<=o)r", "^(?!A)", `\ma`, "(", "(?=("} {
		for _, sql := range []string{
			"SELECT string_agg(id, ',' ORDER BY id) FROM customer WHERE name ~ $1", "SELECT string_agg(id, ',' ORDER BY id) FROM customer WHERE name !~* $1",
			"SELECT count(regexp_match(name, $1)) FROM customer WHERE regexp_like(name, $1)",
		} {
			want := real.ExecParams(t.Context(), sql, [][]byte{[]byte(pattern)}, nil, nil, nil).Read()
			got := ours.ExecParams(t.Context(), sql, [][]byte{[]byte(pattern)}, nil, nil, nil).Read()
			switch {
			case (want.Err == nil) != (got.Err == nil):
				t.Errorf("%s of %q: %v; PostgreSQL: %v", sql, pattern, got.Err, want.Err)
			case want.Err == nil && string(want.Rows[0][0]) != string(got.Rows[0][0]):
				t.Errorf("%s of %q: %s; PostgreSQL: %s", sql, pattern, got.Rows[0][0], want.Rows[0][0])
			}
		}
	}
}
