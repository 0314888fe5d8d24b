package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/introspect"
	"github.com/ontosql/ontosql/resolver"
)

// info has the fields of the original's info (COMPAT 3.5 and 7), and the health of the indexes
// after them.
type info struct {
	HeadCommitID     *int64   `json:"head_commit_id"`
	Backend          string   `json:"backend"`
	DBPath           string   `json:"db_path,omitempty"` // of a SQLite file
	StorageURI       string   `json:"storage_uri"`
	Bucket           string   `json:"bucket,omitempty"`
	Prefix           string   `json:"prefix,omitempty"`
	EngineVersion    string   `json:"engine_version"`
	Initialized      bool     `json:"initialized"`
	LastIndexWarning *string  `json:"last_index_warning"`
	LaggedTypes      []string `json:"lagged_types"`
	MissingLatest    []string `json:"missing_latest"`
	FileSize         int64    `json:"file_size_bytes,omitempty"` // of a SQLite file

	Layouts map[string]typeLayout `json:"type_layouts,omitempty"` // of engine v2

	EntityCounts    map[string]int64           `json:"entity_counts,omitempty"`
	RelationCounts  map[string]int64           `json:"relation_counts,omitempty"`
	EntitySchemas   map[string]json.RawMessage `json:"entity_schemas,omitempty"`
	RelationSchemas map[string]json.RawMessage `json:"relation_schemas,omitempty"`
}

func (p *program) infoCommand() *cobra.Command {
	var stats, schema bool
	cmd := &cobra.Command{
		Use:     "info",
		Short:   "what the store is, how far it is, and whether its indexes are sound",
		Example: "  ontosql info --storage-uri s3://bucket/prefix --stats --json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			s, err := p.cfg.openStore(ctx, a, p.log)
			if err != nil {
				return err
			}
			defer s.close()
			pin, err := s.store.Pin(ctx)
			if err != nil {
				return &openError{err}
			}
			health, err := s.health(ctx, pin)
			if err != nil {
				return &openError{err}
			}
			out := newInfo(a, pin, health)
			if out.Layouts, err = s.layouts(ctx, pin); err != nil {
				return &openError{err}
			}
			if schema {
				out.addSchemas(pin)
			}
			if stats {
				if err := p.countRows(ctx, a, pin, out, p.settingsOf(cmd)); err != nil {
					return err
				}
			}
			return p.printInfo(out)
		},
	}
	cmd.Flags().BoolVar(&stats, "stats", false, "count the latest rows of each type")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the schema of each type")
	return cmd
}

func newInfo(a address, pin *resolver.Pin, health []resolver.Health) *info {
	out := &info{
		Backend: a.backend, StorageURI: a.uri(), Bucket: a.bucket, Prefix: a.prefix,
		EngineVersion: pin.Engine, Initialized: true,
		LaggedTypes: []string{}, MissingLatest: []string{},
	}
	if a.backend == "sqlite" {
		out.DBPath, out.FileSize = a.path, fileSize(a.path)
	}
	if head := int64(pin.Head.Commit); head > 0 {
		out.HeadCommitID = &head
	}
	for _, h := range health {
		if h.Status == resolver.StatusOK {
			continue
		}
		name := h.Type.Kind.String() + ":" + h.Type.Name
		if h.MaxIndexed < h.Head {
			out.LaggedTypes = append(out.LaggedTypes, name)
		}
		if pin.View.LastCommit(h.Type) > h.MaxIndexed {
			out.MissingLatest = append(out.MissingLatest, name)
		}
		text := name + ": " + h.Problem
		out.LastIndexWarning = &text
	}
	return out
}

// fileSize is the size of a file in bytes, 0 where it cannot be told.
func fileSize(path string) int64 {
	about, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return about.Size()
}

