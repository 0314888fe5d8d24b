package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"

	"github.com/ontosql/ontosql/auth"
	"github.com/ontosql/ontosql/auth/hba"
	"github.com/ontosql/ontosql/wire"
)

// accessOptions are the flags that say who may come in.
type accessOptions struct {
	auth        string
	hba         string
	ident       string
	users       string
	tlsCert     string
	tlsKey      string
	tlsClientCA string
}

// check refuses flags that do not fit together. authSaid tells a trust that was asked for from the
// default.
func (o *accessOptions) check(listen string, authSaid bool) error {
	switch {
	case (o.tlsCert == "") != (o.tlsKey == ""):
		return usagef("--tls-cert and --tls-key go together")
	case o.tlsClientCA != "" && o.tlsCert == "":
		return usagef("--tls-client-ca needs --tls-cert and --tls-key")
	case o.hba != "" && authSaid:
		return usagef("--hba says who may come in: --auth cannot be given too")
	case o.ident != "" && o.hba == "":
		return usagef("--ident has the maps of --hba, which is missing")
	case o.hba != "":
		return nil
	case o.auth == "scram" && o.users == "":
		return usagef("--auth scram needs --users FILE")
	case o.auth == "cert" && o.tlsClientCA == "":
		return usagef("--auth cert needs --tls-client-ca FILE")
	case o.auth == "trust" && !authSaid:
		host, _, err := net.SplitHostPort(listen)
		if err != nil {
			return usagef("--listen %s: %w", listen, err)
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return usagef("%s is no loopback address: anyone who reaches it could read everything; use --auth scram, or say --auth trust", listen)
		}
	case !slices.Contains([]string{"trust", "scram", "cert"}, o.auth):
		return usagef("--auth %s: want trust, scram or cert", o.auth)
	}
	return nil
}

// trusts reports whether every client may come in, as a superuser.
func (o *accessOptions) trusts() bool { return o.hba == "" && o.auth == "trust" }

// files are the files that access reads.
func (o *accessOptions) files() []string {
	var named []string
	for _, path := range []string{o.hba, o.ident, o.users, o.tlsCert, o.tlsKey, o.tlsClientCA} {
		if path != "" {
			named = append(named, path)
		}
	}
	return named
}

// loadUsers reads the users file, nil if there is none.
func (o *accessOptions) loadUsers(log *slog.Logger) (*auth.Users, error) {
	if o.users == "" {
		return nil, nil
	}
	return auth.Load(o.users, log)
}

// access reads the files of the flags, all or none, but for that of the users.
func (o *accessOptions) access(users *auth.Users) (wire.Access, error) {
	var a wire.Access
	var err error
	if a.Rules, err = o.rules(); err != nil {
		return a, err
	}
	if o.ident != "" {
		text, err := os.ReadFile(o.ident)
		if err != nil {
			return a, fmt.Errorf("read the file of maps: %w", err)
		}
		if a.Maps, err = hba.ParseMaps(o.ident, string(text)); err != nil {
			return a, err
		}
	}
	for _, name := range a.Rules.Maps() {
		if _, ok := a.Maps[name]; !ok {
			return a, fmt.Errorf("%s: map %q is not in a file of --ident", o.hba, name)
		}
	}
	if users != nil {
		a.Users, a.Strangers = users, o.trusts()
	}
	if a.TLS, err = o.tls(); err != nil {
		return a, err
	}
	switch {
	case a.Users == nil && a.Rules.Uses(hba.SCRAM):
		return a, fmt.Errorf("%s: scram-sha-256 needs --users FILE", o.hba)
	case o.tlsClientCA == "" && a.Rules.Uses(hba.Cert):
		return a, fmt.Errorf("%s: cert needs --tls-client-ca FILE", o.hba)
	}
	return a, nil
}

// rules are those of the file, or the one line that --auth stands for.
func (o *accessOptions) rules() (*hba.Rules, error) {
	switch {
	case o.hba != "":
		text, err := os.ReadFile(o.hba)
		if err != nil {
			return nil, fmt.Errorf("read the hba file: %w", err)
		}
		return hba.Parse(o.hba, string(text))
	case o.auth == "scram":
		return hba.Parse("--auth", "host all all all scram-sha-256")
	case o.auth == "cert":
		return hba.Parse("--auth", "hostssl all all all cert")
	}
	return hba.Parse("--auth", "host all all all trust")
}

// tls are the certificates. TLS has at least version 1.2, and the ciphers that Go holds for secure.
func (o *accessOptions) tls() (*tls.Config, error) {
	if o.tlsCert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(o.tlsCert, o.tlsKey)
	if err != nil {
		return nil, fmt.Errorf("TLS certificate: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	if o.tlsClientCA == "" {
		return config, nil
	}
	text, err := os.ReadFile(o.tlsClientCA)
	if err != nil {
		return nil, fmt.Errorf("TLS client CA: %w", err)
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.VerifyClientCertIfGiven
	if !config.ClientCAs.AppendCertsFromPEM(text) {
		return nil, errors.New("TLS client CA: " + o.tlsClientCA + " has no certificate in PEM")
	}
	return config, nil
}

// warnings are what an operator may not have meant.
func (o *accessOptions) warnings(a wire.Access) []string {
	if a.Rules.NeedsTLS() && a.TLS == nil {
		return []string{"hostssl lines cannot match: there is no --tls-cert"}
	}
	return nil
}

// reload reads the files again and gives them to the server. What cannot be read changes nothing.
func (p *program) reload(server *wire.Server, o *accessOptions, users *auth.Users) {
	a, err := o.access(users)
	if err == nil && users != nil {
		err = users.Reload()
	}
	if err != nil {
		p.log.Error("reload failed: who may come in stays as it was", "error", err)
		return
	}
	server.SetAccess(a)
	for _, path := range o.files() {
		p.log.Info("read again", "file", path)
	}
	for _, w := range o.warnings(a) {
		p.log.Warn(w)
	}
}
