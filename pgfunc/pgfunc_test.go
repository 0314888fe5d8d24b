package pgfunc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/fmgr"
	"github.com/ontosql/ontosql/pgfunc/jsonb"
	"github.com/ontosql/ontosql/pgfunc/regex"
)

// call runs a function by its name. Arguments are texts, integers and lists of texts, nil for NULL.
func call(t *testing.T, name string, args ...any) (string, error) {
	t.Helper()
	for _, f := range All() {
		if f.Name != name {
			continue
		}
		values := make([]fmgr.Value, len(args))
		for i, a := range args {
			switch a := a.(type) {
			case string:
				values[i].Text = a
			case int:
				values[i].Int = int64(a)
			case nil:
				values[i].Null = true
			case []any:
				for _, item := range a {
					text, ok := item.(string)
					values[i].List = append(values[i].List, fmgr.Value{Text: text, Null: !ok})
				}
			}
		}
		v, err := f.New()(values)
		switch {
		case v.Null:
			return "NULL", err
		case f.Result == fmgr.Int:
			return strconv.FormatInt(v.Int, 10), err
		case f.Result == fmgr.Texts:
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
		{"a-b-", "ontosql_replace", []any{"axxbxx", "xx", "-"}},
		{"abc", "ontosql_replace", []any{"abc", "", "-"}},
		{"éaéa", "ontosql_repeat", []any{"éa", 2}},
		{"", "ontosql_repeat", []any{"éa", -1}},
		{"xyxaé", "ontosql_lpad", []any{"aé", 5, "xy"}},
		{"aéxyx", "ontosql_rpad", []any{"aé", 5, "xy"}},
		{"é", "ontosql_lpad", []any{"éa", 1, "xy"}},
		{"", "ontosql_rpad", []any{"éa", -1, "xy"}},
		{"a", "ontosql_lpad", []any{"a", 5, ""}},
		{"éxé", "ontosql_rpad", []any{"é", 3, "xé"}},
		{"NULL", "ontosql_time_chars", []any{may7, 0, "", ""}},
		{"-01 02", "ontosql_interval_chars", []any{-1, 2, 0, "MM DD"}},
		{" 1,234.50", "ontosql_number_chars", []any{"1234.5", "numeric", "9,999.99"}},
		{"CDLXXXV", "ontosql_number_chars", []any{"485", "int4", "FMRN"}},
		{" ###.#", "ontosql_number_chars", []any{"1234.567", "numeric", "999.9"}},
		{"-12454.8", "ontosql_to_number", []any{"12,454.8-", "99G999D9S"}},
		{"bar|beque", "ontosql_regexp_match", []any{"foobarbequebaz", "(bar)(beque)", ""}},
		{"abc|0", "ontosql_regexp_match", []any{"abc01234xyz", `(.*?)(\d+)`, ""}},
		{"ab", "ontosql_regexp_match", []any{"ab", "a|ab", ""}},
		{"X-b-X-b", "ontosql_regexp_replace", []any{"a-b-a-b", "a", "X", 1, regex.OneOrAll, "g"}},
		{"a-b-X-b", "ontosql_regexp_replace", []any{"a-b-a-b", "a", "X", 1, 2, ""}},
		{`^(?:.*){1,1}?(o.b){1,1}(?:.*)$`, "ontosql_similar", []any{`%#"o_b#"%`, "#"}},
		{`^(?:a\.[\\_%]\%(?:b|c))$`, "ontosql_similar", []any{`a.[\_%]#%(b|c)#`, "#"}},
		{"|llmmm|fff", "ontosql_regexp_match", []any{"llmmmfff", "^(l*){1,1}?(.*){1,1}?(f*)$", ""}},
		{"ll|mmmfff|", "ontosql_regexp_match", []any{"llmmmfff", "^(l*?){1,1}(.*)(f*)$", ""}},
		{"-1---\n-2---\n--", "ontosql_regexp_replace", []any{"1\n2\n", ".?$", `-\&-`, 1, regex.OneOrAll, "ng"}},
		{"1", "ontosql_bytes_like", []any{"aXbXc", "a%X%b_c"}},
		{"0", "ontosql_bytes_like", []any{"ab", "a%b%c"}},
		{"1", "ontosql_bytes_like", []any{"é%", `__\%`}},
		{`a\%\\_`, "ontosql_like_escape", []any{`a#%\_`, "#"}},
		{"8.75000", "ontosql_numeric_gcd", []any{"4331.250", -1, "-463.75000", -1}},
		{"1185189.6", "ontosql_numeric_lcm", []any{"-42328.2", -1, "1327.20", 1}},
		{"0.0", "ontosql_numeric_lcm", []any{"0", -1, "1.5", -1}},
		{`"select"`, "ontosql_quote_ident", []any{"select"}},
		{"1610612736", "ontosql_size_bytes", []any{" 1.5 gB "}},
		{"1|3", "ontosql_json_path", []any{`{"a":[1,2,3]}`, "$.a[*] ? (@ != 2)", "", 0, ""}},
		{"1", "ontosql_json_path_exists", []any{`{"a":[1]}`, "$.a[*] ? (@ >= $min)", `{"min":1}`, 0, ""}},
		{"NULL", "ontosql_json_path_match", []any{`{"a":1}`, "$.a", "", 1, ""}},
		{`{"b":{"d":1},"e":[null]}`, "ontosql_json_strip_nulls", []any{`{"a":null,"b":{"c":null,"d":1},"e":[null]}`}},
		{"0 months 29 days 23 hours 0 microseconds", "ontosql_justify", []any{1, 0, -3600000000, "all"}},
		{`\000\377A`, "ontosql_encode", []any{"\x00\xffA", "escape"}},
		{"255", "ontosql_get_byte", []any{"\x00\xff", 1}},
		{"1", "ontosql_get_bit", []any{"\x01\x80", 15}},
		{"\x01\x00", "ontosql_set_bit", []any{"\x01\x80", 15, 0}},
		{"ab", "ontosql_bytes_part", []any{"abc", -1, 4}},
		{"aXd", "ontosql_bytes_overlay", []any{"abcd", "X", 2, 2}},
		{"b", "ontosql_bytes_trim", []any{"aaba", "a", "b"}},
		{"é", "ontosql_convert_from", []any{"\xe9", "iso-8859-1"}},
		{"e\u0301", "ontosql_normalize", []any{"é", "nfd"}},
		{"a😀", "ontosql_unistr", []any{`\0061\D83D\DE00`}},
		{"1.50", "ontosql_numeric_as_written", []any{" +1.50 "}},
		{"150", "ontosql_numeric_as_written", []any{"1.5e2"}},
		{"0.0", "ontosql_numeric_as_written", []any{"-.0"}},
		{"1.500", "ontosql_numeric_at_scale", []any{"1.5", 3}},
		{"-0.13", "ontosql_numeric_at_scale", []any{"-0.125", 2}},
		{"2", "ontosql_numeric_at_scale", []any{"1.50", 0}},
		{"1.50000000000000000000", "ontosql_numeric_div", []any{"1.50", 2, "1", 0}},
		{"0.33333333333333333333", "ontosql_numeric_div", []any{"1.000", 1, "3.000", 0}},
		{"6172839450617283945.0000", "ontosql_numeric_div", []any{"12345678901234567890.0", 4, "2.0000", 4}},
		{"-3", "ontosql_numeric_whole_div", []any{"-7.5", 1, "2.000", 0}},
		{"1.414213562373095", "ontosql_numeric_sqrt", []any{"2.0", -1}},
		{"0.01000000000000000", "ontosql_numeric_sqrt", []any{"0.0001", -1}},
		{"10000000000.00000", "ontosql_numeric_sqrt", []any{"100000000000000000000", -1}},
		{"0.000000000000000", "ontosql_numeric_sqrt", []any{"0.0", -1}},
		{"2.7182818284590452", "ontosql_numeric_exp", []any{"1.0", -1}},
		{"5184705528587072464087.5", "ontosql_numeric_exp", []any{"50.0", -1}},
		{"0.0000000000000000000001928749847963918", "ontosql_numeric_exp", []any{"-50.0", -1}},
		{"0.6931471805599453", "ontosql_numeric_ln", []any{"2.0", -1}},
		{"0.048790164169432003", "ontosql_numeric_ln", []any{"1.05", -1}},
		{"0.000000000000000000010000000000000000", "ontosql_numeric_ln", []any{"1.00000000000000000001", -1}},
		{"-46.05170185988091368036", "ontosql_numeric_ln", []any{"0.00000000000000000001", -1}},
		{"6.0000000000000000", "ontosql_numeric_log", []any{"2.0", -1, "64.0", -1}},
		{"6931.818373413795", "ontosql_numeric_log", []any{"1.0001", -1, "2.0", -1}},
		{"1000000000000000.0000000000000000", "ontosql_numeric_power", []any{"10.0", -1, "15", -1}},
		{"17.4494022688864073", "ontosql_numeric_power", []any{"1.1", -1, "30", -1}},
		{"-3.3750000000000000", "ontosql_numeric_power", []any{"-1.5", -1, "3.0", -1}},
		{"0.0000000000000000", "ontosql_numeric_power", []any{"0.1", -1, "50", -1}},
		{"0.0000000000003162277660168379", "ontosql_numeric_power", []any{"0.00001", -1, "2.5", -1}},
		{"-1.0000000000000000", "ontosql_numeric_power", []any{"-1.0", -1, "2147483649.0", -1}},
		{"1.0010005001667078", "ontosql_numeric_power", []any{"1.000000000001", -1, "1000000000", -1}},
		{"5261123679917693849186429399777473718778457040941015341492060970297339110613849519857.02", "ontosql_numeric_power", []any{"7.0", -1, "100.25", -1}},
		{"Some|table", "ontosql_parse_ident", []any{` "Some" . TABLE `, 1}},
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
		{"0A000", "ontosql_regexp", []any{`(a)\1`, ""}},
		{"22023", "ontosql_regexp_match", []any{"a", "a", "g"}},
		{"2203A", "ontosql_json_path", []any{`{"a":1}`, "strict $.b", "", 0, ""}},
		{"42601", "ontosql_json_path", []any{"{}", "$.a[", "", 0, ""}},
		{"54000", "ontosql_replace", []any{strings.Repeat("a", 1<<14), "a", strings.Repeat("b", 1<<14)}},
		{"54000", "ontosql_repeat", []any{"ab", fmgr.MaxResult/2 + 1}},
		{"54000", "ontosql_lpad", []any{"a", fmgr.MaxResult + 1, "b"}},
		{"54000", "ontosql_rpad", []any{"a", fmgr.MaxResult / 4 * 3, "éé"}},
		{"2202E", "ontosql_get_byte", []any{"ab", 2}},
		{"2202E", "ontosql_set_bit", []any{"ab", -1, 1}},
		{"22023", "ontosql_set_bit", []any{"ab", 1, 2}},
		{"22011", "ontosql_bytes_overlay", []any{"ab", "x", 0, 1}},
		{"22021", "ontosql_convert_from", []any{"\xe9", "UTF8"}},
		{"22P05", "ontosql_convert_to", []any{"€", "latin1"}},
		{"0A000", "ontosql_convert_to", []any{"a", "sjis"}},
		{"22023", "ontosql_convert_to", []any{"a", "klingon"}},
		{"22023", "ontosql_normalize", []any{"a", "NFX"}},
		{"42601", "ontosql_unistr", []any{`\D83D`}},
		{"22012", "ontosql_numeric_div", []any{"1", 0, "0.00", 0}},
		{"22012", "ontosql_numeric_whole_div", []any{"0", 0, "0.00", 2}},
		{"2201F", "ontosql_numeric_sqrt", []any{"-0.5", -1}},
		{"2201E", "ontosql_numeric_ln", []any{"0.0", -1}},
		{"2201E", "ontosql_numeric_ln", []any{"-1", -1}},
		{"2201E", "ontosql_numeric_log", []any{"2.0", -1, "0", -1}},
		{"22012", "ontosql_numeric_log", []any{"1.0", -1, "2.0", -1}},
		{"22003", "ontosql_numeric_exp", []any{"6000.0", -1}},
		{"22003", "ontosql_numeric_power", []any{"10.0", -1, "200000", -1}},
		{"22003", "ontosql_numeric_power", []any{"10.0", -1, "2147483648", -1}},
		{"2201F", "ontosql_numeric_power", []any{"0.0", -1, "-0.5", -1}},
		{"2201F", "ontosql_numeric_power", []any{"-2.0", -1, "0.5", -1}},
		{"22023", "ontosql_parse_ident", []any{"a.", 1}},
	} {
		_, err := call(t, c.name, c.args...)
		var e *pgerr.Error
		if !errors.As(err, &e) || e.Code != c.code {
			t.Errorf("%s(%q): %v, want %s", c.name, c.args, err, c.code)
		}
	}
}

// TestJSONContains compares documents from their roots on; PostgreSQL 15 answers the
// same.
func TestJSONContains(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{`{"a":{"b":1}}`, `{"b":1}`, "0"},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"c":2}}`, "1"},
		{`[1,[2]]`, `[2]`, "0"},
		{`[1,[2]]`, `[[2]]`, "1"},
		{`[1,[2]]`, `[[1]]`, "0"},
		{`[[1,2],[3]]`, `[[2],[3],[1]]`, "1"},
		{`[[1,2],[3]]`, `[[2,3]]`, "0"},
		{`[[]]`, `[]`, "1"},
		{`[1]`, `[[]]`, "0"},
		{`[[1]]`, `[{}]`, "0"},
		{`[{"a":1,"b":2}]`, `[{}]`, "1"},
		{`{"a":1}`, `1`, "0"},
		{`{"x":"y"}`, `"y"`, "0"},
		{`{"x":"y"}`, `"x"`, "0"},
		{`[1,2]`, `1`, "1"},
		{`["foo"]`, `"foo"`, "1"},
		{`[[1]]`, `1`, "0"},
		{`[]`, `1`, "0"},
		{`1`, `[1]`, "0"},
		{`1`, `[]`, "0"},
		{`1`, `1.0`, "1"},
		{`[1.0]`, `[1]`, "1"},
		{`[100]`, `[1e2]`, "1"},
		{`[-0]`, `[0]`, "1"},
		{`[1]`, `["1"]`, "0"},
		{`["true", "null"]`, `[true]`, "0"},
		{`[null]`, `[null]`, "1"},
		{`[null]`, `null`, "1"},
		{`{"a":null}`, `{"b":null}`, "0"},
		{`{"a":[1,2]}`, `{"a":[]}`, "1"},
		{`{"a":[1,2]}`, `{"a":1}`, "0"},
		{`{"a":[1,2]}`, `{"a":{}}`, "0"},
		{`{"a":1}`, `{}`, "1"},
		{`{}`, `{"a":1}`, "0"},
		{`{}`, `[]`, "0"},
		{`[]`, `{}`, "0"},
		{`[1]`, `[1,1,1]`, "1"},
		{`{"a":1,"a":2}`, `{"a":2}`, "1"},
		{`{"a":1,"a":2}`, `{"a":1}`, "0"},
		{`{"a":2}`, `{"a":1,"a":2}`, "1"},
		{`["é"]`, `["\u00e9"]`, "1"},
	} {
		if got, err := call(t, "ontosql_json_contains", c.a, c.b); err != nil || got != c.want {
			t.Errorf("%s @> %s: %q, %v, want %q", c.a, c.b, got, err, c.want)
		}
	}
}

// TestTooDeep goes into documents and paths whose recursion would end the process,
// which nothing can catch.
func TestTooDeep(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	members := func(n int) string {
		doc := []byte(`{"a":1`)
		for i := range n {
			doc = fmt.Appendf(doc, `,"%d":1`, i)
		}
		return string(append(doc, '}'))
	}
	const most = 10_000_000
	for _, c := range []struct {
		code string
		name string
		args []any
	}{
		{"54001", "ontosql_json_strip_nulls", []any{nested(most)}},
		{"54001", "ontosql_json_order", []any{nested(most)}},
		{"54001", "ontosql_jsonb_pretty", []any{nested(most)}},
		{"", "ontosql_jsonb_pretty", []any{nested(5000)}},
		{"54001", "ontosql_json_path", []any{nested(most), "$", "", 1, ""}},
		{"54001", "ontosql_json_contains", []any{nested(most), "[]"}},
		{"54001", "ontosql_json_contains", []any{"[]", nested(most)}},
		{"54000", "ontosql_json_contains", []any{"[" + strings.Repeat("[1],", 9_999) + "[2]]", "[" + strings.Repeat("[2],", 9_999) + "[2]]"}},
		{"", "ontosql_json_contains", []any{"[" + strings.Repeat("1,", 999_999) + "2]", "[" + strings.Repeat("2,", 999_999) + "1]"}},
		{"", "ontosql_json_contains", []any{nested(5000), nested(5000)}},
		{"54000", "ontosql_json_path", []any{"1", strings.Repeat("!", most), "", 1, ""}},
		{"54000", "ontosql_json_path", []any{"1", strings.Repeat("-", most) + "1", "", 0, ""}},
		{"54000", "ontosql_json_path", []any{"1", "$" + strings.Repeat(".a", most), "", 0, ""}},
		{"54000", "ontosql_json_path", []any{"1", "1" + strings.Repeat("+1", most), "", 0, ""}},
		{"54000", "ontosql_json_path", []any{nested(5000), "$.**.**", "", 0, ""}},
		{"54000", "ontosql_json_path_exists", []any{"[" + strings.Repeat("1,", 99_999) + "1]", "$[0 to last" + strings.Repeat(", 0 to last", 1_000) + "]", "", 0, ""}},
		{"54000", "ontosql_json_path", []any{nested(5000), "$.**.**", "", 1, ""}},
		{"54000", "ontosql_json_path", []any{"[" + strings.Repeat("1e130000,", 9_999) + "1]", "$[*] ? (@ < 1)", "", 0, ""}},
		{"54000", "ontosql_json_path", []any{"[" + strings.Repeat("1,", 99_999) + `"a"]`, `$[*] == "b" || $[*] < $[*]`, "", 0, ""}},
		{"54000", "ontosql_json_path", []any{"[" + strings.Repeat("1,", 99_999) + "1]", strings.Repeat("+", 60) + "$", "", 0, ""}},
		{"54000", "ontosql_json_path_exists", []any{members(2_000_000), "$.keyvalue()", "", 0, ""}},
		{"54000", "ontosql_json_path_exists", []any{"[" + strings.Repeat("1,", jsonb.MaxValues) + "1]", "$", "", 0, ""}},
		{"54000", "ontosql_number_chars", []any{"1", "int4", strings.Repeat("9", fmgr.MaxPattern+1)}},
		{"54000", "ontosql_time_chars", []any{0, 0, "", strings.Repeat("Y", fmgr.MaxPattern+1)}},
		{"54000", "ontosql_parse_time", []any{"1", strings.Repeat("Y", fmgr.MaxPattern+1)}},
		{"54000", "ontosql_regexp_match", []any{"a", strings.Repeat("a", fmgr.MaxPattern), "i"}},
		{"22003", "ontosql_json_path", []any{"1e131072000", "-$", "", 0, ""}},
		{"22003", "ontosql_json_path", []any{"1", "-$" + strings.Repeat(" * 1e130000", 5_000), "", 0, ""}},
		{"", "ontosql_json_order", []any{"1e" + strings.Repeat("9", most)}},
		{"", "ontosql_json_path", []any{"1", "1" + strings.Repeat("+1", 30_000), "", 0, ""}},
		{"", "ontosql_json_path", []any{"1", strings.Repeat("-", 60_000) + "1", "", 0, ""}},
		{"", "ontosql_json_path", []any{"1", "$" + strings.Repeat(".a", 30_000), "", 0, ""}},
		{"", "ontosql_json_order", []any{nested(5000)}},
	} {
		_, err := call(t, c.name, c.args...)
		var e *pgerr.Error
		if c.code == "" && err != nil || c.code != "" && (!errors.As(err, &e) || e.Code != c.code) {
			t.Errorf("%s(%.40q): %v, want %q", c.name, c.args, err, c.code)
		}
	}
	for doc, want := range map[string]string{nested(5000): "1", nested(5001): "0", `["` + nested(9000) + `\"` + nested(9000) + `"]`: "1", nested(most): "0"} {
		if got, err := call(t, "ontosql_json_shallow", doc); err != nil || got != want {
			t.Errorf("ontosql_json_shallow(%.20q): %q, %v, want %q", doc, got, err, want)
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
			"ontosql_regexp_match": {s, pattern, ""}, "ontosql_regexp_replace": {s, pattern, s, 1, regex.OneOrAll, "g"},
			"ontosql_similar": {pattern, "#"}, "ontosql_json_path": {"[1]", pattern, "", 0, "UTC"},
		} {
			_, _ = call(t, name, args...)
		}
	})
}
