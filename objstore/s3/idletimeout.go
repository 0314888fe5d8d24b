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

// errIdle ends an attempt when the server has sent nothing within the time limit.
var errIdle = errors.New("no answer within the request timeout")

// idleTimeoutClient is an HTTP client that ends an attempt when the server is idle for
// limit. A limit on the whole exchange would either interrupt large objects or let a
// dead server block a small request for minutes. The SDK has no idle timeout.
type idleTimeoutClient struct {
	inner aws.HTTPClient
	limit time.Duration
}

// copyLimit is the least time limit of a copy inside the store. Some servers answer only when
// all bytes are copied.
const copyLimit = 2 * time.Minute

func (c *idleTimeoutClient) Do(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	limit := c.limit
	if req.Header.Get("X-Amz-Copy-Source") != "" {
		limit = max(limit, copyLimit)
	}
	w := &idleTimer{
		timer: time.AfterFunc(limit, func() { cancel(errIdle) }),
		limit: limit,
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

// explain returns errIdle if the time limit ended the attempt, otherwise err.
func (w *idleTimer) explain(err error) error {
	if err != nil && !errors.Is(err, io.EOF) && errors.Is(context.Cause(w.ctx), errIdle) {
		return errIdle
	}
	return err
}

// requestBody restarts the timer whenever the server accepts a piece of the body.
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

// responseBody runs the timer only during Read, because the caller may pause between
// reads for any time. Close ends the attempt.
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
