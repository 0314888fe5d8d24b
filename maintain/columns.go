package maintain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// fileCheck checks one data file, of a commit or a snapshot, against the rules.
type fileCheck struct {
	v         *verifier
	key       string
	ref       ontosql.TypeRef
	low, high ontosql.CommitID // range of valid commits of its rows
	version   *int64           // from the manifest; nil for a snapshot or if it has none
	rows      int64            // from the manifest
	snapshot  bool             // no manifest describes it
	ours      bool

	columns []format.DataColumn
	at      map[string]int // index of each system column
	row     int64          // the current row, from 1
	seen    map[uint64]uint64
	digest  digest
	noted   map[Rule]*note
}

// note is the first problem of a rule in a file, and the number of rows with it.
type note struct {
	severity Severity
	text     string
	rows     int64
}

func (c *fileCheck) note(rule Rule, severity Severity, text string, args ...any) {
	if n := c.noted[rule]; n != nil {
		n.rows++
		return
	}
	c.noted[rule] = &note{severity, fmt.Sprintf("row %d: ", c.row) + fmt.Sprintf(text, args...), 1}
}

// run reads the file. ok reports whether its rows could be read; err is the context's.
func (c *fileCheck) run(ctx context.Context, body []byte) (ok bool, err error) {
	c.noted, c.seen = map[Rule]*note{}, map[uint64]uint64{}
	file, err := format.OpenDataFile(body)
	if err != nil {
		c.v.found.add(Columns, Error, c.key, "%v", err)
		return false, nil
	}
	c.columns = file.Columns()
	if !c.checkColumns() {
		return false, nil
	}
	c.leaveDistrusted(file)
	if n := file.Rows(); !c.snapshot && n != c.rows { // before reading rows: the announced number can be anything
		c.v.found.add(I4, Error, c.key, "has %d rows, its manifest says %d", n, c.rows)
		return false, nil
	}
	err = file.Scan(ctx, func(batch [][]format.Value) error {
		for i := range batch[c.at["commit_id"]] {
			c.row++
			c.checkRow(batch, i)
		}
		return nil
	})
	if err != nil {
		if !errors.Is(err, format.ErrDamagedFile) {
			return false, err
		}
		c.v.found.add(Columns, Error, c.key, "%v", err)
		var column *format.DamagedColumnError
		if errors.As(err, &column) && !slices.Contains(format.SystemColumns(c.ref.Kind), column.Column) {
			c.distrust(column.Column)
		}
		return false, nil
	}
	if c.row != file.Rows() {
		c.v.found.add(Columns, Error, c.key, "announces %d rows and has %d", file.Rows(), c.row)
		return false, nil
	}
	c.v.found.read(c.row)
	for rule, n := range c.noted {
		more := ""
		if n.rows > 1 {
			more = fmt.Sprintf(" (and %d more)", n.rows-1)
		}
		c.v.found.add(rule, n.severity, c.key, "%s%s", n.text, more)
	}
	return true, nil
}

// checkColumns checks that the file has the system columns of its kind, first, in order and
// with readable types.
func (c *fileCheck) checkColumns() bool {
	system := format.SystemColumns(c.ref.Kind)
	c.at = map[string]int{}
	for i, name := range system {
		if i >= len(c.columns) || c.columns[i].Name != name {
			c.v.found.add(Columns, Error, c.key, "column %d is not %s", i+1, name)
			return false
		}
		c.at[name] = i
		if !c.kindFits(name, c.columns[i].Kind) {
			c.v.found.add(Columns, Error, c.key, "column %s is of kind %s", name, c.columns[i].Kind)
			return false
		}
	}
	typed := c.columns[len(system):]
	for _, column := range typed {
		if format.Reserved(c.ref.Kind, column.Name) {
			c.v.found.add(RuleReserved, Error, c.key, "column %s has the name of a system column", column.Name)
		}
	}
	byName := func(a, b format.DataColumn) int { return strings.Compare(a.Name, b.Name) }
	if !c.snapshot && !slices.IsSortedFunc(typed, byName) {
		c.v.found.add(Columns, Error, c.key, "typed columns are not in the order of their names")
	}
	return true
}

// kindFits reports whether a system column may have a type. Keys given as numbers to the
// original are numbers in its files (COMPAT 2.3); a column of empty schema versions has the
// null type (COMPAT 2.4).
func (c *fileCheck) kindFits(name string, kind format.ColumnKind) bool {
	switch name {
	case "commit_id":
		return kind == format.KindInt64
	case "schema_version_id":
		return kind == format.KindInt64 || kind == format.KindNull
	case "entity_key", "left_key", "right_key":
		return kind == format.KindString || !c.ours && kind != format.KindOther && kind != format.KindNull
	}
	return kind == format.KindString
}
