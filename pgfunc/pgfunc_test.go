package pgfunc

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
)

// call runs a function by its name. Arguments are texts and integers, nil for NULL.
func call(t *testing.T, name string, args ...any) (string, error) {
	t.Helper()
	for _, f := range All() {
		if f.Name != name {
			continue
		}
		values := make([]Value, len(args))
		for i, a := range args {
			switch a := a.(type) {
			case string:
				values[i].Text = a
			case int:
				values[i].Int = int64(a)
			case nil:
				values[i].Null = true
			}
		}
		v, err := f.New()(values)
		switch {
		case v.Null:
			return "NULL", err
		case f.Result == Int:
			return strconv.FormatInt(v.Int, 10), err
		case f.Result == Texts:
			parts := make([]string, len(v.List))
			for i, item := range v.List {
				parts[i] = item.Text
			}
			return strings.Join(parts, "|"), err
		}
		return v.Text, err
	}
	t.Fatalf("no function %s", name)
	return "", nil
}

// TestAnswers has one answer of PostgreSQL 15 for each way through a function; the
// corpus of tests/compat asks the server itself.
func TestAnswers(t *testing.T) {
	const may7 = 1715087109012345 // 2024-05-07 13:05:09.012345
	for _, c := range []struct {
		want string
		name string
		args []any
	}{
		{"7th May 2024, TUE|05 PM", "ontosql_time_chars", []any{may7, 0, "", "FMDDth Mon YYYY, DY\"|\"MI AM"}},
		{"2024-19-2 Q2", "ontosql_time_chars", []any{may7, 0, "", `IYYY-IW-ID "Q"Q`}},
		{"NULL", "ontosql_time_chars", []any{may7, 0, "", ""}},
		{"-01 02", "ontosql_interval_chars", []any{-1, 2, 0, "MM DD"}},
		{" 1,234.50", "ontosql_number_chars", []any{"1234.5", "numeric", "9,999.99"}},
		{"CDLXXXV", "ontosql_number_chars", []any{"485", "int4", "FMRN"}},
		{" ###.#", "ontosql_number_chars", []any{"1234.567", "numeric", "999.9"}},
		{"-12454.8", "ontosql_to_number", []any{"12,454.8-", "99G999D9S"}},
		{"bar|beque", "ontosql_regexp_match", []any{"foobarbequebaz", "(bar)(beque)", ""}},
		{"abc|0", "ontosql_regexp_match", []any{"abc01234xyz", `(.*?)(\d+)`, ""}},
		{"ab", "ontosql_regexp_match", []any{"ab", "a|ab", ""}},
		{"X-b-X-b", "ontosql_regexp_replace", []any{"a-b-a-b", "a", "X", 1, oneOrAll, "g"}},
		{"a-b-X-b", "ontosql_regexp_replace", []any{"a-b-a-b", "a", "X", 1, 2, ""}},
		{"oob", "ontosql_similar_substring", []any{"foobar", `%#"o_b#"%`, "#"}},
		{`"select"`, "ontosql_quote_ident", []any{"select"}},
		{"1|3", "ontosql_json_path", []any{`{"a":[1,2,3]}`, "$.a[*] ? (@ != 2)", "", 0}},
		{"1", "ontosql_json_path_exists", []any{`{"a":[1]}`, "$.a[*] ? (@ >= $min)", `{"min":1}`, 0}},
		{"NULL", "ontosql_json_path_match", []any{`{"a":1}`, "$.a", "", 1}},
		{`{"b":{"d":1},"e":[null]}`, "ontosql_json_strip_nulls", []any{`{"a":null,"b":{"c":null,"d":1},"e":[null]}`}},
		{"0 months 29 days 82800000000 microseconds", "ontosql_justify", []any{1, 0, -3600000000, "all"}},
		{`\000\377A`, "ontosql_encode", []any{"\x00\xffA", "escape"}},
	} {
		got, err := call(t, c.name, c.args...)
		if err != nil || got != c.want {
			t.Errorf("%s(%q) = %q, %v, want %q", c.name, c.args, got, err, c.want)
		}
	}
}

// TestRefusals asks for what PostgreSQL refuses, and for what is refused here.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		code string
		name string
		args []any
	}{
		{"22008", "ontosql_parse_time", []any{"2024-02-30", "YYYY-MM-DD"}},
		{"22007", "ontosql_parse_time", []any{"nonsense", "YYYY"}},
		{"22007", "ontosql_interval_chars", []any{0, 1, 0, "Day"}},
		{"42601", "ontosql_number_chars", []any{"1", "int4", "9.9.9"}},
		{"22P02", "ontosql_to_number", []any{"x", "9"}},
		{"2201B", "ontosql_regexp", []any{"(a", ""}},
		{"22023", "ontosql_regexp", []any{"a", "z"}},
		{"0A000", "ontosql_regexp", []any{"a(?=b)", ""}},
		{"0A000", "ontosql_regexp", []any{`(a)\1`, ""}},
		{"22023", "ontosql_regexp_match", []any{"a", "a", "g"}},
		{"2203A", "ontosql_json_path", []any{`{"a":1}`, "strict $.b", "", 0}},
		{"42601", "ontosql_json_path", []any{"{}", "$.a[", "", 0}},
	} {
		_, err := call(t, c.name, c.args...)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s(%q): %v, want %s", c.name, c.args, err, c.code)
		}
	}
}

// FuzzPatterns gives patterns and texts of strangers to all that reads them: none
// may panic.
func FuzzPatterns(f *testing.F) {
	f.Add("FMDDth YYYY", "2024-05-07")
	f.Add("9,999.99S", "-1,2")
	f.Add(`(a|b)+?\m[[:<:]]`, "ab")
	f.Add("$.a[*] ? (@ > 1)", `{"a":[1]}`)
	f.Fuzz(func(t *testing.T, pattern, s string) {
		if len(pattern) > 100 || len(s) > 100 {
			return
		}
		for name, args := range map[string][]any{
			"ontosql_time_chars": {0, 0, s, pattern}, "ontosql_interval_chars": {-14, 3, -5, pattern},
			"ontosql_parse_time": {s, pattern}, "ontosql_number_chars": {"-12.5", "numeric", pattern}, "ontosql_to_number": {s, pattern},
			"ontosql_regexp_match": {s, pattern, ""}, "ontosql_regexp_replace": {s, pattern, s, 1, oneOrAll, "g"},
			"ontosql_similar_substring": {s, pattern, "#"}, "ontosql_json_path": {"[1]", pattern, "", 0},
		} {
			_, _ = call(t, name, args...)
		}
	})
}
