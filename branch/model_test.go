package branch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/branch"
	"github.com/ontosql/ontosql/catalog/migration"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/internal/testenv"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/objstore/mem"
	"github.com/ontosql/ontosql/objstore/s3"
	"github.com/ontosql/ontosql/sqlite/commit"
	"github.com/ontosql/ontosql/sqlite/sqlitetest"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

var (
	noteRef = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Note"}
	linkRef = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Link"}
	fields  = []string{"a", "b", "c"}
)

// noteSchema and linkSchema are the types of the tests, both with three numbers.
func noteSchema() *format.Schema {
	key := format.NewField("id", format.FieldStr, false)
	key.PrimaryKey = true
	return &format.Schema{Ref: noteRef, Fields: append([]format.SchemaField{key}, numbers()...)}
}

func linkSchema() *format.Schema {
	return &format.Schema{Ref: linkRef, Left: "Note", Right: "Note", Fields: numbers()}
}

func numbers() (list []format.SchemaField) {
	for _, name := range fields {
		list = append(list, format.NewField(name, format.FieldInt, true))
	}
	return list
}

// site is a store with its committer.
type site struct {
	*branch.Store
	committer interface {
		branch.Committer
		Close(ctx context.Context) error
	}
}

// settle ends the committer, so that indexes and the lock are at rest.
func (s *site) settle(t testing.TB) {
	t.Helper()
	if err := s.committer.Close(context.WithoutCancel(t.Context())); err != nil {
		t.Errorf("close the writer of %s: %v", s.Address, err)
	}
}

func bucketSite(t testing.TB, b objstore.Bucket) *site {
	t.Helper()
	s := &site{Store: bucketStore(t, b), committer: writepath.Open(writepath.Options{Bucket: b, RuntimeID: "writer", TempDir: t.TempDir()})}
	t.Cleanup(func() { s.settle(t) })
	return s
}

func fileSite(t testing.TB, path string) *site {
	t.Helper()
	store := fileStore(t, path)
	s := &site{Store: store, committer: commit.Open(commit.Options{DB: store.DB, RuntimeID: "writer"})}
	t.Cleanup(func() { s.settle(t) })
	return s
}

// kind makes a store with the types of the tests, and branches of it.
type kind struct {
	name   string
	create func(t testing.TB, engine string) *site
	branch func(t testing.TB, of *site) *site
}

var kinds = []kind{
	{"memory", func(t testing.TB, engine string) *site { return initialised(t, mem.New("trunk"), engine) }, func(t testing.TB, of *site) *site {
		return branched(t, mem.New("branch"), of)
	}},
	{"directory", func(t testing.TB, engine string) *site { return initialised(t, open(t, t.TempDir()), engine) }, func(t testing.TB, of *site) *site {
		return branched(t, open(t, t.TempDir()), of)
	}},
	{"s3", func(t testing.TB, engine string) *site {
		store := testenv.S3(t)
		b, err := s3.Open(t.Context(), s3.Options{Bucket: store.Bucket, Prefix: "trunk", Endpoint: store.Endpoint})
		if err != nil {
			t.Fatal(err)
		}
		s := initialised(t, b, engine)
		s.Temp = store.Endpoint + " " + store.Bucket
		return s
	}, func(t testing.TB, of *site) *site {
		var endpoint, bucket string
		if _, err := fmt.Sscan(of.Temp, &endpoint, &bucket); err != nil {
			t.Fatal(err)
		}
		b, err := s3.Open(t.Context(), s3.Options{Bucket: bucket, Prefix: "branch", Endpoint: endpoint})
		if err != nil {
			t.Fatal(err)
		}
		of.Temp = t.TempDir()
		return branched(t, b, of)
	}},
	{"sqlite", func(t testing.TB, engine string) *site {
		return withTypes(t, fileSite(t, sqlitetest.NewFile(t, engine)))
	}, func(t testing.TB, of *site) *site {
		path := filepath.Join(t.TempDir(), "branch.db")
		if _, err := branch.CreateFile(t.Context(), path, of.Store, nil); err != nil {
			t.Fatalf("branch: %v", err)
		}
		return fileSite(t, path)
	}},
}

func initialised(t testing.TB, b objstore.Bucket, engine string) *site {
	t.Helper()
	if _, err := writepath.Init(t.Context(), b, writepath.InitOptions{Engine: engine}); err != nil {
		t.Fatal(err)
	}
	return withTypes(t, bucketSite(t, b))
}

func withTypes(t testing.TB, s *site) *site {
	t.Helper()
	s.change(t, func(state *migration.State) error {
		return errors.Join(state.Create(noteSchema(), format.Extras{}), state.Create(linkSchema(), format.Extras{}))
	})
	return s
}

