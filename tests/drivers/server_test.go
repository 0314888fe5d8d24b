package drivers

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// password is that of the one user, ada. It has what connection strings must quote.
const password = `pa ss'wörd`

// store is a directory with what fill.sql makes; point is the commit at which the
// balance of customer c1 was still 10. It is 20 since.
type store struct{ dir, point string }

// keys are the files that let a client in: the server's certificate, which is its
// own authority, its key, and the file of users.
type keys struct{ cert, key, users string }

func fill(dir string) (store, error) {
	for _, step := range [][]string{{"init"}, {"sql", "-f", "fill.sql"}, {"sql", "-c", `UPDATE customer SET balance = 20 WHERE id = 'c1'`}} {
		if _, err := ontosql("", append(step, "--storage-uri", dir)...); err != nil {
			return store{}, err
		}
	}
	out, err := ontosql("", "sql", "--storage-uri", dir, "--format", "csv", "-c", `SELECT commit_id FROM history.customer WHERE balance = 10`)
	_, point, _ := strings.Cut(strings.TrimSpace(out), "\n")
	return store{dir, point}, err
}

// ontosql runs the program and returns what it prints.
func ontosql(stdin string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ontosql %s: %w\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

func makeKeys(dir string) (keys, error) {
	k := keys{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "users.txt")}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return k, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "localhost"},
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return k, err
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return k, err
	}
	// A PostgreSQL that is a client runs as another user and reads the certificate.
	if err := os.Chmod(dir, 0o711); err != nil {
		return k, err
	}
	if err := os.WriteFile(k.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644); err != nil {
		return k, err
	}
	if err := os.WriteFile(k.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600); err != nil {
		return k, err
	}
	_, err = ontosql(password, "user", "add", "ada", "--users", k.users)
	return k, err
}

// serve serves a copy of the shop to the end of the test, when its store must be
// whole, and returns the port.
func serve(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.CopyFS(dir, os.DirFS(shop.dir)); err != nil {
		t.Fatal(err)
	}
	gateway := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--storage-uri", dir,
		"--cache-dir", t.TempDir(), "--workspace-dir", t.TempDir(),
		"--auth", "scram", "--users", secrets.users, "--tls-cert", secrets.cert, "--tls-key", secrets.key)
	gateway.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var log bytes.Buffer
	gateway.Stderr = &log
	out, err := gateway.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = gateway.Process.Signal(syscall.SIGTERM)
		if err := gateway.Wait(); err != nil {
			t.Errorf("the gateway did not drain and exit 0: %v\n%s", err, log.String())
		}
		if strings.Contains(log.String(), "internal error") {
			t.Errorf("the gateway met an internal error:\n%s", log.String())
		}
		if _, err := ontosql("", "fsck", "--data", "--storage-uri", dir); err != nil {
			t.Errorf("after the client: %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the gateway said nothing: %s", log.String())
	}
	address, err := url.Parse(strings.TrimPrefix(lines.Text(), "ready "))
	if err != nil {
		t.Fatal(err)
	}
	return address.Port()
}

// environment tells a client's program, in libpq's words, where to go, and what it
// cannot know by itself.
func environment(port string) []string {
	return append(os.Environ(),
		"PGHOST=localhost", "PGPORT="+port, "PGDATABASE=onto", "PGUSER=ada", "PGPASSWORD="+password,
		"PGSSLMODE=verify-full", "PGSSLROOTCERT="+secrets.cert, "PGCONNECT_TIMEOUT=20", "PGAPPNAME=drivers",
		"POINT="+shop.point, "TOOLS="+tools, "NODE_PATH="+filepath.Join(tools, "node", "node_modules"), "TZ=UTC")
}
