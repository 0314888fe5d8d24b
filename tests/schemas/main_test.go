// Package schemas changes schemas as clients do, by statements, and judges what
// becomes of the store: in faults_test.go every request of every DDL statement
// breaks, in histories_test.go sessions mix DDL, DML and readings of the past at
// random, in continue_test.go DDL goes on where the original library changed
// schemas, and in badinput_test.go statements ask for what cannot be.
//
// ONTOSQL_TORTURE=10m breaks every request in every way and tries random histories
// for that long; ONTOSQL_SEED=n tries one history, the long form of it beside
// ONTOSQL_TORTURE.
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
