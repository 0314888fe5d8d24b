package histories

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// gateway is a running "ontosql serve", started again after each kill with the
// same cache.
type gateway struct {
	participant
	log    string
	args   []string
	maxAge time.Duration // of the head that it reads

	mu      sync.Mutex
	address string // host:port; "" while the gateway is stopped
}

func newGateway(name, home, cache string, maxAge time.Duration, p *place) *gateway {
	g := &gateway{log: filepath.Join(home, name+".log"), maxAge: maxAge}
	g.args = append([]string{
		"serve", "--listen", "127.0.0.1:0", "--cache-dir", cache,
		"--runtime-id", name, "--s3-lease-ttl-ms", fmt.Sprint(lease.Milliseconds()), "--s3-lock-timeout-ms", fmt.Sprint(lockWait.Milliseconds()),
		"--head-max-age", maxAge.String(),
	}, p.flags...)
	g.name = name
	g.start = g.launch
	return g
}

func (g *gateway) launch() error {
	g.moved("")
	p, err := launch(g.log, program, environ(filepath.Dir(g.log)), g.args...)
	if err != nil {
		return err
	}
	defer p.stdout.Close()
	_ = p.stdout.SetReadDeadline(time.Now().Add(testenv.Patience))
	line, err := bufio.NewReader(p.stdout).ReadString('\n')
	where, ok := strings.CutPrefix(strings.TrimSpace(line), "ready postgres://")
	if err != nil || !ok {
		p.kill()
		text, _ := os.ReadFile(g.log)
		return fmt.Errorf("%s said %q (%w), want a line that begins with ready; its log:\n%s", g.name, line, err, text)
	}
	address, _, _ := strings.Cut(where, "/")
	g.set(p)
	g.moved(address)
	return nil
}

func (g *gateway) moved(address string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.address = address
}

func (g *gateway) where() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.address
}

// close ends it as an operator does.
func (g *gateway) close() error {
	p := g.process()
	p.signal(syscall.SIGTERM)
	code, err := p.wait()
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d after SIGTERM", code)
	}
	return err
}
