package wire

import (
	"container/list"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Options configures a Server. Handler is required.
type Options struct {
	Handler Handler
	Access  Access // until SetAccess

	MaxConnections int           // sessions after login, 200 by default
	Reserved       int           // sessions of these that only superusers may have
	MaxHalfOpen    int           // connections that log in; as MaxConnections by default, and 200 at least
	StartupTimeout time.Duration // for TLS, startup packet and login together, 60 s by default
	MaxMessage     int           // bytes of one message, 256 MiB by default
	DrainTime      time.Duration // how long Shutdown waits for running statements, 10 s by default

	Logger *slog.Logger // slog.Default by default
	// LogConnections says that the log has a line for the begin and one for the end of each session.
	LogConnections bool
}

func (o Options) withDefaults() Options {
	if o.MaxConnections == 0 {
		o.MaxConnections = 200
	}
	if o.MaxHalfOpen == 0 {
		o.MaxHalfOpen = max(o.MaxConnections, 200)
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
	return o
}

// Server accepts connections and runs their sessions.
type Server struct {
	opts     Options
	access   atomic.Pointer[access]
	attempts attempts
	cancels  cancelRegistry
	watch    slowWatch
	blocks   sync.Pool // of *outputBlock

	failedLogins repeated
	pushedOut    repeated // half-open connections

	draining chan struct{} // closed when Shutdown begins
	drain    sync.Once
	conns    sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	halts     []context.CancelCauseFunc // cancel the sessions of each Serve
	listeners map[net.Listener]struct{}
	open      map[net.Conn]*place
	halfOpen  list.List // of *place, in the order of their arrival
	sessions  int

	sessionsOf map[string]int // by role
}

// New returns a server. Serve starts it.
func New(opts Options) *Server {
	s := &Server{
		opts:      opts.withDefaults(),
		draining:  make(chan struct{}),
		listeners: map[net.Listener]struct{}{},
		open:      map[net.Conn]*place{},

		sessionsOf: map[string]int{},
	}
	s.failedLogins = repeated{log: s.opts.Logger, message: "login failed", lines: 20}
	s.pushedOut = repeated{log: s.opts.Logger, message: "a half-open connection was pushed out", lines: 1}
	s.SetAccess(opts.Access)
	return s
}

// Serve accepts connections on ln until ctx ends or Shutdown is called; then it returns nil. Otherwise
// it returns an error. It closes ln. The sessions continue until Shutdown.
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
			// Errors such as too many open files are temporary, so the server continues.
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

// Shutdown stops accepting connections. It ends idle sessions with 57P01, and the other ones when their
// running statement ends. After DrainTime, or when ctx ends, it cancels the remaining statements with
// the cause ErrShutdown. It returns when every goroutine of the server has ended: nil, or the error of
// ctx if ctx ended first.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain.Do(func() {
		s.mu.Lock()
		s.closed = true
		for ln := range s.listeners {
			ln.Close()
		}
		for s.halfOpen.Len() > 0 {
			s.endLogin(s.halfOpen.Front().Value.(*place))
		}
		s.mu.Unlock()
		close(s.draining)
		s.watch.wakeAll()
	})
	ended := make(chan struct{})
	go func() { s.conns.Wait(); close(ended) }()
	defer s.failedLogins.flush()
	defer s.pushedOut.flush()
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

// endReasonTimeout is the timeout for sending the last message to a client that does not read.
const endReasonTimeout = 2 * time.Second

// halt cancels every running statement and every blocked read or write.
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
