package main

import (
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/typedquery"
)

func (p *program) queryCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "query",
		Short: "rows of a type, or those that relations lead to, in the original's form",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("query: unknown command %q", args[0])
			}
			return usagef("query: want entities, relations or traverse")
		},
	}
	cmd.AddCommand(p.queryRowsCommand(ontosql.Entity), p.queryRowsCommand(ontosql.Relation), p.traverseCommand())
	return cmd
}

// queryOptions are the flags of the query commands.
type queryOptions struct {
	schema  string
	words   []string // of --filter
	filters []typedquery.Filter
}

func (o *queryOptions) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.schema, "schema", "", "show the types and fields of this schema `file`, instead of those of the ontology")
	cmd.Flags().StringArrayVar(&o.words, "filter", nil, "only rows of which `'PATH OP JSON'` holds, such as '$.age gt 9'; repeatable")
}

// read reads what of the flags and arguments needs no ontology.
func (o *queryOptions) read(args []string) (err error) {
	if len(args) != 1 {
		return usagef("want the name of one type")
	}
	if o.filters, err = typedquery.ParseFilters(o.words); err != nil {
		return &usageError{err}
	}
	return nil
}

// rowsOptions are the flags of query entities and query relations.
type rowsOptions struct {
	queryOptions
	limit, offset int
	asOf          string
	history       bool
	since         int64
}

func (p *program) queryRowsCommand(kind ontosql.Kind) *cobra.Command {
	var o rowsOptions
	cmd := &cobra.Command{
		Use:     "entities TYPE",
		Short:   "rows of an entity type",
		Example: "  ontosql query entities Customer --storage-uri /srv/onto --filter '$.age gt 9' --filter '$.tier eq \"Gold\"' --json\n  ontosql query entities Customer --storage-uri /srv/onto --history-since 41",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.read(args); err != nil {
				return err
			}
			limited := p.cfg.given(cmd, "limit")
			o.history = o.history || p.cfg.given(cmd, "history-since")
			switch {
			case limited && o.limit < 0, o.offset < 0:
				return usagef("--limit and --offset: want a number of rows")
			case o.since < 0:
				return usagef("--history-since %d: want a commit, or 0 for all", o.since)
			case o.history && o.asOf != "":
				return usagef("--as-of and a history exclude each other")
			case !limited:
				o.limit = -1
			}
			return p.queryRows(cmd, ontosql.TypeRef{Kind: kind, Name: args[0]}, &o)
		},
	}
	if kind == ontosql.Relation {
		cmd.Use, cmd.Short = "relations TYPE", "rows of a relation type"
		cmd.Example = "  ontosql query relations Purchase --storage-uri /srv/onto --filter 'left.$.tier eq \"Gold\"' --json"
	}
	o.flags(cmd)
	cmd.Flags().IntVar(&o.limit, "limit", 0, "at most so many rows")
	cmd.Flags().IntVar(&o.offset, "offset", 0, "skip so many rows first")
	cmd.Flags().StringVar(&o.asOf, "as-of", "", "the rows as they were at this `point`: a commit, HEAD~n, a tag or a timestamp")
	cmd.Flags().BoolVar(&o.history, "with-history", false, "every version of the rows")
	cmd.Flags().Int64Var(&o.since, "history-since", 0, "every version after this `commit`")
	return cmd
}

func (p *program) queryRows(cmd *cobra.Command, ref ontosql.TypeRef, o *rowsOptions) error {
	rows := p.newRecords(ref.Kind)
	return p.ask(cmd, &o.queryOptions, func(s *shownTypes) (*question, error) {
		target, err := s.target(ref)
		if target == nil {
			return nil, err
		}
		q := &question{at: s.pin.Head.Commit}
		if o.asOf != "" {
			if q.at, err = resolvePoint(s.pin, o.asOf); err != nil {
				return nil, err
			}
		}
		query := typedquery.Rows{
			Target: target, Filters: o.filters, Window: typedquery.Window{History: o.history, Since: o.since},
			Limit: o.limit, Offset: o.offset,
		}
		q.row = func(values [][]byte) error { return rows.add(target, values[0]) }
		if q.sql, err = query.SQL(s.pin.Catalog); err != nil {
			return nil, &usageError{err}
		}
		return q, nil
	}, rows.end)
}

func (p *program) traverseCommand() *cobra.Command {
	var o queryOptions
	var via []string
	var reached bool
	cmd := &cobra.Command{
		Use:     "traverse TYPE",
		Short:   "the relations that lead on from entities, hop by hop",
		Example: "  ontosql query traverse Customer --storage-uri /srv/onto --via Purchase --filter '$.tier eq \"Gold\"' --json\n  ontosql query traverse Customer --storage-uri /srv/onto --via Purchase --without-relations",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.read(args); err != nil {
				return err
			}
			if reached && len(via) == 0 {
				return usagef("--without-relations: want a relation --via which to go")
			}
			return p.traverse(cmd, args[0], via, reached, &o)
		},
	}
	o.flags(cmd)
	cmd.Flags().StringArrayVar(&via, "via", nil, "follow this relation `type`; repeated for one hop after the other")
	cmd.Flags().BoolVar(&reached, "without-relations", false, "only the entities that each relation leads to")
	return cmd
}

