package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/pgerr"
)

// The COPY statements that the fake knows: into the table t (a int4, b text), and
// of a series.
var (
	copyInSQL  = regexp.MustCompile(`^copy t from stdin( csv| binary)?( header)?$`)
	copyOutSQL = regexp.MustCompile(`^copy \(select generate_series\(1, ?(\d+)\)\) to stdout( csv| binary)?( header)?$`)
)

// fakeCopy is the COPY that a statement's words ask for.
func fakeCopy(words []string, columns []Column) Copy {
	c := Copy{Relation: "t", Columns: columns, Delimiter: '\t', Null: `\N`}
	switch words[0] {
	case " csv":
		c = Copy{Relation: "t", Columns: columns, Kind: CopyCSV, Delimiter: ',', Quote: '"', Escape: '"'}
	case " binary":
		c.Kind = CopyBinary
	}
	if words[1] != "" {
		c.Header = Header
	}
	return c
}

// copyIn takes the data of COPY FROM STDIN.
func (p *fakePortal) copyIn(ctx context.Context, words []string) (*column.Batch, error) {
	form := fakeCopy(words, []Column{{Name: "a", OID: oidInt4}, {Name: "b", OID: oidText}})
	form.Encoding = p.session.encoding
	r := p.session.start.CopyIn(form)
	select {
	case p.session.running <- struct{}{}:
	default: // no receiver
	}
	count := 0
	for {
		rows, err := r.Next(ctx)
		for i := range rows.Len {
			fields := rows.Row(i)
			if len(fields) == 0 || fields[0] == nil {
				continue
			}
			if _, bad := strconv.ParseInt(string(fields[0]), 10, 32); bad != nil {
				return nil, rows.InValue(pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type integer: \"%s\"", fields[0]), i, 0)
			}
		}
		count += rows.Len
		if err == io.EOF {
			p.tag = fmt.Sprintf("COPY %d", count)
			return nil, io.EOF
		}
		if err != nil {
			select {
			case p.session.causes <- err:
			default:
			}
			if e := (*pgerr.Error)(nil); !errors.As(err, &e) {
				err = pgerr.New(pgerr.QueryCanceled, "%s", err.Error())
			}
			return nil, err
		}
	}
}

// fakeCopyOut is the portal of COPY TO STDOUT.
type fakeCopyOut struct {
	*fakePortal
	words []string
}

func (p fakeCopyOut) Columns() []Column { return nil }

func (p fakeCopyOut) Copied(uint64, int64) {}

func (p fakeCopyOut) Copy() Copy {
	return fakeCopy(p.words, []Column{{Name: "generate_series", OID: oidInt4}})
}

// newFakeCopyOut makes a portal of COPY TO STDOUT of p if its statement is one.
func newFakeCopyOut(p *fakePortal) Portal {
	m := copyOutSQL.FindStringSubmatch(p.sql)
	if m == nil {
		return p
	}
	p.last, _ = strconv.Atoi(m[1])
	return fakeCopyOut{p, m[2:]}
}

// copyTag is the tag of a COPY or of a table's creation.
func (p *fakePortal) copyTag() (tag string, countRows, ok bool) {
	switch {
	case p.tag != "":
		return p.tag, false, true
	case strings.HasPrefix(p.sql, "copy"):
		return "COPY", true, true
	case strings.HasPrefix(p.sql, "create temp table"):
		return "CREATE TABLE", false, true
	}
	return "", false, false
}
