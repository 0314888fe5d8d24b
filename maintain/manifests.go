package maintain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
)

// checkChain reads the head and the chain below it. If the chain is broken, what depends on it
// is not checked.
func (v *verifier) checkChain(ctx context.Context) error {
	body, there := v.bodies[format.HeadKey]
	if !there {
		if len(v.found.problems) == 0 || !v.blames(format.HeadKey) {
			v.found.add(I1, Error, format.HeadKey, "does not exist")
		}
		return nil
	}
	head, err := format.DecodeHead(format.HeadKey, body)
	if err != nil {
		v.found.corrupt(I1, format.HeadKey, err)
		return nil
	}
	v.head = head
	log := v.options.Log
	if log == nil {
		if log, err = chain.Open("", chain.Options{Bucket: v.bucket, Parallel: parallel}); err != nil {
			return err
		}
		defer log.Close()
	}
	view, err := log.At(ctx, head)
	var corrupt *ontosql.CorruptError
	switch {
	case errors.As(err, &corrupt):
		v.found.corrupt(chainRule(corrupt), corrupt.Key, err)
		return nil
	case err != nil:
		return err
	}
	v.view = view
	if err := v.checkCheckpoint(ctx); err != nil {
		return err
	}
	if e := view.Commit(head.CommitID); e != nil && ours(e.Manifest) && !v.blames(format.HeadKey) {
		v.checkTimes(format.HeadKey, v.meta[format.HeadKey], true)
	}
	return nil
}

// checkCheckpoint compares the checkpoint, if there is one, with the manifests.
func (v *verifier) checkCheckpoint(ctx context.Context) error {
	body, _, err := v.bucket.Get(ctx, format.CheckpointKey)
	if errors.Is(err, objstore.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read checkpoint: %w", err)
	}
	if id := v.view.Contradicts(body); id > 0 {
		v.found.add(A65, Error, format.CheckpointKey, "has another manifest of commit %d; remove it, and compact writes it again", id)
	} else if !v.view.Holds(body) {
		v.found.add(A65, Lag, format.CheckpointKey, "is damaged or of another history; the next compact --apply that merges something writes it again")
	}
	return nil
}

func (v *verifier) blames(key string) bool {
	for _, p := range v.found.problems {
		if p.Key == key {
			return true
		}
	}
	return false
}

// chainRule returns the rule that a broken chain violates.
func chainRule(c *ontosql.CorruptError) Rule {
	var syntax *format.SyntaxError
	switch {
	case errors.Is(c.Err, objstore.ErrNotFound):
		return I4
	case c.Key == format.HeadKey:
		return I1
	case errors.As(c.Err, &syntax):
		return Numbers
	case c.Field == "commit_id", strings.HasPrefix(c.Field, "parent_"):
		return I3
	case c.Field == "created_at":
		return RuleTimes
	case strings.HasPrefix(c.Field, "metadata."+format.MetadataSchema):
		return A13
	case strings.HasPrefix(c.Field, "metadata."):
		return A14
	case c.Field == "":
		return I4 // the sha256 differs from the head's
	}
	return Members
}

// ours reports whether ontosql wrote a commit.
func ours(m *format.Manifest) bool {
	_, attempt := m.Metadata[format.MetadataAttempt]
	_, schema := m.Metadata[format.MetadataSchema]
	return attempt || schema || strings.HasPrefix(m.RuntimeID, "ontosql")
}

// manifestMembers are the members of every manifest (COMPAT 3.1).
var manifestMembers = []string{"commit_id", "created_at", "files", "metadata", "parent_commit_id", "parent_manifest_path", "runtime_id"}

// checkManifests reads every manifest of the chain as bytes, because its decoded form does not
// show how it was written.
func (v *verifier) checkManifests(ctx context.Context) error {
	if v.view == nil {
		return nil
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	for id := ontosql.CommitID(1); id <= v.headID(); id++ {
		e := v.view.Commit(id)
		g.Go(func() error {
			body, there, err := v.get(gctx, e.Path, "the chain")
			if err != nil {
				return fmt.Errorf("read manifest: %w", err)
			}
			if there {
				v.checkManifest(e, body)
			}
			return nil
		})
	}
	return g.Wait()
}

func (v *verifier) checkManifest(e *chain.Entry, body []byte) {
	value, ok := v.checkJSON(e.Path, body)
	if !ok {
		return
	}
	for _, name := range manifestMembers {
		if _, there := value.Get(name); !there {
			v.found.add(Members, Error, e.Path, "%s is missing", name)
		}
	}
	m, mine := e.Manifest, ours(e.Manifest)
	created, _ := value.Get("created_at")
	v.checkTimes(e.Path, format.Object(format.Member{Name: "created_at", Value: created}), mine)
	metadata, _ := value.Get("metadata")
	if schema, there := metadata.Get(format.MetadataSchema); there {
		v.checkTimes(e.Path, schema, mine)
	}
	if parent := v.view.Commit(e.ID - 1); parent != nil && mine && m.CreatedAt.Before(parent.Manifest.CreatedAt.Time) {
		v.found.add(A12, Error, e.Path, "created_at is before that of commit %d", parent.ID)
	}
	if text, there := m.Metadata[format.MetadataAttempt]; there {
		var name string
		if err := json.Unmarshal(text, &name); err != nil || name == "" {
			v.found.add(Members, Error, e.Path, "%s is no name", format.MetadataAttempt)
		}
	}
	if err := m.CheckTags(e.Path); err != nil {
		v.found.add(Members, Error, e.Path, "%v", err)
	}
	for i := range m.Files {
		v.checkFileEntry(e, &m.Files[i])
	}
}

// checkFileEntry checks a manifest's entry of a file against the rules.
func (v *verifier) checkFileEntry(e *chain.Entry, f *format.File) {
	version := int64(0)
	if f.SchemaVersionID != nil {
		version = *f.SchemaVersionID
	} else if v.engine == format.EngineV2 {
		v.found.add(RuleRowVersion, Error, e.Path, "%s has no schema_version_id", f.Path)
		return
	}
	_, attempt, _ := format.ParseCommitDir(e.Path)
	if want := format.DataKey(v.engine, e.ID, attempt, f.Ref(), version); f.Path != want {
		v.found.add(RuleEngine, Error, e.Path, "names %s, engine %s has it at %s", f.Path, v.engine, want)
	}
	if f.ContentSHA256 == "" {
		v.found.add(RuleIndex, Error, e.Path, "%s has no content_sha256", f.Path)
	}
}
