// Package webhook handles events by an HTTP request for each. The event is the body; an answer with a
// status of 200 to 299 says that it is done.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/eventbus/worker"
)

// Headers of the request, in addition to Content-Type.
const (
	// SignatureHeader has "sha256=" and the hexadecimal HMAC-SHA-256 of the body, if there is a secret.
	SignatureHeader = "Ontosql-Signature"
	// EventHeader has the id of the event, which is the same each time it is sent.
	EventHeader = "Ontosql-Event-Id"
)

// DefaultTimeout is how long the other side may take to answer.
const DefaultTimeout = 10 * time.Second

// Options configures a Handler.
type Options struct {
	URL     string
	Secret  []byte        // none if empty
	Timeout time.Duration // of a whole request; DefaultTimeout if 0
}

// Handler sends a request for each event.
type Handler struct {
	o      Options
	client http.Client
}

var _ worker.Handler = (*Handler)(nil)

// ErrURL: the URL is none of HTTP.
var ErrURL = errors.New("want a URL with http:// or https:// and a host")

// New returns a Handler. The error is ErrURL.
func New(o Options) (*Handler, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, ErrURL
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	return &Handler{o: o, client: http.Client{
		Timeout: o.Timeout,
		// What is signed for one place is not for another.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// StatusError is an answer that does not say that the event is done.
type StatusError struct {
	Code int
	Body string // the beginning of its first line
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the webhook answered %d %s", e.Code, http.StatusText(e.Code))
	if e.Body != "" {
		text += ": " + e.Body
	}
	return text
}

// Sign is the value of SignatureHeader.
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Handle implements worker.Handler. An answer with another status is a *StatusError.
func (h *Handler) Handle(ctx context.Context, d *eventbus.Delivery) ([]eventbus.New, error) {
	body, err := worker.Text(d)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.o.URL, bytes.NewReader(body))
	if err != nil {
		return nil, withoutURL(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "ontosql")
	request.Header.Set(EventHeader, d.ID)
	if len(h.o.Secret) > 0 {
		request.Header.Set(SignatureHeader, Sign(h.o.Secret, body))
	}
	answer, err := h.client.Do(request)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 200 && answer.StatusCode <= 299 {
		return nil, nil
	}
	const most = 512
	said, _ := io.ReadAll(io.LimitReader(answer.Body, most)) // what there is of it
	line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n")
	return nil, &StatusError{Code: answer.StatusCode, Body: strings.TrimSpace(line)}
}

// withoutURL takes the URL, in which there may be a token, out of an error.
func withoutURL(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		if at.Timeout() {
			return fmt.Errorf("the webhook did not answer in time: %w", at.Err)
		}
		return fmt.Errorf("call the webhook: %w", at.Err)
	}
	return err
}
