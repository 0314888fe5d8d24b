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

// wireClient queries a gateway over one connection, which it opens again when it is lost.
type wireClient struct {
	client
	to    *gateway
	conn  *pgx.Conn
	made  int         // names
	rival *wireClient // asks only together with this one
}

// deeds are what the clients of gateways do, and how often.
var deeds = []struct {
	weight int
	do     func(c *wireClient)
}{
	{10, func(c *wireClient) { c.insertEvent(c.name("event")) }},
	{6, func(c *wireClient) { c.insertEvent(c.shared("race", 4)) }}, // clients race for the same keys
	{8, (*wireClient).openAccount},
	{8, (*wireClient).increment},
	{6, (*wireClient).flag},
	{3, (*wireClient).thereAndBack},
	{6, (*wireClient).upsert},
	{5, (*wireClient).insertMissing},
	{5, (*wireClient).merge},
	{5, (*wireClient).compareAndSet},
	{7, (*wireClient).transfer},
	{7, (*wireClient).saving},
	{4, (*wireClient).expectHead},
	{3, (*wireClient).deposit},
	{5, (*wireClient).withdraw},
	{5, (*wireClient).withdrawAtOnce},
	{3, (*wireClient).expectHeadAtOnce},
	{4, (*wireClient).audit},
	{3, (*wireClient).auditAlone},
	{6, (*wireClient).readHead},
	{8, (*wireClient).readAll},
	{3, (*wireClient).readTwice},
	{3, (*wireClient).readAfter},
	{6, (*wireClient).readPast},
	{3, (*wireClient).askFate},
}

func (c *wireClient) step() {
	if !c.ready() {
		time.Sleep(50 * time.Millisecond)
		return
	}
	all := 0
	for _, d := range deeds {
		all += d.weight
	}
	n := c.random.IntN(all)
	for _, d := range deeds {
		if n -= d.weight; n < 0 {
			d.do(c)
			return
		}
	}
}

// name returns a unique name.
func (c *wireClient) name(what string) string {
	c.made++
	return fmt.Sprintf("%s-%d-%d", what, c.id, c.made)
}

// shared is a name that everybody uses for so many commits.
func (c *wireClient) shared(what string, commits int64) string {
	return fmt.Sprint(what, "-", c.newest.Load()/commits)
}

// begin notes that an operation is about to be sent.
func (c *wireClient) begin(what string, rows []row) *op {
	o := c.record.begin(c.id, c.to.name, what, rows)
	o.Lag = c.to.maxAge.Nanoseconds()
	return o
}

// ready reports whether there is a connection, if need be a new one.
func (c *wireClient) ready() bool { return c.conn != nil && !c.conn.IsClosed() || c.connect() }

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

// decided notes what became of a write. sent: it may have reached the store.
func (c *wireClient) decided(ctx context.Context, o *op, err error, sent bool) {
	if err == nil {
		if o.idle() {
			c.end(o, nothing, nil)
			return
		}
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

// askFate queries the fate of all outcomes that are still unknown, of every client.
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

// What the DETAIL of a 40001 says that names no identity.
var (
	typeRead = regexp.MustCompile(`^Commit (\d+) wrote rows of type "(\w+)", which was read at commit (\d+)\.$`)
	headRead = regexp.MustCompile(`^Expected commit (\d+), the head is commit (\d+)\.$`)
)

// clashOf reads the DETAIL of a 40001, nil where it names no commit.
func clashOf(detail string) *clash {
	number := func(text string) int64 {
		n, _ := strconv.ParseInt(text, 10, 64) // of digits
		return n
	}
	if m := typeRead.FindStringSubmatch(detail); m != nil {
		return &clash{identity: identity{Type: m[2]}, Expected: number(m[3]), Actual: number(m[1])}
	}
	if m := headRead.FindStringSubmatch(detail); m != nil {
		return &clash{Expected: number(m[1]), Actual: number(m[2])}
	}
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
