package sqlstate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/resolver"
)

// TestErrorsOfBranches: what keeps a branch from being made, compared or merged is the client's
// business, and does not tell where a store is.
func TestErrorsOfBranches(t *testing.T) {
	const address = "file:///srv/onto"
	for name, c := range map[string]struct {
		err  error
		want told
	}{
		"no such commit": {
			&branch.UnknownCommitError{Address: address, Commit: 99, Head: 4},
			told{pgerr.InvalidParameterValue, "there is no commit 99", "The head is commit 4.", ""},
		},
		"nothing in common": {
			branch.ErrUnrelated,
			told{pgerr.ObjectNotInPrerequisiteState, "the databases are no branches of one ontology", "The two stores have no commit in common.", ""},
		},
		"a bucket and a file": {
			branch.ErrOtherKind,
			told{pgerr.ObjectNotInPrerequisiteState, "the databases are no branches of one ontology", "One store is a SQLite file and the other is not.", ""},
		},
		"the place is taken": {branch.ErrTaken, told{pgerr.ObjectNotInPrerequisiteState, branch.ErrTaken.Error(), "", ""}},
		"purged": {
			fmt.Errorf("%w: those of entity Customer, by commit 7", branch.ErrPurged),
			told{pgerr.ObjectNotInPrerequisiteState, "the rows of the point are not all there any more", "Rows of the point were purged: those of entity Customer, by commit 7.", "Choose a later point."},
		},
		"a schema that nothing tells": {
			&resolver.LostSchemaError{Type: customer, At: 3, DroppedBy: 5},
			told{pgerr.ObjectNotInPrerequisiteState, "the schema of entity:Customer at commit 3 is not known: the type was dropped by commit 5", "", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, tell(t.Context(), c.err)); d != "" {
				t.Error(d)
			}
		})
	}
}
