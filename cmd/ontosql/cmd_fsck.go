package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/maintain"
	"github.com/ontosql/ontosql/maintain/gc"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/sqlite/check"
	"github.com/ontosql/ontosql/writepath"
)

func (p *program) fsckCommand() *cobra.Command {
	var data, distrust bool
	cmd := &cobra.Command{
		Use:   "fsck",
		Short: "hold a store against every rule that readers and writers rely on",
		Example: "  ontosql fsck --storage-uri s3://bucket/prefix\n" +
			"  ontosql fsck --db /srv/onto.db --data --json",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := p.cfg.oneAddress()
			if err != nil {
				return err
			}
			report, err := p.fsck(cmd.Context(), a, data || distrust, distrust)
			if err != nil {
				return err
			}
			if err := p.printFsck(report); err != nil {
				return err
			}
			if !report.OK {
				return &alreadySaid{&executionError{fmt.Errorf("fsck: %d errors", report.Errors)}}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&data, "data", false, "look into the data too: checksums, row counts, schemas, keys and values of rows")
	cmd.Flags().BoolVar(&distrust, "distrust", false, "look into the data, and note in the bucket the typed columns that do not have what fields_json has, so that readers use fields_json")
	return cmd
}

// fsckReport is what fsck prints.
type fsckReport struct {
	OK           bool          `json:"ok"`
	Backend      string        `json:"backend"`
	StorageURI   string        `json:"storage_uri"`
	Engine       string        `json:"engine_version"`
	HeadCommitID *int64        `json:"head_commit_id"`
	Data         bool          `json:"data"`
	Files        *int          `json:"files_read,omitempty"` // of a bucket, with --data
	Rows         *int64        `json:"rows_read,omitempty"`
	HeadMoved    bool          `json:"head_moved,omitempty"` // somebody committed meanwhile
	Distrusted   int           `json:"distrusted,omitempty"` // columns that this run has noted
	Errors       int64         `json:"errors"`
	Warnings     int64         `json:"warnings"`
	Findings     []fsckFinding `json:"findings"`
	Garbage      *fsckGarbage  `json:"garbage,omitempty"` // of a sound bucket, if there is any

	distrust bool
}

// fsckGarbage is what gc would remove.
type fsckGarbage struct {
	Objects  int       `json:"objects"`
	Bytes    int64     `json:"bytes"`
	Examples []garbage `json:"examples"`
	Command  string    `json:"command"`
}

// fsckFinding is the result of one check, with its first places.
type fsckFinding struct {
	Severity string      `json:"severity"` // "error" or "warning"
	Check    string      `json:"check"`    // the rule or the check
	Total    int64       `json:"total"`
	Examples []fsckPlace `json:"examples"`
}

type fsckPlace struct {
	Object  string `json:"object,omitempty"` // of a bucket: its key
	Table   string `json:"table,omitempty"`  // of a SQLite file, with the row where it is one's
	RowID   int64  `json:"rowid,omitempty"`
	Problem string `json:"problem"`
}

// mostExamples is the number of places that are printed of a finding.
const mostExamples = 10

const (
	fsckError   = "error"
	fsckWarning = "warning"
)

// fsck checks a store. distrust also notes what Distrusted counts.
func (p *program) fsck(ctx context.Context, a address, data, distrust bool) (*fsckReport, error) {
	report := &fsckReport{Backend: a.backend, StorageURI: a.uri(), Data: data, distrust: distrust, Findings: []fsckFinding{}}
	fill := p.fsckBucket
	if a.backend == "sqlite" {
		fill = p.fsckFile
	}
	if err := fill(ctx, a, report); err != nil {
		return nil, err
	}
	for _, f := range report.Findings {
		if f.Severity == fsckError {
			report.Errors += f.Total
		} else {
			report.Warnings += f.Total
		}
	}
	report.OK = report.Errors == 0
	return report, nil
}

// head shows a head, null for none.
func (r *fsckReport) head(id int64) {
	if id > 0 {
		r.HeadCommitID = &id
	}
}

func (p *program) fsckFile(ctx context.Context, a address, report *fsckReport) error {
	found, err := check.Run(ctx, a.path, check.Options{Data: report.Data, Now: time.Now, Progress: p.progress("checking rows")})
	if err != nil {
		return &openError{err}
	}
	report.Engine, report.Rows = found.Engine, &found.Rows
	report.head(int64(found.Head))
	report.Findings = fileFindings(found)
	return nil
}

// fileFindings are the findings in a SQLite file: one for each check, over all tables.
func fileFindings(found *check.Report) (all []fsckFinding) {
	for _, f := range found.Findings {
		i := slices.IndexFunc(all, func(line fsckFinding) bool {
			return line.Severity == string(f.Severity) && line.Check == f.Check
		})
		if i < 0 {
			i = len(all)
			all = append(all, fsckFinding{Severity: string(f.Severity), Check: f.Check})
		}
		line := &all[i]
		line.Total += f.Total
		for _, place := range f.Places {
			if len(line.Examples) < mostExamples {
				line.Examples = append(line.Examples, fsckPlace{Table: f.Table, RowID: place.RowID, Problem: place.Text})
			}
		}
	}
	return all
}

// mostLooks is how often a bucket with problems is looked at again because somebody
// committed meanwhile, so that the problems may be none.
const mostLooks = 3

func (p *program) fsckBucket(ctx context.Context, a address, report *fsckReport) error {
	b, err := p.cfg.openBucket(ctx, a, false)
	if err != nil {
		return err
	}
	log, err := chain.Open("", chain.Options{Bucket: b})
	if err != nil {
		return err
	}
	defer log.Close()
	var found maintain.Report
	for range mostLooks {
		found, err = maintain.Check(ctx, b, maintain.Options{Data: report.Data, Progress: p.progress("reading files"), Log: log})
		if err != nil {
			return &openError{err}
		}
		if !found.Moved || len(found.Errors()) == 0 {
			break
		}
	}
	if report.distrust {
		if report.Distrusted, err = maintain.Distrust(ctx, b, found.Contradicting, time.Now()); err != nil {
			return &executionError{err}
		}
	}
	report.Engine, report.HeadMoved = found.Engine, found.Moved
	report.head(int64(found.Head))
	if report.Data {
		report.Files, report.Rows = &found.Files, &found.Rows
	}
	for _, problem := range found.Problems {
		severity := fsckWarning
		if problem.Severity == maintain.Error {
			severity = fsckError
		}
		i := slices.IndexFunc(report.Findings, func(f fsckFinding) bool {
			return f.Severity == severity && f.Check == string(problem.Rule)
		})
		if i < 0 {
			i = len(report.Findings)
			report.Findings = append(report.Findings, fsckFinding{Severity: severity, Check: string(problem.Rule)})
		}
		f := &report.Findings[i]
		if f.Total++; f.Total <= mostExamples {
			f.Examples = append(f.Examples, fsckPlace{Object: problem.Key, Problem: problem.Text})
		}
	}
	slices.SortStableFunc(report.Findings, func(a, b fsckFinding) int { return cmp.Compare(a.Severity, b.Severity) })
	report.Garbage, err = p.fsckGarbage(ctx, a, b, log)
	return err
}

// fsckGarbage plans a collection of garbage; nil if there is none, or if the store is damaged, so
// that none would be removed.
func (p *program) fsckGarbage(ctx context.Context, a address, b objstore.Bucket, log *chain.Log) (*fsckGarbage, error) {
	c, err := gc.Run(ctx, gc.Options{MaintenanceOptions: writepath.MaintenanceOptions{Bucket: b, Log: log}, Grace: gc.DefaultGrace})
	var damaged *ontosql.CorruptError
	switch {
	case errors.As(err, &damaged), errors.Is(err, ontosql.ErrHeadMoved), errors.Is(err, ontosql.ErrNotInitialised):
		return nil, nil
	case err != nil:
		return nil, &openError{err}
	case len(c.Planned) == 0:
		return nil, nil
	}
	found := &fsckGarbage{Objects: c.Total.Objects, Bytes: c.Total.Bytes, Command: "ontosql gc --storage-uri " + a.uri()}
	if p.cfg.S3Endpoint != "" && a.backend == "s3" {
		found.Command += " --s3-endpoint-url " + p.cfg.S3Endpoint
	}
	for _, g := range c.Planned[:min(len(c.Planned), mostExamples)] {
		found.Examples = append(found.Examples, newGarbage(g))
	}
	return found, nil
}

func (p *program) printFsck(r *fsckReport) error {
	if p.cfg.JSON {
		return printJSON(p.out, r)
	}
	p.printFindings(r.Findings)
	if g := r.Garbage; g != nil {
		fmt.Fprintf(p.out, "garbage: %s, %s: %s\n", amount(g.Objects, "object"), amount(g.Bytes, "byte"), g.Command)
		for _, example := range g.Examples {
			fmt.Fprintf(p.out, "  %s\n", example)
		}
		if more := g.Objects - len(g.Examples); more > 0 {
			fmt.Fprintf(p.out, "  and %d more\n", more)
		}
	}
	if r.HeadMoved {
		fmt.Fprintln(p.out, "Somebody committed meanwhile: what was found may be the traces of that. Check again at rest.")
	}
	if r.Distrusted > 0 {
		fmt.Fprintf(p.out, "%d columns are distrusted from now on: their fields are read from fields_json.\n", r.Distrusted)
	}
	fmt.Fprintf(p.out, "%s: head %s, engine %s%s; errors: %d, warnings: %d\n",
		r.StorageURI, orNone(r.HeadCommitID), r.Engine, r.read(), r.Errors, r.Warnings)
	return nil
}

func (p *program) printFindings(findings []fsckFinding) {
	for _, f := range findings {
		fmt.Fprintf(p.out, "%s: %s: %d found\n", f.Severity, f.Check, f.Total)
		for _, place := range f.Examples {
			fmt.Fprintf(p.out, "  %s\n", place)
		}
		if more := f.Total - int64(len(f.Examples)); more > 0 {
			fmt.Fprintf(p.out, "  and %d more\n", more)
		}
	}
}

// read says how much of the data was read.
func (r *fsckReport) read() string {
	text := ""
	if r.Files != nil {
		text += fmt.Sprintf(", %d files", *r.Files)
	}
	if r.Rows != nil {
		text += fmt.Sprintf(", %d rows", *r.Rows)
	}
	return text
}

// String is the place on one line.
func (p fsckPlace) String() string {
	where := cmp.Or(p.Object, p.Table)
	if p.RowID != 0 {
		where += fmt.Sprintf(" row %d", p.RowID)
	}
	if where == "" {
		return p.Problem
	}
	return where + ": " + p.Problem
}

func orNone(id *int64) string {
	if id == nil {
		return "none"
	}
	return fmt.Sprint(*id)
}
