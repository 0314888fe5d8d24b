package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/wire"
)

// serveOptions are the flags of serve alone.
type serveOptions struct {
	listen         string
	name           string
	maxConnections int
	autoCompact    bool
	accessOptions
	logOptions
}

func (p *program) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "answer PostgreSQL clients",
		Example: "  ontosql serve --storage-uri s3://bucket/prefix\n" +
			"  ontosql serve --db sales=s3://bucket/sales --db hr=file:///srv/hr\n" +
			"  ontosql serve --storage-uri /srv/onto --listen 0.0.0.0:5433 --auth scram --users users.txt --tls-cert c.pem --tls-key k.pem",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var named []namedAddress
			if p.cfg.Nameservice != "" {
				if p.cfg.StorageURI != "" || len(p.cfg.DB) > 0 {
					return usagef("--nameservice says what to serve: --storage-uri and --db cannot be given too")
				}
			} else {
				if p.cfg.NameserviceRoot != "" || p.cfg.NameserviceUp != "" {
					return usagef("--nameservice-root and --nameservice-upstream need --nameservice")
				}
				var err error
				if named, err = p.cfg.namedAddresses(o.name); err != nil {
					return err
				}
			}
			return p.serve(cmd.Context(), named, o, p.settingsOf(cmd), p.cfg.given(cmd, "auth"), nil)
		},
	}
	o.flags(cmd.Flags())
	o.logOptions.flags(cmd.Flags())
	p.cfg.writerFlags(cmd.Flags())
	p.cfg.serverFlags(cmd.Flags())
	p.cfg.nameserviceFlags(cmd.Flags())
	cmd.Flags().StringVar(&p.cfg.NameserviceRoot, "nameservice-root", "", rootUsage)
	cmd.Flags().StringVar(&o.name, "name", "onto", "the database name of --storage-uri")
	cmd.Flags().BoolVar(&o.autoCompact, "auto-compact", false, "merge the data files of types that have many, in buckets and directories")
	return cmd
}

// rootUsage describes the flag --nameservice-root.
const rootUsage = "where new ontologies and branches are made: s3://bucket/prefix, file:///dir or a `path`"

func (o *serveOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.listen, "listen", "127.0.0.1:5433", "`address` to listen on; port 0 takes a free one")
	f.StringVar(&o.auth, "auth", "trust", "trust, scram with --users, or cert with --tls-client-ca, for all clients")
	f.StringVar(&o.hba, "hba", "", "`file` in the form of pg_hba.conf that says who may come in, instead of --auth")
	f.StringVar(&o.ident, "ident", "", "`file` in the form of pg_ident.conf with the maps of --hba")
	f.StringVar(&o.users, "users", "", "`file` of users and roles, begun by ontosql user add")
	f.StringVar(&o.tlsCert, "tls-cert", "", "certificate `file` (PEM)")
	f.StringVar(&o.tlsKey, "tls-key", "", "key `file` (PEM)")
	f.StringVar(&o.tlsClientCA, "tls-client-ca", "", "`file` of authorities (PEM) whose certificates clients may show")
	f.IntVar(&o.maxConnections, "max-connections", 200, "sessions at once")
}

// namedAddress is one --db NAME=URI.
type namedAddress struct {
	name    string
	address address
}

// namedAddresses are the ontologies serve is to serve.
func (c *Config) namedAddresses(single string) ([]namedAddress, error) {
	var out []namedAddress
	add := func(name, uri string) error {
		if strings.ContainsAny(name, "@:") || name == "" {
			return usagef("%q cannot be a database name: @ and : have a meaning there", name)
		}
		for _, n := range out {
			if n.name == name {
				return usagef("two databases are named %q", name)
			}
		}
		a, err := parseAddress(uri)
		if err != nil {
			return err
		}
		out = append(out, namedAddress{name, a})
		return nil
	}
	for _, db := range c.DB {
		name, uri, ok := strings.Cut(db, "=")
		if !ok {
			return nil, usagef("--db %s: serve wants NAME=URI", db)
		}
		if err := add(name, uri); err != nil {
			return nil, err
		}
	}
	if c.StorageURI != "" && len(c.DB) > 0 {
		return nil, usagef("--storage-uri and --db both say what to serve: name it --db NAME=%s", c.StorageURI)
	}
	if c.StorageURI != "" {
		if err := add(single, c.StorageURI); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, usagef("nothing to serve: give --storage-uri URI or --db NAME=URI")
	}
	return out, nil
}

