package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// importOptions are the flags of import.
type importOptions struct {
	input         string
	dryRun, apply bool
	conflict      string
	mode          string
	keepMissing   bool
	precondition  string
	meta          map[string]string

	policy    transfer.Conflicts
	condition transfer.Precondition
}

func (p *program) importCommand() *cobra.Command {
	var o importOptions
	var meta []string
	cmd := &cobra.Command{
		Use:   "import",
		Short: "commit rows from lines of JSON, as export writes them",
		Example: "  ontosql import --storage-uri /srv/onto --input rows\n" +
			"  ontosql import --storage-uri /srv/onto --input rows/Customer.jsonl --apply --on-conflict skip\n" +
			"  ontosql import --storage-uri /srv/onto --input all.jsonl --apply --mode overwrite\n" +
			"  ontosql import --storage-uri /srv/onto --input new.jsonl --apply --precondition must_not_exist --meta ticket=OPS-7",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.meta, err = metaPairs(meta); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			files, err := importFiles(o.input)
			if err != nil {
				return err
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			return p.importRows(cmd.Context(), a, files, o)
		},
	}
	p.cfg.writerFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.input, "input", "", "a `file` of records, or a directory of *.jsonl")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "check the records and count them; the default")
	cmd.Flags().BoolVar(&o.apply, "apply", false, "commit the records")
	cmd.Flags().StringVar(&o.conflict, "on-conflict", "", "what becomes of rows that exist: abort, skip or upsert, default upsert")
	cmd.Flags().StringVar(&o.mode, "mode", "", "append: no row may exist; merge: rows that exist are updated, the default; overwrite: merge, and refuse if a row of the store is missing in the input")
	cmd.Flags().BoolVar(&o.keepMissing, "keep-missing", false, "with --mode overwrite, list the rows that the input lacks and leave them as they are")
	cmd.Flags().StringVar(&o.precondition, "precondition", "", "must_exist, must_not_exist or if_commit_id:N, of every row")
	cmd.Flags().StringArrayVar(&meta, "meta", nil, "put this `KEY=VALUE` into the metadata of the commit, repeatable")
	return cmd
}

func (o *importOptions) check() error {
	switch {
	case o.input == "":
		return usagef("import: --input FILE or DIR says what to import")
	case o.dryRun && o.apply:
		return usagef("import: --dry-run and --apply exclude each other")
	}
	if err := o.readPolicy(); err != nil {
		return err
	}
	if err := o.readPrecondition(); err != nil {
		return err
	}
	for _, key := range sortedNames(o.meta) {
		if strings.HasPrefix(key, "ontosql_") || key == "namespace" || slices.Contains(metaOfCommands, key) {
			return usagef("--meta %s: the key is reserved", key)
		}
	}
	return nil
}

// loadModes are what each --mode does with rows that exist.
var loadModes = map[string]transfer.Conflicts{"append": transfer.Abort, "merge": transfer.Upsert, "overwrite": transfer.Overwrite}

func (o *importOptions) readPolicy() error {
	policy, ok := loadModes[o.mode]
	switch {
	case o.mode != "" && !ok:
		return usagef("import: --mode %s: want append, merge or overwrite", o.mode)
	case o.mode != "" && o.conflict != "":
		return usagef("import: --mode and --on-conflict exclude each other")
	case o.keepMissing && policy != transfer.Overwrite:
		return usagef("import: --keep-missing wants --mode overwrite")
	case o.mode == "":
		policy = transfer.Conflicts(o.conflict)
		if !slices.Contains([]transfer.Conflicts{transfer.Update, transfer.Abort, transfer.Skip, transfer.Upsert}, policy) {
			return usagef("import: --on-conflict %s: want abort, skip or upsert", o.conflict)
		}
	}
	o.policy = policy
	return nil
}

