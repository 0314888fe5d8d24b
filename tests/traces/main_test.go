// Package traces replays sessions of real clients frame by frame. Each file of sessions/
// is one session: the frames of the client (F) and of PostgreSQL 15 (B), a frame a line,
// in JSON. The gateway gets the same frames and must answer with the same: types, names,
// formats, tags, SQLSTATEs, messages, positions and values. normal_test.go lists what is
// left out of both sides; known_test.go lists the accepted differences with their reasons.
//
//	go test ./tests/traces                  # replays
//	make drivers
//	go test ./tests/traces -record          # first records again, with clients/ against PostgreSQL
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
