// The Go clients: pgx in every mode it has, and lib/pq through database/sql.
// The argument says which; docs/clients.md is the reader.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	programs := map[string]func(context.Context){"pgx": pgxCases, "pq": pqCases}
	programs[os.Args[1]](ctx)
}

// endless is a statement that runs until it is cancelled.
const endless = `SELECT count(*) FROM generate_series(1, 1000000) a, generate_series(1, 10000000) b WHERE a + b = 3`

const balance = `SELECT balance FROM customer WHERE id = 'c1'`

// The past in SQL; %s is the point.
const (
	pastFunction   = `SELECT balance FROM as_of.customer(%s) WHERE id = 'c1'`
	pastSystemTime = `SELECT balance FROM customer FOR SYSTEM_TIME AS OF %s WHERE id = 'c1'`
)

var point = os.Getenv("POINT")

var publicTables = []string{"customer", "product", "purchase", "sample"}

// sample is a row of the table of that name.
type sample struct {
	ID string
	I  *int64
	F  *float64
	B  *bool
	TS *time.Time
	D  *time.Time
	N  *string
	U  *string
	BT []byte
	J  *string
	S  *string
}

const selectSample = `SELECT id, i, f, b, ts, d, n::text, u::text, bt, j, s FROM sample ORDER BY id`

func (s *sample) fields() []any {
	return []any{&s.ID, &s.I, &s.F, &s.B, &s.TS, &s.D, &s.N, &s.U, &s.BT, &s.J, &s.S}
}

// samples are the rows full and none.
var samples = []sample{
	{
		ID: "full", I: new(int64(1<<63 - 1)), F: new(1.5), B: new(true),
		TS: new(time.Date(2026, 2, 10, 12, 0, 0, 123456000, time.UTC)), D: new(time.Date(2026, 2, 10, 0, 0, 0, 0, time.UTC)),
		N: new("12345678901234567890.123456789"), U: new("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
		BT: []byte{0xde, 0xad, 0xbe, 0xef, 0}, J: new(`{"k": [1, 2.5, null]}`), S: new("é€😀 \"\\'\n"),
	},
	{ID: "none"},
}

// equalSamples compares what is stored with samples, the row low left out.
func equalSamples(got []sample) error {
	if len(got) != 3 {
		return fmt.Errorf("got %d rows, want 3", len(got))
	}
	got = []sample{got[0], got[2]}
	for i := range got {
		for _, at := range []*time.Time{got[i].TS, got[i].D} {
			if at != nil {
				*at = at.UTC()
			}
		}
	}
	return equal(got, samples)
}

func about(client, module string) {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == module {
			tell(map[string]any{"client": client, "version": strings.TrimPrefix(m.Version, "v")})
		}
	}
}

// try runs a case and tells how it went.
func try(name string, f func() error) {
	line := map[string]any{"case": name, "ok": true}
	if err := f(); err != nil {
		line["ok"], line["detail"] = false, err.Error()
	}
	tell(line)
}

func tell(line map[string]any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // texts and booleans always have a form
	}
	fmt.Println(string(text))
}

func equal(got, want any) error {
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("got %s, want %s", inJSON(got), inJSON(want))
	}
	return nil
}

func inJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// fails wants an error with an SQLSTATE.
func fails(err error, state string) error {
	var withState interface{ SQLState() string }
	switch {
	case err == nil:
		return fmt.Errorf("no error, want %s", state)
	case !errors.As(err, &withState) || withState.SQLState() != state:
		return fmt.Errorf("got %w, want %s", err, state)
	}
	return nil
}
