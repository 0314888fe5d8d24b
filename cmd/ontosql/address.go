package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/ontosql/ontosql/objstore/s3"
)

// address is a storage URI taken apart.
type address struct {
	text    string // as the user gave it
	backend string // "s3", "file" or "sqlite"
	path    string // of a directory or a SQLite file
	bucket  string // of an S3 address
	prefix  string
}

// parseAddress reads a storage URI (PRODUCT "Databases", COMPAT 4.2).
func parseAddress(uri string) (address, error) {
	a := address{text: uri}
	switch {
	case uri == "":
		return a, usagef("no ontology given: --storage-uri says where it is")
	case strings.HasPrefix(uri, "s3://"):
		bucket, prefix, err := s3.ParseURI(uri)
		if err != nil {
			return a, &usageError{err}
		}
		a.backend, a.bucket, a.prefix = "s3", bucket, prefix
	case strings.HasPrefix(uri, "file://"):
		u, err := url.Parse(uri)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return a, usagef("%q is no file URI: want file:///directory", uri)
		}
		a.backend, a.path = "file", u.Path
	case strings.HasPrefix(uri, "sqlite://"):
		// Three slashes are an absolute path already, as four are (COMPAT 4.2).
		a.backend, a.path = "sqlite", strings.TrimPrefix(uri, "sqlite://")
		if a.path == "" || strings.TrimPrefix(a.path, "/") == inMemory {
			return a, usagef("%q is no SQLite URI of a file: want sqlite:////absolute/file.db or a path", uri)
		}
	case strings.HasPrefix(uri, "sqlite:"):
		return a, usagef("%q is no SQLite URI: want sqlite:////absolute/file.db or a path", uri)
	case strings.HasPrefix(uri, "dynamodb:"):
		return a, usagef("a table of DynamoDB keeps a name service (--nameservice) and no ontology: want s3://, file://, sqlite:// or a path")
	case strings.Contains(uri, "://"):
		return a, usagef("unknown kind of storage %q: want s3://, file://, sqlite:// or a path", uri)
	case uri == inMemory:
		return a, usagef("%s would end with this command: want the path of a file or a directory", uri)
	default:
		a.backend, a.path = plainPath(uri), uri
	}
	if a.path != "" {
		abs, err := filepath.Abs(a.path)
		if err != nil {
			return a, fmt.Errorf("storage path: %w", err)
		}
		a.path = abs
	}
	return a, nil
}

// plainPath says what a path without a scheme is: what lies there, else by its
// ending.
func plainPath(path string) (backend string) {
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return "file"
		}
		return "sqlite"
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".db", ".sqlite", ".sqlite3":
		return "sqlite"
	}
	return "file"
}

// uri is the address in the form that is shown.
func (a address) uri() string {
	switch a.backend {
	case "s3":
		return "s3://" + strings.TrimSuffix(a.bucket+"/"+a.prefix, "/")
	case "file":
		return "file://" + a.path
	}
	return "sqlite:///" + a.path
}

// below is the address of a folder of a directory or a bucket.
func (a address) below(folder string) address {
	switch a.backend {
	case "file":
		a.path = filepath.Join(a.path, folder)
	case "s3":
		a.prefix = strings.Trim(a.prefix+"/"+folder, "/")
	}
	return a
}

// inMemory is what the original calls a database that ends with its process.
const inMemory = ":memory:"

// defaultDB is the original's ontology where none is given.
const defaultDB = "onto.db"

// oneAddress is the ontology of a command other than serve. --db names a SQLite
// file; with --storage-uri both must agree. One from the environment gives way to
// the other.
func (c *Config) oneAddress() (address, error) {
	if len(c.DB) > 1 {
		return address{}, usagef("--db is given %d times; only serve takes several", len(c.DB))
	}
	uri, files := c.StorageURI, c.DB
	switch said := c.sources["storage-uri"] != "environment"; {
	case uri == "" && len(files) == 0:
		files = []string{defaultDB}
	case uri == "" || len(files) == 0 || said == (c.sources["db"] != "environment"):
	case said:
		files = nil
	default:
		uri = ""
	}
	if len(files) == 0 {
		return parseAddress(uri)
	}
	a, err := fileAddress(files[0])
	if err != nil || uri == "" {
		return a, err
	}
	b, err := parseAddress(uri)
	if err != nil {
		return address{}, err
	}
	if b.backend != "sqlite" || a.path != b.path {
		return address{}, usagef("--db %s and --storage-uri %s name different ontologies", files[0], uri)
	}
	return b, nil
}

// fileAddress is the address of a SQLite file, with any name.
func fileAddress(file string) (address, error) {
	if strings.HasPrefix(file, "sqlite:") || file == inMemory {
		return parseAddress("sqlite://" + strings.TrimPrefix(file, "sqlite://"))
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return address{}, fmt.Errorf("storage path: %w", err)
	}
	return address{text: file, backend: "sqlite", path: path}, nil
}
