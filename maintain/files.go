package maintain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// listFiles lists the existing data files.
func (v *verifier) listFiles(ctx context.Context) error {
	v.there = map[string]bool{}
	for _, prefix := range []string{format.CommitsPrefix, format.SnapshotsPrefix} {
		err := v.bucket.List(ctx, prefix, func(o objstore.Object) error {
			v.there[o.Key] = true
			return nil
		})
		if err != nil {
			return fmt.Errorf("list %s: %w", prefix, err)
		}
	}
	return nil
}

// exists reports a missing object that by names, without reading it.
func (v *verifier) exists(key, by string) {
	if !v.there[key] {
		v.found.add(I4, Error, key, missing, by)
	}
}

// checkFiles reads every data file that the chain names, or checks that it exists.
func (v *verifier) checkFiles(ctx context.Context) error {
	if v.view == nil {
		return nil
	}
	total := 0
	for id := ontosql.CommitID(1); id <= v.headID(); id++ {
		total += len(v.view.Commit(id).Manifest.Files)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for id := ontosql.CommitID(1); id <= v.headID(); id++ {
		e := v.view.Commit(id)
		for i := range e.Manifest.Files {
			f := &e.Manifest.Files[i]
			v.checkType(e, f)
			if !v.options.Data {
				v.exists(f.Path, e.Path)
				continue
			}
			g.Go(func() error {
				defer v.progress(total)
				return v.checkFile(gctx, e, f)
			})
		}
	}
	return g.Wait()
}

// progress reports that one more file was read.
func (v *verifier) progress(total int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.done++; v.options.Progress != nil {
		v.options.Progress(v.done, total)
	}
}

// checkType checks that the type of a file is registered with the file's schema version. Types
// dropped since may be missing.
func (v *verifier) checkType(e *chain.Entry, f *format.File) {
	ref := f.Ref()
	if v.halfBlind || e.ID < v.view.Floor(ref) {
		return
	}
	t := v.types[ref]
	switch {
	case t == nil || len(t.schemas) == 0 && t.current == nil:
		v.found.add(SchemaObjects, Error, e.Path, "%s is not registered", ref)
	case f.SchemaVersionID != nil && !t.unsound && t.schemas[*f.SchemaVersionID] == nil:
		v.found.add(RuleRowVersion, Error, e.Path, "%s is of version %d, which %s does not have", f.Path, *f.SchemaVersionID, ref)
	}
}

func (v *verifier) checkFile(ctx context.Context, e *chain.Entry, f *format.File) error {
	body, there, err := v.get(ctx, f.Path, e.Path)
	if err != nil {
		return fmt.Errorf("read data file: %w", err)
	}
	if !there {
		return nil
	}
	sum := sha256.Sum256(body)
	if got := hex.EncodeToString(sum[:]); f.ContentSHA256 != "" && got != f.ContentSHA256 {
		v.found.add(I4, Error, f.Path, "has the sha256 %s, %s says %s", got, e.Path, f.ContentSHA256)
		return nil
	}
	c := &fileCheck{
		v: v, key: f.Path, ref: f.Ref(), low: e.ID, high: e.ID,
		version: f.SchemaVersionID, rows: f.RowCount, ours: ours(e.Manifest),
	}
	ok, err := c.run(ctx, body)
	if err != nil || !ok {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.digests[f.Path] = c.digest
	return nil
}

// schemaOf returns the schema under which a row was written; nil if the store no longer has
// it.
func (v *verifier) schemaOf(ref ontosql.TypeRef, id ontosql.CommitID, version int64) *format.Schema {
	t := v.types[ref]
	if t == nil || v.view == nil || id < v.view.Floor(ref) {
		return nil
	}
	return t.schemas[version]
}
