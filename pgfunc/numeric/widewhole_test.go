package numeric

import (
	"testing"

	"github.com/ontosql/ontosql/column"
)

// TestFactorialsAndSeries: factorials and the lengths of series of numerics of any size, as
// PostgreSQL has them.
func TestFactorialsAndSeries(t *testing.T) {
	for _, c := range []struct {
		n          int64
		want, code string
	}{
		{0, "1", ""},
		{1, "1", ""},
		{34, "295232799039604140847618609643520000000", ""},
		{50, "30414093201713378043612608166064768844377641568960512000000000000", ""},
		{-1, "", "22003"},
		{mostFactorial + 1, "", "22003"},
	} {
		key, err := factorial(c.n)
		switch {
		case err != nil && err.Code != c.code, err == nil && c.code != "":
			t.Errorf("factorial of %d: %v, want SQLSTATE %q", c.n, err, c.code)
		case err == nil && string(column.AppendWide(nil, []byte(key), 0)) != c.want:
			t.Errorf("factorial of %d is %s, want %s", c.n, column.AppendWide(nil, []byte(key), 0), c.want)
		}
	}
	if key, err := factorial(mostFactorial); err != nil || len(column.AppendWide(nil, []byte(key), 0)) != 131_068 {
		t.Errorf("the greatest factorial has %d digits, %v", len(column.AppendWide(nil, []byte(key), 0)), err)
	}
	for _, c := range []struct {
		a, b, step string
		n          int64
		code       string
	}{
		{"1e40", "1e40", "1", 1, ""},
		{"1e40", "10000000000000000000000000000000000000003.5", "1", 4, ""},
		{"3", "1", "-0.5", 5, ""},
		{"1", "3", "-1", 0, ""},
		{"3", "1", "1", 0, ""},
		{"1", "2", "0", 0, "22023"},
		{"0", "1e40", "1", 0, "54000"},
	} {
		n, err := steps(parseDecimal(NumericText(c.a)), parseDecimal(NumericText(c.b)), parseDecimal(NumericText(c.step)))
		if n != c.n || (err != nil) != (c.code != "") || err != nil && err.Code != c.code {
			t.Errorf("from %s to %s by %s: %d numbers, %v; want %d, SQLSTATE %q", c.a, c.b, c.step, n, err, c.n, c.code)
		}
	}
}

// TestParseWide: a key is the number that it was made of, and any other text is read as a number.
func TestParseWide(t *testing.T) {
	for _, text := range []string{"0", "1", "-1", "123.5", "-0.00125", "1000000000000000000000000000000000000000000", "-99999999999999999999999999999999999999999.99"} {
		key, _ := column.AppendWideKey(nil, []byte(text))
		if got := parseWide(string(key)).String(); got != text {
			t.Errorf("the key of %s is read as %s", text, got)
		}
	}
	if got := parseWide("1.50").String(); got != "1.50" {
		t.Errorf("the text 1.50 is read as %s", got)
	}
}
