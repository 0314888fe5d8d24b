package wire

import (
	"context"
	"log/slog"
	"net"
	"testing"

	"github.com/ontosql/ontosql/internal/testenv"
)

// startServer runs a server until the end of the test, which fails if anything
// of it is left.
func startServer(t testing.TB, opts Options) (addr string) {
	t.Helper()
	_, addr = startServerWith(t, opts)
	return addr
}

func startServerWith(t testing.TB, opts Options) (*Server, string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return startServerOn(t, opts, ln), ln.Addr().String()
}

func startServerOn(t testing.TB, opts Options, ln net.Listener) *Server {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s := New(opts)
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background(), ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testenv.Patience)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}
