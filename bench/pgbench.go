package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// pgbenched is a turn of PostgreSQL's own instrument, which executes a prepared statement
// over and over, on so many connections. It makes one sample: the time shared out among
// the statements, where the time of a single one of many connections tells rather which
// of them the system lets run. Unlike a client in Go it takes no processor from the
// servers while it waits.
func (l *lab) pgbenched(ctx context.Context, dsn, sql string, connections int) (func(lap int) ([]time.Duration, error), error) {
	pgbench, err := testenv.PostgresProgram("pgbench")
	if err != nil {
		return nil, err
	}
	dir, err := l.newDir("pgbench")
	if err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "script.sql")
	if err := os.WriteFile(script, []byte(sql+";\n"), 0o600); err != nil {
		return nil, err
	}
	each := max(10, l.size.questions(pgbenchTurn)/connections)
	return func(int) ([]time.Duration, error) {
		out, err := exec.CommandContext(ctx, pgbench, "--no-vacuum", "--protocol=prepared", "--file="+script,
			"--client="+strconv.Itoa(connections), "--transactions="+strconv.Itoa(each), dsn).CombinedOutput()
		rate := pgbenchRate.FindSubmatch(out)
		if err != nil || rate == nil {
			return nil, fmt.Errorf("pgbench: %w\n%s", err, out)
		}
		perSecond, err := strconv.ParseFloat(string(rate[1]), 64)
		if err != nil {
			return nil, err
		}
		return []time.Duration{time.Duration(float64(time.Second) / perSecond)}, nil
	}, nil
}

// pgbenchTurn is how many statements pgbench executes in a turn.
const pgbenchTurn = 10000

var pgbenchRate = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)
