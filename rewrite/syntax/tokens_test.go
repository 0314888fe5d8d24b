package syntax

import (
	"errors"
	"strings"
	"testing"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// TestCountWords counts what the scanner finds.
func TestCountWords(t *testing.T) {
	for _, sql := range []string{
		"SELECT 1", "", " \t\n", "select a.b, 'it''s', E'it\\'s a', \"q\"\"q\"  from t",
		"SELECT $$a 'b' c$$, $x$ $$ $x$, $1, a$b$c", "SELECT 1+2*3<=4", "SELECT 'not closed", "SELECT é, 'é'",
		"INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', 3.5)",
	} {
		scan, err := pg.Scan(sql)
		if err != nil {
			scan = &pg.ScanResult{Tokens: make([]*pg.ScanToken, 2)}
		}
		// <=, E'...' and a.b are not worth telling apart.
		if got, want := countWords(sql), len(scan.Tokens); got < want || got > want+2 {
			t.Errorf("%s: %d words, want %d or a little more", sql, got, want)
		}
	}
	for sql, want := range map[string]int{"SELECT 1 -- a b c\n, 2": 4, "SELECT 1 /* a b */, 2": 4} {
		if got := countWords(sql); got != want {
			t.Errorf("%s: %d words, want %d", sql, got, want)
		}
	}
}

// TestTooManyWords refuses a text of too many words, and none for its length.
func TestTooManyWords(t *testing.T) {
	long := strings.Repeat("a b''c ", maxWords)
	for sql, code := range map[string]string{
		"SELECT '" + long + "'": "",
		"SELECT 1 --" + long:    "",
		"SELECT 1 WHERE 1 IN (2" + strings.Repeat(",1", maxWords/2): "54000",
	} {
		_, err := Split(sql)
		var e *pgerr.Error
		if code == "" && err != nil || code != "" && (!errors.As(err, &e) || e.Code != code) {
			t.Errorf("%.40q: %v, want %q", sql, err, code)
		}
	}
}
