package histories

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// script is a transaction with savepoints while it is sent: what it has written
// and what of that still counts, as PostgreSQL's manual has it.
type script struct {
	*wireClient
	o     *op
	rows  []row // that will be committed
	marks []mark
	gone  []row // that were rolled back
}

// mark is a savepoint.
type mark struct {
	name string
	rows []row
}

// saving sends a transaction of random steps, the same in each try.
func (c *wireClient) saving() {
	steps := make([]int, 4+c.random.IntN(10))
	for i := range steps {
		steps[i] = c.random.IntN(1 << 20)
	}
	c.intend(func(intent string) *op {
		first := row{identity: identity{events, intent}, N: 1}
		o := c.begin("savepoints", []row{first})
		s := &script{wireClient: c, o: o, rows: []row{first}}
		c.within(o, "BEGIN", func(ctx context.Context) error {
			if err := c.insert(ctx, o, &first); err != nil {
				return err
			}
			for i, step := range steps {
				if err := s.step(ctx, step, fmt.Sprint(intent, "-", i)); err != nil {
					return err
				}
			}
			o.Undone = s.gone
			c.plan(o, s.rows)
			return s.look(ctx)
		})
		return o
	})
}

func (s *script) step(ctx context.Context, dice int, name string) error {
	kind, dice := dice%10, dice/10
	switch {
	case kind < 2:
		point := fmt.Sprint("p", dice%3) // now and then one that is there already
		s.marks = append(s.marks, mark{point, slices.Clone(s.rows)})
		return s.exec(ctx, "SAVEPOINT "+point)
	case kind == 3 && len(s.marks) > 0:
		i := s.named(dice)
		name := s.marks[i].name
		s.marks = s.marks[:i]
		return s.exec(ctx, "RELEASE SAVEPOINT "+name)
	case kind < 6 && len(s.marks) > 0:
		return s.back(ctx, dice)
	case kind == 6 && len(s.marks) > 0:
		return s.fail(ctx, dice)
	case kind == 7:
		r := row{identity: identity{events, name}, N: int64(dice % 100)}
		s.rows = append(s.rows, r)
		return s.insert(ctx, s.o, &r)
	case kind == 2: // the row that fail inserts again
		n := int64(1 + dice%7)
		s.rows[0].N += n
		return s.exec(ctx, `UPDATE event SET n = n + $1, op = $2 WHERE id = $3`, n, s.o.Tag, s.rows[0].Key)
	case kind == 8:
		r := row{identity: identity{accounts, fmt.Sprint("tally-s", dice%4)}, N: int64(1 + dice%9), How: adding}
		return s.add(ctx, r, `INSERT INTO account (id, n, op) VALUES ($3, $1, $2) ON CONFLICT (id) DO UPDATE
			SET n = account.n + excluded.n, op = excluded.op RETURNING n`)
	}
	return s.add(ctx, row{identity: counterOf(dice % counters), N: int64(1 + dice%3), How: adding},
		`UPDATE account SET n = n + $1, op = $2 WHERE id = $3 RETURNING n`)
}

// named is the newest savepoint with the name of one of them.
func (s *script) named(dice int) int {
	name := s.marks[dice%len(s.marks)].name
	i := len(s.marks) - 1
	for s.marks[i].name != name {
		i--
	}
	return i
}

func (s *script) back(ctx context.Context, dice int) error {
	i := s.named(dice)
	kept := s.marks[i].rows
	for _, r := range s.rows {
		if !slices.ContainsFunc(kept, func(k row) bool { return k.identity == r.identity && k.N == r.N }) {
			s.gone = append(s.gone, r)
		}
	}
	s.rows, s.marks = slices.Clone(kept), s.marks[:i+1]
	return s.exec(ctx, "ROLLBACK TO "+s.marks[i].name)
}

// fail causes an error, after which only ROLLBACK TO continues the transaction.
func (s *script) fail(ctx context.Context, dice int) error {
	err := s.insert(ctx, s.o, &s.o.Rows[0])
	var said *pgconn.PgError
	if !errors.As(err, &said) || said.Code != "23505" {
		if err == nil {
			s.o.Odd = true
			err = errors.New("a key was inserted twice in one transaction")
		}
		return err
	}
	return s.back(ctx, dice)
}

// add makes a row more than it was, which may have been written before in the
// transaction.
func (s *script) add(ctx context.Context, r row, sql string) error {
	var n int64
	if err := s.conn.QueryRow(ctx, sql, r.N, s.o.Tag, r.Key).Scan(&n); err != nil {
		return err
	}
	r.Told = &n
	i := slices.IndexFunc(s.rows, func(other row) bool { return other.identity == r.identity })
	if i < 0 {
		s.rows = append(s.rows, r)
		return nil
	}
	before := s.rows[i]
	if *before.Told+r.N != n {
		s.o.Odd = true
		return fmt.Errorf("%s was %d in this transaction, and %d more is %d", r.identity, *before.Told, r.N, n)
	}
	r.N += before.N
	s.rows[i] = r
	return nil
}

// look holds what the transaction sees of its own rows against what counts.
func (s *script) look(ctx context.Context) error {
	var want, got []string
	for _, r := range s.rows {
		n := r.N
		if r.Told != nil {
			n = *r.Told
		}
		want = append(want, fmt.Sprint(r.Key, " ", n))
	}
	r, err := s.conn.Query(ctx, `SELECT id || ' ' || n FROM account WHERE op = $1 UNION ALL SELECT id || ' ' || n FROM event WHERE op = $1`, s.o.Tag)
	if err != nil {
		return err
	}
	defer r.Close()
	for r.Next() {
		var text string
		if err := r.Scan(&text); err != nil {
			return err
		}
		got = append(got, text)
	}
	slices.Sort(want)
	slices.Sort(got)
	if err := r.Err(); err == nil && !slices.Equal(want, got) {
		s.o.Odd = true
		return fmt.Errorf("the transaction sees %q of its own, want %q", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	return r.Err()
}
