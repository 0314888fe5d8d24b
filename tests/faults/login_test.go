package faults

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestBeforeLogin sends what comes before a session, or what should not.
func TestBeforeLogin(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	witness := g.connect(t, "onto")
	startup := func(version uint32, pairs string) []byte {
		body := append(binary.BigEndian.AppendUint32(nil, version), pairs...)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
	}
	before := residentKiB(t, g)
	for _, test := range []struct {
		name  string
		bytes []byte
		code  string // "" is a close without a word, PostgreSQL's answer to what is no startup packet
	}{
		{"1 GiB announced", binary.BigEndian.AppendUint32(nil, 1<<30), ""},
		{"2 GiB announced and more", []byte{0xff, 0xff, 0xff, 0xff, 0, 3, 0, 0}, ""},
		{"10,005 bytes announced", binary.BigEndian.AppendUint32(nil, 10_005), ""},
		{"length 0", []byte{0, 0, 0, 0}, ""},
		{"length 7", []byte{0, 0, 0, 7, 0, 3, 0}, ""},
		{"protocol 2", startup(2<<16, "user\x00u\x00\x00"), "0A000"},
		{"protocol 4", startup(4<<16, "user\x00u\x00\x00"), "0A000"},
		{"no user", startup(3<<16, "database\x00onto\x00\x00"), "28000"},
		{"no terminator", startup(3<<16, "user\x00u\x00database\x00onto\x00"), "08P01"},
		{"a name without a value", startup(3<<16, "user\x00"), "08P01"},
		{"a user that is not UTF-8", startup(3<<16, "user\x00\xff\x00\x00"), "22021"},
		{"a database that is not UTF-8", startup(3<<16, "user\x00u\x00database\x00\xff\x00\x00"), "22021"},
		{"replication", startup(3<<16, "user\x00u\x00replication\x00database\x00\x00"), "0A000"},
		{"an HTTP request", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), ""},
		{"a cancel request for nobody", append([]byte{0, 0, 0, 16, 4, 210, 22, 46}, 1, 2, 3, 4, 5, 6, 7, 8), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := g.raw(t)
			r.write(t, test.bytes)
			e := r.untilClosed(t)
			switch {
			case test.code == "" && e != nil:
				t.Errorf("the gateway answers %s %s, want no answer", e.Code, e.Message)
			case test.code != "" && (e == nil || e.Code != test.code || e.Severity != "FATAL"):
				t.Errorf("the gateway answers %+v, want FATAL %s", e, test.code)
			}
		})
	}
	// A message length that is announced but never sent allocates no memory.
	for range 100 {
		g.raw(t).write(t, binary.BigEndian.AppendUint32(nil, 1<<30))
		g.raw(t).write(t, binary.BigEndian.AppendUint32(nil, 9_000))
	}
	witness.answers(t, `SELECT 1`, "1")
	if grown := residentKiB(t, g) - before; grown > 64<<10 {
		t.Errorf("200 connections that announced up to 1 GiB cost %d KiB of memory, want next to nothing", grown)
	}
}

