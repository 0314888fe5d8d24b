package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/pgerr"
)

// TestCopyAfterCopy loads many rows, and continues after an error in the middle of a COPY,
// which the client receives while it still sends.
func TestCopyAfterCopy(t *testing.T) {
	conn := connect(t, startServer(t, Options{Handler: newFake()}), "").PgConn()
	var data strings.Builder
	for range 100_000 {
		data.WriteString("1\tone\n")
	}
	tag, err := conn.CopyFrom(t.Context(), strings.NewReader(data.String()), "copy t from stdin")
	if err != nil || tag.String() != "COPY 100000" {
		t.Errorf("COPY of 100,000 rows: %q, %v", tag, err)
	}
	_, err = conn.CopyFrom(t.Context(), strings.NewReader(data.String()+"x\n"+data.String()), "copy t from stdin")
	wantState(t, err, pgerr.InvalidTextRepresentation)
	if tag, err = conn.CopyFrom(t.Context(), strings.NewReader(""), "copy t from stdin"); err != nil || tag.String() != "COPY 0" {
		t.Errorf("COPY of nothing after an error: %q, %v", tag, err)
	}
}

// TestCancelReachesCopy cancels a COPY that waits for its client. The client's
// messages that follow belong to no statement.
func TestCancelReachesCopy(t *testing.T) {
	h := newFake()
	conn := connect(t, startServer(t, Options{Handler: h}), "")
	hold, release := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := conn.PgConn().CopyFrom(context.Background(), hold, "copy t from stdin")
		done <- err
	}()
	recv(t, h.running, "the COPY to run")
	if err := conn.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if cause := recv(t, h.causes, "the cause"); !errors.Is(cause, ErrCancelRequest) {
		t.Errorf("the COPY ended with %v, want ErrCancelRequest", cause)
	}
	_, _ = release.Write([]byte("1\tone\n"))
	release.Close()
	wantState(t, recv(t, done, "the COPY to end"), pgerr.QueryCanceled)
	if _, err := conn.Exec(t.Context(), "select generate_series(1, 1)", pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Errorf("after the cancel: %v", err)
	}
}

// TestCopyEndsWhenTheClientGoes takes the end of the connection for no end of the
// data.
func TestCopyEndsWhenTheClientGoes(t *testing.T) {
	for _, how := range []string{"close", "terminate"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			h := newFake()
			conn := dial(t, startServer(t, Options{Handler: h}))
			f := login(t, conn)
			f.Send(&pgproto3.Query{String: "copy t from stdin"})
			f.Send(&pgproto3.CopyData{Data: []byte("1\tone\n")})
			if how == "terminate" {
				f.Send(&pgproto3.Terminate{})
			}
			if err := f.Flush(); err != nil {
				t.Fatal(err)
			}
			recv(t, h.running, "the COPY to run")
			conn.Close()
			var e *pgerr.Error
			cause := recv(t, h.causes, "the COPY to end")
			if !errors.Is(cause, ErrClientGone) && (!errors.As(cause, &e) || e.Code != pgerr.ConnectionFailure && e.Code != pgerr.ProtocolViolation) {
				t.Errorf("the COPY ended with %v", cause)
			}
		})
	}
}
