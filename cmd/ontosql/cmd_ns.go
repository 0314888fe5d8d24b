package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/nameservice/objects"
	"github.com/ontosql/ontosql/nameservice/replica"
)

func (p *program) nsCommand() *cobra.Command {
	ns := &cobra.Command{
		Use:   "ns",
		Short: "the name service: which ontologies there are, and what is new of each",
		Args:  cobra.ArbitraryArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("ns: want a subcommand: init, create, show, list, push, retract, lock, unlock, migrate, watch, purge or sync")
		},
	}
	p.cfg.nameserviceFlags(ns.PersistentFlags())
	ns.AddCommand(p.nsInitCommand(), p.nsCreateCommand(), p.nsShowCommand(), p.nsListCommand(), p.nsPushCommand(), p.nsRetractCommand(),
		p.nsLockCommand(), p.nsUnlockCommand(), p.nsMigrateCommand(), p.nsWatchCommand(), p.nsPurgeCommand(), p.nsSyncCommand())
	return ns
}

// oneAlias is the argument of a command that takes the alias of a record and nothing else.
func oneAlias(cmd *cobra.Command, args []string) (nameservice.Alias, error) {
	if len(args) != 1 {
		return nameservice.Alias{}, usagef("%s: want an alias, name:branch", cmd.CommandPath()[len("ontosql "):])
	}
	return alias(args[0])
}

func alias(text string) (nameservice.Alias, error) {
	a, err := nameservice.ParseAlias(text)
	if err != nil {
		return a, &usageError{err}
	}
	return a, nil
}

// madeNames is what init prints.
type madeNames struct {
	Nameservice string `json:"nameservice"`
	Records     int    `json:"records"`
}

func (p *program) nsInitCommand() *cobra.Command {
	o := nameserviceOptions{create: true}
	cmd := &cobra.Command{
		Use:   "init",
		Short: "make a name service where there is none",
		Example: "  ontosql ns init --nameservice file:///srv/names\n" +
			"  ontosql ns init --nameservice 'dynamodb://names?region=eu-central-1'",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := p.openNames(cmd.Context(), o)
			if err != nil {
				return err
			}
			list, err := s.List(cmd.Context(), "")
			if err != nil {
				return &openError{err}
			}
			return p.printMembers(madeNames{p.cfg.Nameservice, len(list)})
		},
	}
	cmd.Flags().BoolVar(&o.states, "state-index", false, "of a table of DynamoDB, make an index of states too, for other programs")
	return cmd
}

func (p *program) nsCreateCommand() *cobra.Command {
	var n nameservice.New
	var apart bool
	cmd := &cobra.Command{
		Use:   "create ALIAS",
		Short: "create the record of an ontology, or of a graph source (vg:name:branch)",
		Long:  "Creates a record. With --storage-uri its config says where the store is, which is what a gateway needs to serve it.",
		Example: "  ontosql ns create shop --storage-uri s3://bucket/shop --nameservice file:///srv/names\n" +
			"  ontosql ns create vg:search --type vg:bm25 --dep shop:main --nameservice file:///srv/names",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if n.Alias, err = oneAlias(cmd, args); err != nil {
				return err
			}
			if p.cfg.StorageURI != "" {
				if _, err := parseAddress(p.cfg.StorageURI); err != nil {
					return err
				}
			}
			o := nameserviceOptions{}
			if apart {
				o.layout = objects.LayoutC
			}
			s, err := p.openNames(cmd.Context(), o)
			if err != nil {
				return err
			}
			n.CreatedAt = time.Now()
			r, err := s.Create(cmd.Context(), n)
			if err == nil && p.cfg.StorageURI != "" {
				if err = nameservice.ReviseStorage(cmd.Context(), s, n.Alias, p.cfg.StorageURI); err == nil {
					r, err = s.Get(cmd.Context(), n.Alias)
				}
			}
			if err != nil {
				return namesError(err)
			}
			return p.printRecord(r)
		},
	}
	cmd.Flags().StringVar(&n.Type, "type", "", "the `type` of a graph source, vg:...")
	cmd.Flags().StringArrayVar(&n.Deps, "dep", nil, "an `alias` that the graph source is made from, repeatable")
	cmd.Flags().BoolVar(&apart, "file-per-concern", false, "in a bucket or directory, write each concern to a file of its own (layout C)")
	return cmd
}