func (o *importOptions) readPrecondition() error {
	number, isCommit := strings.CutPrefix(o.precondition, "if_commit_id:")
	switch {
	case o.precondition == "":
	case o.precondition == "must_exist":
		o.condition.MustExist = true
	case o.precondition == "must_not_exist":
		o.condition.MustNotExist = true
	case isCommit:
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 {
			return usagef("import: --precondition if_commit_id:%s: want the number of a commit", number)
		}
		id := ontosql.CommitID(n)
		o.condition.IfCommit = &id
	default:
		return usagef("import: --precondition %s: want must_exist, must_not_exist or if_commit_id:N", o.precondition)
	}
	return nil
}

// importFiles are the files of an input: itself, or the *.jsonl of a directory in
// the order of their names.
func importFiles(input string) ([]string, error) {
	info, err := os.Stat(input)
	if err != nil {
		return nil, usagef("import: %w", err)
	}
	if !info.IsDir() {
		return []string{input}, nil
	}
	entries, err := os.ReadDir(input) // sorted
	if err != nil {
		return nil, usagef("import: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".jsonl") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(input, e.Name()))
		}
	}
	if len(files) == 0 {
		return nil, usagef("import: %s has no *.jsonl", input)
	}
	return files, nil
}

func (p *program) importRows(ctx context.Context, a address, files []string, o importOptions) error {
	temp, err := p.cfg.transferDir()
	if err != nil {
		return err
	}
	g, err := p.openSole(ctx, a, gatewayUse{})
	if err != nil {
		return err
	}
	defer g.close(ctx)
	return p.importInto(ctx, a, g.committers[0], files, temp, o)
}

// importInto imports files into the store of an address, which the committer commits to.
func (p *program) importInto(ctx context.Context, a address, committer writer, files []string, temp string, o importOptions) error {
	src, done, err := p.openSource(ctx, a)
	if err != nil {
		return err
	}
	defer func() { done() }()
	records, err := transfer.ReadRecords(ctx, src.Pin(), files, temp, p.progress("checking bytes"))
	var invalid *transfer.InvalidError
	if errors.As(err, &invalid) {
		return p.invalidImport(invalid)
	}
	if err != nil {
		return &executionError{fmt.Errorf("import: %w", err)}
	}
	defer records.Close()
	var after ontosql.CommitID
	for attempt := 1; ; attempt++ {
		pin := src.Pin().Head.Commit
		if err := records.FindStored(ctx, src, after, o.policy); err != nil {
			return &executionError{fmt.Errorf("import: %w", err)}
		}
		counts := records.Plan(o.policy, o.condition)
		missing := records.Missing()
		if counts.Conflicts == 0 && len(missing) > 0 && !o.keepMissing {
			return p.refuseMissing(missing)
		}
		if counts.Conflicts > 0 || !o.apply {
			return p.printImport(counts, 0, missing, o)
		}
		tx := writepath.Tx{Pin: pin, Actor: schemaUser, Metadata: o.meta, Data: records.Data()}
		if len(tx.Data) == 0 {
			return p.printImport(counts, 0, missing, o)
		}
		if o.policy == transfer.Overwrite {
			tx.Reads = records.Types() // their rows were compared with the records
		}
		outcome, err := committer.Commit(ctx, tx)
		switch {
		case err == nil:
			return p.printImport(counts, outcome.Commit, missing, o)
		case !wroteRows(err) || attempt == mostAttempts:
			return &executionError{fmt.Errorf("import: %w", err)}
		}
		// The plan is made again on top of the other commit.
		done()
		if src, done, err = p.openSource(ctx, a); err != nil {
			done = func() {}
			return err
		}
		after = pin
	}
}

// wroteRows reports whether a commit was refused because another one wrote rows that it depends on.
func wroteRows(err error) bool {
	var conflict *writepath.ConflictError
	var read *writepath.ReadConflictError
	return errors.As(err, &conflict) || errors.As(err, &read) && !read.Altered
}
