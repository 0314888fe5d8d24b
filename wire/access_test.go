package wire

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/hba"
	"github.com/ontosql/ontosql/auth/roles"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/pgerr"
)

// fixedUsers are roles without passwords.
type fixedUsers struct{ all *roles.Roles }

func (u fixedUsers) Begin(string, string, auth.Endpoint) *auth.Exchange { panic("no password") }
func (u fixedUsers) Refresh(context.Context)                            {}
func (u fixedUsers) Roles() *roles.Roles                                { return u.all }

// usersOf are ada, who is of the staff and may have one session, bob, the superuser boss, and the
// group staff.
func usersOf() fixedUsers {
	all := roles.Initial()
	for _, name := range []string{"ada", "bob", "boss", "staff"} {
		r := roles.New(name)
		r.Login, r.Superuser = name != "staff", name == "boss"
		if name == "ada" {
			r.ConnectionLimit = 1
		}
		all = all.With(r)
	}
	return fixedUsers{all.Granted(roles.Membership{Role: "staff", Member: "ada"})}
}

// journal is a log that tests read.
type journal struct{ testenv.Output }

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// has waits for a line with all these words.
func (j *journal) has(t *testing.T, words ...string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for _, line := range strings.Split(j.String(), "\n") {
			all := true
			for _, w := range words {
				all = all && strings.Contains(line, w)
			}
			if all {
				return
			}
		}
	}
	t.Errorf("no line of the log has %q:\n%s", words, j)
}

// enter tries to log in and returns "in" or what the server says.
func enter(t *testing.T, addr, options string, config *tls.Config) string {
	t.Helper()
	cfg, err := pgx.ParseConfig("postgres://" + addr + "/db?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	user, rest, _ := strings.Cut(options, " ")
	cfg.User, cfg.Password = user, "sécret"
	if rest != "" {
		cfg.Database = rest
	}
	cfg.TLSConfig = config
	conn, err := pgx.ConnectConfig(t.Context(), cfg)
	var e *pgconn.PgError
	switch {
	case err == nil:
		conn.Close(context.Background())
		return "in"
	case errors.As(err, &e):
		return e.Severity + " " + e.Code + ": " + e.Message
	}
	return err.Error()
}

// authority signs certificates of clients.
type authority struct {
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	a.cert = a.sign(t, template, template, &a.key.PublicKey)
	return a
}

func (a *authority) sign(t *testing.T, template, parent *x509.Certificate, key *ecdsa.PublicKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// client is a certificate for a name that ends then.
func (a *authority) client(t *testing.T, name string, end time.Time) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := a.sign(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: end,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, a.cert, &key.PublicKey)
	return &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}}}
}

// mutual is a server's TLS that takes certificates of the authority.
func (a *authority) mutual(t *testing.T) *tls.Config {
	t.Helper()
	config, _ := certificate(t)
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	config.ClientCAs.AddCert(a.cert)
	return config
}

