package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/sqlite"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// Severity is how serious a Finding is.
type Severity string

// The severities.
const (
	// SeverityError: the file breaks a rule that readers or writers rely on.
	SeverityError Severity = "error"
	// SeverityWarning: readers answer correctly, but an operator should look at it.
	SeverityWarning Severity = "warning"
)

// maxPlaces bounds Finding.Places.
const maxPlaces = 10

// Finding lists the violations of one check in one table.
type Finding struct {
	Check    string // what was checked, such as "row versions"
	Severity Severity
	Table    string  // "" for the file as a whole
	Total    int64   // of places
	Places   []Place // the first of them
}

// Place is a violation.
type Place struct {
	RowID int64  // 0 where it is no row, or the row has no id
	Text  string // never holds row data beyond a key
}

// Options of Run.
type Options struct {
	// Data checks every index entry and every value of the rows too.
	Data bool
	// Commits restricts the run to the checks of commits and of foreign keys.
	Commits bool
	// Now decides whether a lock has expired; nil means time.Now.
	Now func() time.Time
	// Progress is called with the rows checked and the approximate total; it may be nil.
	Progress func(done, total int)
}

// Report is the result of Run, errors first.
type Report struct {
	Head     ontosql.CommitID // the greatest commit id
	Engine   string           // of the marker, format.EngineV1 where there is none
	Rows     int64            // versions in both history tables
	Findings []Finding
}

// Errors is the number of findings that are errors.
func (r *Report) Errors() int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == SeverityError {
			n++
		}
	}
	return n
}

// Run checks the ontology in the file at path against every rule that the original library
// and ontosql rely on. It reads only, in one transaction, so concurrent writers cause no
// false findings. Without a write-ahead log, writers wait until it ends.
//
// Violations are in the report, and each check runs whatever others find. Errors:
// ontosql.ErrNotInitialised for a missing or empty file, sqlite.ErrForeign for a file that
// is not an ontology, and those of reading.
func Run(ctx context.Context, path string, o Options) (*Report, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	var report *Report
	err := sqlite.ReadFile(ctx, path, func(conn *lite.Conn) error {
		c := &checker{conn: conn, path: path, data: o.Data, only: o.Commits, now: o.Now(), progress: o.Progress, index: map[findingKey]int{}}
		if err := c.run(); err != nil {
			return err
		}
		if o.Progress != nil && c.rows >= progressRows {
			o.Progress(int(c.ids), int(c.ids))
		}
		slices.SortStableFunc(c.findings, func(a, b Finding) int { return cmp.Compare(a.Severity, b.Severity) })
		report = &Report{Head: c.head, Engine: c.engine, Rows: c.rows, Findings: c.findings}
		return nil
	})
	return report, sqlconn.StorageError("check", err)
}

// checker is the state of one Run.
type checker struct {
	conn *lite.Conn
	path string
	data bool
	only bool // commits and foreign keys
	now  time.Time

	progress func(done, total int)

	findings []Finding
	index    map[findingKey]int // of findings

	columns dbschema.Tables // what there is
	engine  string
	head    ontosql.CommitID
	commits idSet
	// commitsReadable says that commits are all there are: their table can be read.
	commitsReadable bool
	ours            idSet                                // those of them that ontosql made
	dropped         map[ontosql.TypeRef]ontosql.CommitID // the last drop of each
	change          *format.SchemaChange                 // the newest of ours
	changed         ontosql.CommitID                     // its commit
	types           map[ontosql.TypeRef]*checkedType
	rows            int64 // that were looked at
	ids             int64 // of rows that were given, in both history tables
}

type findingKey struct {
	check    string
	severity Severity
	table    string
}

// add adds a place to the Finding of the check and table.
func (c *checker) add(check string, severity Severity, table string, row int64, text string, args ...any) {
	key := findingKey{check, severity, table}
	i, known := c.index[key]
	if !known {
		i = len(c.findings)
		c.index[key] = i
		c.findings = append(c.findings, Finding{Check: check, Severity: severity, Table: table})
	}
	f := &c.findings[i]
	if f.Total++; f.Total <= maxPlaces {
		f.Places = append(f.Places, Place{row, fmt.Sprintf(text, args...)})
	}
}

// run runs every check. A check that meets damaged pages ends with a finding, and the next
// one runs.
func (c *checker) run() error {
	if err := c.readShape(); err != nil {
		return err
	}
	for _, step := range []struct {
		name  string
		table string
		do    func() error
	}{
		{"integrity", "", c.checkIntegrity},
		{"foreign keys", "", c.checkForeignKeys},
		{"tables", "", c.checkShape},
		{"engine", "storage_meta", c.checkEngine},
		{"commits", "commits", c.checkCommits},
		{"schema versions", "schema_versions", c.checkVersions},
		{"registry", "schema_registry", c.checkRegistry},
		{"schema change", "commits", c.checkChange},
		{"rows", "", c.countRows},
		{"rows", "entity_history", func() error { return c.checkRows(ontosql.Entity) }},
		{"rows", "relation_history", func() error { return c.checkRows(ontosql.Relation) }},
		{"row versions", "", c.checkRowVersions},
		{"duplicates", "entity_history", func() error { return c.checkDuplicates(ontosql.Entity) }},
		{"duplicates", "relation_history", func() error { return c.checkDuplicates(ontosql.Relation) }},
		{"layouts", "type_layout_catalog", c.checkLayouts},
		{"lock", "locks", c.checkLock},
		{"write-ahead log", "", c.checkWAL},
	} {
		if c.only && step.name != "commits" && step.name != "foreign keys" {
			continue
		}
		err := step.do()
		switch lite.ErrCode(err).ToPrimary() {
		case lite.ResultOK:
		case lite.ResultCorrupt, lite.ResultNotADB, lite.ResultError, lite.ResultFormat:
			c.add("integrity", SeverityError, step.table, 0, "the check of %s met damage: %v", step.name, err)
		default:
			return err
		}
	}
	return nil
}

// query runs a statement and gives visit each row.
func (c *checker) query(sql string, visit func(row *lite.Stmt)) error {
	return sqlconn.Each(c.conn, sql, func(row *lite.Stmt) error {
		visit(row)
		return nil
	})
}

// checkIntegrity is SQLite's own check of pages, indexes and constraints, and
// without data its quick one, of pages alone.
func (c *checker) checkIntegrity() error {
	pragma := "PRAGMA quick_check"
	if c.data {
		pragma = "PRAGMA integrity_check"
	}
	return c.query(pragma, func(row *lite.Stmt) {
		if text := row.ColumnText(0); text != "ok" {
			c.add("integrity", SeverityError, "", 0, "%s", text)
		}
	})
}

// checkForeignKeys finds rows whose parent is missing.
func (c *checker) checkForeignKeys() error {
	return c.query("PRAGMA foreign_key_check", func(row *lite.Stmt) {
		table := row.ColumnText(0)
		c.add("foreign keys", SeverityError, table, row.ColumnInt64(1), "its row of %s does not exist", row.ColumnText(2))
	})
}

// walWarning is how large a write-ahead log is before somebody should look why
// nobody checkpoints it (seed 002 section 6.2).
const walWarning = 100 << 20

func (c *checker) checkWAL() error {
	info, err := os.Stat(sqlconn.WALPath(c.path))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Size() > walWarning {
		c.add("write-ahead log", SeverityWarning, "", 0,
			"it has %d MB: a reader holds an old snapshot, or nobody checkpoints; PRAGMA wal_checkpoint(TRUNCATE) empties it", info.Size()>>20)
	}
	return nil
}
