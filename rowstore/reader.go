package rowstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/column"
	"github.com/ontosql/ontosql/duckdb/scan"
)

// Stored names a column of the stored rows of a type that no column of the type shows.
type Stored uint8

// The stored columns beside those of the type.
const (
	Commit        Stored = iota // the commit of the version, Int64
	SchemaVersion               // of the version, Int64, may be NULL
	Image                       // fields_json, Text
	FirstKey                    // the text of the first key column; the others follow
)

// StoredColumn is the number of a stored column in the rows of a type, for Reader. n is added to
// FirstKey and ignored for the others.
func StoredColumn(t *catalog.Type, c Stored, n int) int {
	keys := len(scan.KeyColumns(t.Ref.Kind))
	if c == FirstKey {
		return n
	}
	return keys + int(c)
}

// TypeColumn is the number of a visible column of a type, by its place among its columns, in the rows
// of the type, for Reader; -1 if the column is not stored as it is shown.
func TypeColumn(t *catalog.Type, i int) int {
	return columnOf(t, scan.StoredColumns(t), t.Columns[i].Name)
}

// Readable reports whether the columns of the type at some places have no value that reads as NULL
// with a warning (A17).
func (u *Use) Readable(places []int) bool {
	return len(u.bad) == 0 || !slices.ContainsFunc(places, func(i int) bool { return u.bad[i] })
}

// Reader reads versions by the texts of their keys into a batch of one column for each of Columns,
// the numbers of stored columns. Its fields but the last are set before it is used, and not changed
// until Close.
type Reader struct {
	Use     *Use
	Upper   ontosql.CommitID // later versions are not read
	Lower   ontosql.CommitID // Versions does not read those of commits up to it
	Columns []int
	Rows    int // Newest and Versions return false if the batch would get more rows

	// Next has for each row that Versions has read the commit of the next version of the identity
	// up to Upper, 0 for none.
	Next []ontosql.CommitID

	iter   iterator
	prefix []byte // of the keys that are looked for
	key    []byte // to seek
	size   int    // of the rows read
	texts  texts
	// room for most keys
	prefixRoom, keyRoom [64]byte
}

// Newest adds to a batch the newest version of each identity that begins with some texts: those of all
// key columns, or of the first ones. It returns false if the engine has to answer: if these are too many,
// or of more than maxRowBytes with all rows read before, or if the engine has to read one of a commit
// behind the table (Use.Reach).
func (r *Reader) Newest(ctx context.Context, to *column.Batch, texts []string) (bool, error) {
	return r.read(ctx, to, texts, false)
}

// Versions is Newest for all versions of each identity, the newest first.
func (r *Reader) Versions(ctx context.Context, to *column.Batch, texts []string) (bool, error) {
	return r.read(ctx, to, texts, true)
}

func (r *Reader) read(ctx context.Context, to *column.Batch, texts []string, versions bool) (bool, error) {
	if r.iter.stored == nil {
		iter, err := r.Use.versions()
		if err != nil {
			return false, fmt.Errorf("read row store: %w", err)
		}
		r.iter = iter
		r.prefix, r.key = append(r.prefixRoom[:0], r.Use.table.prefix...), r.keyRoom[:0]
	}
	r.prefix = r.prefix[:tableKeyBytes]
	for _, text := range texts {
		r.prefix = appendText(r.prefix, []byte(text))
	}
	var ok bool
	if r.iter.recent, ok = r.Use.recentVersions(r.prefix, texts[0]); !ok {
		return false, nil
	}
	all, err := r.identities(ctx, to, len(texts) == r.Use.shape.keys, versions)
	if err = errors.Join(err, r.iter.Error()); err != nil {
		return false, fmt.Errorf("read row store: %w", err)
	}
	return all, nil
}

// identities reads the identities that begin with prefix; whole says that there is one at most.
func (r *Reader) identities(ctx context.Context, to *column.Batch, whole, versions bool) (bool, error) {
	upper := min(r.Upper, r.Use.reached)
	r.key = append(r.key[:0], r.prefix...)
	if whole {
		r.key = appendTail(r.key, upper, newest)
	}
	for found := r.iter.SeekGE(r.key); found && bytes.HasPrefix(r.iter.Key(), r.prefix); {
		r.key = append(r.key[:0], identityOf(r.iter.Key())...)
		identity := len(r.key)
		if commitOf(r.iter.Key()) > upper {
			r.key = appendTail(r.key, upper, newest)
			if !r.iter.SeekGE(r.key) || !bytes.Equal(identityOf(r.iter.Key()), r.key[:identity]) {
				found = r.iter.Valid() // it was first written later, and the iterator is at the next identity
				continue
			}
		}
		if ok, err := r.identity(ctx, to, r.key[:identity], versions); err != nil || !ok {
			return false, err
		}
		if whole {
			return true, nil
		}
		r.key[identity-1]++ // behind all keys of the identity, which appendText has ended
		found = r.iter.SeekGE(r.key[:identity])
	}
	return true, nil
}

// identity reads the version at which the iterator is, or all from it on.
func (r *Reader) identity(ctx context.Context, to *column.Batch, identity []byte, versions bool) (bool, error) {
	next := ontosql.CommitID(0)
	for {
		commit := commitOf(r.iter.Key())
		if versions && commit <= r.Lower {
			return true, nil
		}
		row, err := r.iter.ValueAndErr()
		if r.size += len(row); err == nil && (to.Len >= r.Rows || r.size > maxRowBytes) {
			return false, nil
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err == nil {
			err = r.Use.shape.appendTo(to, row, r.Columns, &r.texts)
		}
		if err != nil || !versions {
			return true, err
		}
		r.Next, next = append(r.Next, next), commit
		if !r.iter.Next() || !bytes.Equal(identityOf(r.iter.Key()), identity) {
			return true, nil
		}
	}
}

// Close ends the reading. The Use is still to be released.
func (r *Reader) Close() error {
	if r.iter.stored == nil {
		return nil
	}
	return r.iter.Close()
}
