package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
)

// attached is the database name under which the file is attached. Statements of clients cannot
// name it: the rewriter replaces all names of the client's.
const attached = "ontosql_mirror"

// fileVersion is the version of the file's layout. It is part of the file name.
const fileVersion = 4

// file is the DuckDB file of this process.
type file struct {
	path  string
	place *Place
}

// openFile attaches the first file of dir that no other process holds, and removes unused files.
func openFile(ctx context.Context, conn *duckdb.Conn, dir string) (*file, error) {
	// Automatic checkpoints are disabled, so that a small commit does not pay for the data of
	// earlier ones.
	if err := conn.Exec(ctx, "SET GLOBAL checkpoint_threshold = '1TB'"); err != nil {
		return nil, err
	}
	place, err := Claim(dir, func(n int) string {
		if n == 1 {
			return fmt.Sprintf("mirror-v%d.duckdb", fileVersion)
		}
		return fmt.Sprintf("mirror-v%d-%d.duckdb", fileVersion, n)
	})
	if err != nil {
		return nil, err
	}
	f := &file{path: place.Path, place: place}
	place.RemoveUnclaimed("mirror-*.duckdb", remove)
	remove(f.fallbackPath())
	if err := f.attach(ctx, conn); err != nil {
		if err := f.recreate(ctx, conn); err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

// remove deletes a database and its WAL. Errors are ignored: a file that cannot be deleted
// fails to attach later.
func remove(path string) {
	_ = os.Remove(path)
	_ = os.Remove(path + ".wal")
}

// attach attaches the file without a WAL: DuckDB writes to it only at a checkpoint, and after
// a crash it has the state of the last one. A transaction without a WAL takes about half the
// time.
func (f *file) attach(ctx context.Context, conn *duckdb.Conn) error {
	return conn.Exec(ctx, "ATTACH "+duckdb.Literal(f.path)+" AS "+attached+" (RECOVERY_MODE no_wal_writes)")
}

func (f *file) detach(ctx context.Context, conn *duckdb.Conn) {
	_ = conn.Exec(ctx, "DETACH DATABASE IF EXISTS "+attached)
}

func (f *file) close() { _ = f.place.Release() }

// recreate replaces the file by an empty one.
func (f *file) recreate(ctx context.Context, conn *duckdb.Conn) error {
	f.detach(ctx, conn)
	remove(f.path)
	err := f.attach(ctx, conn)
	if err != nil {
		// Running statements may still use the file under its old path.
		f.path = f.fallbackPath()
		remove(f.path)
		err = f.attach(ctx, conn)
	}
	if err != nil {
		return fmt.Errorf("recreate mirror file: %w", err)
	}
	_, err = f.load(ctx, conn)
	return err
}

// fallbackPath is used for a new file while the old one cannot be detached.
func (f *file) fallbackPath() string { return strings.TrimSuffix(f.path, ".duckdb") + "-again.duckdb" }

// abandon detaches and removes the file and releases its lock.
func (f *file) abandon(ctx context.Context, conn *duckdb.Conn) {
	f.detach(ctx, conn)
	remove(f.path)
	f.close()
}

// load reads the complete tables from the catalog of the file and drops all others.
func (f *file) load(ctx context.Context, conn *duckdb.Conn) ([]*tables, error) {
	for _, sql := range []string{
		"CREATE TABLE IF NOT EXISTS " + typesTable + ` (number BIGINT, hists BIGINT, kind VARCHAR, name VARCHAR, signature VARCHAR, floor BIGINT,
			through BIGINT, mark VARCHAR, last BIGINT, rows BIGINT, identities BIGINT, bytes BIGINT, moved BIGINT, duplicates BOOLEAN, partial BOOLEAN)`,
		"CREATE TABLE IF NOT EXISTS " + unreadableTable + " (number BIGINT, col BIGINT, c BIGINT, n BIGINT)",
	} {
		if err := conn.Exec(ctx, sql); err != nil {
			return nil, err
		}
	}
	var found []*tables
	byNumber := map[int64]*tables{}
	err := conn.Each(ctx, "SELECT number, kind, name, signature, floor, through, mark, last, rows, identities, bytes, moved, duplicates, hists FROM "+typesTable+" WHERE NOT partial", nil,
		func(b *column.Batch, i int) {
			text := func(k int) string { return string(b.Cols[k].Str[i]) }
			number := func(k int) int64 { return b.Cols[k].I64[i] }
			kind, err := ontosql.ParseKind(text(1))
			if err != nil {
				return // its tables are dropped as unknown
			}
			t := &tables{
				number: number(0), hists: number(13), ref: ontosql.TypeRef{Kind: kind, Name: text(2)}, signature: text(3), floor: ontosql.CommitID(number(4)),
				state: state{
					through: ontosql.CommitID(number(5)), mark: text(6), last: ontosql.CommitID(number(7)),
					rows: number(8), identities: number(9), bytes: number(10), moved: number(11), duplicates: b.Cols[12].Bool[i],
				},
			}
			found, byNumber[t.number] = append(found, t), t
		})
	if err != nil {
		return nil, err
	}
	err = conn.Each(ctx, "SELECT number, col, c, n FROM "+unreadableTable, nil, func(b *column.Batch, i int) {
		if t := byNumber[b.Cols[0].I64[i]]; t != nil {
			t.unreadable = append(t.unreadable, unreadableCount{int(b.Cols[1].I64[i]), ontosql.CommitID(b.Cols[2].I64[i]), b.Cols[3].I64[i]})
		}
	})
	if err != nil {
		return nil, err
	}
	return found, f.dropUnknown(ctx, conn, byNumber)
}

// dropUnknown removes tables that a process left incomplete.
func (f *file) dropUnknown(ctx context.Context, conn *duckdb.Conn, known map[int64]*tables) error {
	keep := map[string]bool{"types": true, "unreadable": true}
	for n, t := range known {
		keep[fmt.Sprintf("cur%d", n)], keep[fmt.Sprintf("hist%d", t.hists)] = true, true
	}
	var names []string
	found := 0
	err := conn.Each(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = '"+attached+"'", nil, func(b *column.Batch, i int) {
		if name := string(b.Cols[0].Str[i]); keep[name] {
			found++
		} else {
			names = append(names, name)
		}
	})
	if err != nil {
		return err
	}
	if found < len(keep) {
		return errors.New("tables are missing")
	}
	for _, name := range names {
		if err := conn.Exec(ctx, "DROP TABLE "+attached+".main."+duckdb.Ident(name)); err != nil {
			return err
		}
	}
	return conn.Exec(ctx, "DELETE FROM "+typesTable+" WHERE partial")
}
