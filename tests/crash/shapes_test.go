package crash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// shape is a way to write: which rows, and by which messages of the protocol.
type shape struct {
	name string
	rows func(op int64) []row
	// run writes the rows. asked says that the request was sent, or may have
	// been, whose success is the commit; without it an op is not committed.
	run func(ctx context.Context, c *pgx.Conn, rows []row) (asked bool, err error)
}

var shapes = []shape{
	{"a row with parameters", one, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		_, err := c.Exec(ctx, rows[0].params(), rows[0].values...)
		return true, err
	}},
	{"a row as text", one, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		_, err := c.Exec(ctx, rows[0].literal(), pgx.QueryExecModeSimpleProtocol)
		return true, err
	}},
	{"a row whose key others want too", shared, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		_, err := c.Exec(ctx, rows[0].params(), rows[0].values...)
		return true, err
	}},
	{"many rows", many, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		tuples := make([]string, len(rows))
		for i, r := range rows {
			tuples[i] = r.tuple()
		}
		_, err := c.Exec(ctx, rows[0].insert()+strings.Join(tuples, ", "))
		return true, err
	}},
	{"a transaction", family, transaction},
	{"a transaction with a shared key", sharedFamily, transaction},
	{"a transaction in one simple query", family, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		texts := make([]string, len(rows))
		for i, r := range rows {
			texts[i] = r.literal()
		}
		_, err := c.Exec(ctx, strings.Join(texts, "; "), pgx.QueryExecModeSimpleProtocol)
		return true, err
	}},
	{"a transaction in one pipeline", family, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		b := &pgx.Batch{}
		for _, r := range rows {
			b.Queue(r.params(), r.values...)
		}
		return true, c.SendBatch(ctx, b).Close()
	}},
	{"a transaction that is rolled back", family, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		if err := insert(ctx, c, rows); err != nil {
			return false, err
		}
		_, err := c.Exec(ctx, "ROLLBACK")
		return false, err
	}},
	{"a transaction that fails within", family, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		if err := insert(ctx, c, rows); err != nil {
			return false, err
		}
		_, err := c.Exec(ctx, rows[0].params(), rows[0].values...) // the key is there already
		if !told(err, "23505") {
			return false, orWant(err, "23505 for the second INSERT of a key")
		}
		tag, err := c.Exec(ctx, "COMMIT")
		if err == nil && tag.String() != "ROLLBACK" {
			return false, fmt.Errorf("COMMIT of a failed transaction answers %q, want ROLLBACK", tag)
		}
		return false, err
	}},
	{"an INSERT that does nothing where the key is there", shared, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		return some(c.Exec(ctx, rows[0].params()+" ON CONFLICT DO NOTHING", rows[0].values...))
	}},
	{"an upsert of a counter", counter, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		_, err := c.Exec(ctx, upsert, rows[0].values[0], rows[0].values[1])
		return true, err
	}},
	{"an UPDATE of a counter", counter, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		return some(c.Exec(ctx, update, rows[0].values[0], rows[0].values[1]))
	}},
	{"a MERGE into a counter", counter, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		_, err := c.Exec(ctx, merge, rows[0].values[0], rows[0].values[1])
		return true, err
	}},
	{"a transaction that updates", countedFamily, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		last := len(rows) - 1
		return within(ctx, c, rows[:last], func() error {
			_, err := c.Exec(ctx, upsert, rows[last].values[0], rows[last].values[1])
			return err
		})
	}},
	{"a transaction with a part that is rolled back", countedFamily, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		last := len(rows) - 1
		return within(ctx, c, rows[:1], func() error {
			id, name := rows[last].values[0], rows[last].values[1]
			if err := sendAll(ctx, c, "SAVEPOINT a", "SAVEPOINT b"); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, upsert, id, "rolled back"); err != nil {
				return err
			}
			if err := sendAll(ctx, c, rows[1].literal(), "ROLLBACK TO b", "RELEASE b"); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, upsert, id, name); err != nil {
				return err
			}
			if _, err := c.Exec(ctx, rows[0].params(), rows[0].values...); !told(err, "23505") { // the key is there already
				return orWant(err, "23505 for the second INSERT of a key")
			}
			if err := sendAll(ctx, c, "ROLLBACK TO SAVEPOINT a"); err != nil {
				return err
			}
			for _, r := range rows[1:last] {
				if _, err := c.Exec(ctx, r.params(), r.values...); err != nil {
					return err
				}
			}
			_, err := c.Exec(ctx, upsert, id, name)
			return err
		})
	}},
	{"a COPY", many, func(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
		var lines strings.Builder
		for _, r := range rows {
			lines.WriteString(strings.TrimPrefix(r.text(), r.table+"|") + "\n")
		}
		_, err := c.PgConn().CopyFrom(ctx, strings.NewReader(lines.String()), "COPY "+rows[0].table+" ("+columns[rows[0].table]+") FROM STDIN (DELIMITER '|')")
		return true, err
	}},
}

