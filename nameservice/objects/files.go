package objects

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
	"github.com/ontosql/ontosql/objstore"
)

// file is one file of a record. Its members are those of version 2, whatever is stored.
type file struct {
	key     string
	version objstore.Version // Absent if there is no such file
	members nameservice.Members
	legacy  bool // version 1 is stored

	// Of a file that was listed: what the listing said, and when the file was read.
	size           int64
	modified, read time.Time
}

func (f *file) exists() bool { return f.version != objstore.Absent }

// edited is the content of the file after a write of a concern. A file that is not there yet says
// which record it belongs to.
func (f *file) edited(a nameservice.Alias, e nameservice.Edit) []byte {
	m := maps.Clone(f.members)
	if m == nil {
		m = identity(a)
	}
	m.Set(e.Concern, e.Next)
	if e.Retract {
		m.SetRetracted(true)
	}
	return m.Encode()
}

// identity are the members that every file of a record has.
func identity(a nameservice.Alias) nameservice.Members {
	whole := (&nameservice.Record{Alias: a}).Members()
	return nameservice.Members{"pk": whole["pk"], "v": whole["v"]}
}

// decodeFile reads a file, of version 2 or 1.
func decodeFile(key string, v objstore.Version, body []byte) (file, error) {
	m, err := nameservice.ParseMembers(key, body)
	if err != nil {
		return file{}, err
	}
	f := file{key: key, version: v, members: m, legacy: m.Legacy()}
	return f, m.Upgrade(key)
}

// readFile reads a file; one that is missing has the version Absent.
func (s *Service) readFile(ctx context.Context, key string) (file, error) {
	body, v, err := s.bucket.Get(ctx, key)
	switch {
	case errors.Is(err, objstore.ErrNotFound):
		return file{key: key}, nil
	case errors.Is(err, objstore.ErrInvalidKey):
		return file{}, &nameservice.NameError{What: "alias", Name: key, Err: err}
	case err != nil:
		return file{}, fmt.Errorf("read %s: %w", key, err)
	}
	return decodeFile(key, v, body)
}

// stored is a record with its files.
type stored struct {
	*nameservice.Record
	files       [partCount]file
	indexInMain bool // layout A
}

// read reads the record at a stem, nil for none.
func (s *Service) read(ctx context.Context, stem string) (*stored, error) {
	files, err := s.readParts(ctx, [partCount]file{}, stem, mainPart, headPart, indexPart)
	if err == nil && files[headPart].exists() {
		files, err = s.readParts(ctx, files, stem, statusPart, configPart)
	}
	if err != nil {
		return nil, err
	}
	return assemble(stem, files)
}

// readParts reads some files at a stem, at a time.
func (s *Service) readParts(ctx context.Context, files [partCount]file, stem string, parts ...part) ([partCount]file, error) {
	g, ctx := errgroup.WithContext(ctx)
	for _, p := range parts {
		g.Go(func() (err error) {
			files[p], err = s.readFile(ctx, p.key(stem))
			return err
		})
	}
	err := g.Wait()
	return files, err
}

// assemble makes a record of the files at a stem, nil if neither the main file nor that of the head is there,
// one of which every record has.
func assemble(stem string, files [partCount]file) (*stored, error) {
	st := &stored{files: files}
	anchor := st.anchor()
	if !anchor.exists() {
		return nil, nil
	}
	if main, head := &files[mainPart], &files[headPart]; main.exists() && head.exists() {
		return nil, ontosql.Corrupt(main.key, "", "the record is stored a second time, in %s: one of the two must be removed", head.key)
	}
	var err error
	if st.Record, err = anchor.members.Record(anchor.key); err != nil {
		return nil, err
	}
	if !slices.Contains(stems(st.Alias), stem) {
		return nil, ontosql.Corrupt(anchor.key, "pk", "%q is not the alias of this file", st.Alias)
	}
	st.indexInMain = st.Index.V > 0 && !st.apart()
	if index := &files[indexPart]; st.indexInMain && index.exists() {
		return nil, ontosql.Corrupt(anchor.key, nameservice.Index.String(), "the index is stored a second time, in %s: one of the two must be removed", index.key)
	}
	for _, c := range nameservice.Concerns {
		if f := st.file(c); f != anchor {
			if err := st.take(c, f); err != nil {
				return nil, err
			}
		}
	}
	st.Legacy = anchor.legacy || files[indexPart].legacy
	return st, nil
}

// anchor is the file that every record has.
func (st *stored) anchor() *file {
	if st.apart() {
		return &st.files[headPart]
	}
	return &st.files[mainPart]
}

// apart reports whether each concern has a file of its own.
func (st *stored) apart() bool { return st.files[headPart].exists() && !st.files[mainPart].exists() }

// file is the file that has a concern, or gets it when it is first written. The main file has the
// index if somebody has written it there.
func (st *stored) file(c nameservice.Concern) *file {
	if st.apart() || c == nameservice.Index && !st.indexInMain {
		return &st.files[partOf[c]]
	}
	return &st.files[mainPart]
}

// take reads a concern from a file of its own. A concern whose file is missing is as in a new record.
func (st *stored) take(c nameservice.Concern, f *file) error {
	if !f.exists() {
		st.Set(c, nameservice.Initial(c))
		return nil
	}
	v, err := f.members.Value(f.key, c)
	if err != nil {
		return err
	}
	if pk, err := f.members.PK(f.key); err != nil || pk != st.Alias.String() {
		return ontosql.Corrupt(f.key, "pk", "%q is not the alias in %s, %q", pk, st.anchor().key, st.Alias)
	}
	st.Set(c, v)
	if c == nameservice.Status {
		st.Retracted, err = f.members.Retracted(f.key)
	}
	return err
}
