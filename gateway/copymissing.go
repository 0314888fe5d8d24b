package gateway

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/gateway/reading"
	"github.com/ontosql/ontosql/gateway/sqlstate"
	"github.com/ontosql/ontosql/gateway/temptable"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// columns are the columns that the data has, with their types.
func (in *copyIn) columns() []column.Named {
	columns := make([]column.Named, len(in.fields))
	for n, k := range in.fields {
		columns[n] = column.Named{Name: in.typ.Columns[k].Name, Type: in.typ.Columns[k].Type}
	}
	return columns
}

// mostMissing is how many keys an error names.
const mostMissing = 10

// checkMissing is the error of a COPY in mode overwrite whose data, which is loaded, lacks rows of
// the type: nothing can delete them. With KEEP_MISSING they stay, and a NOTICE names them. A COPY
// that is its own transaction is not committed behind another commit that wrote the type, in which
// there may be rows that were not compared.
func (in *copyIn) checkMissing(ctx context.Context, loaded *temptable.Rows) error {
	s := in.session
	if s.Alone() {
		s.DependOn(in.typ.Ref)
	}
	count, keys, err := in.missing(ctx, loaded)
	if err != nil || count == 0 {
		return err
	}
	if count > int64(len(keys)) {
		keys = append(keys, "...")
	}
	text := fmt.Sprintf("the data of COPY lacks %d rows of \"%s\"", count, in.name)
	detail := fmt.Sprintf("Key (%s)=%s.", strings.Join(in.keyNames(), ", "), strings.Join(keys, ", "))
	if in.options.KeepsMissing() {
		s.Notice(sqlstate.Notice("%s", text).WithDetail("%s", detail))
		return nil
	}
	return pgerr.New(pgerr.ObjectNotInPrerequisiteState, "%s", text).WithDetail("%s", detail).
		WithHint("Rows of a type cannot be deleted. With KEEP_MISSING they stay as they are.")
}

func (in *copyIn) keyNames() []string {
	var names []string
	for _, k := range in.typ.Key {
		names = append(names, in.typ.Columns[k].Name)
	}
	return names
}

// missing counts the rows of the type that the loaded data lacks, and returns the keys of the first.
func (in *copyIn) missing(ctx context.Context, loaded *temptable.Rows) (count int64, keys []string, err error) {
	var shown, same []string
	for _, k := range in.typ.Key {
		n := slices.Index(in.fields, k)
		if n < 0 {
			return 0, nil, nil // the rows have no key, which the INSERT refuses
		}
		name := "t." + duckdb.Ident(in.typ.Columns[k].Name)
		shown = append(shown, name+"::text")
		same = append(same, "c."+temptable.ColumnName(n)+" = "+name)
	}
	st, err := syntax.Analyze(fmt.Sprintf("SELECT count(*) OVER (), '(' || concat_ws(', ', %s) || ')' FROM %s.%s t WHERE NOT EXISTS (SELECT FROM %s c WHERE %s) ORDER BY 2 LIMIT %d",
		strings.Join(shown, ", "), catalog.SchemaPublic, duckdb.Ident(in.name), loadedName, strings.Join(same, " AND "), mostMissing))
	if err != nil {
		return 0, nil, err
	}
	s := in.session
	pin, err := s.Pin(ctx)
	if err != nil {
		return 0, nil, err
	}
	plan, err := s.PlanOver(pin, st, loadedName, loadedRelation(loaded, in.columns()))
	if err != nil {
		return 0, nil, err
	}
	_, err = reading.OverMirror(ctx, reading.Sources{Session: s.Session}, func(src *reading.Sources) (struct{}, error) {
		count, keys = 0, nil
		if err := src.Find(ctx, pin, plan, nil); err != nil {
			return struct{}{}, err
		}
		rows, err := reading.Stream(ctx, s.Session, plan, src, nil)
		if err != nil {
			return struct{}{}, err
		}
		defer rows.Close()
		for {
			batch, err := rows.Next(ctx)
			if err == io.EOF {
				return struct{}{}, nil
			}
			if err != nil {
				return struct{}{}, err
			}
			for i := range batch.Len {
				count, keys = batch.Cols[0].I64[i], append(keys, string(batch.Cols[1].Str[i]))
			}
		}
	})
	return count, keys, err
}
