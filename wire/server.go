package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/ontosql/ontosql/auth"
)

// Authenticator begins SCRAM-SHA-256 exchanges; *auth.Users is one.
type Authenticator interface {
	// Begin starts the exchange of the user of that name, by one of the endpoint's
	// mechanisms. An unknown user gets an exchange that fails as a wrong password does.
	Begin(user, mechanism string, endpoint auth.Endpoint) *auth.Exchange
}

// Options configures a Server. Handler is required.
type Options struct {
	Handler Handler
	Auth    Authenticator // nil trusts every client

	TLS        *tls.Config // nil answers SSLRequest with N; its first certificate is the one that clients see
	RequireTLS bool        // refuses plain sessions (28000)

	MaxConnections int           // sessions after login, 200 by default; as many again may be logging in
	StartupTimeout time.Duration // for TLS, startup packet and login together, 60 s by default
	MaxMessage     int           // bytes of one message, 256 MiB by default
	DrainTime      time.Duration // how long Shutdown lets running statements go on, 10 s by default

	Logger *slog.Logger // slog.Default by default
}

func (o Options) withDefaults() Options {
	if o.MaxConnections == 0 {
		o.MaxConnections = 200
	}
	if o.StartupTimeout == 0 {
		o.StartupTimeout = 60 * time.Second
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = 256 << 20
	}
	if o.DrainTime == 0 {
		o.DrainTime = 10 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.TLS != nil {
		o.TLS = o.TLS.Clone()
		// Direct TLS must negotiate this name (PostgreSQL manual, 55.2.10);
		// clients that offer none are still served after an SSLRequest.
		o.TLS.NextProtos = []string{alpnProtocol}
	}
	return o
}

// Server accepts connections and runs their sessions.
type Server struct {
	opts     Options
	endpoint auth.Endpoint // of the certificate that clients see, for channel binding
	cancels  cancelRegistry
	watch    slowWatch
	blocks   sync.Pool // of *outputBlock

	draining chan struct{} // closed when Shutdown begins
	drain    sync.Once
	conns    sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	halts     []context.CancelCauseFunc // end the sessions of each Serve
	listeners map[net.Listener]struct{}
	open      map[net.Conn]bool // true once logged in
	pending   int               // connections that have not logged in
	sessions  int
}

// New makes a server; Serve starts it.
func New(opts Options) *Server {
	return &Server{
		opts:      opts.withDefaults(),
		endpoint:  endpointOf(opts.TLS),
		draining:  make(chan struct{}),
		listeners: map[net.Listener]struct{}{},
		open:      map[net.Conn]bool{},
	}
}

func endpointOf(config *tls.Config) auth.Endpoint {
	if config == nil || len(config.Certificates) == 0 {
		return auth.Endpoint{}
	}
	leaf, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		return auth.Endpoint{} // whose handshakes fail
	}
	return auth.EndpointOf(leaf)
}

// Serve accepts connections on ln, which it closes, until ctx ends or Shutdown is called, and
// then returns nil; any other reason is an error. The sessions live on until Shutdown.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	sessions, halt := context.WithCancelCause(context.WithoutCancel(ctx))
	if !s.addListener(ln, halt) {
		halt(ErrShutdown)
		return ln.Close()
	}
	defer s.removeListener(ln)
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	for pause := time.Duration(0); ; {
		conn, err := ln.Accept()
		switch {
		case err == nil:
			pause = 0
			s.accept(sessions, conn)
		case ctx.Err() != nil || s.isClosed():
			return nil
		case errors.Is(err, net.ErrClosed):
			return err
		default:
			// Errors such as too many open files are temporary; the server must survive
			// them.
			pause = min(max(2*pause, 5*time.Millisecond), time.Second)
			s.opts.Logger.WarnContext(ctx, "accept failed", "error", err, "retry_in", pause)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			case <-s.draining:
			}
		}
	}
}

// Shutdown stops accepting, ends idle sessions with 57P01 at once and the others
// as soon as their running statement ends. Statements that still run after
// DrainTime, or when ctx ends, are ended with the cause ErrShutdown. It returns
// when every goroutine of the server has ended: nil, or the error of ctx if
// that ended first.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain.Do(func() {
		s.mu.Lock()
		s.closed = true
		for ln := range s.listeners {
			ln.Close()
		}
		for conn, loggedIn := range s.open {
			if !loggedIn {
				_ = conn.SetDeadline(time.Now())
			}
		}
		s.mu.Unlock()
		close(s.draining)
		s.watch.wakeAll()
	})
	ended := make(chan struct{})
	go func() { s.conns.Wait(); close(ended) }()
	patience := time.NewTimer(s.opts.DrainTime)
	defer patience.Stop()
	var err error
	select {
	case <-ended:
		return nil
	case <-patience.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.halt()
	<-ended
	return err
}

// endReasonTimeout bounds the time for the last message of a session to a client that does not read.
const endReasonTimeout = 2 * time.Second

// halt ends every running statement and every blocked read or write.
func (s *Server) halt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, halt := range s.halts {
		halt(ErrShutdown)
	}
	for conn := range s.open {
		_ = conn.SetDeadline(time.Now().Add(endReasonTimeout))
	}
}

func (s *Server) addListener(ln net.Listener, halt context.CancelCauseFunc) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.listeners[ln] = struct{}{}
	s.halts = append(s.halts, halt)
	return true
}

func (s *Server) removeListener(ln net.Listener) {
	ln.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, ln)
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
