package crash

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// sight is what a store shows of the commits after one, read at one head through
// a server.
type sight struct {
	head    int64
	commits int64              // how many there are
	rows    map[int64][]string // by commit, sorted
	counts  map[int64]int64    // row_count of ontosql.commits
}

var tables = []string{"customer", "product", "subscription", "purchase"}

// look reads every version after a commit.
func look(ctx context.Context, c *pgx.Conn, after int64) (*sight, error) {
	return read(ctx, c, "history", after)
}

// lookAtLatest reads what a SELECT of today's rows answers.
func lookAtLatest(ctx context.Context, c *pgx.Conn) (*sight, error) {
	return read(ctx, c, "public", 1)
}

// read asks everything in one simple query, which is one transaction and so
// one head.
func read(ctx context.Context, c *pgx.Conn, schema string, after int64) (*sight, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var sql strings.Builder
	for _, table := range tables {
		fmt.Fprintf(&sql, "SELECT commit_id, '%s', %s FROM %s.%s", table, columns[table], schema, table)
		if schema == "history" {
			fmt.Fprintf(&sql, " WHERE commit_id > %d", after)
		}
		sql.WriteString(";\n")
	}
	fmt.Fprintf(&sql, "SELECT commit_id, row_count FROM ontosql.commits WHERE commit_id > %d;\n", after)
	sql.WriteString("SELECT count(*), min(commit_id), max(commit_id) FROM ontosql.commits")
	results, err := c.PgConn().Exec(ctx, sql.String()).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("look at %s after commit %d: %w", schema, after, err)
	}
	s := &sight{rows: map[int64][]string{}, counts: map[int64]int64{}}
	for i := range tables {
		for _, r := range results[i].Rows {
			id, err := strconv.ParseInt(string(r[0]), 10, 64)
			if err != nil {
				return nil, err
			}
			parts := make([]string, len(r)-1)
			for j, v := range r[1:] {
				parts[j] = string(v)
			}
			s.rows[id] = append(s.rows[id], strings.Join(parts, "|"))
		}
	}
	for _, rows := range s.rows {
		slices.Sort(rows)
	}
	for _, r := range results[len(tables)].Rows {
		var id, n int64
		if _, err := fmt.Sscan(string(r[0])+" "+string(r[1]), &id, &n); err != nil {
			return nil, err
		}
		s.counts[id] = n
	}
	all := results[len(tables)+1].Rows[0]
	var first int64
	if _, err := fmt.Sscan(string(all[0])+" "+string(all[1])+" "+string(all[2]), &s.commits, &first, &s.head); err != nil {
		return nil, err
	}
	if first != 1 {
		return nil, fmt.Errorf("ontosql.commits begins with %d, want 1", first)
	}
	return s, nil
}

// dense fails if commit ids have a gap (I3), if ontosql.commits and the rows disagree, or if
// earlier commits have disappeared.
func (s *sight) dense(before int64) error {
	if s.commits != s.head || s.head < before {
		return fmt.Errorf("ontosql.commits has %d commits up to %d, want as many as that and at least %d", s.commits, s.head, before)
	}
	for id := before + 1; id <= s.head; id++ {
		if n, listed := s.counts[id]; !listed || n != int64(len(s.rows[id])) {
			return fmt.Errorf("commit %d shows %d rows, ontosql.commits says %d (listed: %t)", id, len(s.rows[id]), n, listed)
		}
	}
	return nil
}
