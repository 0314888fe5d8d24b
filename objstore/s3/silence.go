package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// errSilent ends an attempt whose server said nothing for the time limit.
var errSilent = errors.New("no answer within the request timeout")

// impatient is an HTTP client that gives up on a server that is silent for
// limit. A limit on the whole exchange would either cut large objects off or
// let a dead server hold a small request for minutes; the SDK's own limits
// know neither.
type impatient struct {
	inner aws.HTTPClient
	limit time.Duration
}

func (c *impatient) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &watch{
		timer: time.AfterFunc(c.limit, func() { cancel(errSilent) }),
		limit: c.limit,
		ctx:   ctx,
		stop:  func() { cancel(context.Canceled) },
	}
	req = req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = question{req.Body, w}
	}
	resp, err := c.inner.Do(req)
	w.answered.Store(true)
	w.timer.Stop()
	if err != nil {
		w.stop()
		return nil, w.explain(err)
	}
	resp.Body = answer{resp.Body, w}
	return resp, nil
}

// watch is the time limit of one attempt.
type watch struct {
	timer    *time.Timer
	limit    time.Duration
	ctx      context.Context // of the attempt
	stop     func()
	answered atomic.Bool
}

// explain names the time limit where it was what ended the attempt.
func (w *watch) explain(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), errSilent) {
		return errSilent
	}
	return err
}

// question is a body on its way to the server: while the server takes pieces
// of it, it is not silent.
type question struct {
	io.ReadCloser
	watch *watch
}

func (q question) Read(p []byte) (int, error) {
	if !q.watch.answered.Load() {
		q.watch.timer.Reset(q.watch.limit)
	}
	return q.ReadCloser.Read(p)
}

// answer is a body on its way from the server. The limit runs only while the
// caller waits for it, who may take all the time in the world between two
// reads. Closing it ends the attempt.
type answer struct {
	io.ReadCloser
	watch *watch
}

func (a answer) Read(p []byte) (int, error) {
	a.watch.timer.Reset(a.watch.limit)
	n, err := a.ReadCloser.Read(p)
	a.watch.timer.Stop()
	return n, a.watch.explain(err)
}

func (a answer) Close() error {
	err := a.ReadCloser.Close()
	a.watch.stop()
	return err
}