func branched(t testing.TB, to objstore.Bucket, of *site) *site {
	t.Helper()
	if _, err := branch.Create(t.Context(), to, of.Store, nil); err != nil {
		t.Fatalf("branch: %v", err)
	}
	return bucketSite(t, to)
}

// change commits a change of the schema.
func (s *site) change(t testing.TB, schema func(*migration.State) error) {
	t.Helper()
	if _, err := s.committer.Commit(t.Context(), writepath.Tx{Schema: schema}); err != nil {
		t.Fatalf("change the schema of %s: %v", s.Address, err)
	}
}

// rows are the rows of both types by type and key, their fields as JSON.
type rows map[string]map[string]string

func (r rows) clone() rows {
	c := rows{}
	for key, row := range r {
		c[key] = maps.Clone(row)
	}
	return c
}

// write commits rows, whole as they shall be.
func (s *site) write(t testing.TB, changed rows) ontosql.CommitID {
	t.Helper()
	pin, err := s.Pins.PinFresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tx := writepath.Tx{Pin: pin.Head.Commit}
	for _, ref := range []ontosql.TypeRef{noteRef, linkRef} {
		typ, ok := pin.Catalog.Type(ref)
		if !ok {
			continue
		}
		var list []format.Row
		for _, key := range slices.Sorted(maps.Keys(changed)) {
			row := format.Row{Key: key}
			members := maps.Clone(changed[key])
			if isLink := key[0] == 'l'; isLink != (ref == linkRef) {
				continue
			} else if isLink {
				row = format.Row{Left: key, Right: "n0"}
			} else {
				members["id"] = fmt.Sprintf("%q", key)
			}
			row.Fields = encode(members)
			list = append(list, row)
		}
		if len(list) == 0 {
			continue
		}
		tx.Data = append(tx.Data, writepath.Data{Type: ref, SchemaVersion: typ.SchemaID, Rows: func(yield func(writepath.Row, error) bool) {
			for _, row := range list {
				if !yield(writepath.Row{Row: row}, nil) {
					return
				}
			}
		}})
	}
	done, err := s.committer.Commit(t.Context(), tx)
	if err != nil {
		t.Fatalf("commit to %s: %v", s.Address, err)
	}
	return done.Commit
}

