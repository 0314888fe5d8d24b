package histories

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/dir"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/writepath"
)

// writerVar makes a process of this test binary a writer; it holds a
// writerConfig.
const writerVar = "ONTOSQL_HISTORIES_WRITER"

// writerConfig is the configuration that a writer process receives at its start.
type writerConfig struct {
	Dir      string        `json:"dir,omitempty"` // the store; else
	Bucket   string        `json:"bucket,omitempty"`
	Endpoint string        `json:"endpoint,omitempty"`
	Runtime  string        `json:"runtime"`
	Lease    time.Duration `json:"lease"`
	Wait     time.Duration `json:"wait"`     // for the lock of another
	Skew     time.Duration `json:"skew"`     // of its clock
	Original bool          `json:"original"` // it behaves as the original does
}

func (c *writerConfig) open(ctx context.Context) (objstore.Bucket, error) {
	if c.Dir != "" {
		return dir.Open(c.Dir, dir.Options{})
	}
	return s3.Open(ctx, s3.Options{Bucket: c.Bucket, Endpoint: c.Endpoint, RequestTimeout: requestTimeout})
}

// requestTimeout is how long everybody waits for S3. Some requests are delayed
// for longer, and reach the store after their sender gave up.
const requestTimeout = time.Second

// request is a line on the stdin of a writer process, reply one on its stdout.
type request struct {
	ID   int        `json:"id"`
	Read []identity `json:"read,omitempty"` // at the head
	Tag  string     `json:"tag,omitempty"`  // of a write
	Pin  int64      `json:"pin,omitempty"`
	Rows []row      `json:"rows,omitempty"`
}

type reply struct {
	ID      int     `json:"id"`
	Outcome outcome `json:"outcome"`
	Error   string  `json:"error,omitempty"`
	Odd     bool    `json:"odd,omitempty"`
	Head    int64   `json:"head,omitempty"`
	Seen    []sight `json:"seen,omitempty"`
	Commit  int64   `json:"commit,omitempty"`
	Attempt string  `json:"attempt,omitempty"`
	Clash   *clash  `json:"clash,omitempty"`
	Doubt   string  `json:"doubt,omitempty"`
}

// writer is what a writer process is.
type writer struct {
	committer *writepath.Committer
	original  *originalWriter // instead

	mu    sync.Mutex // guards state
	state *replay

	out sync.Mutex
}

// writerMain is the main function of a writer process. It ends when its stdin
// does.
func writerMain(text string) int {
	if err := write(text); err != nil {
		fmt.Fprintln(os.Stderr, "writer:", err)
		return 1
	}
	return 0
}

func write(text string) error {
	var config writerConfig
	if err := json.Unmarshal([]byte(text), &config); err != nil {
		return err
	}
	ctx := context.Background()
	bucket, err := config.open(ctx)
	if err != nil {
		return err
	}
	w := &writer{state: newReplay(bucket)}
	now := func() time.Time { return time.Now().Add(config.Skew) }
	if config.Original {
		w.original = newOriginalWriter(bucket, &config, now)
	} else {
		w.committer = writepath.Open(writepath.Options{
			Bucket: bucket, RuntimeID: config.Runtime, LeaseTTL: config.Lease, LockTimeout: config.Wait, Now: now,
			Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		})
	}
	var wg sync.WaitGroup
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return err
		}
		wg.Go(func() { w.answer(w.do(ctx, &q)) })
	}
	wg.Wait()
	if w.committer == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return w.committer.Close(ctx)
}

func (w *writer) answer(a reply) {
	line, err := json.Marshal(a)
	if err != nil {
		panic(err) // of our own types
	}
	w.out.Lock()
	defer w.out.Unlock()
	_, _ = os.Stdout.Write(append(line, '\n'))
}

func (w *writer) do(ctx context.Context, q *request) reply {
	a := reply{ID: q.ID}
	var err error
	switch {
	case len(q.Rows) == 0:
		err = w.read(ctx, q, &a)
	case w.original != nil:
		err = w.original.write(ctx, w, q, &a)
	default:
		err = w.commit(ctx, q, &a)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// read is the newest version of some identities. The head is read after the
// question came, so the answer is never older than the question.
func (w *writer) read(ctx context.Context, q *request, a *reply) error {
	a.Outcome = failed
	w.mu.Lock()
	defer w.mu.Unlock()
	head, err := w.state.follow(ctx)
	if err != nil {
		var broken *brokenError
		var corrupt *ontosql.CorruptError
		a.Odd = errors.As(err, &broken) || errors.As(err, &corrupt)
		return err
	}
	a.Outcome, a.Head = answered, head
	for _, id := range q.Read {
		a.Seen = append(a.Seen, sight{id, w.state.at(id, head)})
	}
	return nil
}

func (w *writer) commit(ctx context.Context, q *request, a *reply) error {
	out, err := w.committer.Commit(ctx, transaction(q.Pin, q.Tag, q.Rows))
	a.Commit, a.Attempt = int64(out.Commit), out.Attempt
	var theirs *writepath.ConflictError
	var held *writepath.LeaseHeldError
	var schema *writepath.SchemaChangedError
	var lost *writepath.UnknownOutcomeError
	switch {
	case err == nil:
		a.Outcome = committed
	case errors.As(err, &theirs):
		a.Outcome = conflict
		a.Clash = &clash{identity{theirs.Type.Name, theirs.Key}, int64(theirs.Expected), int64(theirs.Actual)}
	case errors.As(err, &lost):
		a.Outcome, a.Attempt, a.Doubt = unknown, lost.Attempt, lost.Text()
	default: // what PROTOCOL.md promises of every other error
		a.Outcome = failed
		a.Odd = errors.As(err, &schema) || !errors.As(err, &held) && !errors.Is(err, writepath.ErrLeaseLost) &&
			!errors.Is(err, ontosql.ErrHeadMoved) && !errors.Is(err, objstore.ErrUnreachable)
	}
	return err
}
