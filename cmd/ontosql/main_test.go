package main

import (
	"os"
	"testing"
)

// asProgram makes the test binary the program itself, for tests that kill it.
const asProgram = "ONTOSQL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}
