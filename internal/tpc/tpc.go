// Package tpc makes the tables and queries of the benchmarks TPC-H and TPC-DS, with DuckDB's own
// generators, for tests and measurements. `make drivers` installs them below .tools.
package tpc

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Python is the interpreter that has the generators, from the root of the tree.
const Python = ".tools/drivers/python/bin/python"

// The benchmarks.
const (
	H  = "tpch"
	DS = "tpcds"
)

// RowID is the primary key that each table has besides its own columns: the row's number.
const RowID = "row_id"

// Set is a benchmark's data and queries.
type Set struct {
	Tables  []Table
	Queries []string // query 1 first
}

// Table is a table whose rows are in a CSV file. The first value of a row is its RowID.
type Table struct {
	Name, Path string
	Columns    []struct{ Name, Type string } // with the types of DuckDB
}

//go:embed generate.py
var generator []byte

// Generate makes the data of a scale, 1 for about a gigabyte, in a directory that is there.
func Generate(ctx context.Context, python, benchmark string, scale float64, dir string) (*Set, error) {
	cmd := exec.CommandContext(ctx, python, "-", benchmark, strconv.FormatFloat(scale, 'g', -1, 64), dir)
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(generator), &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("generate %s: %w\n%s", benchmark, err, &problems)
	}
	s := &Set{}
	if err := json.Unmarshal(out.Bytes(), s); err != nil {
		return nil, fmt.Errorf("generate %s: %w", benchmark, err)
	}
	return s, nil
}

// Create is the statement that creates the table on PostgreSQL or ontosql.
func (t *Table) Create() string {
	columns := []string{RowID + " bigint PRIMARY KEY"}
	for _, c := range t.Columns {
		columns = append(columns, c.Name+" "+postgresType(c.Type))
	}
	return "CREATE TABLE " + t.Name + " (" + strings.Join(columns, ", ") + ")"
}

// postgresType is PostgreSQL's name of a type of DuckDB that the benchmarks have.
func postgresType(duckdb string) string {
	switch duckdb {
	case "INTEGER", "BIGINT":
		return "bigint"
	case "VARCHAR":
		return "text"
	}
	return strings.ToLower(strings.Replace(duckdb, "DECIMAL", "numeric", 1))
}

// Load creates and fills the tables in the current schema of PostgreSQL or ontosql.
func (s *Set) Load(ctx context.Context, c *pgconn.PgConn) error {
	for i := range s.Tables {
		if err := s.Tables[i].load(ctx, c); err != nil {
			return fmt.Errorf("load %s: %w", s.Tables[i].Name, err)
		}
	}
	return nil
}

func (t *Table) load(ctx context.Context, c *pgconn.PgConn) error {
	if _, err := c.Exec(ctx, t.Create()).ReadAll(); err != nil {
		return err
	}
	rows, err := os.Open(t.Path)
	if err != nil {
		return err
	}
	_, err = c.CopyFrom(ctx, rows, "COPY "+t.Name+" FROM STDIN (FORMAT csv)")
	return errors.Join(err, rows.Close())
}