// What makes a counter one more.
const (
	upsert = "INSERT INTO customer (id, name, balance) VALUES ($1, $2, 1) ON CONFLICT (id) DO UPDATE SET name = excluded.name, balance = customer.balance + excluded.balance"
	update = "UPDATE customer SET balance = balance + 1, name = $2 WHERE id = $1"
	merge  = `MERGE INTO customer AS t USING (SELECT $1::text AS id, $2::text AS name) AS s ON t.id = s.id
		WHEN MATCHED THEN UPDATE SET name = s.name, balance = t.balance + 1
		WHEN NOT MATCHED THEN INSERT (id, name, balance) VALUES (s.id, s.name, 1)`
)

// some is asked of a statement that may find nothing to write.
func some(tag pgconn.CommandTag, err error) (asked bool, _ error) {
	return err != nil || tag.RowsAffected() > 0, err
}

func sendAll(ctx context.Context, c *pgx.Conn, statements ...string) error {
	for _, sql := range statements {
		if _, err := c.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// transaction is BEGIN, an INSERT for each row, COMMIT. What fails within is
// rolled back, so that the connection is of use afterwards.
func transaction(ctx context.Context, c *pgx.Conn, rows []row) (bool, error) {
	return within(ctx, c, rows, func() error { return nil })
}

// within does more between the INSERTs and COMMIT.
func within(ctx context.Context, c *pgx.Conn, rows []row, more func() error) (bool, error) {
	err := insert(ctx, c, rows)
	if err == nil {
		err = more()
	}
	if err != nil {
		if !c.IsClosed() {
			_, _ = c.Exec(ctx, "ROLLBACK") // err is what counts
		}
		return false, err
	}
	tag, err := c.Exec(ctx, "COMMIT")
	if err == nil && tag.String() != "COMMIT" {
		return false, fmt.Errorf("COMMIT answers %q, want COMMIT", tag)
	}
	return true, err
}

func insert(ctx context.Context, c *pgx.Conn, rows []row) error {
	if _, err := c.Exec(ctx, "BEGIN"); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := c.Exec(ctx, r.params(), r.values...); err != nil {
			return err
		}
	}
	return nil
}

func told(err error, code string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == code
}

func orWant(err error, want string) error {
	if err == nil {
		return fmt.Errorf("success, want %s", want)
	}
	return err
}

func one(op int64) []row { return []row{customer(fmt.Sprintf("c%d", op), op)} }

// shared are rows that eight ops in sequence want to be the first to insert.
func shared(op int64) []row { return []row{customer(fmt.Sprintf("shared-%d", op/8), op)} }

func many(op int64) []row {
	var rows []row
	for i := range 5 + op%20 {
		rows = append(rows, customer(fmt.Sprintf("c%d-%d", op, i), op))
	}
	return rows
}

// family are rows of all types.
func family(op int64) []row {
	id := fmt.Sprintf("c%d", op)
	return []row{customer(id, op), product(op), subscription(id, op), purchase(id, op, 1), purchase(id, op, 2)}
}

func counter(op int64) []row { return []row{counted(op)} }

func countedFamily(op int64) []row { return append(family(op), counted(op)) }

func sharedFamily(op int64) []row {
	rows := family(op)
	rows[0] = shared(op)[0]
	return rows
}
