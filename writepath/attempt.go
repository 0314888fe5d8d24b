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

// The status of an attempt, in the words of PostgreSQL's pg_xact_status.
const (
	AttemptCommitted = "committed"
	// AttemptAborted: another commit has its number. It is not visible and never will be.
	AttemptAborted = "aborted"
	// AttemptInProgress: the head is still below its number, so that its swap may yet succeed.
	// The next commit decides it.
	AttemptInProgress = "in progress"
)

// ErrBadAttempt is returned for a text that is not an attempt.
var ErrBadAttempt = errors.New("an attempt is written as COMMIT-NAME, such as 42-9f3c1d2e")

var attemptText = regexp.MustCompile(`^([1-9][0-9]{0,18})-([0-9a-f]{8})$`)

// ParseAttempt parses the text of UnknownOutcomeError.Text. Its error is ErrBadAttempt.
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

// AttemptStatus returns the status of an attempt at the head of view, one of the Attempt
// constants. Committed and aborted are final. The error is ErrBadAttempt.
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
	// Stores without commit folders record it in the metadata only.
	if bytes.Equal(e.Manifest.Metadata[format.MetadataAttempt], format.AppendString(nil, attempt)) {
		return AttemptCommitted, nil
	}
	return AttemptAborted, nil
}
