package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

// copyAlphabet is what random COPY data consists of: all that the readers treat
// in a way of its own.
var copyAlphabet = []string{
	"a", "b", "7", "N", ".", "x41", "x", "101", "\t", ",", ";", `"`, "'", `\`, "\n", "\r", "\r\n", `\.`, `\N`, "NULL", "é", "\xff", "\xc3", `\xc3`, `\351`, `\000`, " ",
}

// looksAhead reports whether PostgreSQL finds an invalid character in data while it reads ahead
// after a carriage return or a backslash, before it checks the line.
func looksAhead(data []byte) bool {
	for _, bad := range []string{"\r\xff", "\r\xc3", "\\\xff", "\\\xc3", "\\.\xff", "\\.\xc3"} {
		if bytes.Contains(data, []byte(bad)) {
			return true
		}
	}
	return false
}

// TestCopyReaderAgainstPostgres reads random data of text and csv as PostgreSQL
// does: the same rows, or the same error in the same place.
func TestCopyReaderAgainstPostgres(t *testing.T) {
	ctx := t.Context()
	conn := connectPostgres(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	if err := conn.Exec(ctx, "CREATE TEMP TABLE t (a text, b text)").Close(); err != nil {
		t.Fatal(err)
	}
	forms, options := copyForms()[:3], []string{"", "(FORMAT csv)", `(FORMAT csv, DELIMITER ';', QUOTE '''', ESCAPE '\', NULL 'NULL')`}
	for range 3000 {
		i := rng.IntN(len(forms))
		c := forms[i]
		data := randomCopy(rng, c)
		if looksAhead(data) {
			continue
		}
		want := copyOfPostgres(t, conn, "COPY t FROM STDIN "+options[i], data)
		got := copyStory(t, c, pieces(data, 1+rng.IntN(40), 1+rng.IntN(10)))
		for k := range got {
			if _, row, ok := strings.Cut(got[k], ": "); ok && got[k][0] >= '1' && !strings.Contains(got[k], " | ") {
				got[k] = row
			}
		}
		if n := len(got); n > 0 && strings.Contains(got[n-1], " | ") {
			got = got[n-1:] // PostgreSQL keeps nothing of the others
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%q (-PostgreSQL +ours):\n%s", options[i], data, diff)
		}
	}
}

// randomCopy has rows of mostly two fields whose lines mostly end alike.
func randomCopy(rng *rand.Rand, c Copy) []byte {
	var data bytes.Buffer
	end := []string{"\n", "\n", "\r\n", "\r"}[rng.IntN(4)]
	wild := rng.IntN(4) == 0
	for range rng.IntN(5) {
		for field := range 2 {
			if field > 0 {
				data.WriteByte(c.Delimiter)
			}
			quoted := c.Kind == CopyCSV && rng.IntN(3) == 0
			if quoted {
				data.WriteByte(c.Quote)
			}
			for range rng.IntN(4) {
				part := copyAlphabet[rng.IntN(len(copyAlphabet))]
				if !wild && !quoted && (strings.ContainsAny(part, "\t\n\r,;\"'") || !utf8.ValidString(part)) || !wild && quoted && strings.ContainsAny(part, `"'`) {
					part = "z"
				}
				data.WriteString(part)
			}
			if quoted {
				data.WriteByte(c.Quote)
			}
		}
		data.WriteString(end)
	}
	if rng.IntN(3) == 0 {
		data.WriteString([]string{`\.`, `\.` + end, "a", "\r", `\`, `a\`}[rng.IntN(6)])
	}
	return data.Bytes()
}

// copyOfPostgres is copyStory of PostgreSQL.
func copyOfPostgres(t *testing.T, conn *pgconn.PgConn, sql string, data []byte) []string {
	t.Helper()
	ctx := context.Background()
	_, err := conn.CopyFrom(ctx, bytes.NewReader(data), sql)
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return []string{e.Code + " " + e.Message + " | " + e.Hint + " | " + e.Where}
	}
	if err != nil {
		t.Fatal(err)
	}
	result := conn.ExecParams(ctx, "SELECT a, b FROM t", nil, nil, nil, nil).Read()
	if result.Err != nil {
		t.Fatal(result.Err)
	}
	var story []string
	for _, row := range result.Rows {
		var fields []string
		for _, f := range row {
			if f == nil {
				fields = append(fields, "NULL")
			} else {
				fields = append(fields, fmt.Sprintf("%q", f))
			}
		}
		story = append(story, strings.Join(fields, " "))
	}
	if err := conn.Exec(ctx, "TRUNCATE t").Close(); err != nil {
		t.Fatal(err)
	}
	return story
}
