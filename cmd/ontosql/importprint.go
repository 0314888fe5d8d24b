package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/transfer"
)

// imported is the original's answer to an import (COMPAT 7).
type imported struct {
	Status string `json:"status"`
	Commit int64  `json:"commit_id,omitempty"` // none where nothing differed
	transfer.Counts
}

// missingRow is a row that the input of --mode overwrite lacks.
type missingRow struct {
	typeName
	Key      string `json:"key,omitempty"`
	Left     string `json:"left_key,omitempty"`
	Right    string `json:"right_key,omitempty"`
	Instance string `json:"instance_key,omitempty"`
}

func (m *missingRow) String() string {
	key := m.Key
	if m.Left != "" || m.Right != "" {
		if key = m.Left + " -> " + m.Right; m.Instance != "" {
			key += " (" + m.Instance + ")"
		}
	}
	return m.Kind + ":" + m.Name + " " + shownText(&key)
}

func missingRows(list []transfer.Missing) []missingRow {
	rows := make([]missingRow, len(list))
	for i, m := range list {
		rows[i] = missingRow{nameOf(m.Type), m.Key, m.Left, m.Right, m.Instance}
	}
	return rows
}

// mostListed is how many rows a text names.
const mostListed = 10

// listMissing is a line for each of the first rows.
func listMissing(rows []missingRow) string {
	var b strings.Builder
	for i := range rows[:min(len(rows), mostListed)] {
		fmt.Fprintf(&b, "\n%s", &rows[i])
	}
	if more := len(rows) - mostListed; more > 0 {
		fmt.Fprintf(&b, "\nand %d more", more)
	}
	return b.String()
}

// refuseMissing is the answer to an input that lacks rows of the store, which nothing can delete.
func (p *program) refuseMissing(list []transfer.Missing) error {
	rows := missingRows(list)
	err := &conflictError{fmt.Errorf("import: %d rows of the store are missing in the input and cannot be deleted; nothing was imported. --keep-missing leaves them as they are%s", len(rows), listMissing(rows))}
	if !p.cfg.JSON {
		return err
	}
	answer := struct {
		Status  string       `json:"status"`
		Missing int          `json:"missing"`
		Rows    []missingRow `json:"missing_rows"`
	}{"missing", len(rows), rows}
	return errors.Join(err, printJSON(p.out, answer))
}

// printImport prints what was, or would be, imported. With conflicts nothing is.
func (p *program) printImport(c transfer.Counts, commit ontosql.CommitID, missing []transfer.Missing, o importOptions) error {
	if c.Conflicts > 0 {
		err := &conflictError{fmt.Errorf("import: %d of %d records are in conflict with what the store has; nothing was imported", c.Conflicts, c.Total)}
		if !p.cfg.JSON {
			return err
		}
		answer := struct {
			Status    string `json:"status"`
			Conflicts int    `json:"conflicts"`
		}{"conflict", c.Conflicts}
		return errors.Join(err, printJSON(p.out, answer))
	}
	out := struct {
		imported
		Rows []missingRow `json:"missing_rows,omitempty"`
	}{imported: imported{"dry_run", int64(commit), c}}
	if o.apply {
		out.Status = "applied"
	}
	rows := missingRows(missing)
	if p.cfg.JSON {
		out.Rows = rows
	}
	if err := p.printMembers(out); err != nil || p.cfg.JSON || len(rows) == 0 {
		return err
	}
	_, err := fmt.Fprintln(p.out, strings.TrimPrefix(listMissing(rows), "\n"))
	return err
}

// invalidImport prints the lines that cannot be imported.
func (p *program) invalidImport(invalid *transfer.InvalidError) error {
	err := &conflictError{fmt.Errorf("import: nothing was imported\n%w", invalid)}
	if !p.cfg.JSON {
		return err
	}
	type line struct {
		File  string `json:"file"`
		Line  int    `json:"line"`
		Error string `json:"error"`
	}
	answer := struct {
		Status string `json:"status"`
		Errors []line `json:"errors"`
		More   int    `json:"more_errors,omitempty"`
	}{Status: "invalid", More: invalid.More}
	for _, problem := range invalid.Problems {
		answer.Errors = append(answer.Errors, line{problem.File, problem.Line, problem.Err.Error()})
	}
	return errors.Join(err, printJSON(p.out, answer))
}
