package faults

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// writeFile writes a file that only its owner reads, and returns its path.
func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// usersFile has ada with the password "first", and the superuser boss with "second".
func usersFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users.txt")
	commandIn(t, t.TempDir(), "first", nil, "user", "add", "ada", "--users", path).check(t, 0)
	commandIn(t, t.TempDir(), "second", nil, "user", "add", "boss", "--superuser", "--users", path).check(t, 0)
	return path
}

// enters logs in, from an address of the loopback network, and leaves again.
func (g *gateway) enters(t *testing.T, from, settings string) error {
	t.Helper()
	host, port, _ := net.SplitHostPort(g.address)
	cfg, err := pgconn.ParseConfig(fmt.Sprintf("host=%s port=%s dbname=onto sslmode=disable %s", host, port, settings))
	if err != nil {
		t.Fatal(err)
	}
	cfg.DialFunc = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext
	c, err := pgconn.ConnectConfig(t.Context(), cfg)
	if err != nil {
		return err
	}
	defer c.Close(context.Background())
	_, err = c.Exec(t.Context(), `SELECT 1`).ReadAll()
	return err
}

// startupOf is the startup packet of a user.
func startupOf(user string) []byte {
	body := append(binary.BigEndian.AppendUint32(nil, 3<<16), "user\x00"+user+"\x00database\x00onto\x00\x00"...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)
}

// TestHalfOpenFloods: however many connections stop before they have logged in, the next login
// takes less than a second.
func TestHalfOpenFloods(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--auth", "scram", "--users", usersFile(t))
	if err := g.enters(t, "127.0.0.1", "user=ada password=first"); err != nil {
		t.Fatal(err)
	}
	for _, flood := range []int{200, 5000} {
		for i := range flood {
			conn, err := net.Dial("tcp", g.address)
			if err != nil {
				t.Fatalf("half-open connection %d: %v", i, err)
			}
			defer conn.Close()
			if i%2 == 0 {
				_, _ = conn.Write(startupOf("ada")) // it may have been pushed out
			}
		}
		start := time.Now()
		err := g.enters(t, "127.0.0.1", "user=ada password=first")
		if took := time.Since(start); err != nil || took > time.Second {
			t.Errorf("beside %d half-open connections a login takes %v (%v), want less than a second", flood, took, err)
		}
	}
	if n := strings.Count(g.log.String(), "a half-open connection was pushed out"); n == 0 || n > 20 {
		t.Errorf("%d lines of the log tell of 5,000 connections, want some", n)
	}
}

// TestGuesses: who guesses passwords waits longer and longer; nobody else does.
func TestGuesses(t *testing.T) {
	t.Parallel()
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--auth", "scram", "--users", usersFile(t))
	guess := func(i int) error {
		return g.enters(t, "127.0.0.1", fmt.Sprintf("user=ada password=guess%d", i))
	}
	start := time.Now()
	for i := range 5 {
		wantError(t, "a guess", guess(i), "28P01")
	}
	if took := time.Since(start); took < 750*time.Millisecond {
		t.Errorf("five guesses take %v, want a growing delay", took)
	}
	guesses := make(chan error, 50)
	for i := range cap(guesses) {
		go func() { guesses <- guess(i) }()
	}
	start = time.Now()
	err := g.enters(t, "127.0.0.2", "user=ada password=first")
	if took := time.Since(start); err != nil || took > time.Second {
		t.Errorf("a login from another address takes %v (%v) beside 50 guesses, want less than a second", took, err)
	}
	for range cap(guesses) {
		wantError(t, "one of many guesses", <-guesses, "28P01")
	}
	log := g.log.String()
	if strings.Contains(log, "guess") || strings.Contains(log, "SCRAM-SHA-256$") || !strings.Contains(log, "login failed") {
		t.Errorf("the log has a password, or nothing of failed logins:\n%s", log)
	}
	if n := strings.Count(log, "login failed"); n > 45 {
		t.Errorf("%d lines of the log tell of 55 failed logins, want some to be counted only", n)
	}
}

