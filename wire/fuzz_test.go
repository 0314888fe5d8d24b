package wire

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/charset"
)

func FuzzStartup(f *testing.F) {
	f.Add([]byte("\x00\x03\x00\x00user\x00u\x00\x00"))
	f.Add([]byte("\x00\x03\x00\x02user\x00u\x00options\x00-c a=b --c=d\\ \x00_pq_.x\x00\x00\x00"))
	f.Add([]byte("\x00\x02\x00\x00"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) < 4 {
			return
		}
		if p, err := parseStartup(body); err == nil && p.user == "" {
			t.Errorf("%q: accepted without a user", body)
		}
	})
}

// FuzzFrames reads frames as the inbox does and decodes them as sessions do.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("Q\x00\x00\x00\x05\x00"))
	f.Add([]byte("B\x00\x00\x00\x0f\x00\x00\x00\x00\x00\x01\xff\xff\xff\xfe\x00"))
	f.Add([]byte("P\x00\x00\x00\x08\x00\x00\x00\x00S\x00\x00\x00\x04E\x40\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bufio.NewReader(bytes.NewReader(stream))
		for {
			frame, err := readFrame(r, 1<<20)
			if cap(frame.body) > 2*len(stream)+frameStep {
				t.Fatalf("%d bytes allocated for a stream of %d", cap(frame.body), len(stream))
			}
			if err != nil {
				return
			}
			var m pgproto3.FrontendMessage
			switch frame.kind {
			case 'P':
				m = &pgproto3.Parse{}
			case 'B':
				bind := &pgproto3.Bind{}
				if decode(bind, frame.body) == nil {
					for _, name := range []string{"UTF8", "LATIN1", "WIN1252"} {
						_, encoding, _ := charset.Find(name)
						_, _ = readParams(*bind, []uint32{oidInt4, oidNumeric, 1231, oidJSONB}[:min(4, len(bind.Parameters))], encoding)
					}
				}
				continue
			case 'D':
				m = &pgproto3.Describe{}
			case 'E':
				m = &pgproto3.Execute{}
			case 'C':
				m = &pgproto3.Close{}
			default:
				continue
			}
			_ = decode(m, frame.body)
		}
	})
}

// FuzzSession sends a server what may come, before login and in a session. It answers or
// hangs up, and does not panic.
func FuzzSession(f *testing.F) {
	f.Add(true, []byte("Q\x00\x00\x00\x22select generate_series(1, 3)\x00X\x00\x00\x00\x04"))
	f.Add(true, []byte("P\x00\x00\x00\x29\x00select generate_series(1, 3)\x00\x00\x00B\x00\x00\x00\x0c\x00\x00\x00\x00\x00\x00\x00\x00E\x00\x00\x00\x09\x00\x00\x00\x00\x01S\x00\x00\x00\x04"))
	f.Add(true, []byte("Q\x00\x00\x00\x16copy t from stdin\x00d\x00\x00\x00\x091\ta\n2c\x00\x00\x00\x04"))
	f.Add(false, packet(sslRequestCode, ""))
	var panics strings.Builder
	srv := New(Options{Handler: newFake(), Logger: slog.New(slog.NewTextHandler(&panics, nil)), MaxMessage: 1 << 20})
	f.Fuzz(func(t *testing.T, loggedIn bool, stream []byte) {
		if bytes.Contains(stream, []byte("do panic")) || bytes.Contains(stream, []byte("pg_sleep")) || bytes.Contains(stream, []byte("do e")) {
			return // what the fake is asked for by tests
		}
		if loggedIn {
			stream = append(packet(v3, "user\x00u\x00\x00"), stream...)
		}
		client, server := net.Pipe()
		srv.accept(t.Context(), server)
		go func() {
			_, _ = client.Write(stream)
			_ = client.SetDeadline(time.Now().Add(time.Millisecond)) // the remaining answers may arrive
		}()
		_, _ = io.Copy(io.Discard, client)
		client.Close()
		srv.conns.Wait()
		if panics.Len() > 0 {
			t.Fatalf("%q: %s", stream, panics.String())
		}
	})
}

func FuzzBinaryParameter(f *testing.F) {
	for _, p := range pgTypes {
		f.Add(p.oid, []byte{0, 1, 0, 0, 0, 0, 0, 2, 0, 5})
		f.Add(p.array, []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 7})
	}
	f.Fuzz(func(t *testing.T, oid uint32, value []byte) {
		text, err := binaryToText(1, oid, value, nil)
		if err == nil && len(text) > 6000+1100*len(value) {
			t.Errorf("%d bytes became %d", len(value), len(text))
		}
	})
}
