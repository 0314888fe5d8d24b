package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/gateway/settings"
	"github.com/ontosql/ontosql/pgfunc/datetime"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/transfer"
)

// rowExportOptions are the flags of export.
type rowExportOptions struct {
	output, typ, asOf string
	since             int64
	history, metadata bool
}

func (p *program) exportCommand() *cobra.Command {
	var o rowExportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write rows as lines of JSON, a file for each type",
		Example: "  ontosql export --storage-uri /srv/onto --output rows\n" +
			"  ontosql export --storage-uri /srv/onto --output rows --type Customer --as-of 2026-02-10\n" +
			"  ontosql export --storage-uri /srv/onto --output rows --history-since 41 --with-metadata",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.history = p.cfg.given(cmd, "history-since")
			switch {
			case o.output == "":
				return usagef("export: --output DIR says where the files go")
			case o.history && o.asOf != "":
				return usagef("export: --as-of and --history-since exclude each other")
			case o.since < 0:
				return usagef("export: --history-since %d: want a commit, or 0 for all", o.since)
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.export(cmd.Context(), a, o)
		},
	}
	cmd.Flags().StringVar(&o.output, "output", "", "the `directory` for the files")
	cmd.Flags().StringVar(&o.typ, "type", "", "only the type of this `name`")
	cmd.Flags().StringVar(&o.asOf, "as-of", "", "the rows as they were at this `point`: a commit, HEAD~n, a tag or a timestamp")
	cmd.Flags().Int64Var(&o.since, "history-since", 0, "every version after this `commit` instead of the newest of each row")
	cmd.Flags().BoolVar(&o.metadata, "with-metadata", false, "write the commit of each version")
	return cmd
}

func (p *program) export(ctx context.Context, a address, o rowExportOptions) error {
	src, done, err := p.openSource(ctx, a)
	if err != nil {
		return err
	}
	defer done()
	temp, err := p.cfg.transferDir()
	if err != nil {
		return err
	}
	e := transfer.ExportOptions{
		Dir: o.output, Lower: ontosql.CommitID(o.since), Upper: src.Pin().Head.Commit, History: o.history,
		Commits: o.metadata, Temp: temp, Progress: p.progress("exporting versions"),
	}
	if o.asOf != "" {
		if e.Upper, err = resolvePoint(src.Pin(), o.asOf); err != nil {
			return fmt.Errorf("export: %w", err)
		}
	}
	if e.Types, err = exportedTypes(src.Pin(), o.typ); err != nil {
		return err
	}
	files, err := transfer.Export(ctx, src, e)
	if err != nil {
		return &executionError{fmt.Errorf("export: %w", err)}
	}
	return p.printExported(o.output, files)
}

// resolvePoint is the commit of a point that --as-of names.
func resolvePoint(pin *resolver.Pin, asOf string) (ontosql.CommitID, error) {
	point, err := settings.ReadPoint(asOf, datetime.TimeInput{Now: func() time.Time { return time.Now().UTC() }}, time.UTC)
	if err != nil {
		return 0, usagef("--as-of %s: %w", asOf, err)
	}
	id, err := pin.View.Resolve(point)
	if err != nil {
		return 0, usagef("--as-of %s: %w", asOf, settings.UnknownTag(err))
	}
	return id, nil
}

// exportedTypes are the types of a name, all where it is "".
func exportedTypes(pin *resolver.Pin, name string) ([]*catalog.Type, error) {
	if name == "" {
		return pin.Catalog.Types, nil
	}
	var types []*catalog.Type
	for _, t := range pin.Catalog.Types {
		if t.Ref.Name == name {
			types = append(types, t)
		}
	}
	if len(types) == 0 {
		return nil, usagef("export: there is no type %q", name)
	}
	return types, nil
}

// exported is what export answers with --json.
type exported struct {
	Status string         `json:"status"`
	Output string         `json:"output"`
	Rows   int64          `json:"total_records"`
	Files  []exportedFile `json:"files"`
}

type exportedFile struct {
	typeName
	File string `json:"file"`
	Rows int64  `json:"records"`
}

func (p *program) printExported(output string, files []transfer.Exported) error {
	e := exported{Status: "exported", Output: output, Files: []exportedFile{}}
	for _, f := range files {
		e.Rows += f.Rows
		e.Files = append(e.Files, exportedFile{nameOf(f.Type), f.File, f.Rows})
	}
	if p.cfg.JSON {
		return printJSON(p.out, e)
	}
	_, err := fmt.Fprintf(p.out, "Exported %d rows to %s/\n", e.Rows, strings.TrimRight(output, "/"))
	return err
}
