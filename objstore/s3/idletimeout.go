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

// errIdle ends an attempt whose server said nothing for the time limit.
var errIdle = errors.New("no answer within the request timeout")

// idleTimeoutClient is an HTTP client that gives up on a server that is silent for
// limit. A limit on the whole exchange would either cut large objects off or
// let a dead server hold a small request for minutes; the SDK's own limits
// know neither.
type idleTimeoutClient struct {
	inner aws.HTTPClient
	limit time.Duration
}

func (c *idleTimeoutClient) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	w := &idleTimer{
		timer: time.AfterFunc(c.limit, func() { cancel(errIdle) }),
		limit: c.limit,
		ctx:   ctx,
		stop:  func() { cancel(context.Canceled) },
	}
	req = req.WithContext(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = requestBody{req.Body, w}
	}
	resp, err := c.inner.Do(req)
	w.responded.Store(true)
	w.timer.Stop()
	if err != nil {
		w.stop()
		return nil, w.explain(err)
	}
	resp.Body = responseBody{resp.Body, w}
	return resp, nil
}

// idleTimer is the time limit of one attempt.
type idleTimer struct {
	timer     *time.Timer
	limit     time.Duration
	ctx       context.Context // of the attempt
	stop      func()
	responded atomic.Bool
}

// explain names the time limit where it was what ended the attempt.
func (w *idleTimer) explain(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), errIdle) {
		return errIdle
	}
	return err
}

// requestBody is a body on its way to the server: while the server takes pieces
// of it, it is not silent.
type requestBody struct {
	io.ReadCloser
	watch *idleTimer
}

func (q requestBody) Read(p []byte) (int, error) {
	if !q.watch.responded.Load() {
		q.watch.timer.Reset(q.watch.limit)
	}
	return q.ReadCloser.Read(p)
}

// responseBody is a body on its way from the server. The limit runs only while the
// caller waits for it, who may take all the time in the world between two
// reads. Closing it ends the attempt.
type responseBody struct {
	io.ReadCloser
	watch *idleTimer
}

func (a responseBody) Read(p []byte) (int, error) {
	a.watch.timer.Reset(a.watch.limit)
	n, err := a.ReadCloser.Read(p)
	a.watch.timer.Stop()
	return n, a.watch.explain(err)
}

func (a responseBody) Close() error {
	err := a.ReadCloser.Close()
	a.watch.stop()
	return err
}
