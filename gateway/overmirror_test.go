package gateway

import (
	"slices"
	"testing"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/wire"
)

// TestWarningsAreToldOnce begins a statement again because the mirror was
// extended meanwhile: what its sources gave to warn of is found twice and told
// once, in its order.
func TestWarningsAreToldOnce(t *testing.T) {
	var told []string
	s := &Session{start: wire.Startup{Notice: func(n *pgerr.Error) { told = append(told, n.Message) }}}
	tries := 0
	got, err := overMirror(t.Context(), sources{session: s}, func(src *sources) (string, error) {
		tries++
		src.warn(warning(pgerr.IndexCorrupted, "first"))
		src.warn(warning(pgerr.Warning, "second"))
		if tries == 1 {
			return "", errMirrorMoved
		}
		return "rows", nil
	})
	if got != "rows" || err != nil || tries != 2 {
		t.Errorf("got %q, %v after %d tries, want rows after 2", got, err, tries)
	}
	if want := []string{"first", "second"}; !slices.Equal(told, want) || s.told != 2 {
		t.Errorf("the client was told %q (%d), want %q", told, s.told, want)
	}
}