// TestMemoryBeforeLogin: a connection that has not logged in costs 64 KiB at most,
// however far its client went before it fell silent.
func TestMemoryBeforeLogin(t *testing.T) {
	t.Parallel()
	const clients, most = 400, 64 // KiB each
	users := filepath.Join(t.TempDir(), "users")
	if err := os.WriteFile(users, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cert, key := certificate(t)
	// What handshakes leave behind is collected soon: it is no connection's.
	g := serve(t, []string{"GOGC=50"}, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--auth", "scram", "--users", users,
		"--tls-cert", cert, "--tls-key", key, "--max-connections", strconv.Itoa(clients))
	user := append(binary.BigEndian.AppendUint32(nil, 3<<16), "user\x00u\x00\x00"...)
	user = append(binary.BigEndian.AppendUint32(nil, uint32(len(user)+4)), user...)
	unended := append(binary.BigEndian.AppendUint32(nil, 10_004), make([]byte, 9_999)...)
	record := append([]byte{23, 3, 3, 0x41, 0}, make([]byte, 1<<14+255)...) // of TLS, without its last byte
	for _, c := range []struct {
		name string
		say  func(r *raw)
	}{
		{"nothing", func(*raw) {}},
		{"all but the end of a startup packet", func(r *raw) { r.write(t, unended) }},
		{"the promise of a proof", func(r *raw) { r.write(t, append(user, announced('p', 1_000)...)) }},
		{"that they want TLS", func(r *raw) { r.requestTLS(t) }},
		{"half a ClientHello", func(r *raw) {
			hello := clientHello()
			r.requestTLS(t)
			r.write(t, hello[:len(hello)/2])
		}},
		{"a ClientHello and nothing after it", func(r *raw) {
			r.requestTLS(t)
			r.write(t, clientHello())
			r.hear(t, 100)
		}},
		{"a ClientHello at once", func(r *raw) {
			r.write(t, clientHello())
			r.hear(t, 100)
		}},
		{"nothing after a handshake", func(r *raw) { r.secured(t, nil) }},
		{"nothing after a handshake of TLS 1.2", func(r *raw) { r.secured(t, &tls.Config{MaxVersion: tls.VersionTLS12}) }},
		{"all but the end of a startup packet, and of a record", func(r *raw) {
			r.secured(t, nil).write(t, unended)
			r.write(t, record)
		}},
		{"the promise of a proof, in a record without an end", func(r *raw) {
			secured := r.secured(t, nil)
			secured.write(t, user)
			secured.hear(t, 1)
			secured.write(t, announced('p', 1_000))
			r.write(t, record)
		}},
	} {
		before := residentKiB(t, g)
		var silent []*raw
		for range clients {
			r := g.raw(t)
			silent = append(silent, r)
			c.say(r)
		}
		// There is no room for one more. When it has pushed out the first, all have been taken.
		last := g.raw(t)
		_ = silent[0].SetDeadline(time.Now().Add(testenv.Patience))
		if _, err := io.Copy(io.Discard, silent[0].Conn); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("after %d clients that said %s one more does not push out the first", clients, c.name)
		}
		if grown := residentKiB(t, g) - before; grown > clients*most {
			t.Errorf("%d clients that said %s cost %d KiB, want %d at most", clients, c.name, grown, clients*most)
		}
		for _, r := range append(silent[1:], last) {
			r.leave(t)
		}
	}
}

// leave ends the connection and waits until the gateway has ended it too, which frees its place.
func (r *raw) leave(t *testing.T) {
	t.Helper()
	_ = r.SetDeadline(time.Now().Add(testenv.Patience))
	if err := r.Conn.(*net.TCPConn).CloseWrite(); err != nil && !errors.Is(err, syscall.ENOTCONN) {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("the gateway leaves the connection open")
	}
	r.Close()
}

// requestTLS sends SSLRequest and expects the answer S.
func (r *raw) requestTLS(t *testing.T) {
	t.Helper()
	r.write(t, []byte{0, 0, 0, 8, 4, 210, 22, 47})
	if answer := r.hear(t, 1); answer[0] != 'S' {
		t.Fatalf("a request for TLS is answered with %q, want S", answer)
	}
}

// secured is TLS over the connection, with settings of a test.
func (r *raw) secured(t *testing.T, config *tls.Config) *raw {
	t.Helper()
	if config == nil {
		config = &tls.Config{}
	}
	config.InsecureSkipVerify = true
	r.requestTLS(t)
	conn := tls.Client(r.Conn, config)
	if err := conn.Handshake(); err != nil {
		t.Fatal(err)
	}
	return &raw{conn, pgproto3.NewFrontend(conn, conn)}
}

// hear reads that many bytes.
func (r *raw) hear(t *testing.T, n int) []byte {
	t.Helper()
	heard := make([]byte, n)
	if _, err := io.ReadFull(r.Conn, heard); err != nil {
		t.Fatal(err)
	}
	return heard
}

// clientHello is what a client says first when it begins TLS at once.
func clientHello() []byte {
	here, there := net.Pipe()
	go func() {
		_ = tls.Client(here, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"postgresql"}}).Handshake()
	}()
	hello := make([]byte, 1<<14)
	n, _ := there.Read(hello)
	here.Close()
	return hello[:n]
}

// residentKiB is how much memory the process has.
func residentKiB(t *testing.T, g *gateway) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.cmd.Process.Pid))
	if err != nil {
		t.Skipf("no /proc to read the memory of a process from: %v", err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}
