// Package schemas changes schemas by statements, as clients do, and checks the resulting store:
// in faults_test.go every request of every DDL statement breaks, in histories_test.go sessions
// mix DDL, DML and reads of the past at random, in continue_test.go DDL continues stores whose
// schemas the original library changed, and badinput_test.go holds invalid statements.
//
// ONTOSQL_TORTURE=10m breaks every request in every way and runs random histories for that
// long; ONTOSQL_SEED=n runs one history, in its long form if ONTOSQL_TORTURE is set.
package schemas

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// torture is how long the long form takes; 0 for the bounded one.
var torture time.Duration

func TestMain(m *testing.M) {
	if text := os.Getenv("ONTOSQL_TORTURE"); text != "" {
		var err error
		if torture, err = time.ParseDuration(text); err != nil {
			fmt.Fprintln(os.Stderr, "ONTOSQL_TORTURE:", err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