// TestRules: the first line that fits decides, and what it says is said as PostgreSQL says it.
func TestRules(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	later := time.Now().Add(time.Hour)
	bare := &tls.Config{InsecureSkipVerify: true}
	maps, err := hba.ParseMaps("pg_ident.conf", `people /^(.*)@example\.org$ \1`)
	if err != nil {
		t.Fatal(err)
	}
	var log journal
	addr := startServer(t, Options{Handler: newFake(), Logger: log.logger(), Access: Access{
		Rules: rules(t, `
			host      all    boss    127.0.0.1/32 trust
			host      closed all     all          reject
			host      own    +staff  127.0.0.0/8  trust
			hostssl   mapped all     all          cert map=people
			hostssl   db     all     all          cert
			hostnossl plain  nobody  0.0.0.0/0    trust`),
		Maps: maps, Users: usersOf(), TLS: ca.mutual(t),
	}})
	no := func(what, user, database, encryption string) string {
		return fmt.Sprintf(`FATAL 28000: %s for host "127.0.0.1", user %q, database %q, %s`, what, user, database, encryption)
	}
	for _, c := range []struct {
		who  string // user and database
		tls  *tls.Config
		want string
	}{
		{"boss db", nil, "in"},
		{"ada own", nil, "in"},
		{"bob own", nil, no("no pg_hba.conf entry", "bob", "own", "no encryption")},
		{"bob own", bare, no("no pg_hba.conf entry", "bob", "own", "SSL encryption")},
		{"ada closed", nil, no("pg_hba.conf rejects connection", "ada", "closed", "no encryption")},
		{"ada closed@v1", nil, no("pg_hba.conf rejects connection", "ada", "closed@v1", "no encryption")},
		{"ada db", nil, no("no pg_hba.conf entry", "ada", "db", "no encryption")},
		{"ada db", bare, "FATAL 28000: connection requires a valid client certificate"},
		{"ada db", ca.client(t, "ada", later), "in"},
		{"bob db", ca.client(t, "ada", later), `FATAL 28000: certificate authentication failed for user "bob"`},
		{"eve db", ca.client(t, "eve", later), `FATAL 28000: role "eve" does not exist`},
		{"ada mapped", ca.client(t, "ada@example.org", later), "in"},
		{"ada mapped", ca.client(t, "ada", later), `FATAL 28000: certificate authentication failed for user "ada"`},
		{"staff own", nil, `FATAL 28000: role "staff" is not permitted to log in`},
		{"nobody plain", nil, `FATAL 28000: role "nobody" does not exist`},
	} {
		if got := enter(t, addr, c.who, c.tls); got != c.want {
			t.Errorf("%s: got %s, want %s", c.who, got, c.want)
		}
	}
	for name, config := range map[string]*tls.Config{
		"of another authority": stranger.client(t, "ada", later),
		"that has expired":     ca.client(t, "ada", time.Now().Add(-time.Minute)),
	} {
		if got := enter(t, addr, "ada db", config); !strings.Contains(got, "tls") {
			t.Errorf("a certificate %s: got %s, want the handshake to fail", name, got)
		}
	}
	log.has(t, "login failed", "user=bob", "database=db", `the certificate is that of \"ada\"`, "remote=127.0.0.1:")
	log.has(t, "login failed", "user=ada", "database=closed ", "pg_hba.conf rejects connection")
	log.has(t, "login failed", "certificate has expired")
	log.has(t, "login failed", "unknown authority")
}

// TestSetAccess: another access applies to the next connection, and not to sessions.
func TestSetAccess(t *testing.T) {
	server, addr := startServerWith(t, Options{Handler: newFake(), Access: Access{Rules: rules(t, "host all all all trust")}})
	here := dial(t, addr)
	login(t, here)
	server.SetAccess(Access{Rules: rules(t, "host all all all reject")})
	if got := enter(t, addr, "ada db", nil); !strings.HasPrefix(got, "FATAL 28000: pg_hba.conf rejects connection") {
		t.Errorf("after another access: got %s", got)
	}
	config, _ := certificate(t)
	server.SetAccess(passwords(t, config))
	if got := enter(t, addr, "alice db", &tls.Config{InsecureSkipVerify: true}); got != "in" {
		t.Errorf("with TLS and passwords: got %s", got)
	}
}

// TestReservedConnections: the last ones are for superusers.
func TestReservedConnections(t *testing.T) {
	addr := startServer(t, Options{
		Handler: newFake(), MaxConnections: 4, Reserved: 2,
		Access: Access{Rules: rules(t, "host all all all trust"), Users: usersOf()},
	})
	stay := func(user string) error {
		conn, err := pgx.Connect(t.Context(), "postgres://"+user+"@"+addr+"/db?sslmode=disable")
		if err == nil {
			t.Cleanup(func() { conn.Close(context.Background()) })
		}
		return err
	}
	for _, c := range []struct{ user, want string }{
		{"ada", ""},
		{"ada", `too many connections for role "ada"`},
		{"bob", ""},
		{"bob", "remaining connection slots are reserved for non-replication superuser connections"},
		{"boss", ""},
		{"boss", ""},
		{"boss", "sorry, too many clients already"},
		{"ada", "sorry, too many clients already"},
	} {
		err := stay(c.user)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.user, err)
			}
			continue
		}
		if e := wantState(t, err, pgerr.TooManyConnections); e.Message != c.want {
			t.Errorf("%s: got %q, want %q", c.user, e.Message, c.want)
		}
	}
}