func (p *program) traverse(cmd *cobra.Command, source string, via []string, reached bool, o *queryOptions) error {
	var rows interface{ end() error }
	paths, entities := p.newPaths(), p.newRecords(ontosql.Entity)
	if rows = paths; reached {
		rows = entities
	}
	return p.ask(cmd, o, func(s *shownTypes) (*question, error) {
		target, err := s.target(typedquery.EntityRef(source))
		if target == nil {
			return nil, err
		}
		query := typedquery.Traversal{Source: target, Filters: o.filters, Reached: reached}
		for from, i := source, 0; i < len(via); i++ {
			hop, err := s.hop(via[i], &from)
			if err != nil {
				return nil, err
			}
			if hop == nil {
				break // the ontology has no such relations yet
			}
			query.Hops = append(query.Hops, *hop)
		}
		q := &question{at: s.pin.Head.Commit}
		if q.sql, err = query.SQL(s.pin.Catalog); err != nil {
			return nil, &usageError{err}
		}
		q.row = func(values [][]byte) error {
			hop, err := strconv.Atoi(string(values[1]))
			switch {
			case err != nil:
				return err
			case reached:
				return entities.add(query.Hops[hop-1].Entity, values[2])
			case hop == 0:
				return paths.start(target, values[2])
			}
			return paths.follow(query.Hops[hop-1].Relation, values[2])
		}
		return q, nil
	}, rows.end)
}

// question is a statement about the ontology at a commit, and what is done with each row.
type question struct {
	sql string
	at  ontosql.CommitID
	row func(values [][]byte) error
}

// shownTypes are the types that a query may name: those of the ontology, or of a schema file.
type shownTypes struct {
	pin  *resolver.Pin
	file *models // nil for the types of the ontology
}

// target is a type and its fields, nil if only the schema file has it; then it has no rows.
func (s *shownTypes) target(ref ontosql.TypeRef) (*typedquery.Target, error) {
	t, stored := s.pin.Catalog.Type(ref)
	if s.file == nil {
		if !stored {
			return nil, usagef("there is no %s %q", ref.Kind, ref.Name)
		}
		return typedquery.NewTarget(t, nil), nil
	}
	if !s.file.has(ref) {
		return nil, usagef("there is no %s %q in the schema file", ref.Kind, ref.Name)
	}
	if !stored {
		return nil, nil
	}
	schema := &s.file.of(ref).schema
	names := []string{}
	for _, f := range schema.Fields {
		if f.Name != schema.InstanceKey {
			names = append(names, f.Name)
		}
	}
	return typedquery.NewTarget(t, names), nil
}

// hop is the step over a relation type from an entity type, which becomes the one it leads to.
func (s *shownTypes) hop(relation string, from *string) (*typedquery.Hop, error) {
	target, err := s.target(ontosql.TypeRef{Kind: ontosql.Relation, Name: relation})
	if target == nil {
		return nil, err
	}
	hop, to, err := typedquery.NewHop(target, *from)
	if err != nil {
		return nil, &usageError{err}
	}
	if _, there := s.pin.Catalog.Type(typedquery.EntityRef(to)); there {
		if hop.Entity, err = s.target(typedquery.EntityRef(to)); err != nil {
			return nil, err
		}
	}
	*from = to
	return &hop, nil
}

// ask works out a question and asks it; end is called after the last row. A nil question has none.
func (p *program) ask(cmd *cobra.Command, o *queryOptions, work func(*shownTypes) (*question, error), end func() error) error {
	ctx := cmd.Context()
	shown := &shownTypes{}
	a, err := p.cfg.oneAddress()
	if err != nil {
		return err
	}
	if o.schema != "" {
		if shown.file, err = p.readSchemaFile(ctx, o.schema); err != nil {
			return err
		}
	}
	g, err := p.openSole(ctx, a, gatewayUse{mirrored: true, settings: p.settingsOf(cmd)})
	if err != nil {
		return err
	}
	defer g.close(ctx)
	if shown.pin, err = g.stores[0].Pin(ctx); err != nil {
		return &openError{err}
	}
	if shown.file != nil {
		shown.file.adopt(shown.pin.Catalog)
	}
	q, err := work(shown)
	switch {
	case err != nil:
		return fmt.Errorf("query: %w", err)
	case q == nil:
		return end()
	}
	err = p.overPipe(ctx, g, fmt.Sprint(int64(q.at)), func(conn *pgconn.PgConn) error {
		return each(ctx, conn, q.sql, func(r *pgconn.ResultReader) error { return eachRow(r, q.row) })
	})
	if err != nil {
		return p.said(err)
	}
	return end()
}

// eachRow calls row for every row of a result.
func eachRow(r *pgconn.ResultReader, row func(values [][]byte) error) error {
	for r.NextRow() {
		if err := row(r.Values()); err != nil {
			return err
		}
	}
	_, err := r.Close()
	return err
}
