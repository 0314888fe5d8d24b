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
)

// gatewayProcess is ontosql as a process of its own.
type gatewayProcess struct {
	cmd *exec.Cmd
	dsn string
}

// startGateway serves on a free port, with what else the flags say, and returns
// when clients can connect. The caller stops it.
func startGateway(ctx context.Context, binary string, flags ...string) (*gatewayProcess, error) {
	cmd := exec.CommandContext(ctx, binary, append([]string{"serve", "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the gateway did not start: %w", err), cmd.Wait())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	dsn := strings.TrimSpace(strings.TrimPrefix(line, "ready "))
	return &gatewayProcess{cmd: cmd, dsn: strings.Replace(dsn, "postgres://", "postgres://bench@", 1) + "?sslmode=disable"}, nil
}

func (g *gatewayProcess) stop() {
	_ = g.cmd.Process.Signal(os.Interrupt)
	_ = g.cmd.Wait()
}

// memory is the resident memory of the process now and at its peak, in bytes.
func (g *gatewayProcess) memory() (now, peak int64) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(raw)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "VmRSS":
			now = kib << 10
		case "VmHWM":
			peak = kib << 10
		}
	}
	return now, peak
}
