package sqlstate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ontosql/ontosql/duckdb"
	"github.com/ontosql/ontosql/objstore"
)

// ClientText is the text of an error without local paths: it contains keys of objects, but
// no directory of the store, of the cache or of the workspace. It has no period at its end.
func ClientText(err error) string {
	text := err.Error()
	for _, cause := range causes(err) {
		switch e := cause.(type) { //nolint:errorlint // causes has unwrapped them
		case *objstore.Error:
			if directory, ok := strings.CutPrefix(e.Bucket, "file://"); ok {
				text = strings.ReplaceAll(text, strings.TrimSuffix(e.Bucket, "/")+"/", "")
				text = withoutFolder(text, directory)
			}
		case *fs.PathError:
			text = withoutFolder(text, filepath.Dir(e.Path))
		case *os.LinkError:
			text = withoutFolder(withoutFolder(text, filepath.Dir(e.Old)), filepath.Dir(e.New))
		case *duckdb.Error:
			text = withoutLocalFolders(text)
		}
	}
	return strings.TrimRight(text, ".")
}

// withoutFolder removes a folder from the absolute paths in a text. Keys are relative and
// stay.
func withoutFolder(text, folder string) string {
	if !filepath.IsAbs(folder) || folder == "/" {
		return text
	}
	return strings.ReplaceAll(text, strings.TrimSuffix(folder, "/")+"/", "")
}

// causes are err and everything it wraps.
func causes(err error) []error {
	if err == nil {
		return nil
	}
	list := []error{err}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			list = append(list, causes(e)...)
		}
		return list
	}
	return append(list, causes(errors.Unwrap(err))...)
}
