package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// gateway is ontosql as a process of its own.
type gateway struct {
	cmd *exec.Cmd
	dsn string
}

// serve starts the program on a free port with the given flags, and returns when clients can
// connect. Its workspace is empty. Sessions have the result cache off, so that each statement is computed. The caller
// stops it.
func (l *lab) serve(ctx context.Context, flags ...string) (*gateway, error) {
	workspace, err := l.newDir("workspace")
	if err != nil {
		return nil, err
	}
	flags = append([]string{"serve", "--listen", "127.0.0.1:0", "--max-connections", "1100", "--workspace-dir", workspace}, flags...)
	cmd, line, err := started(exec.CommandContext(ctx, l.binary, flags...))
	if err != nil {
		return nil, err
	}
	dsn := strings.TrimPrefix(line, "ready ")
	dsn = strings.Replace(dsn, "postgres://", "postgres://bench@", 1) + "?sslmode=disable&options=-c%20ontosql.result_cache%3Doff"
	return &gateway{cmd: cmd, dsn: dsn}, nil
}

// started starts a server and returns it with the line that it prints when it listens.
// The caller waits for it.
func started(cmd *exec.Cmd) (*exec.Cmd, string, error) {
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, "", errors.Join(fmt.Errorf("%s did not start: %w", cmd, err), cmd.Wait())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return cmd, strings.TrimSpace(line), nil
}

// prepared is a statement of a connection of its own. The caller closes its client.
func (g *gateway) prepared(ctx context.Context, sql string) (*statement, error) {
	return g.preparedBy(ctx, dial, sql)
}

// preparedBy is prepared for a client that dial connects.
func (g *gateway) preparedBy(ctx context.Context, dial func(context.Context, string) (*client, error), sql string) (*statement, error) {
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return nil, err
	}
	st, err := c.prepare(sql, formatBinary)
	if err != nil {
		c.close()
	}
	return st, err
}

func (g *gateway) stop() {
	_ = g.cmd.Process.Signal(os.Interrupt)
	_ = g.cmd.Wait()
}

// cacheSize has room for the mirror of the largest history.
const cacheSize = "100GiB"

// ontosql serves the history from a directory, with every type mirrored.
func (l *lab) ontosql(ctx context.Context) (*gateway, error) {
	if l.server != nil {
		return l.server, nil
	}
	store, err := l.history(ctx)
	if err != nil {
		return nil, err
	}
	if l.cacheDir == "" {
		if l.cacheDir, err = l.newDir("cache"); err != nil {
			return nil, err
		}
	}
	g, err := l.serve(ctx, "--storage-uri", store, "--cache-dir", l.cacheDir, "--cache-size", cacheSize)
	if err != nil {
		return nil, err
	}
	l.server = g
	began := time.Now()
	if err := g.mirrored(ctx, "customer", "product", "subscription"); err != nil {
		return nil, err
	}
	l.tell("ontosql has a mirror of the history after %s", toldTime(began))
	return g, nil
}

// stopServer ends the gateway of the history; its cache is kept for the next.
func (l *lab) stopServer() {
	if l.server != nil {
		l.server.stop()
		l.server = nil
	}
}

// patience is how long a mirror may take to be built.
const patience = 10 * time.Minute

// mirrored waits until the tables are fed, and the mirror has written them to its file.
func (g *gateway) mirrored(ctx context.Context, tables ...string) error {
	if err := g.fed(ctx, tables...); err != nil {
		return err
	}
	return g.written(ctx)
}

// written waits until the mirror builds nothing any more.
func (g *gateway) written(ctx context.Context) error {
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return err
	}
	defer c.close()
	for began := time.Now(); ; {
		rows, err := c.query("SELECT count(*) FROM ontosql.mirror WHERE state IN ('building', 'compacting', 'dropping')")
		if err != nil || rows[0][0] == "0" {
			return err
		}
		if time.Since(began) > patience {
			return fmt.Errorf("the mirror is still being written after %s", patience)
		}
		if err := moment(ctx); err != nil {
			return err
		}
	}
}

// moment is before something is looked for again of which nothing tells when it is done.
func moment(ctx context.Context) error {
	select {
	case <-time.After(20 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// looked asks once where a statement reads from, for which a gateway looks at its store
// for the first time. It begins no mirror: the second such statement does.
func (g *gateway) looked(ctx context.Context, table string) error {
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return err
	}
	defer c.close()
	_, err = c.query("EXPLAIN SELECT * FROM " + table)
	return err
}

// fed waits until the tables are read from the mirror alone, complete up to the head.
// Asking where a statement reads from is what makes it be built.
func (g *gateway) fed(ctx context.Context, tables ...string) error {
	c, err := dial(ctx, g.dsn)
	if err != nil {
		return err
	}
	defer c.close()
	cache, err := c.query("SHOW ontosql.result_cache")
	if err != nil {
		return err
	}
	if cache[0][0] != "off" {
		return fmt.Errorf("the result cache is %s", cache[0][0])
	}
	for _, table := range tables {
		began := time.Now()
		for {
			rows, err := c.query("EXPLAIN SELECT * FROM " + table)
			if err != nil {
				return err
			}
			plan := planText(rows)
			if _, rest, ok := strings.Cut(plan, "Pin: commit "); ok && (strings.Contains(plan, ", 0 read") || strings.Contains(plan, "Rows: 0 in the window")) {
				head, _, _ := strings.Cut(rest, "\n")
				if strings.Contains(plan, "Mirror: through commit "+head+"\n") {
					break
				}
			}
			if time.Since(began) > patience {
				return fmt.Errorf("%s is not read from the mirror alone after %s:\n%s", table, patience, plan)
			}
			if err := moment(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

func planText(rows [][]string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r[0] + "\n")
	}
	return b.String()
}

// memory is the resident memory of the process now and at its peak, in MiB.
func (g *gateway) memory() (now, peak float64, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(raw)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			now = kib / 1024
		case "VmHWM":
			peak = kib / 1024
		}
	}
	return now, peak, nil
}

// memoryAtRest is the resident memory when the process has been idle long enough to have given its
// garbage back, in MiB.
func (g *gateway) memoryAtRest(ctx context.Context) (float64, error) {
	select {
	case <-time.After(15 * time.Second):
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	now, _, err := g.memory()
	return now, err
}

// forgetPeak resets the peak of resident memory (proc(5), clear_refs).
func (g *gateway) forgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", g.cmd.Process.Pid), []byte("5"), 0)
}
