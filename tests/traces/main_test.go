// Package traces replays sessions of real clients frame by frame. Each file of sessions/
// is one: what the client sent (F) and what PostgreSQL 15 answered (B), a frame a line,
// in JSON. The gateway gets the same frames and must answer with the same: types, names,
// formats, tags, SQLSTATEs, messages, positions and values. What is left out of both
// sides stands in normal_test.go; what may differ stands with its
// reason in known_test.go.
//
//	go test ./tests/traces                  # replays
//	make drivers
//	go test ./tests/traces -record          # records anew first, with clients/ against PostgreSQL
package traces

import (
	"flag"
	"os"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

var record = flag.Bool("record", false, "record the sessions anew against PostgreSQL")

var program string // the gateway

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testenv.Main("tests/traces", func(built, _ string) (int, error) {
		program = built
		return m.Run(), nil
	}))
}
