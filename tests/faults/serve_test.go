package faults

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/internal/testenv"
)

// TestScram adds users and lets them in with psql and pgx, by the right
// password alone.
func TestScram(t *testing.T) {
	t.Parallel()
	users := filepath.Join(t.TempDir(), "users.txt")
	add := func(name, password string) outcome {
		return commandIn(t, t.TempDir(), password, nil, "user", "add", name, "--users", users)
	}
	add("ada", "first").check(t, 0)
	add("bob", "päss wörd\n").check(t, 0)
	add("ada", "correct horse\n").check(t, 0)
	add("eve", "").check(t, 2, "empty")
	body, err := os.ReadFile(users)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(body), "\n"); n != 2 || strings.Contains(string(body), "horse") || !strings.Contains(string(body), "ada:SCRAM-SHA-256$") {
		t.Errorf("the users file has %d lines, want a verifier each for ada and bob:\n%s", n, body)
	}
	if info, err := os.Stat(users); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the users file has mode %v (%v), want 0600", info.Mode(), err)
	}
	g := serve(t, nil, "--listen", "0.0.0.0:0", "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--auth", "scram", "--users", users)
	_, port, _ := net.SplitHostPort(g.address)
	login := func(user, password string) error {
		c, err := pgconn.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%s dbname=onto user=%s password='%s' sslmode=disable", port, user, password))
		if err != nil {
			return err
		}
		defer c.Close(t.Context())
		_, err = c.Exec(t.Context(), `SELECT current_user`).ReadAll()
		return err
	}
	for _, who := range [][2]string{{"ada", "correct horse"}, {"bob", "päss wörd"}} {
		if err := login(who[0], who[1]); err != nil {
			t.Errorf("login of %s with the right password: %v", who[0], err)
		}
	}
	for _, who := range [][2]string{{"ada", "first"}, {"ada", "wrong"}, {"ada", ""}, {"bob", "correct horse"}, {"nobody", "correct horse"}} {
		wantError(t, fmt.Sprintf("login of %s with %q", who[0], who[1]), login(who[0], who[1]), "28P01", `password authentication failed for user "`+who[0]+`"`)
	}
	// The answer to a wrong password comes before anything is said of databases.
	_, err = pgconn.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%s dbname=nosuch user=ada password=wrong sslmode=disable", port))
	wantError(t, "login with a wrong password to a database that is not there", err, "28P01")

	psql := testenv.Psql(t)
	for password, want := range map[string]string{"correct horse": "off\n", "wrong": "password authentication failed"} {
		cmd := exec.CommandContext(t.Context(), psql, "-X", "-A", "-t", "-w", "-c", "SHOW is_superuser",
			fmt.Sprintf("host=127.0.0.1 port=%s dbname=onto user=ada", port))
		cmd.Env = append(os.Environ(), "PGPASSWORD="+password, "PGSSLMODE=disable")
		if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), want) {
			t.Errorf("psql with the password %q prints %q, want %q", password, out, want)
		}
	}
	for _, secret := range []string{"correct horse", "SCRAM-SHA-256$"} {
		if strings.Contains(g.log.String(), secret) {
			t.Errorf("%q stands in the log:\n%s", secret, g.log)
		}
	}
	if err := os.Chmod(users, 0o644); err != nil {
		t.Fatal(err)
	}
	command(t, nil, "serve", "--listen", "127.0.0.1:0", "--storage-uri", demoDir, "--auth", "scram", "--users", users).check(t, 5, "0600")
	if err := os.WriteFile(users, []byte("ada:plain text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(users, 0o600); err != nil {
		t.Fatal(err)
	}
	got := command(t, nil, "serve", "--listen", "127.0.0.1:0", "--storage-uri", demoDir, "--auth", "scram", "--users", users)
	got.check(t, 5, "users.txt")
	if strings.Contains(got.stderr, "plain text") {
		t.Errorf("the error shows what stands in the users file: %s", got.stderr)
	}
}

