package pgcatalog

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/fixtures"
)

// TestFixture runs the files below testdata/fixture on the catalog of a store
// that the original library wrote.
func TestFixture(t *testing.T) {
	conn := engine(t, Input{Database: "onto", Catalog: stored(t, "s3-v1/stage3-final")})
	datadriven.Walk(t, "testdata/fixture", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return query(t, conn, d.Input) })
	})
}

// stored is the catalog of a fixture.
func stored(t *testing.T, store string) *catalog.Catalog {
	t.Helper()
	in := catalog.Input{Versions: map[ontosql.TypeRef]*format.Versions{}, Floor: func(ontosql.TypeRef) ontosql.CommitID { return 0 }}
	for key, body := range fixtures.Objects(t, store) {
		var err error
		switch {
		case key == format.RegistryKey:
			in.Registry, err = format.DecodeRegistry(key, body)
		case key == format.TypesKey:
			in.Types, err = format.DecodeTypes(key, body)
		case key == format.DroppedKey:
			in.Dropped, err = format.DecodeDropped(key, body)
		case strings.HasPrefix(key, "meta/schema/versions/"):
			var v *format.Versions
			if v, err = format.DecodeVersions(key, body); err == nil {
				ref, _ := v.Ref()
				in.Versions[ref] = v
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	c, _ := catalog.Build(in)
	return c
}