// TestTrustForOne: a superuser comes in by trust on the loopback address, and nobody else does.
func TestTrustForOne(t *testing.T) {
	t.Parallel()
	hba := writeFile(t, filepath.Join(t.TempDir(), "hba"), "host all boss 127.0.0.1/32 trust\nhost all ada 127.0.0.0/8 scram-sha-256\n")
	g := serve(t, nil, "--listen", "0.0.0.0:0", "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--hba", hba, "--users", usersFile(t))
	_, port, _ := net.SplitHostPort(g.address)
	g.address = "127.0.0.1:" + port
	for _, c := range []struct{ from, settings, code string }{
		{"127.0.0.1", "user=boss", ""},
		{"127.0.0.2", "user=boss password=second", "28000"},
		{"127.0.0.1", "user=ada", "28P01"},
		{"127.0.0.2", "user=ada password=first", ""},
		{"127.0.0.1", "user=postgres", "28000"},
		{"127.0.0.1", "user=ontosql", "28000"},
	} {
		err := g.enters(t, c.from, c.settings)
		if c.code != "" {
			wantError(t, c.settings+" from "+c.from, err, c.code)
		} else if err != nil {
			t.Errorf("%s from %s: %v", c.settings, c.from, err)
		}
	}
}

// TestReload: a SIGHUP brings new rules, users and certificates, all of them or none.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hba, users := writeFile(t, filepath.Join(dir, "hba"), "host all ada all scram-sha-256\n"), usersFile(t)
	cert, key := certificate(t)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--hba", hba, "--users", users, "--tls-cert", cert, "--tls-key", key)
	stays := g.connect(t, "onto", "user=ada", "password=first")
	reload := func(says ...string) {
		t.Helper()
		before := len(g.log.String())
		g.signal(t, syscall.SIGHUP)
		waitFor(t, fmt.Sprintf("%q in the log", says), func() bool {
			for _, text := range says {
				if !strings.Contains(g.log.String()[before:], text) {
					return false
				}
			}
			return true
		})
	}
	commandIn(t, dir, "other", nil, "user", "add", "ada", "--users", users).check(t, 0)
	writeFile(t, hba, "hostssl all ada all scram-sha-256\n")
	newCert, newKey := certificate(t)
	for from, to := range map[string]string{newCert: cert, newKey: key} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, to, string(text))
	}
	reload("file="+hba, "file="+users, "file="+cert, "file="+key)
	wantError(t, "without TLS", g.enters(t, "127.0.0.1", "user=ada password=other"), "28000", "no pg_hba.conf entry", "no encryption")
	_, port, _ := net.SplitHostPort(g.address)
	secured := func(password string) error {
		c, err := pgconn.Connect(t.Context(), fmt.Sprintf("host=localhost port=%s dbname=onto user=ada password=%s sslmode=verify-full sslrootcert=%s", port, password, newCert))
		if err == nil {
			c.Close(t.Context())
		}
		return err
	}
	wantError(t, "the former password", secured("first"), "28P01")
	if err := secured("other"); err != nil {
		t.Errorf("the new password and certificate: %v", err)
	}
	// What is damaged changes nothing, nor what stands beside it.
	good, _ := os.ReadFile(key)
	for path, text := range map[string]string{hba: "host all all all trust\nhost all all all md5\n", key: "no key"} {
		was, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if path == key {
			writeFile(t, hba, "host all all all reject\n")
		}
		writeFile(t, path, text)
		reload("reload failed")
		if err := secured("other"); err != nil {
			t.Errorf("after a damaged %s: %v", path, err)
		}
		writeFile(t, path, string(was))
	}
	if !strings.Contains(g.log.String(), hba+`:2: authentication method \"md5\" is not supported`) {
		t.Errorf("the log does not say which line is wrong:\n%s", g.log)
	}
	if strings.Contains(g.log.String(), string(good)) {
		t.Error("the key stands in the log")
	}
	stays.answers(t, `SELECT 1`, "1")
}

