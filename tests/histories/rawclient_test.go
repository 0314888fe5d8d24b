package histories

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// writerProcess is a writer process as the history sees it. Its methods are
// called by several clients at once, also while the process is killed and
// started again.
type writerProcess struct {
	participant
	config writerConfig
	log    string

	mu      sync.Mutex
	serial  int
	waiting map[int]chan reply // nil while there is no process
	pipe    *json.Encoder
}

func newWriterProcess(name, home string, config writerConfig) *writerProcess {
	w := &writerProcess{config: config, log: filepath.Join(home, name+".log")}
	w.config.Runtime = name
	w.name = name
	w.start = w.launch
	return w
}

// launch starts the process again. Each start has a new runtime id, as a new program has.
func (w *writerProcess) launch() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serial++
	config := w.config
	config.Runtime = fmt.Sprintf("%s-%d", w.name, w.serial)
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := launch(w.log, self, environ(filepath.Dir(w.log), writerVar+"="+string(text)))
	if err != nil {
		return err
	}
	w.waiting = map[int]chan reply{}
	w.pipe = json.NewEncoder(p.stdin)
	w.set(p)
	go w.listen(p, w.waiting)
	return nil
}

// listen hands out the replies of one process until it ends. Those who then
// still wait get none.
func (w *writerProcess) listen(p *process, waiting map[int]chan reply) {
	defer p.stdout.Close()
	lines := bufio.NewScanner(p.stdout)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var a reply
		if json.Unmarshal(lines.Bytes(), &a) != nil {
			continue // a line that the kill cut off
		}
		w.mu.Lock()
		if c := waiting[a.ID]; c != nil {
			delete(waiting, a.ID)
			c <- a
		}
		w.mu.Unlock()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, c := range waiting {
		delete(waiting, id)
		close(c)
	}
	if w.pipe != nil && w.process() == p {
		w.pipe = nil
	}
}

var (
	errNoProcess = errors.New("the process is not there")
	errNoAnswer  = errors.New("the process ended before it answered")
)

// ask sends one request and waits for its reply. errNoProcess: it was not sent.
func (w *writerProcess) ask(q request) (reply, error) {
	w.mu.Lock()
	if w.pipe == nil {
		w.mu.Unlock()
		return reply{}, errNoProcess
	}
	w.serial++
	q.ID = w.serial
	c := make(chan reply, 1)
	w.waiting[q.ID] = c
	err := w.pipe.Encode(q)
	w.mu.Unlock()
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	select {
	case a, ok := <-c:
		if !ok {
			return reply{}, errNoAnswer
		}
		return a, nil
	case <-time.After(testenv.Patience):
		return reply{}, fmt.Errorf("%w in %s", errNoAnswer, testenv.Patience)
	}
}

// close lets the process end by itself.
func (w *writerProcess) close() error {
	p := w.process()
	if err := p.stdin.Close(); err != nil {
		return err
	}
	code, err := p.wait()
	if err == nil && code != 0 {
		err = fmt.Errorf("exit code %d", code)
	}
	return err
}
