package sqlstate

import (
	"fmt"

	"github.com/ontosql/ontosql/pgerr"
)

// LimitError ends a statement that uses more than a setting allows. It is the cause of the end of the statement's
// context.
type LimitError struct {
	Setting     string // "ontosql.max_requests"
	Limit, Used int64
	What        string // what is counted: "requests to the store"
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("statement needs more than %d %s", e.Limit, e.What)
}

func (e *LimitError) said() *pgerr.Error {
	return pgerr.New(pgerr.ConfigurationLimitExceeded, "%v", e).
		WithDetail("It had come to %d when it was ended. The limit is the setting %q.", e.Used, e.Setting).
		WithHint("Ask for less, or let a superuser raise the limit by ALTER ROLE ... SET.")
}
