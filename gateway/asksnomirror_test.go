//go:build !mirrormode

package gateway_test

import (
	"strings"
	"testing"

	"github.com/ontosql/ontosql/mirror"
)

// withoutMirror are the tests that have called asksNoMirror.
var withoutMirror = map[string]bool{}

// asksNoMirror says that a test reads no type, or that its houses have no mirror. The state of
// the mirror makes no difference to it, so builds with the tag mirrormode skip it.
func asksNoMirror(t *testing.T) { withoutMirror[t.Name()] = true }

// checkAsked fails a test that asks the mirror although it, or a test around it, says that it
// does not.
func checkAsked(t testing.TB, m *mirror.Mirror) {
	read := m.Status()
	for name := t.Name(); name != "" && len(read) > 0; name = name[:max(0, strings.LastIndexByte(name, '/'))] {
		if withoutMirror[name] {
			t.Errorf("%s reads %s, which the mirror may have: it must not call asksNoMirror", name, read[0].Type)
		}
	}
}