// TestTrustSaid listens on every address without passwords only when it is
// said in so many words.
func TestTrustSaid(t *testing.T) {
	t.Parallel()
	serve(t, nil, "--listen", "0.0.0.0:0", "--auth", "trust", "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	serve(t, []string{"ONTOSQL_AUTH=trust"}, "--listen", "0.0.0.0:0", "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	serve(t, nil, "--listen", "localhost:0", "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
}

// TestTLS speaks it, after an SSLRequest and at once.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	g := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir, "--tls-cert", cert, "--tls-key", key)
	_, port, _ := net.SplitHostPort(g.address)
	for _, mode := range []string{"sslmode=verify-full sslrootcert=" + cert, "sslmode=require", "sslmode=verify-full sslnegotiation=direct sslrootcert=" + cert, "sslmode=disable"} {
		c, err := pgconn.Connect(t.Context(), "host=localhost port="+port+" dbname=onto user=tester "+mode)
		if err != nil {
			t.Errorf("connect with %s: %v", mode, err)
			continue
		}
		if _, err := c.Exec(t.Context(), demoTiers).ReadAll(); err != nil {
			t.Errorf("ask with %s: %v", mode, err)
		}
		c.Close(t.Context())
	}
	plain := serve(t, nil, "--cache-dir", t.TempDir(), "--storage-uri", demoDir)
	_, err := pgconn.Connect(t.Context(), "host=localhost port="+plain.address[strings.LastIndex(plain.address, ":")+1:]+" dbname=onto user=tester sslmode=require")
	if err == nil || !strings.Contains(err.Error(), "refused TLS") {
		t.Errorf("TLS with a gateway that has no certificate: %v, want it refused", err)
	}
	other, _ := certificate(t)
	command(t, nil, "serve", "--listen", "127.0.0.1:0", "--storage-uri", demoDir, "--tls-cert", other, "--tls-key", key).check(t, 5, "TLS certificate")
}

// certificate makes one for localhost.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// TestSettings fills flags from a file, the environment and the command line,
// the later the stronger, and shows where each came from.
func TestSettings(t *testing.T) {
	t.Parallel()
	s, other := newStore(t, 3), newStore(t, 5)
	cache := t.TempDir()
	where := t.TempDir()
	yaml := "storage-uri: " + s.dir + "\ncache-dir: " + cache + "\ns3-region: from-file\ncache-size: 1GiB\nmemory-limit: 512MiB\n"
	if err := os.WriteFile(filepath.Join(where, "ontosql.yaml"), []byte(yaml), 0o644); err != nil {
		t.Fatal(err)
	}
	ask := func(env []string, more ...string) outcome {
		args := append([]string{"sql", "--format", "csv"}, more...)
		return commandIn(t, where, "", env, append(args, "-c",
			`SELECT head_commit_id FROM ontosql.storage_info; SELECT name, value, source FROM ontosql.settings WHERE name IN ('s3_region', 'cache_size') ORDER BY name`)...)
	}
	ask(nil).check(t, 0, "\n3\n", "cache_size,1GiB,file", "s3_region,from-file,file")
	ask([]string{"ONTOSQL_S3_REGION=from-env"}).check(t, 0, "\n3\n", "s3_region,from-env,environment")
	ask([]string{"ONTOLOGIA_S3_REGION=from-theirs"}).check(t, 0, "s3_region,from-theirs,environment")
	ask([]string{"ONTOLOGIA_S3_REGION=from-theirs", "ONTOSQL_S3_REGION=from-env"}).check(t, 0, "s3_region,from-env,environment")
	ask([]string{"ONTOSQL_S3_REGION=from-env"}, "--s3-region", "from-flag").check(t, 0, "s3_region,from-flag,flag")
	ask([]string{"ONTOLOGIA_STORAGE_URI=" + other.dir}).check(t, 0, "\n5\n")
	ask([]string{"ONTOSQL_STORAGE_URI=" + other.dir}, "--storage-uri", s.dir).check(t, 0, "\n3\n")
	ask([]string{"ONTOSQL_CACHE_SIZE=huge"}).check(t, 2, "huge")
	ask([]string{"ONTOSQL_S3_LEASE_TTL_MS=soon"}).check(t, 2, "ONTOSQL_S3_LEASE_TTL_MS")

	g := serve(t, []string{"ONTOSQL_STORAGE_URI=" + other.dir, "ONTOSQL_NAME=sales", "ONTOSQL_MAX_CONNECTIONS=1"}, "--cache-dir", cache)
	c := g.connect(t, "sales")
	c.answers(t, `SELECT count(*) FROM customer`, "4")
	_, err := g.dial(t, "sales")
	wantError(t, "a second connection of one", err, "53300")

	bad := filepath.Join(where, "bad.yaml")
	for text, says := range map[string]string{
		"storage-uri: [a: b": "bad.yaml", "- a\n- b\n": "bad.yaml", "cache-size: {a: b}": "cache-size", "s3-lease-ttl-ms: soon": "s3-lease-ttl-ms",
		"storage-url: x\n": "storage-url",
	} {
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		ask(nil, "--config", bad).check(t, 2, says)
	}
}

// TestSecretsStayHidden searches every output of the gateway for credentials.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	const key, secret = "AKIASECRETSTAYHIDDEN", wrongSecret
	env := []string{"AWS_ACCESS_KEY_ID=" + key, "AWS_SECRET_ACCESS_KEY=" + secret, "AWS_SESSION_TOKEN=" + secret}
	down := "http://" + closedPort(t)
	g := serve(t, env, "--cache-dir", t.TempDir(), "--storage-uri", "s3://bucket/p", "--s3-endpoint-url", down)
	c := g.connect(t, "onto")
	e := c.refuses(t, query, "58030")
	if e != nil && (strings.Contains(describe(e), key) || strings.Contains(describe(e), secret)) {
		t.Errorf("the error shows credentials: %s", describe(e))
	}
	for _, args := range [][]string{
		{"info", "--storage-uri", "s3://bucket/p", "--s3-endpoint-url", down},
		{"info", "--storage-uri", "s3://" + key + ":" + secret + "@bucket/p"},
		{"info", "--storage-uri", "s3://bucket/p", "--s3-endpoint-url", "http://" + key + ":" + secret + "@localhost:1"},
		{"serve", "--db", "a=s3://" + key + ":" + secret + "@bucket/p"},
	} {
		got := command(t, env, args...) // looks for the secret itself
		if got.code == 0 || strings.Contains(got.stdout+got.stderr, key) {
			t.Errorf("ontosql %q: exit code %d, and the access key stands in\n%s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	if strings.Contains(g.log.String(), key) {
		t.Errorf("the access key stands in the log:\n%s", g.log)
	}
}
