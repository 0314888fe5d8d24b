package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
)

// TestRestoreDrill loses a store under load while a copy follows it, at a random moment of both, and
// serves the copy: nothing that was acknowledged before its last commit is missing, and clients go on
// with it.
func TestRestoreDrill(t *testing.T) {
	at := testenv.S3(t)
	inDirectory := newDirStore
	onS3 := func(ctx context.Context) (*store, error) { return newS3Store(ctx, at) }
	for _, c := range []struct {
		name     string
		from, to func(context.Context) (*store, error)
	}{
		{"directory to directory", inDirectory, inDirectory},
		{"directory to S3", inDirectory, onS3},
		{"S3 to directory", onS3, inDirectory},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			seed := seedOf(t)
			if err := drill(t.Context(), t, rand.New(rand.NewPCG(seed, 1)), c.from, c.to); err != nil {
				t.Errorf("%s=%d: %v", seedVar, seed, err)
			}
		})
	}
}

func drill(ctx context.Context, t *testing.T, r *rand.Rand, newFrom, newTo func(context.Context) (*store, error)) error {
	from, err := newFrom(ctx)
	if err != nil {
		return err
	}
	defer from.remove(t)
	to, err := newTo(ctx)
	if err != nil {
		return err
	}
	defer to.remove(t)
	if err := empty(ctx, to.bucket); err != nil {
		return err
	}
	w := newWorld(from, r, newFigures())
	v, err := serve(from, calm, lockTimeout)
	if err != nil {
		return err
	}
	defer func() { v.kill() }()
	if err := w.probe(ctx, v); err != nil {
		return err
	}
	copying, err := startCopy(from, to)
	if err != nil {
		return err
	}
	defer copying.kill()
	cs, err := load(ctx, v, w.ledger, r, 4)
	if err != nil {
		return err
	}
	// The copy has followed some of the load when both are lost.
	err = copying.reach(ctx, to.bucket, 20)
	time.Sleep(time.Duration(r.Int64N(int64(2 * time.Second))))
	copying.kill()
	v.kill()
	if err := errors.Join(err, cs.done()); err != nil {
		return fmt.Errorf("%w; the copy's log:\n%s", err, copying.log)
	}
	source, err := w.acknowledged(ctx)
	if err != nil {
		return fmt.Errorf("the source: %w", err)
	}
	if err := empty(ctx, from.bucket); err != nil {
		return err
	}
	return w.restored(ctx, to, source)
}

// acknowledged is what the source shows, with all that clients were told.
func (w *world) acknowledged(ctx context.Context) (*sight, error) {
	v, err := serve(w.store, lease, lockTimeout)
	if err != nil {
		return nil, err
	}
	defer v.kill()
	if _, err := w.compare(ctx, v, false); err != nil {
		return nil, err
	}
	conn, err := v.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	return look(ctx, conn, 0)
}

// restored holds a copy against its source, up to the copy's last commit, and writes to it.
func (w *world) restored(ctx context.Context, to *store, source *sight) error {
	if err := to.healthy(ctx, false); err != nil {
		return err
	}
	v, err := serve(to, calm, lockTimeout)
	if err != nil {
		return err
	}
	defer v.kill()
	conn, err := v.connect(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w; the server's log:\n%s", err, v.log)
	}
	defer conn.Close(ctx)
	restored, err := look(ctx, conn, 0)
	if err != nil {
		return err
	}
	if err := restored.dense(0); err != nil {
		return err
	}
	if restored.head < 20 || restored.head > source.head {
		return fmt.Errorf("the copy is at commit %d, the source was at %d", restored.head, source.head)
	}
	for id := int64(1); id <= restored.head; id++ {
		if !slices.Equal(restored.rows[id], source.rows[id]) {
			return fmt.Errorf("commit %d of the copy has the rows %q, that of the source %q", id, restored.rows[id], source.rows[id])
		}
	}
	if err := w.probe(ctx, v); err != nil {
		return err
	}
	if err := v.terminate(); err != nil {
		return err
	}
	return to.healthy(ctx, true)
}

// empty removes all objects of a bucket.
func empty(ctx context.Context, b objstore.Bucket) error {
	var keys []string
	err := b.List(ctx, "", func(o objstore.Object) error {
		keys = append(keys, o.Key)
		return nil
	})
	for _, key := range keys {
		err = errors.Join(err, b.Delete(ctx, key))
	}
	return err
}

// copying is a running "ontosql copy --follow".
type copying struct {
	cmd *exec.Cmd
	log *testenv.Output
}

func startCopy(from, to *store) (*copying, error) {
	args := []string{"copy", from.args[1], to.args[1], "--follow", "--cache-dir", to.cache}
	args = append(append(args, from.args[2:]...), to.args[2:]...) // the endpoint of one of them
	c := &copying{exec.Command(program, args...), &testenv.Output{}}
	c.cmd.Stdout, c.cmd.Stderr = c.log, c.log
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return c, c.cmd.Start()
}

// reach waits until the copy has a commit.
func (c *copying) reach(ctx context.Context, b objstore.Bucket, commit int64) error {
	for began := time.Now(); time.Since(began) < patience; time.Sleep(50 * time.Millisecond) {
		body, _, err := b.Get(ctx, format.HeadKey)
		if errors.Is(err, objstore.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		head, err := format.DecodeHead(format.HeadKey, body)
		if err != nil {
			return err
		}
		if int64(head.CommitID) >= commit {
			return nil
		}
	}
	return fmt.Errorf("the copy does not reach commit %d; its log:\n%s", commit, c.log)
}

func (c *copying) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}
