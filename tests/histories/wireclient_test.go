package histories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/writepath"
)

// queryPatience bounds every statement, for a gateway that is stopped.
const queryPatience = 20 * time.Second

// wireClient asks a gateway, over one connection that it opens anew when it is
// lost.
type wireClient struct {
	client
	to   *gateway
	conn *pgx.Conn
	made int // events, for their names
}

func (c *wireClient) step() {
	if c.conn == nil || c.conn.IsClosed() {
		if !c.connect() {
			time.Sleep(50 * time.Millisecond)
			return
		}
	}
	switch n := c.random.IntN(100); {
	case n < 30:
		c.insertEvent(fmt.Sprintf("event-%d-%d", c.id, c.made))
	case n < 40: // clients race for the same keys
		c.insertEvent(fmt.Sprint("race-", c.newest.Load()/4))
	case n < 60:
		c.openAccount()
	case n < 72:
		c.readHead()
	case n < 82:
		c.readAll()
	case n < 87:
		c.readTwice()
	case n < 90:
		c.askFate()
	default:
		c.readPast()
	}
}

func (c *wireClient) connect() bool {
	address := c.to.where()
	if address == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	conn, err := pgx.Connect(ctx, "postgres://tester@"+address+"/onto?sslmode=disable")
	if err != nil {
		return false
	}
	c.conn = conn
	return true
}

func (c *wireClient) close() {
	if c.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = c.conn.Close(ctx)
	}
}

// insertEvent is one autocommitted INSERT.
func (c *wireClient) insertEvent(key string) {
	c.made++
	n := c.random.Int64N(1000)
	o := c.begin(c.id, c.to.name, "insert", []row{{identity: identity{events, key}, N: n}})
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	_, err := c.conn.Exec(ctx, `INSERT INTO event (id, n, op) VALUES ($1, $2, $3)`, key, n, o.Tag)
	c.decided(ctx, o, err, true)
}

// openAccount writes three types in one transaction, which sees its own rows.
func (c *wireClient) openAccount() {
	c.made++
	account := fmt.Sprintf("account-%d-%d", c.id, c.made)
	event := "opening-" + account
	o := c.begin(c.id, c.to.name, "open account",
		[]row{{identity: identity{accounts, account}}, {identity: identity{events, event}, N: 1}, posting(account, event, 2)})
	ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
	defer cancel()
	err, last := c.open(ctx, account, event, o)
	c.decided(ctx, o, err, last)
}

// open runs the transaction; last is true once COMMIT was sent.
func (c *wireClient) open(ctx context.Context, account, event string, o *op) (err error, last bool) {
	tx, err := c.conn.Begin(ctx)
	if err != nil {
		return err, false
	}
	defer tx.Rollback(ctx)
	for _, insert := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO account (id, n, op) VALUES ($1, $2, $3)`, []any{account, 0, o.Tag}},
		{`INSERT INTO event (id, n, op) VALUES ($1, $2, $3)`, []any{event, 1, o.Tag}},
		{`INSERT INTO posting (left_key, right_key, n, op) VALUES ($1, $2, $3, $4)`, []any{account, event, 2, o.Tag}},
	} {
		if _, err := tx.Exec(ctx, insert.sql, insert.args...); err != nil {
			return err, false
		}
	}
	var n int64
	if err := tx.QueryRow(ctx, `SELECT e.n + p.n FROM event e JOIN posting p ON p.right_key = e.id WHERE p.left_key = $1`, account).Scan(&n); err != nil {
		return err, false
	}
	if n != 3 {
		o.Odd = true
		return fmt.Errorf("a transaction sees %d of its own rows, want 3", n), false
	}
	return tx.Commit(ctx), true
}

// decided notes what became of a write. sent: it may have reached the store.
func (c *wireClient) decided(ctx context.Context, o *op, err error, sent bool) {
	if err == nil {
		c.end(o, committed, nil)
		c.askNumber(ctx, o)
		return
	}
	var said *pgconn.PgError
	if !errors.As(err, &said) {
		// pgx 5.12 says SafeToRetry of a COMMIT that was sent when the connection
		// ends before its answer, so only what was not sent counts as failed.
		if sent {
			c.end(o, unknown, err)
		} else {
			c.end(o, failed, err)
		}
		return
	}
	err = fmt.Errorf("%s %s (%s)", said.Code, said.Message, said.Detail)
	switch said.Code {
	case "40001":
		o.Clash = clashOf(said.Detail)
		c.end(o, conflict, err)
	case "23505":
		c.end(o, exists, err)
	case "08007", "57P01", "57P03":
		if named := doubtful.FindStringSubmatch(said.Hint); named != nil {
			o.Doubt = named[1]
		}
		c.end(o, unknown, err)
	default:
		o.Odd = said.Code != "55P03" && said.Code != "58030"
		c.end(o, failed, err)
	}
}

// askNumber asks for the commit id of what was just committed.
func (c *wireClient) askNumber(ctx context.Context, o *op) {
	var text string
	if err := c.conn.QueryRow(ctx, `SHOW ontosql.last_commit_id`).Scan(&text); err != nil {
		return // the commit stands all the same, and the chain says where
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		o.Odd, o.Error = true, "ontosql.last_commit_id is "+strconv.Quote(text)
	}
	o.Commit = id
	c.told(id)
}

// doubtful finds the attempt in the HINT of an 08007.
var doubtful = regexp.MustCompile(`ontosql\.commit_outcome\('([^']+)'\)`)

// askFate asks what became of the unknown outcomes so far, whoever met them.
func (c *wireClient) askFate() {
	for _, o := range c.doubts() {
		ctx, cancel := context.WithTimeout(context.Background(), queryPatience)
		var told string
		err := c.conn.QueryRow(ctx, `SELECT ontosql.commit_outcome($1)`, o.Doubt).Scan(&told)
		cancel()
		if err != nil {
			return
		}
		c.fate(o, told)
	}
}

// clashOf reads the DETAIL of a 40001, nil where it names no identity.
func clashOf(detail string) *clash {
	var d struct {
		Table    string `json:"table_key"`
		Key      string
		Expected *int64
		Actual   int64
	}
	if json.Unmarshal([]byte(detail), &d) != nil || d.Table == "" {
		return nil
	}
	_, name, _ := strings.Cut(d.Table, ":")
	found := &clash{identity: identity{name, d.Key}, Actual: d.Actual}
	if d.Expected != nil {
		found.Expected = *d.Expected
	}
	return found
}

// postingKey is the identity of a posting by its two keys.
func postingKey(left, right string) string {
	r := posting(left, right, 0).stored("")
	return writepath.Identity(refOf(postings).Kind, &r)
}