// TestBadAccess: what cannot be meant is an error at the start, with its line.
func TestBadAccess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string { return writeFile(t, filepath.Join(dir, name), text) }
	md5 := file("md5", "# rules\nhost all all all md5\n")
	local := file("local", "local all all trust\n")
	password := file("password", "host all all all scram-sha-256\n")
	cert := file("cert", "hostssl all all all cert map=people\n")
	maps := file("maps", "people ada\n")
	others := file("others", "others ada ada\n")
	pem, key := certificate(t)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--hba " + md5, 5, md5 + `:2: authentication method "md5" is not supported`},
		{"--hba " + local, 5, local + ":1: local connections are not supported"},
		{"--hba " + password, 5, "scram-sha-256 needs --users"},
		{"--hba " + filepath.Join(dir, "none"), 5, "no such file"},
		{"--hba " + cert, 5, `map "people" is not in a file of --ident`},
		{"--hba " + cert + " --ident " + others, 5, `map "people" is not in a file of --ident`},
		{"--hba " + cert + " --ident " + maps, 5, maps + ":1: missing entry at end of line"},
		{"--hba " + password + " --auth scram", 2, "--auth cannot be given too"},
		{"--ident " + maps, 2, "--hba"},
		{"--auth cert", 2, "--tls-client-ca"},
		{"--auth ldap", 2, "want trust, scram or cert"},
		{"--tls-client-ca " + pem, 2, "--tls-cert"},
		{"--tls-client-ca " + key + " --tls-cert " + pem + " --tls-key " + key, 5, "no certificate"},
		{"--max-connections 3 --hba " + password, 2, "reserved for superusers"},
	} {
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--storage-uri", demoDir}, strings.Fields(c.args)...)
		command(t, nil, args...).check(t, c.code, c.says)
	}
}

// TestClientCertificates: psql comes in by a certificate, as the user that it names, and by no other.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	psql := testenv.Psql(t)
	cert, key := certificate(t)
	ca := newClientCA(t)
	dir := t.TempDir()
	hba := writeFile(t, filepath.Join(dir, "hba"), "hostssl all guest all cert map=guests\nhostssl all all all cert\n")
	ident := writeFile(t, filepath.Join(dir, "ident"), `guests /^(.*)@example\.org$ guest`+"\n")
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--hba", hba, "--ident", ident, "--tls-cert", cert, "--tls-key", key, "--tls-client-ca", ca.path)
	_, port, _ := net.SplitHostPort(g.address)
	enter := func(user, options string) string {
		cmd := exec.CommandContext(t.Context(), psql, "-X", "-A", "-t", "-w", "-c", "SELECT current_user",
			fmt.Sprintf("host=127.0.0.1 port=%s dbname=onto user=%s %s", port, user, options))
		out, _ := cmd.CombinedOutput()
		return strings.TrimSpace(string(out))
	}
	ada, visitor := ca.issue(t, "ada"), ca.issue(t, "vic@example.org")
	stranger := newClientCA(t).issue(t, "ada")
	for _, c := range []struct{ user, options, want string }{
		{"ada", "sslmode=require " + ada, "ada"},
		{"guest", "sslmode=require " + visitor, "guest"},
		{"bob", "sslmode=require " + ada, `certificate authentication failed for user "bob"`},
		{"guest", "sslmode=require " + ada, `certificate authentication failed for user "guest"`},
		{"ada", "sslmode=require " + stranger, "unknown ca"},
		{"ada", "sslmode=require sslcert=none sslkey=none", "connection requires a valid client certificate"},
		{"ada", "sslmode=disable", `no pg_hba.conf entry for host "127.0.0.1", user "ada", database "onto", no encryption`},
	} {
		if got := enter(c.user, c.options); !strings.Contains(got, c.want) {
			t.Errorf("%s with %s: got %q, want %q", c.user, c.options, got, c.want)
		}
	}
}

// clientCA signs certificates of clients.
type clientCA struct {
	path string
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newClientCA(t *testing.T) *clientCA {
	t.Helper()
	ca := &clientCA{cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}}
	var err error
	if ca.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, ca.cert, ca.cert, ca.key.Public(), ca.key)
	if err != nil {
		t.Fatal(err)
	}
	ca.path = writeFile(t, filepath.Join(t.TempDir(), "ca.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	return ca
}

// issue makes a certificate for a name and returns the connection options that use it.
func (ca *clientCA) issue(t *testing.T, name string) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, ca.cert, key.Public(), ca.key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert := writeFile(t, filepath.Join(dir, "client.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	private := writeFile(t, filepath.Join(dir, "client.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))
	return "sslcert=" + cert + " sslkey=" + private
}
