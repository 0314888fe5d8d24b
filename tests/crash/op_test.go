package crash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// row is one row that a client writes.
type row struct {
	table  string
	values []any // string, int64, float64 or oneMore, in the order of columns
}

// oneMore is an expression for the previous number plus one, or 1.
type oneMore struct{}

func (oneMore) String() string { return "one more" }

// columns are the columns of the tables, in the order in which rows are written
// and read.
var columns = map[string]string{
	"customer":     "id, name, balance",
	"product":      "sku, title",
	"subscription": "left_key, right_key, seats",
	"purchase":     "left_key, right_key, order_no, note",
}

// keys is how many of the columns are the identity of a row.
var keys = map[string]int{"customer": 1, "product": 1, "subscription": 2, "purchase": 3}

// identity is the part of a row's text that later versions have too.
func identity(text string) string {
	table, _, _ := strings.Cut(text, "|")
	return strings.Join(strings.SplitN(text, "|", keys[table]+2)[:keys[table]+1], "|")
}

// text is the row as a reader must see it.
func (r row) text() string {
	parts := []string{r.table}
	for _, v := range r.values {
		parts = append(parts, plain(v))
	}
	return strings.Join(parts, "|")
}

func plain(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// literal is the INSERT with the values in its text.
func (r row) literal() string {
	return r.insert() + r.tuple()
}

func (r row) insert() string {
	return "INSERT INTO " + r.table + " (" + columns[r.table] + ") VALUES "
}

func (r row) tuple() string {
	var parts []string
	for _, v := range r.values {
		if s, ok := v.(string); ok {
			parts = append(parts, "'"+s+"'")
		} else {
			parts = append(parts, plain(v))
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// params is the INSERT with a parameter for each value.
func (r row) params() string {
	var parts []string
	for i := range r.values {
		parts = append(parts, "$"+strconv.Itoa(i+1))
	}
	return r.insert() + "(" + strings.Join(parts, ", ") + ")"
}

func customer(id string, op int64) row {
	return row{"customer", []any{id, fmt.Sprintf("by op %d", op), float64(op) + 0.5}}
}

// counted is a row that many write: each makes its balance one more.
func counted(op int64) row {
	return row{"customer", []any{fmt.Sprintf("%s%d", counterPrefix, op%3), fmt.Sprintf("by op %d", op), oneMore{}}}
}

const counterPrefix = "count-"

func product(op int64) row {
	return row{"product", []any{op, fmt.Sprintf("product of op %d", op)}}
}

func subscription(id string, op int64) row {
	return row{"subscription", []any{id, op, op * 2}}
}

func purchase(id string, op, order int64) row {
	return row{"purchase", []any{id, op, fmt.Sprintf("order-%d", order), fmt.Sprintf("bought by op %d", op)}}
}

// verdict is what a client knows of its transaction.
type verdict uint8

const (
	refused      verdict = iota // told, or known without being told: it is not committed and never will be
	acknowledged                // told: it is committed
	unknown                     // cut off before the answer, or told 08007
)

func (v verdict) String() string { return [...]string{"refused", "acknowledged", "unknown"}[v] }

// op is one transaction of one client. Its number is part of each of its rows, so that no two
// ops of a store write the same row.
type op struct {
	number  int64
	shape   string
	rows    []row
	verdict verdict
	told    string
	reason  string // told without what is the op's own, for counting
}

// texts are its rows as a reader must see them, sorted.
func (o *op) texts() []string {
	texts := make([]string, len(o.rows))
	for i, r := range o.rows {
		texts[i] = r.text()
	}
	slices.Sort(texts)
	return texts
}

func (o *op) String() string {
	return fmt.Sprintf("op %d (%s), %s (%s), with rows %q", o.number, o.shape, o.verdict, o.told, o.texts())
}

// expected are the refusals that a client of these tests may meet: a shared key
// that another inserted, a conflict or a lost lease, a lock that a rival holds, a
// server that ends.
var expected = []string{"23505", "40001", "55P03", "57P01"}

// end takes down what became of an op. asked says that the request went out
// whose answer is the commit's. An error is something that no client may be
// told.
func (o *op) end(ctx context.Context, asked bool, err error) error {
	var told *pgconn.PgError
	switch {
	case ctx.Err() != nil:
		o.verdict, o.told = unknown, "no answer at all"
		return fmt.Errorf("no answer within %s: %v", patience, o)
	case err == nil && asked:
		o.verdict, o.told = acknowledged, "success"
	case err == nil:
		o.told, o.reason = "nothing to commit", "nothing to commit, as the client knows"
	case errors.As(err, &told):
		o.told, o.reason = told.Error(), told.Code+" "+told.Message
		if told.Code == "08007" {
			o.verdict = unknown
		} else if !slices.Contains(expected, told.Code) {
			return fmt.Errorf("a client was told %s, detail %q, for %v", told.Error(), told.Detail, o)
		}
	case !asked:
		o.told, o.reason = "cut off: "+err.Error(), "cut off before COMMIT was sent"
	default:
		// pgconn.SafeToRetry is no help: of a simple query that was sent and never
		// answered it says that nothing was sent (pgx v5.12).
		o.verdict, o.told = unknown, err.Error()
	}
	return nil
}
