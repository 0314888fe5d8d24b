package wire

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/ontosql/ontosql/internal/testenv"
)

// certificate is self-signed for 127.0.0.1.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

func TestDirectTLS(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: Access{TLS: config}})
	for _, protocols := range [][]string{{alpnProtocol}, nil} {
		conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: pool, NextProtos: protocols})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write(packet(v3, "user\x00u\x00\x00")); err != nil {
			t.Fatal(err)
		}
		m, err := pgproto3.NewFrontend(conn, conn).Receive()
		if err != nil {
			t.Fatal(err)
		}
		want := "AuthenticationOk"
		if protocols == nil {
			want = "ErrorResponse FATAL 08P01: received direct SSL connection request without ALPN protocol negotiation extension"
		}
		if got := describeMessage(m); got != want {
			t.Errorf("ALPN %v: got %s, want %s", protocols, got, want)
		}
	}
}

// TestLongHandshake: a client's part of a handshake is as long as it needs to be, and no
// longer, however much of a ClientHello package crypto/tls would take.
func TestLongHandshake(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: Access{TLS: config}})
	for _, c := range []struct {
		names int // of protocols in the ClientHello, 100 bytes each
		ok    bool
	}{{0, true}, {60, true}, {120, false}, {600, false}} {
		protocols := []string{alpnProtocol}
		for i := range c.names {
			protocols = append(protocols, fmt.Sprintf("%099d", i))
		}
		for _, direct := range []bool{false, true} {
			socket := dial(t, addr)
			if !direct {
				requestTLS(t, socket)
			}
			err := tls.Client(socket, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: protocols}).Handshake()
			if c.ok != (err == nil) {
				t.Errorf("a ClientHello of %d00 bytes and more, direct %v: %v, want it taken: %v", c.names, direct, err, c.ok)
			}
		}
	}
}

// requestTLS sends SSLRequest and expects the answer S.
func requestTLS(t *testing.T, conn net.Conn) {
	t.Helper()
	if _, err := conn.Write(packet(sslRequestCode, "")); err != nil {
		t.Fatal(err)
	}
	var answer [1]byte
	if _, err := io.ReadFull(conn, answer[:]); err != nil || answer[0] != 'S' {
		t.Fatalf("SSLRequest: got %q, %v; want S", answer, err)
	}
}

// TestHalfOpenTLS: clients that stop within the TLS handshake, or send it a byte at a time, are
// disconnected when authentication_timeout ends. Until then other clients can log in.
func TestHalfOpenTLS(t *testing.T) {
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: passwords(t, config), StartupTimeout: 3 * time.Second})
	client := &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}}
	hello := clientHello(client)
	startup := packet(v3, "user\x00alice\x00\x00")
	over := map[string]chan struct{}{}
	for name, c := range map[string]struct {
		secured     bool // after a handshake
		first, drip []byte
	}{
		"SSLRequest":                                {first: packet(sslRequestCode, "")},
		"half a ClientHello":                        {first: append(packet(sslRequestCode, ""), hello[:len(hello)/2]...)},
		"half of one at once":                       {first: hello[:len(hello)/2]},
		"a ClientHello":                             {first: append(packet(sslRequestCode, ""), hello...)},
		"a ClientHello, drop by drop":               {first: packet(sslRequestCode, ""), drip: hello},
		"garbage instead of Finished, drop by drop": {first: hello, drip: append([]byte{23, 3, 3, 0x40, 0}, make([]byte, 1<<14)...)},
		"a handshake":                               {secured: true},
		"a startup packet, drop by drop":            {secured: true, drip: packet(v3, "user\x00"+strings.Repeat("u", 9_000)+"\x00\x00")},
		"half a SCRAM exchange":                     {secured: true, first: startup},
		"a proof, drop by drop":                     {secured: true, first: startup, drip: append([]byte{'p', 0, 0, 3, 232}, make([]byte, 996)...)},
	} {
		conn := dial(t, addr)
		if c.secured {
			requestTLS(t, conn)
			conn = tls.Client(conn, client)
		}
		if _, err := conn.Write(c.first); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		over[name] = ended
		go func() {
			defer close(ended)
			// The server's close may find bytes unread, and resets the connection.
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the connection was not closed", name)
			}
		}()
		go func() {
			for _, b := range c.drip {
				select {
				case <-ended:
					return
				case <-time.After(5 * time.Millisecond):
					_, _ = conn.Write([]byte{b}) // the end is seen by the reader
				}
			}
		}()
	}
	cfg, err := pgx.ParseConfig("postgres://alice@" + addr + "/db?sslmode=require")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Password = "sécret"
	conn, err := pgx.ConnectConfig(t.Context(), cfg)
	if err != nil {
		t.Fatalf("log in beside them: %v", err)
	}
	conn.Close(t.Context())
	for _, ended := range over {
		<-ended
	}
}

// clientHello is what a client says first.
func clientHello(config *tls.Config) []byte {
	here, there := net.Pipe()
	go func() { _ = tls.Client(here, config).Handshake() }()
	hello := make([]byte, 1<<14)
	n, _ := there.Read(hello)
	here.Close()
	return hello[:n]
}

// TestDeafTLS: a client that asks for much and reads nothing is hung up on at a shutdown,
// though the word that ends TLS has no room on its way either.
func TestDeafTLS(t *testing.T) {
	config, pool := certificate(t)
	server, addr := startServerWith(t, Options{Handler: newFake(), Access: Access{TLS: config}, DrainTime: 100 * time.Millisecond})
	conn := tls.Client(dial(t, addr), &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}})
	query := "select generate_series(1, 100000000)\x00" // a gigabyte
	for _, b := range [][]byte{packet(v3, "user\x00u\x00\x00"), append(binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(4+len(query))), query...)} {
		if _, err := conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.ReadFull(conn, make([]byte, 64<<10)); err != nil {
		t.Fatalf("read the first rows: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), testenv.Patience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

// TestTLSEndsWithAWord expects close_notify from a session that the client ended, one that was
// refused, and a CancelRequest. With TLS 1.2 the record type is visible on the socket.
func TestTLSEndsWithAWord(t *testing.T) {
	const alertRecord = 21
	config, pool := certificate(t)
	addr := startServer(t, Options{Handler: newFake(), Access: Access{TLS: config}})
	for name, send := range map[string][]byte{
		"Terminate":     append(packet(v3, "user\x00u\x00\x00"), 'X', 0, 0, 0, 4),
		"a bad startup": packet(2<<16, "user\x00u\x00\x00"),
		"CancelRequest": packet(cancelRequestCode, "\x00\x00\x00\x01\x00\x00\x00\x02"),
	} {
		socket := &overheard{Conn: dial(t, addr)}
		conn := tls.Client(socket, &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", NextProtos: []string{alpnProtocol}, MaxVersion: tls.VersionTLS12})
		if _, err := conn.Write(send); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(conn); err != nil {
			t.Fatalf("after %s reading ends with %v", name, err)
		}
		last := byte(0)
		for rest := socket.heard.Bytes(); len(rest) >= 5; {
			last = rest[0]
			rest = rest[min(len(rest), 5+(int(rest[3])<<8|int(rest[4]))):]
		}
		if last != alertRecord {
			t.Errorf("after %s the last record is of type %d, want an alert (%d)", name, last, alertRecord)
		}
	}
}

// overheard keeps what is read from a connection.
type overheard struct {
	net.Conn
	heard bytes.Buffer
}

func (o *overheard) Read(b []byte) (int, error) {
	n, err := o.Conn.Read(b)
	o.heard.Write(b[:n])
	return n, err
}
