//go:build mirrormode

package gateway_test

import (
	"testing"

	"github.com/ontosql/ontosql/mirror"
)

func asksNoMirror(t *testing.T) { t.Skip("the test asks no mirror") }

func checkAsked(testing.TB, *mirror.Mirror) {}