// serve runs until ctx ends, then drains. ready is called, if given, when
// connections are accepted.
func (p *program) serve(ctx context.Context, named []namedAddress, o serveOptions, settings []introspect.Option, authSaid bool, ready func(address string)) error {
	hasFiles := func(n namedAddress) bool { return n.address.backend != "sqlite" }
	if o.autoCompact && len(named) > 0 && !slices.ContainsFunc(named, hasFiles) {
		return usagef("--auto-compact: a SQLite file has no data files to merge; want an ontology in a bucket or a directory")
	}
	if err := o.check(o.listen, authSaid); err != nil {
		return err
	}
	if !o.trusts() && o.maxConnections <= reservedConnections {
		return usagef("--max-connections %d: want more than the %d that are reserved for superusers", o.maxConnections, reservedConnections)
	}
	if err := o.logOptions.open(p); err != nil {
		return err
	}
	use := gatewayUse{names: len(named) == 0, mirrored: true, compacts: o.autoCompact, settings: settings}
	users, err := o.loadUsers(p.log)
	if err != nil {
		return &openError{err}
	}
	use.users = users
	if o.statements == logDefinitions {
		use.defines = p.log
	}
	access, err := o.access(users)
	if err != nil {
		return &openError{err}
	}
	for _, w := range o.warnings(access) {
		p.log.WarnContext(ctx, w)
	}
	g, err := p.openGateway(ctx, named, use)
	if err != nil {
		return err
	}
	abandoned := false
	defer func() {
		if abandoned {
			g.settle(ctx)
		} else {
			g.close(ctx)
		}
	}()
	server := wire.New(wire.Options{
		Handler: g.handler, Access: access, Logger: p.log, LogConnections: o.connections,
		MaxConnections: o.maxConnections, Reserved: reservedConnections,
	})
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return &openError{err}
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(context.WithoutCancel(ctx), listener) }()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	where := listener.Addr().String()
	if ready != nil {
		ready(where)
	} else {
		first := maintenance
		if len(named) > 0 {
			first = named[0].name
		}
		fmt.Fprintf(p.out, "ready postgres://%s/%s\n", where, first)
	}
	for ctx.Err() == nil {
		select {
		case err := <-served:
			return err
		case <-hangup:
			p.reload(server, &o.accessOptions, users)
		case <-ctx.Done():
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Shutdown(context.WithoutCancel(ctx)) }()
	select {
	case err := <-ended:
		<-served
		return err
	case <-time.After(drainLimit):
		// The engine cannot be interrupted while it plans a statement, so the process exits
		// without waiting for it. Reads change nothing, and the outcome of every commit is
		// settled.
		abandoned = true
		p.log.WarnContext(ctx, "statements did not end in time; the process ends without them")
		return nil
	}
}

// drainLimit bounds how long a gateway that is shut down waits for statements.
const drainLimit = 30 * time.Second

// reservedConnections is superuser_reserved_connections: of --max-connections, for superusers only.
const reservedConnections = 3

// shownSettings are the flags that ontosql.settings shows to every user: none
// that names a file of this machine or another database.
var shownSettings = []string{
	"runtime-id", "s3-region", "s3-endpoint-url", "s3-lock-timeout-ms", "s3-lease-ttl-ms", "s3-request-timeout-s",
	"head-max-age", "notify-interval", "cache-size", "memory-limit", "max-connections", "auth", "auto-compact",
}

// settingsOf lists flags for ontosql.settings.
func (p *program) settingsOf(cmd *cobra.Command) []introspect.Option {
	var list []introspect.Option
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(shownSettings, f.Name) || f.Name == "auth" && p.cfg.given(cmd, "hba") {
			return // with --hba, --auth says nothing
		}
		_, about := pflag.UnquoteUsage(f)
		s := introspect.Option{
			Name:        strings.ReplaceAll(f.Name, "-", "_"),
			Value:       f.Value.String(),
			Source:      p.cfg.source(f),
			Description: about,
		}
		switch {
		case strings.HasSuffix(f.Name, "-ms"):
			s.Unit = "ms"
		case strings.HasSuffix(f.Name, "-s"):
			s.Unit = "s"
		}
		list = append(list, s)
	})
	return list
}
