package sqlite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/maphash"

	lite "zombiezen.com/go/sqlite"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/catalog"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/resolver"
	"github.com/ontosql/ontosql/sqlite/dbschema"
	"github.com/ontosql/ontosql/sqlite/sqlconn"
)

// schema is the content of the schema tables.
type schema struct {
	print    fingerprint
	registry *format.Registry
	versions map[ontosql.TypeRef]*format.Versions
	warnings []string
}

// fingerprint detects changes of the schema tables: the registry by its content, because its
// rows are updated in place, and the versions by their ids, because theirs are not.
type fingerprint struct{ registry, versions uint64 }

var seed = maphash.MakeSeed()

const (
	registryRows = "SELECT type_kind, type_name, schema_json, rowid FROM schema_registry ORDER BY type_kind, type_name"
	// The table's index covers this query.
	versionIDs = "SELECT count(*), total(id), max(id) FROM schema_versions"
)

// readSchema reads the schema tables, unless they are unchanged since known.
func readSchema(c *conn, t dbschema.Tables, known *schema) (*schema, error) {
	now, err := readFingerprint(c, t)
	if err != nil {
		return nil, err
	}
	if known != nil && known.print == now {
		return known, nil
	}
	s := &schema{
		print:    now,
		registry: &format.Registry{Entity: map[string]json.RawMessage{}, Relation: map[string]json.RawMessage{}},
		versions: map[ontosql.TypeRef]*format.Versions{},
	}
	var p warnings
	if t["schema_registry"] != nil {
		if err := sqlconn.Each(c.Conn, registryRows, func(row *lite.Stmt) error {
			s.register(&p, row.ColumnText(0), row.ColumnText(1), row.ColumnText(2), row.ColumnInt64(3))
			return nil
		}); err != nil {
			return nil, err
		}
	}
	if t["schema_versions"] != nil {
		if err := s.readVersions(c, t, &p); err != nil {
			return nil, err
		}
	}
	if len(s.versions) == 0 {
		s.bootstrap()
	}
	s.warnings = p.texts
	return s, nil
}

func readFingerprint(c *conn, t dbschema.Tables) (p fingerprint, err error) {
	var h maphash.Hash
	h.SetSeed(seed)
	if t["schema_registry"] != nil {
		scratch := make([]byte, 4096)
		err = sqlconn.Each(c.Conn, registryRows, func(row *lite.Stmt) error {
			for col := range 3 {
				for row.ColumnLen(col) > len(scratch) {
					scratch = make([]byte, 2*len(scratch))
				}
				h.Write(scratch[:row.ColumnBytes(col, scratch)])
				h.WriteByte(0)
			}
			return nil
		})
	}
	p.registry = h.Sum64()
	if err == nil && t["schema_versions"] != nil {
		h.Reset()
		err = sqlconn.Each(c.Conn, versionIDs, func(row *lite.Stmt) error {
			fmt.Fprint(&h, row.ColumnInt64(0), row.ColumnFloat(1), row.ColumnInt64(2))
			return nil
		})
		p.versions = h.Sum64()
	}
	return p, err
}

// register adds a row of the registry. A row that cannot be parsed is kept unchanged: the
// catalog uses the newest version instead, or reports that it skips the type.
func (s *schema) register(p *warnings, kind, name, text string, id int64) {
	k, err := ontosql.ParseKind(kind)
	if err != nil {
		p.warn("schema_registry: %q is left out: %v", name, err)
		return
	}
	canonical, err := format.Canonicalize([]byte(text))
	if err != nil {
		p.warn("schema_registry row %d: schema_json of %s %q cannot be read: %v", id, kind, name, err)
		canonical = json.RawMessage(text)
	}
	if k == ontosql.Relation {
		s.registry.Relation[name] = canonical
	} else {
		s.registry.Entity[name] = canonical
	}
}