// printRecord prints a record: with --json as it is, else a line for each attribute.
func (p *program) printRecord(r *nameservice.Record) error {
	return p.printMembers(r)
}

func (p *program) nsShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show ALIAS",
		Short:   "the record of an ontology or a graph source",
		Example: "  ontosql ns show shop:main --nameservice file:///srv/names --json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := oneAlias(cmd, args)
			if err != nil {
				return err
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				r, err := s.Get(cmd.Context(), a)
				if err != nil {
					return err
				}
				return p.printRecord(r)
			})
		},
	}
}

func (p *program) nsListCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "all records, retracted ones too, or those of a type",
		Example: "  ontosql ns list --nameservice file:///srv/names --type ledger",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				list, err := s.List(cmd.Context(), kind)
				if err != nil {
					return err
				}
				if list == nil {
					list = []*nameservice.Record{} // [] in JSON
				}
				return printList(p, list, []string{"alias", "type", "state", "head_v", "index_v", "status_v", "config_v"}, func(r **nameservice.Record) []string {
					row := []string{(*r).Alias.String(), (*r).Type, stateOf(*r)}
					for _, c := range nameservice.Concerns {
						row = append(row, strconv.FormatInt((*r).Value(c).V, 10))
					}
					return row
				})
			})
		},
	}
	cmd.Flags().StringVar(&kind, "type", "", "the `type`: ledger or vg:...")
	return cmd
}

// stateOf is the state that a list shows.
func stateOf(r *nameservice.Record) string {
	var status struct {
		State string `json:"state"`
	}
	if r.Retracted {
		return nameservice.Retracted
	}
	_ = json.Unmarshal(r.Status.Payload, &status) // one without a state has none to show
	return status.State
}

// pushFlags are the flags of ns push.
type pushFlags struct {
	expectV  int64
	expect   string
	expected bool // --expect-v is given
	forward  bool
}

func (p *program) nsPushCommand() *cobra.Command {
	var f pushFlags
	cmd := &cobra.Command{
		Use:   "push ALIAS CONCERN WATERMARK PAYLOAD",
		Short: "write head, index, status or config of a record, if it is as expected",
		Long: "Writes a concern if its watermark, and the payload of a head, are as expected. Without --expect-v\n" +
			"any lower watermark is expected. A conflict is exit code 6 and prints the value that is there.\n" +
			"With --forward the upstream is written and the local name service is not, until it is in step again.",
		Example: "  ontosql ns push shop head 42 '{\"address\": \"s3://b/shop/commits/42.json\", \"t\": 42}' --nameservice file:///srv/names\n" +
			"  ontosql ns push shop config 3 - --expect-v 2 --nameservice file:///srv/names < config.json",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.expected = p.cfg.given(cmd, "expect-v")
			a, c, next, err := p.pushArguments(args)
			switch {
			case err != nil:
				return err
			case f.expect != "" && (!f.expected || c != nameservice.Head):
				return usagef("ns push: --expect is the payload of a head and wants --expect-v")
			case f.forward && p.cfg.NameserviceUp == "":
				return usagef("ns push: --forward wants --nameservice-upstream")
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				if f.forward {
					s = s.(*replica.Replica).Upstream() // there is an upstream
				}
				return p.push(cmd.Context(), s, a, c, next, f)
			})
		},
	}
	cmd.Flags().Int64Var(&f.expectV, "expect-v", 0, "the `watermark` that is expected, 0 for an unborn concern")
	cmd.Flags().StringVar(&f.expect, "expect", "", "the payload of the head that is expected, a JSON `object`")
	cmd.Flags().BoolVar(&f.forward, "forward", false, "write the upstream only: what is written there comes back with the next sync")
	return cmd
}

