package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
)

func TestMaxConnections(t *testing.T) {
	addr := startServer(t, Options{Handler: newFake(), MaxConnections: 2})
	connect(t, addr, "")
	connect(t, addr, "")
	dial(t, addr) // connections that have not logged in do not count
	_, err := pgx.Connect(t.Context(), "postgres://alice@"+addr+"/db?sslmode=disable")
	wantState(t, err, pgerr.TooManyConnections)
}

// slowListener accepts connections whose Close closes them and then does not return before
// finish is closed.
type slowListener struct {
	net.Listener
	finish chan struct{}
}

func (l slowListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	return slowConn{conn, l.finish}, err
}

type slowConn struct {
	net.Conn
	finish chan struct{}
}

func (c slowConn) Close() error {
	err := c.Conn.Close()
	<-c.finish
	return err
}

// TestPlaceIsFreeAtTheEndOfAConnection: a client that has seen the end of its connection can
// connect again, however little of the server has run since.
func TestPlaceIsFreeAtTheEndOfAConnection(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*testing.T, net.Conn)
	}{
		{"before login", func(t *testing.T, c net.Conn) {
			if err := c.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
		}},
		{"after what is no startup packet", func(t *testing.T, c net.Conn) {
			if _, err := c.Write([]byte("GET / ")); err != nil {
				t.Fatal(err)
			}
		}},
		{"of a session", func(t *testing.T, c net.Conn) {
			f := login(t, c)
			f.Send(&pgproto3.Terminate{})
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			slow := slowListener{ln, make(chan struct{})}
			startServerOn(t, Options{Handler: newFake(), MaxConnections: 1}, slow)
			t.Cleanup(func() { close(slow.finish) })
			conn := dial(t, ln.Addr().String())
			c.end(t, conn)
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Fatal("the connection does not end")
			}
			login(t, dial(t, ln.Addr().String()))
		})
	}
}
