package sqlconn

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
)

// TestConditions: the result code decides the meaning of an error, not its text.
func TestConditions(t *testing.T) {
	for _, c := range []struct {
		err  error
		want error // nil: none of the dictionary's
		half bool
	}{
		{lite.ResultBusy.ToError(), ontosql.ErrBusy, false},
		{lite.ResultBusySnapshot.ToError(), ontosql.ErrBusy, false},
		{lite.ResultBusyRecovery.ToError(), ontosql.ErrBusy, false},
		{lite.ResultFull.ToError(), ontosql.ErrFull, false},
		{lite.ResultIOErrSHMSize.ToError(), ontosql.ErrFull, false},
		{lite.ResultReadOnly.ToError(), ontosql.ErrReadOnly, false},
		{lite.ResultReadOnlyDirectory.ToError(), ontosql.ErrReadOnly, false},
		{lite.ResultIOErrWrite.ToError(), ontosql.ErrStorage, false},
		{lite.ResultIOErrFsync.ToError(), ontosql.ErrStorage, true},
		{lite.ResultIOErrDirFsync.ToError(), ontosql.ErrStorage, true},
		{lite.ResultCantOpen.ToError(), ontosql.ErrStorage, false},
		{fs.ErrNotExist, ontosql.ErrStorage, false},
		{lite.ResultConstraintForeignKey.ToError(), nil, false},
		{lite.ResultCorrupt.ToError(), nil, false},
		{errors.New("database is locked (SQLITE_BUSY)"), nil, false},
	} {
		err := StorageError("commit", fmt.Errorf("sqlite: step: %w", c.err))
		if !errors.Is(err, c.err) || c.want != nil && !errors.Is(err, c.want) || c.want == nil && Condition(c.err) != nil {
			t.Errorf("%v becomes %v, want %v", c.err, err, c.want)
		}
		if again := StorageError("begin", err); c.want != nil && Condition(err) != nil {
			t.Errorf("%v is said twice: %v", c.want, again)
		}
		if CommitUnconfirmed(err) != c.half {
			t.Errorf("%v: half done is %t, want %t", c.err, CommitUnconfirmed(err), c.half)
		}
	}
	if err := StorageError("commit", nil); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}
