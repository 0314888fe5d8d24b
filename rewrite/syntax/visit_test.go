package syntax

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestRangeFieldsOrder reads the fields of a UNION in the order of the grammar's definition,
// the left side first, in every build of the program.
func TestRangeFieldsOrder(t *testing.T) {
	tree, err := Parse("SELECT a FROM t WHERE b UNION SELECT c ORDER BY 1 LIMIT 2")
	if err != nil {
		t.Fatal(err)
	}
	var at []int
	rangeFields(tree.Stmts[0].Stmt.GetSelectStmt().ProtoReflect(), func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		at = append(at, fd.Index())
		return true
	})
	if len(at) < 4 || !slices.IsSorted(at) {
		t.Errorf("fields came in the order %v of their indexes, want them ascending", at)
	}
}
