package main

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// slowly is a connection whose writes return late, as those of a busy machine do.
type slowly struct{ net.Conn }

func (c slowly) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	time.Sleep(100 * time.Millisecond)
	return n, err
}

// TestDialLosesNoAnswer connects so slowly that the driver reads in the background during its
// write.
func TestDialLosesNoAnswer(t *testing.T) {
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	go func() {
		wire := pgproto3.NewBackend(there, there)
		if _, err := wire.ReceiveStartupMessage(); err != nil {
			return
		}
		wire.Send(&pgproto3.AuthenticationOk{})
		for {
			wire.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
			if wire.Flush() != nil {
				return
			}
			if _, err := wire.Receive(); err != nil {
				return
			}
		}
	}()
	config, err := pgconn.ParseConfig("postgres://bench@127.0.0.1/bench?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	config.DialFunc = func(context.Context, string, string) (net.Conn, error) { return slowly{here}, nil }
	c, err := connect(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	_ = here.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.exchange(nil, &pgproto3.Sync{}); err != nil {
		t.Error(err)
	}
}