func encode(members map[string]string) []byte {
	object := map[string]json.RawMessage{}
	for name, value := range members {
		object[name] = json.RawMessage(value)
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return text
}

// at reads the rows of a store at a commit.
func (s *site) at(t testing.TB, id ontosql.CommitID) rows {
	t.Helper()
	found := rows{}
	src := source(t, s.Store)
	for _, ref := range []ontosql.TypeRef{noteRef, linkRef} {
		newest, err := transfer.ReadNewest(t.Context(), src, ref, 0, id, nil, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range newest.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			var members map[string]json.RawMessage
			if err := json.Unmarshal(row.Fields, &members); err != nil {
				t.Fatal(err)
			}
			fields := map[string]string{}
			for name, value := range members {
				if text := string(bytes.TrimSpace(value)); name != "id" && text != "null" {
					fields[name] = text
				}
			}
			found[row.Key+row.Left] = fields
		}
		newest.Close()
	}
	return found
}

// side is a branch and what the model knows of it: its rows at each commit.
type side struct {
	*site
	now    rows
	points map[ontosql.CommitID]rows
}

func (s *side) landed(id ontosql.CommitID) { s.points[id] = s.now.clone() }

// edit makes a commit of random changes.
func (s *side) edit(t testing.TB, random *rand.Rand) {
	t.Helper()
	changed := rows{}
	for range 1 + random.IntN(4) {
		key := fmt.Sprintf("%c%d", "nl"[random.IntN(2)], random.IntN(8))
		row := maps.Clone(s.now[key])
		if row == nil {
			row = map[string]string{}
		}
		row[fields[random.IntN(3)]] = fmt.Sprint(random.IntN(4))
		changed[key] = row
	}
	maps.Copy(s.now, changed)
	s.landed(s.write(t, changed))
}

// modelMerge is the rule of merges, by identity and field, on maps. It returns what ours becomes, the
// conflicts, and whether theirs has changed anything.
func modelMerge(base, ours, theirs rows, choice branch.Choice) (merged rows, conflicts []string, changed bool) {
	merged = ours.clone()
	for key, row := range theirs {
		b, inBase := base[key]
		o, inOurs := ours[key]
		switch {
		case inBase && maps.Equal(b, row):
		case inOurs && maps.Equal(o, row):
			changed = true
		case inBase == inOurs && maps.Equal(b, o):
			changed = true
			merged[key] = maps.Clone(row)
		default:
			changed = true
			for _, f := range fields {
				switch {
				case row[f] == o[f], row[f] == b[f]:
				case o[f] == b[f]:
					merged[key][f] = row[f]
				default:
					conflicts = append(conflicts, fmt.Sprintf("%s %s %s %s %s", key, f, b[f], o[f], row[f]))
					if choice == branch.Theirs {
						merged[key][f] = row[f]
					}
				}
				if merged[key][f] == "" {
					delete(merged[key], f)
				}
			}
		}
	}
	slices.Sort(conflicts)
	return merged, conflicts, changed
}

// TestMergeIsTheModel lets two branches change and merge at random, in both directions.
func TestMergeIsTheModel(t *testing.T) {
	for _, k := range kinds {
		for _, engine := range []string{format.EngineV1, format.EngineV2} {
			t.Run(k.name+"/"+engine, func(t *testing.T) {
				rounds := 25
				if k.name == "s3" || testing.Short() {
					rounds = 8
				}
				seed := uint64(time.Now().UnixNano())
				t.Logf("seed %d", seed)
				runModel(t, k, engine, rand.New(rand.NewPCG(seed, 1)), rounds)
			})
		}
	}
}

func runModel(t *testing.T, k kind, engine string, random *rand.Rand, rounds int) {
	trunk := &side{site: k.create(t, engine), now: rows{}, points: map[ontosql.CommitID]rows{}}
	for range 3 {
		trunk.edit(t, random)
	}
	twig := &side{site: k.branch(t, trunk.site), now: trunk.now.clone(), points: maps.Clone(trunk.points)}
	base := trunk.now.clone()
	for range rounds {
		for _, s := range []*side{trunk, twig} {
			for range random.IntN(3) {
				s.edit(t, random)
			}
		}
		from, into := trunk, twig
		if random.IntN(2) == 0 {
			from, into = twig, trunk
		}
		choice := []branch.Choice{branch.Ask, branch.Ours, branch.Theirs}[random.IntN(3)]
		want, conflicts, changed := modelMerge(base, into.now, from.now, choice)
		done, err := branch.Merge(t.Context(), from.Store, into.Store, into.committer, branch.MergeOptions{Choice: choice, Actor: "ann"})
		if choice == branch.Ask && len(conflicts) > 0 {
			if !errors.Is(err, branch.ErrConflicts) {
				t.Fatalf("merge with conflicts %q: got %v, want ErrConflicts", conflicts, err)
			}
		} else if err != nil {
			t.Fatalf("merge: %v", err)
		}
		var told []string
		for _, c := range done.Conflicts {
			told = append(told, fmt.Sprintf("%s %s %s %s %s", c.Key[0], c.Field, c.Base, c.Ours, c.Theirs))
		}
		slices.Sort(told)
		if diff := cmp.Diff(conflicts, told); diff != "" {
			t.Fatalf("conflicts (-model +merge):\n%s", diff)
		}
		if err != nil {
			continue
		}
		if (done.Commit != 0) != changed {
			t.Fatalf("merge made commit %d; something changed: %t", done.Commit, changed)
		}
		if changed {
			into.now, base = want, from.now.clone()
			into.landed(done.Commit)
		}
		if diff := cmp.Diff(want, into.at(t, 1<<40)); diff != "" {
			t.Fatalf("rows after the merge (-model +store):\n%s", diff)
		}
		checkMerged(t, from, into)
	}
	for _, s := range []*side{trunk, twig} {
		s.settle(t)
		clean(t, s.Store)
		for id, want := range s.points {
			if diff := cmp.Diff(want, s.at(t, id)); diff != "" {
				t.Errorf("%s at commit %d (-model +store):\n%s", s.Address, id, diff)
			}
		}
	}
}

// checkMerged makes sure that a merged branch has nothing more to merge.
func checkMerged(t *testing.T, from, into *side) {
	t.Helper()
	again, err := branch.Merge(t.Context(), from.Store, into.Store, into.committer, branch.MergeOptions{})
	if err != nil || again.Commit != 0 {
		t.Fatalf("the same merge again: got %+v, %v; want nothing", again, err)
	}
	var left []string
	if _, err := branch.Diff(t.Context(), from.Store, into.Store, func(c branch.Change) error {
		if !c.Second {
			left = append(left, fmt.Sprintf("%s %s", c.Type, c.Key))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Fatalf("changes of the branch that was merged: got %q, want none", left)
	}
}
