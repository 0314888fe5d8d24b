package objects_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ontosql/ontosql/eventbus"
	"github.com/ontosql/ontosql/objstore"
)

// TestNamesThatMakeNoKey: the error of a name that is too long for a key is a sentence about the name.
func TestNamesThatMakeNoKey(t *testing.T) {
	s := newStore(t)
	r := request("s")
	r.Handler = strings.Repeat("h", 1000)
	_, err := s.worker(s.Bucket).Claim(t.Context(), r)
	var name *eventbus.NameError
	if !errors.As(err, &name) || name.What != "handler" || !errors.Is(err, objstore.ErrInvalidKey) {
		t.Fatalf("a long handler: %v", err)
	}
	if got, want := name.Err.Error(), "makes an invalid object key: 1051 bytes, more than 1024"; got != want {
		t.Errorf("the handler %s; want %s", got, want)
	}
}
