package writepath

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
)

// What became of an attempt, in the words of PostgreSQL's pg_xact_status.
const (
	AttemptCommitted = "committed"
	// AttemptAborted: another commit has its number. It is not visible and never
	// will be.
	AttemptAborted = "aborted"
	// AttemptInProgress: the head is still below its number, so that its swap may
	// yet land. The next commit of whoever decides it.
	AttemptInProgress = "in progress"
)

// ErrBadAttempt: a text that names no attempt.
var ErrBadAttempt = errors.New("an attempt is written as COMMIT-NAME, such as 42-9f3c1d2e")

var attemptText = regexp.MustCompile(`^([1-9][0-9]{0,18})-([0-9a-f]{8})$`)

// ParseAttempt reads what UnknownOutcomeError.Text wrote. The error is
// ErrBadAttempt.
func ParseAttempt(text string) (commit ontosql.CommitID, attempt string, err error) {
	parts := attemptText.FindStringSubmatch(text)
	if parts == nil {
		return 0, "", fmt.Errorf("%q: %w", text, ErrBadAttempt)
	}
	id, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("%q: %w", text, ErrBadAttempt)
	}
	return ontosql.CommitID(id), parts[2], nil
}

// AttemptStatus is what became of an attempt as the head of view has it, one of
// the Attempt constants. Only the first two are for ever. The error is
// ErrBadAttempt.
func AttemptStatus(view *chain.View, text string) (string, error) {
	id, attempt, err := ParseAttempt(text)
	if err != nil {
		return "", err
	}
	e := view.Commit(id)
	if e == nil {
		return AttemptInProgress, nil
	}
	if _, there, _ := format.ParseCommitDir(e.Path); there == attempt {
		return AttemptCommitted, nil
	}
	// A store without folders has it in the metadata alone.
	if bytes.Equal(e.Manifest.Metadata[format.MetadataAttempt], format.AppendString(nil, attempt)) {
		return AttemptCommitted, nil
	}
	return AttemptAborted, nil
}
