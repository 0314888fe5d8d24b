//go:build !mirrormode

package gateway_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/column"
)

// TestMirrorOfOwnCommits lets one gateway commit few rows and many, whose mirror
// takes them from memory as rows and as files, and another read its commits from
// the store: both have the same tables.
func TestMirrorOfOwnCommits(t *testing.T) {
	const seed = 5
	r := rand.New(rand.NewPCG(seed, 1))
	bucket := shop(t)
	here, there := openHouse(t, bucket, true), openHouse(t, bucket, true)
	writer, reader := here.session(t, "onto"), there.session(t, "onto")
	next := 0
	commit := func() {
		t.Helper()
		rows := 1 + r.IntN(3)
		if r.IntN(3) == 0 {
			rows = 65 + r.IntN(10)
		}
		must(t, writer, fmt.Sprintf(`INSERT INTO item (sku, title, price, weight, sold, added, day, code, raw, tags) SELECT g, 'naïve "' || g || '"', g / 8.0, g * 1e20, g %% 2 = 0, TIMESTAMPTZ '2024-01-01 00:00:00.5+00' + g * INTERVAL '1 day', DATE '2024-02-29',
			'00000000-0000-0000-0000-0000000000aa', '\x00ff', '{"a": [1, null, 2.50]}' FROM generate_series(%d, %d) AS g`, next, next+rows-1))
		must(t, writer, fmt.Sprintf("INSERT INTO item (sku, title, weight) VALUES (%d, '🦆', 'nan'), (%d, '', NULL)", next+rows, next+rows+1))
		next += rows + 2
	}
	tables := func(h *house) (rows []string) {
		t.Helper()
		conn, err := h.engine.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for _, table := range []string{"cur1", "hist1"} {
			err := conn.Each(t.Context(), "SELECT CAST(x AS VARCHAR) FROM ontosql_mirror.main."+table+" AS x ORDER BY k0, c", nil,
				func(b *column.Batch, i int) { rows = append(rows, table+" "+string(b.Cols[0].Str[i])) })
			if err != nil {
				t.Fatal(err)
			}
		}
		return rows
	}
	for range 8 {
		for range 1 + r.IntN(4) {
			commit()
		}
		here.settle(t, writer, "item")
		there.settle(t, reader, "item")
		got := tables(here)
		if diff := cmp.Diff(tables(there), got); diff != "" || len(got) != next {
			t.Fatalf("seed %d, %d rows of %d (-from the store +from memory):\n%s", seed, len(got), next, diff)
		}
	}
}