func (i *info) addSchemas(pin *resolver.Pin) {
	i.EntitySchemas, i.RelationSchemas = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, t := range pin.Catalog.Types {
		if len(t.Versions) == 0 {
			continue
		}
		schema := json.RawMessage(t.Versions[len(t.Versions)-1].JSON)
		if t.Ref.Kind == ontosql.Entity {
			i.EntitySchemas[t.Ref.Name] = schema
		} else {
			i.RelationSchemas[t.Ref.Name] = schema
		}
	}
}

// countRows counts the latest rows of each type, through SQL.
func (p *program) countRows(ctx context.Context, a address, pin *resolver.Pin, out *info, settings []introspect.Option) error {
	out.EntityCounts, out.RelationCounts = map[string]int64{}, map[string]int64{}
	return p.inSession(ctx, a, "", settings, func(conn *pgconn.PgConn) error {
		for _, t := range pin.Catalog.Types {
			n, err := countLatest(ctx, conn, t)
			if err != nil {
				return err
			}
			if t.Ref.Kind == ontosql.Entity {
				out.EntityCounts[t.Ref.Name] = n
			} else {
				out.RelationCounts[t.Ref.Name] = n
			}
		}
		return nil
	})
}

// countAt counts the latest rows of a type at the pin of conn. A type without rows is not
// queried.
func countAt(ctx context.Context, conn *pgconn.PgConn, pin *resolver.Pin, t *catalog.Type) (int64, error) {
	if !pin.View.HasFiles(t.Ref, 0, pin.Head.Commit) {
		return 0, nil
	}
	return countLatest(ctx, conn, t)
}

// countLatest counts the latest rows of a type.
func countLatest(ctx context.Context, conn *pgconn.PgConn, t *catalog.Type) (int64, error) {
	table := `public."` + strings.ReplaceAll(t.Ref.Name, `"`, `""`) + `"`
	rows, err := conn.Exec(ctx, "SELECT count(*) FROM "+table).ReadAll()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(rows[0].Rows[0][0]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", t.Ref, err)
	}
	return n, nil
}

func (p *program) printInfo(i *info) error {
	if p.cfg.JSON {
		return printJSON(p.out, i)
	}
	head := "none"
	if i.HeadCommitID != nil {
		head = fmt.Sprint(*i.HeadCommitID)
	}
	fmt.Fprintf(p.out, "head_commit_id: %s\nbackend: %s\nstorage_uri: %s\nengine_version: %s\n", head, i.Backend, i.StorageURI, i.EngineVersion)
	if i.DBPath != "" {
		fmt.Fprintf(p.out, "file_size_bytes: %d\n", i.FileSize)
	} else {
		indexes := "ok"
		if i.LastIndexWarning != nil {
			indexes = "lagging or damaged; answers do not depend on them"
		}
		fmt.Fprintf(p.out, "indexes: %s\n", indexes)
	}
	if len(i.LaggedTypes) > 0 {
		fmt.Fprintf(p.out, "lagged_types: %s\n", strings.Join(i.LaggedTypes, ", "))
	}
	if len(i.MissingLatest) > 0 {
		fmt.Fprintf(p.out, "missing_latest: %s\n", strings.Join(i.MissingLatest, ", "))
	}
	if i.LastIndexWarning != nil {
		fmt.Fprintf(p.out, "last_index_warning: %s\n", *i.LastIndexWarning)
	}
	var rows [][]string
	for _, group := range []struct {
		kind   string
		counts map[string]int64
	}{{"entity", i.EntityCounts}, {"relation", i.RelationCounts}} {
		for _, name := range sortedNames(group.counts) {
			rows = append(rows, []string{group.kind, name, fmt.Sprint(group.counts[name])})
		}
	}
	printTable(p.out, []string{"kind", "type", "rows"}, rows)
	for _, schemas := range []map[string]json.RawMessage{i.EntitySchemas, i.RelationSchemas} {
		for _, name := range sortedNames(schemas) {
			fmt.Fprintf(p.out, "%s: %s\n", name, schemas[name])
		}
	}
	return nil
}