// pushArguments reads the arguments of ns push.
func (p *program) pushArguments(args []string) (a nameservice.Alias, c nameservice.Concern, next nameservice.Value, err error) {
	if len(args) != 4 {
		return a, c, next, usagef("ns push: want an alias, a concern, a watermark and a payload")
	}
	if a, err = alias(args[0]); err != nil {
		return a, c, next, err
	}
	if c, err = nameservice.ParseConcern(args[1]); err != nil {
		return a, c, next, &usageError{err}
	}
	if next.V, err = strconv.ParseInt(args[2], 10, 64); err != nil {
		return a, c, next, usagef("ns push: watermark %q: want a number", args[2])
	}
	next.Payload = json.RawMessage(args[3])
	if args[3] == "-" {
		next.Payload, err = io.ReadAll(p.stdin)
	}
	return a, c, next, err
}

// pushed is what a push prints.
type pushed struct {
	Alias   string             `json:"alias"`
	Concern string             `json:"concern"`
	Updated bool               `json:"updated"`
	V       int64              `json:"v"`
	Actual  *nameservice.Value `json:"actual,omitempty"` // after a conflict
}

func (p *program) push(ctx context.Context, s nameservice.Service, a nameservice.Alias, c nameservice.Concern, next nameservice.Value, f pushFlags) error {
	var result nameservice.Result
	var err error
	if f.expected {
		expected := nameservice.Value{V: f.expectV, Payload: json.RawMessage(f.expect)}
		result, err = s.Write(ctx, a, nameservice.NewPush(c, expected, next))
	} else {
		result, err = nameservice.PushWithRetry(ctx, s, a, c, next)
	}
	switch {
	case err != nil:
		return err
	case result.Updated:
		return p.printMembers(pushed{a.String(), c.String(), true, next.V, nil})
	case result.Actual == nil:
		return fmt.Errorf("%s: %w", a, nameservice.ErrNotFound)
	}
	if p.cfg.JSON {
		if err := printJSON(p.out, pushed{a.String(), c.String(), false, next.V, result.Actual}); err != nil {
			return err
		}
	}
	return &conflictError{fmt.Errorf("%s: %s is at %d, with %s", a, c, result.Actual.V, orNull(result.Actual.Payload))}
}

func (p *program) nsRetractCommand() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:     "retract ALIAS",
		Short:   "take a record out of service; what it refers to stays",
		Example: "  ontosql ns retract shop --reason \"moved to store\" --nameservice file:///srv/names",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := oneAlias(cmd, args)
			if err != nil {
				return err
			}
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				if err := nameservice.Retract(cmd.Context(), s, a, reason, time.Now()); err != nil {
					return err
				}
				r, err := s.Get(cmd.Context(), a)
				if err != nil {
					return err
				}
				return p.printRecord(r)
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, a `text`")
	return cmd
}

// migratedNames is what migrate prints.
type migratedNames struct {
	Migrated []string `json:"migrated"`
	Records  int      `json:"records"`
}

func (m migratedNames) String() string {
	said := fmt.Sprintf("%d of %d records migrated", len(m.Migrated), m.Records)
	if len(m.Migrated) > 0 {
		said += ": " + strings.Join(m.Migrated, " ")
	}
	return said
}

func (p *program) nsMigrateCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "migrate",
		Short:   "store all records of version 1 as version 2",
		Example: "  ontosql ns migrate --nameservice file:///srv/names",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withNames(cmd.Context(), func(s nameservice.Service) error {
				list, err := s.List(cmd.Context(), "")
				if err != nil {
					return err
				}
				done := migratedNames{[]string{}, len(list)}
				for _, r := range list {
					if !r.Legacy {
						continue
					}
					did, err := s.Migrate(cmd.Context(), r.Alias)
					if err != nil {
						return err
					}
					if did {
						done.Migrated = append(done.Migrated, r.Alias.String())
					}
				}
				if p.cfg.JSON {
					return printJSON(p.out, done)
				}
				_, err = fmt.Fprintln(p.out, done)
				return err
			})
		},
	}
}
