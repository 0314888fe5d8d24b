// Package histories lets several processes write to one store at once, at
// random and under faults, and judges what they were told: several gateways
// over the PostgreSQL protocol, writers that use the commit protocol directly,
// and a writer of the original's behaviour, while processes are killed and
// stopped, clocks differ, and the network to the store drops, delays and doubles
// requests. docs/consistency.md says what must hold; linear_test.go, model_test.go
// and promises_test.go check it, and judge_test.go and judgewrite_test.go show
// that they can find fault.
//
// Every history is made from a seed, which a failure prints. ONTOSQL_TORTURE=1h
// tries seed after seed for that long; ONTOSQL_SEED=n tries one.
package histories

import (
	"os"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// program is "ontosql", built by TestMain.
var program string

func TestMain(m *testing.M) {
	if config, ok := os.LookupEnv(writerVar); ok {
		os.Exit(writerMain(config))
	}
	os.Exit(testenv.Main("tests/histories", func(built, _ string) (int, error) {
		program = built
		return m.Run(), nil
	}))
}