// readVersions reads the versions of every type by ascending id: the greatest is the current
// one.
func (s *schema) readVersions(c *conn, t dbschema.Tables, p *warnings) error {
	sql := "SELECT type_kind, type_name, schema_version_id, schema_json, schema_hash, created_at, " +
		t.Column("schema_versions", "runtime_id", "NULL") + ", " + t.Column("schema_versions", "reason", "NULL") + ", id" +
		" FROM schema_versions ORDER BY type_kind, type_name, schema_version_id"
	return sqlconn.Each(c.Conn, sql, func(row *lite.Stmt) error {
		kind, err := ontosql.ParseKind(row.ColumnText(0))
		if err != nil {
			p.warn("schema_versions: %q is left out: %v", row.ColumnText(1), err)
			return nil
		}
		ref := ontosql.TypeRef{Kind: kind, Name: row.ColumnText(1)}
		v := s.versions[ref]
		if v == nil {
			v = &format.Versions{TypeKind: kind.String(), TypeName: ref.Name}
			s.versions[ref] = v
		}
		created, _ := format.ParseTime(row.ColumnText(5)) // the zero Time if invalid
		v.Versions = append(v.Versions, format.SchemaVersion{
			SchemaVersionID: row.ColumnInt64(2), SchemaJSON: row.ColumnText(3), SchemaHash: row.ColumnText(4),
			CreatedAt: created, RuntimeID: dbschema.TextOrNil(row, 6), Reason: dbschema.TextOrNil(row, 7),
			Place: dbschema.RowPlace("schema_versions", row.ColumnInt64(8)),
		})
		return nil
	})
}

// bootstrap numbers the schemas of a file without versions, as the original does when it opens
// one (COMPAT 4.2). Their creation times are unknown.
func (s *schema) bootstrap() {
	reason := "bootstrap"
	for kind, section := range map[ontosql.Kind]map[string]json.RawMessage{ontosql.Entity: s.registry.Entity, ontosql.Relation: s.registry.Relation} {
		for name, text := range section {
			hash, err := format.SchemaHash(text)
			if err != nil {
				continue // the catalog reports it
			}
			spaced, err := format.SchemaJSON(text)
			if err != nil {
				continue
			}
			s.versions[ontosql.TypeRef{Kind: kind, Name: name}] = &format.Versions{
				TypeKind: kind.String(), TypeName: name,
				Versions: []format.SchemaVersion{{SchemaVersionID: 1, SchemaJSON: spaced, SchemaHash: hash, Reason: &reason}},
			}
		}
	}
}

// build builds the pin. It keeps the catalog of known if its inputs are unchanged: a commit of
// rows leaves every plan valid.
func (now *snapshot) build(known *snapshot) error {
	view := now.commits.view
	head := view.Head()
	change, changedBy, err := view.LastSchemaChange(head.Commit)
	if err != nil {
		return fmt.Errorf("read schema change: %w", err)
	}
	in := catalog.Input{
		Head: head.Commit, Registry: now.schema.registry, Versions: now.schema.versions,
		Change: change, ChangedBy: changedBy, Floor: view.Floor,
	}
	if change != nil {
		in.ChangedAt = view.Commit(changedBy).Manifest.CreatedAt.Time
	}
	now.pin = &resolver.Pin{Head: head, View: view, Engine: now.engine}
	now.pin.Warnings = append(now.pin.Warnings, now.commits.warnings...)
	in.Version = now.digest(&in)
	if known.pin != nil && known.pin.Catalog.Version == in.Version {
		now.pin.Catalog, now.catalogWarnings = known.pin.Catalog, known.catalogWarnings
	} else {
		now.pin.Catalog, now.catalogWarnings = catalog.Build(in)
	}
	now.pin.Warnings = append(append(now.pin.Warnings, now.schema.warnings...), now.catalogWarnings...)
	return nil
}

// digest identifies the inputs of a catalog.
func (now *snapshot) digest(in *catalog.Input) string {
	h := sha256.New()
	fmt.Fprintf(h, "%x %x\n", now.schema.print.registry, now.schema.print.versions)
	if in.Change != nil {
		fmt.Fprintf(h, "change %s\n", now.pin.View.Commit(in.ChangedBy).Path)
	}
	for _, ref := range in.Refs() {
		if floor := in.Floor(ref); floor > 0 {
			fmt.Fprintf(h, "%s floor %d\n", ref, floor)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
