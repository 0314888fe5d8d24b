package maintain_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/maintain"
)

const (
	v1    = "s3-v1/stage2-migrated" // without snapshots, so that every data file is read by itself
	v2    = "s3-v2/stage2-migrated"
	late1 = "s3-v1/stage3-final" // compacted, a type dropped
	late2 = "s3-v2/stage3-final"
	ours  = "demo"
)

var (
	product = ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"}
	follows = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Follows"}
	scratch = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Scratch"}
	shop    = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Store"}
)

// damage is a defect of a store, and the single rule that it breaks.
type damage struct {
	name  string
	store string
	do    func(s store)
	rule  maintain.Rule
}

// file1 damages one file of commit 1.
func file1(suffix string, change func(t *table)) func(store) {
	return func(s store) { s.edit(s.find("1", suffix), change) }
}

// native adds a native column to a file of the demo, with another first value than fields_json has.
func native(first format.Value) func(store) {
	return func(s store) {
		s.edit(s.find("2", "Store.parquet"), func(t *table) { t.addNative("city", first) })
	}
}

var damages = []damage{
	// Rule 1: engine.
	{"unknown engine", v1, func(s store) { s.replace(format.EngineKey, `"v1"`, `"v3"`) }, maintain.RuleEngine},
	{"another backend", v1, func(s store) { s.replace(format.EngineKey, `"s3"`, `"file"`) }, maintain.RuleEngine},
	{"data file elsewhere", v2, func(s store) {
		from := s.find("1", "entities/product/v1.parquet")
		to := strings.Replace(from, "/v1.parquet", ".parquet", 1)
		s.put(to, s.get(from))
		s.replace(s.find("1", "manifest.json"), from, to)
		s.replace(format.IndexKey(product), from, to)
	}, maintain.RuleEngine},

	// Rule 2: times.
	{"time with Z", v1, func(s store) { s.replace(format.TypesKey, `+00:00"`, `Z"`) }, maintain.RuleTimes},
	{"time of no kind", v1, func(s store) { s.replace(s.find("2", "manifest.json"), `"created_at":"2`, `"created_at":"x`) }, maintain.RuleTimes},
	{"time that is null", v1, func(s store) {
		s.rewrite(format.EngineKey, []byte(`{"backend":"s3","created_at":null,"engine_version":"v1"}`))
	}, maintain.RuleTimes},
	{"our time without a fraction", ours, func(s store) {
		s.replace(s.find("9", "manifest.json"), `.000000+00:00`, `+00:00`)
	}, maintain.RuleTimes},

	{"our head without a fraction", ours, func(s store) {
		s.rewrite(format.HeadKey, regexp.MustCompile(`\.\d{6}\+00:00`).ReplaceAll(s.get(format.HeadKey), []byte("+00:00")))
	}, maintain.RuleTimes},

	// Rule 3: payload.
	{"no payload", v1, file1("Customer.parquet", func(t *table) { t.of("fields_json").values[0] = format.Null() }), maintain.RulePayload},
	{"payload no JSON", v1, file1("Customer.parquet", func(t *table) { t.text("fields_json", "{", "") }), maintain.RulePayload},
	{"payload no object", v1, file1("Customer.parquet", func(t *table) { t.of("fields_json").values[0] = format.String("[]") }), maintain.RulePayload},
	{"payload with spaces", v1, file1("Customer.parquet", func(t *table) { t.text("fields_json", ":", ": ") }), maintain.RulePayload},
	{"typed column that differs", v1, file1("Customer.parquet", func(t *table) { t.of("name").values[0] = format.String("nobody") }), maintain.RulePayload},
	{"typed column that is NULL", v1, file1("Customer.parquet", func(t *table) { t.of("name").values[0] = format.Null() }), maintain.RulePayload},
	{"native column that differs", ours, native(format.String(`"elsewhere"`)), maintain.RulePayload},
	{"native column of another type", ours, native(format.String(`1`)), maintain.RulePayload},
	{"native column that is NULL", ours, native(format.Null()), maintain.RulePayload},
	{"checkpoint with another manifest", ours, func(s store) { s.checkpointOfAnother("2") }, maintain.A65},
	{"record of recoveries", ours, func(s store) { s.put(format.RecoveriesKey, []byte(`{"recoveries":[7]}`)) }, maintain.Members},
	{"native column that is damaged", ours, native(format.String(`{`)), maintain.Columns},
	{"typed column of 1 for true", v1, file1("Customer.parquet", func(t *table) {
		c := t.of("active")
		c.kind = format.KindInt64
		for i, v := range c.values {
			c.values[i] = format.Int(map[bool]int64{true: 1}[v.Bool()])
		}
	}), maintain.RulePayload},

	// Rule 4: keys.
	{"another entity_key", v1, file1("product.parquet", func(t *table) { t.of("entity_key").values[0] = format.String("0") }), maintain.RuleKeys},
	{"primary key not in the payload", v1, file1("product.parquet", func(t *table) {
		t.text("fields_json", `"sku"`, `"sku2"`)
		t.columns = slices.DeleteFunc(t.columns, func(c column) bool { return c.name == "sku" })
	}), maintain.RuleKeys},
	{"endpoint in the payload", v1, file1("Follows.parquet", func(t *table) { t.text("fields_json", "{}", `{"left_key":"c1"}`) }), maintain.RuleKeys},
	{"instance key in the payload", v1, file1("Purchase.parquet", func(t *table) { t.text("fields_json", "{", `{"order_no":"o1",`) }), maintain.RuleKeys},
	{"endpoint NULL", v1, file1("Follows.parquet", func(t *table) { t.of("left_key").values[0] = format.Null() }), maintain.RuleKeys},

	// Rule 5: instance keys.
	{"instance key NULL", v1, file1("Follows.parquet", func(t *table) { t.of("instance_key").values[0] = format.Null() }), maintain.RuleInstance},
	{"instance key of an unkeyed relation", v1, file1("Follows.parquet", func(t *table) { t.of("instance_key").values[0] = format.String("x") }), maintain.RuleInstance},
	{"blank instance key", v1, file1("Purchase.parquet", func(t *table) { t.of("instance_key").values[0] = format.String(" ") }), maintain.RuleInstance},

	// Rule 6: schema versions of rows.
	{"version NULL on v2", v2, file1("product/v1.parquet", func(t *table) { t.of("schema_version_id").values[0] = format.Null() }), maintain.RuleRowVersion},
	{"two versions in a file", v1, file1("product.parquet", func(t *table) { t.of("schema_version_id").values[0] = format.Int(2) }), maintain.RuleRowVersion},
	{"version missing in a v2 manifest", v2, func(s store) {
		s.replace(s.find("2", "manifest.json"), `"schema_version_id":1`, `"schema_version_id":null`)
	}, maintain.RuleRowVersion},
	{"version that the type does not have", v1, func(s store) {
		s.edit(s.find("4", "Customer.parquet"), func(t *table) {
			for i := range t.of("schema_version_id").values {
				t.of("schema_version_id").values[i] = format.Int(9)
			}
		})
		s.replace(s.find("4", "manifest.json"), `"schema_version_id":2`, `"schema_version_id":9`)
	}, maintain.RuleRowVersion},
	{"version NULL in a file of ours", ours, func(s store) {
		s.edit(s.find("9", "Customer.parquet"), func(t *table) { t.of("schema_version_id").values[0] = format.Null() })
	}, maintain.RuleRowVersion},

	// Rules 7 and 8: hash and spelling.
	{"wrong hash", v1, func(s store) { s.replace(format.VersionsKey(product), `"schema_hash":"7e96`, `"schema_hash":"7e97`) }, maintain.RuleHash},
	{"type_spec of another type", v1, func(s store) {
		s.editSchema(product, `"name": "float"`, `"name": "int"`)
	}, maintain.RuleSpelling},
	{"type_spec of no kind", v1, func(s store) {
		s.editSchema(product, `"kind": "primitive", "name": "float"`, `"kind": "number", "name": "float"`)
	}, maintain.RuleSpelling},
	{"empty type", v1, func(s store) { s.editSchema(product, `"<class 'float'>"`, `""`) }, maintain.RuleSpelling},

	// Rule 10: layouts.
	{"layout of a type that was never migrated", v2, func(s store) {
		s.replace(format.LayoutsKey, `]`, `,{"activation_commit_id":1,"is_current":true,"schema_version_id":1,"type_kind":"entity","type_name":"product"}]`)
	}, maintain.RuleLayout},
	{"layout of an old version", v2, func(s store) { s.replace(format.LayoutsKey, `"schema_version_id":2`, `"schema_version_id":1`) }, maintain.RuleLayout},
	{"two current layouts", v2, func(s store) {
		entry := `{"activation_commit_id":4,"is_current":true,"schema_version_id":2,"type_kind":"entity","type_name":"Customer"}`
		s.replace(format.LayoutsKey, entry, entry+","+entry)
	}, maintain.RuleLayout},
	{"layout of a dropped type", late2, func(s store) { s.replace(format.LayoutsKey, `"Customer"`, `"Scratch"`) }, maintain.RuleLayout},

	// Rule 11: reserved names.
	{"field with a system column's name", v1, func(s store) { s.editSchema(product, `"title"`, `"Commit_ID"`) }, maintain.RuleReserved},
	{"typed column with a system column's name", v1, file1("product.parquet", func(t *table) {
		last := t.columns[len(t.columns)-1]
		t.columns = append(t.columns, column{"zz", last.kind, last.values})
		t.columns[len(t.columns)-1].name = "FIELDS_JSON"
		for i := range last.values {
			last.values[i] = format.Null()
		}
		t.columns = slices.Delete(t.columns, 5, len(t.columns)-1)
	}), maintain.RuleReserved},

	// Rule 14: indexes and checksums.
	{"index not sorted", v1, func(s store) {
		s.editIndex(product, func(x *format.Index) { slices.Reverse(x.Entries) })
	}, maintain.RuleIndex},
	{"index that overlaps", v1, func(s store) {
		s.editIndex(product, func(x *format.Index) { x.Entries = append(x.Entries, x.Entries[len(x.Entries)-1]) })
	}, maintain.RuleIndex},
	{"index without an entry", v1, func(s store) {
		s.editIndex(product, func(x *format.Index) { x.Entries = x.Entries[1:] })
	}, maintain.RuleIndex},
	{"index with the file of another type", v1, func(s store) {
		s.editIndex(product, func(x *format.Index) { x.Entries[0].Path = s.find("1", "Customer.parquet") })
	}, maintain.RuleIndex},
	{"index of another name", v1, func(s store) {
		s.editIndex(product, func(x *format.Index) { x.TypeName = "Product" })
	}, maintain.RuleIndex},
	{"index entry of a wrong shape", v1, func(s store) { s.replace(format.IndexKey(product), `"min_commit_id":1`, `"min_commit_id":"1"`) }, maintain.RuleIndex},
	{"snapshot under another name", late1, func(s store) {
		s.editIndex(product, func(x *format.Index) { x.Entries[0].Path = "snapshots/entities/product-1-3.parquet" })
	}, maintain.RuleIndex},
	{"no content_sha256", v1, func(s store) {
		s.replace(s.find("2", "manifest.json"), `"content_sha256":"`+sum(s.get(s.find("2", "product.parquet")))+`"`, `"content_sha256":""`)
	}, maintain.RuleIndex},

	// Rule 18: duplicates.
	{"identity twice in a commit of ours", ours, func(s store) {
		s.repeatRow("2", "Customer.parquet")
	}, maintain.RuleDuplicates},

	// I1: the head.
	{"no head", v1, func(s store) { s.remove(format.HeadKey) }, maintain.I1},
	{"head no JSON", v1, func(s store) { s.put(format.HeadKey, []byte(`{"commit_id":4`)) }, maintain.I1},
	{"head without a manifest", v1, func(s store) {
		s.rewrite(format.HeadKey, []byte(`{"commit_id":4,"manifest_path":null,"runtime_id":"x","updated_at":"2026-11-20T23:55:04.259080+00:00"}`))
	}, maintain.I1},
	{"head of another commit's manifest", v1, func(s store) { s.replace(format.HeadKey, `"commit_id":4`, `"commit_id":5`) }, maintain.I1},
	{"head without a writer", v1, func(s store) { s.replace(format.HeadKey, `"runtime_id":"fixture-writer",`, ``) }, maintain.I1},

	// I2: what is not committed is not visible.
	{"index beyond the head", v1, func(s store) {
		s.editIndex(product, func(x *format.Index) { x.MaxIndexedCommit = 5 })
	}, maintain.I2},
	{"index with the file of a lost attempt", v1, func(s store) {
		lost := "commits/2-deadbeef/entities/product.parquet"
		s.put(lost, s.get(s.find("2", "product.parquet")))
		s.editIndex(product, func(x *format.Index) { x.Entries[1].Path = lost })
	}, maintain.I2},
	{"drop beyond the head", late1, func(s store) { s.replace(format.DroppedKey, `"commit_id":8`, `"commit_id":9`) }, maintain.I2},
	{"layout beyond the head", v2, func(s store) { s.replace(format.LayoutsKey, `"activation_commit_id":4`, `"activation_commit_id":5`) }, maintain.I2},

	// I3: numbers and parents.
	{"a number left out", v1, func(s store) { s.replace(s.find("3", "manifest.json"), `"parent_commit_id":2`, `"parent_commit_id":1`) }, maintain.I3},
	{"a commit that is its own parent", v1, func(s store) {
		s.replace(s.find("3", "manifest.json"), `"parent_manifest_path":"`+s.find("2", "manifest.json"), `"parent_manifest_path":"`+s.find("3", "manifest.json"))
	}, maintain.I3},
	{"a parent of the first commit", v1, func(s store) {
		s.replace(s.find("1", "manifest.json"), `"parent_commit_id":null`, `"parent_commit_id":0`)
	}, maintain.I3},
	{"a manifest of another commit", v1, func(s store) { s.put(s.find("2", "manifest.json"), s.get(s.find("1", "manifest.json"))) }, maintain.I3},

	// I4: what is named exists and is as it was written.
	{"data file gone", v1, func(s store) { s.remove(s.find("2", "product.parquet")) }, maintain.I4},
	{"data file changed", v1, func(s store) {
		key := s.find("2", "product.parquet")
		body := bytes.Clone(s.get(key))
		body[len(body)/2] ^= 1
		s.put(key, body)
	}, maintain.I4},
	{"row count", v1, func(s store) { s.replace(s.find("4", "manifest.json"), `"row_count":3`, `"row_count":4`) }, maintain.I4},
	{"manifest gone", v1, func(s store) { s.remove(s.find("2", "manifest.json")) }, maintain.I4},
	{"snapshot gone", late1, func(s store) { s.remove("snapshots/entities/product-1-2.parquet") }, maintain.I4},

	{"tags of no shape", ours, func(s store) {
		s.replace(s.find("9", "manifest.json"), `"ontosql_attempt":`, `"ontosql_attempt":"x","ontosql_tags":{"v1":3},"z":`)
	}, maintain.Members},
	{"tag of a commit to come", ours, func(s store) {
		s.replace(s.find("9", "manifest.json"), `"ontosql_attempt":`, `"ontosql_attempt":"x","ontosql_tags":"{\"v1\":{\"commit_id\":9,\"created_at\":\"2026-01-01T00:00:00.000000+00:00\"}}","z":`)
	}, maintain.Members},

	// I8: snapshots.
	{"snapshot with a row less", late1, func(s store) {
		s.edit("snapshots/entities/product-1-2.parquet", func(t *table) {
			for i := range t.columns {
				t.columns[i].values = t.columns[i].values[1:]
			}
		})
	}, maintain.I8},
	{"snapshot with another row", late1, func(s store) {
		s.edit("snapshots/entities/product-1-2.parquet", func(t *table) { t.of("commit_id").values[0] = format.Int(2) })
	}, maintain.I8},

	// Decisions.
	{"older than its parent", ours, func(s store) { s.replace(s.find("9", "manifest.json"), `"created_at":"2025`, `"created_at":"2024`) }, maintain.A12},
	{"projection that contradicts its commit", ours, func(s store) { s.editSchema(shop, `"city"`, `"town"`) }, maintain.A13},
	{"schema change that forgets types", ours, func(s store) {
		s.replace(s.find("9", "manifest.json"), `"ontosql_attempt":`, `"ontosql_attempt":"x","ontosql_schema":{"types":[]},"z":`)
	}, maintain.A13},
	{"schema change of no shape", ours, func(s store) {
		s.replace(s.find("1", "manifest.json"), `"ontosql_schema":{`, `"ontosql_schema":{"dropped":[1],`)
	}, maintain.A13},
	{"drop of unreadable types", late1, func(s store) {
		s.replace(s.find("8", "manifest.json"), `"metadata":{`, `"metadata":{"affected_types":"x",`)
	}, maintain.A14},
	{"unknown object", v1, func(s store) { s.put("meta/schema/extra.json", []byte(`{}`)) }, maintain.A34},
	{"index of no type", v1, func(s store) {
		s.put("meta/indices/entities/Nobody.json", []byte(`{"entries":[],"max_indexed_commit":4,"type_name":"Nobody"}`))
	}, maintain.A34},

	// COMPAT 1.4: schema objects.
	{"no types.json", v1, func(s store) { s.remove(format.TypesKey) }, maintain.SchemaObjects},
	{"types.json without a list", v1, func(s store) { s.replace(format.TypesKey, `"relations":[`, `"relations":[1,`) }, maintain.SchemaObjects},
	{"type not listed", v1, func(s store) { s.replace(format.TypesKey, `,"product"`, ``) }, maintain.SchemaObjects},
	{"type listed twice", v1, func(s store) { s.replace(format.TypesKey, `"product"`, `"product","product"`) }, maintain.SchemaObjects},
	{"type without versions", v1, func(s store) { s.remove(format.VersionsKey(product)) }, maintain.SchemaObjects},
	{"registry with another schema", v1, func(s store) { s.replace(format.RegistryKey, `<class 'float'>`, `<class 'bool'>`) }, maintain.SchemaObjects},
	{"version ids with a gap", v1, func(s store) {
		s.replace(format.VersionsKey(follows), `"schema_version_id":1`, `"schema_version_id":2`)
	}, maintain.SchemaObjects},
	{"versions of another type", v1, func(s store) {
		s.replace(format.VersionsKey(product), `"type_name":"product"`, `"type_name":"Product"`)
	}, maintain.SchemaObjects},
	{"schema that is none", v1, func(s store) { s.replace(format.VersionsKey(product), `"schema_json":"{`, `"schema_json":"`) }, maintain.SchemaObjects},
	{"files of a type that is not registered", v1, func(s store) {
		s.remove(format.VersionsKey(follows))
		s.remove(format.IndexKey(follows))
		s.replace(format.TypesKey, `"Follows",`, ``)
		s.replace(format.RegistryKey, `"Follows":{"fields":{},"instance_key_field":null,"left_type":"Customer","relation_name":"Follows","right_type":"Customer"},`, ``)
	}, maintain.SchemaObjects},
	{"relation of a type that there is not", v1, func(s store) { s.editSchema(follows, `"right_type": "Customer"`, `"right_type": "Nobody"`) }, maintain.SchemaObjects},
	{"drop without a mark", late1, func(s store) { s.remove(format.DroppedKey) }, maintain.SchemaObjects},
	{"mark of a commit that drops nothing", late1, func(s store) { s.replace(format.DroppedKey, `"commit_id":8`, `"commit_id":7`) }, maintain.SchemaObjects},
	{"existing type that is marked", v1, func(s store) {
		s.replace(format.DroppedKey, `"entity":{`, `"entity":{"product":{"commit_id":0,"purged":true,"updated_at":"2026-11-21T02:04:38.896644+00:00"}`)
	}, maintain.SchemaObjects},

	// COMPAT 2.1: JSON.
	{"object with a newline", v1, func(s store) { s.rewrite(format.TypesKey, append(s.get(format.TypesKey), '\n')) }, maintain.Numbers},
	{"manifest with spaces", v1, func(s store) { s.replace(s.find("2", "manifest.json"), `"metadata":{`, `"metadata": {`) }, maintain.Numbers},
	{"manifest no JSON", v1, func(s store) { s.put(s.find("2", "manifest.json"), []byte(`{`)) }, maintain.Numbers},
	{"index no JSON", v1, func(s store) { s.put(format.IndexKey(product), []byte(`{`)) }, maintain.Numbers},
	{"schema_json without spaces", v1, func(s store) { s.replace(format.VersionsKey(follows), `\"fields\": {}`, `\"fields\":{}`) }, maintain.Numbers},
	{"integer of 65 bits", v1, file1("Purchase.parquet", func(t *table) {
		t.of("fields_json").values[0] = format.String(strings.TrimSuffix(t.of("fields_json").values[0].Text(), "}") + `,"zz":[{"n":9223372036854775808}]}`)
	}), maintain.Numbers},

	// COMPAT 2.4: columns.
	{"system columns in another order", v1, file1("product.parquet", func(t *table) { t.columns[1], t.columns[2] = t.columns[2], t.columns[1] }), maintain.Columns},
	{"system column missing", v1, file1("product.parquet", func(t *table) { t.columns = slices.Delete(t.columns, 3, 4) }), maintain.Columns},
	{"typed columns in another order", v1, file1("product.parquet", func(t *table) { t.columns[5], t.columns[6] = t.columns[6], t.columns[5] }), maintain.Columns},
	{"row of another commit", v1, file1("Follows.parquet", func(t *table) { t.of("commit_id").values[0] = format.Int(2) }), maintain.Columns},
	{"row of another type", v1, file1("Follows.parquet", func(t *table) { t.of("relation_type").values[0] = format.String("follows") }), maintain.Columns},
	{"file of another kind", v1, func(s store) { s.rewrite(s.find("1", "product.parquet"), s.get(s.find("1", "Follows.parquet"))) }, maintain.Columns},
	{"file that is no Parquet", v1, func(s store) { s.rewrite(s.find("1", "product.parquet"), []byte("PAR1PAR1")) }, maintain.Columns},
	{"number as our key", ours, func(s store) {
		s.edit(s.find("2", "Product.parquet"), func(t *table) {
			t.of("entity_key").kind = format.KindInt64
			copy(t.of("entity_key").values, t.of("sku").values)
		})
	}, maintain.Columns},

	// COMPAT 3.1 and 3.3: members and the lock.
	{"index without entries", v1, func(s store) {
		s.put(format.IndexKey(product), []byte(`{"max_indexed_commit":4,"type_name":"product"}`))
	}, maintain.Members},
	{"manifest without a writer", v1, func(s store) { s.replace(s.find("2", "manifest.json"), `,"runtime_id":"fixture-writer"`, ``) }, maintain.Members},
	{"manifest with a file of no kind", v1, func(s store) { s.replace(s.find("2", "manifest.json"), `"kind":"entity"`, `"kind":"thing"`) }, maintain.Members},
	{"lock of nobody", v1, func(s store) { s.lock("", 30000, "00:00:10", "00:00:40") }, maintain.LockForm},
	{"lock without a lease", v1, func(s store) { s.lock("w", 0, "00:00:10", "00:00:40") }, maintain.LockForm},
	{"lock that ends before it begins", v1, func(s store) { s.lock("w", 30000, "00:00:10", "00:00:09") }, maintain.LockForm},
	{"lock without an owner", v1, func(s store) {
		s.lock("w", 30000, "00:00:10", "00:00:40")
		s.replace(format.LockKey, `,"owner_id":"w"`, ``)
	}, maintain.LockForm},
}

// TestCheckpointOfNoUse: a checkpoint that is damaged or of another history is told, and is no error.
func TestCheckpointOfNoUse(t *testing.T) {
	for _, body := range []string{"", "something else"} {
		s := open(t, ours)
		s.put(format.CheckpointKey, []byte(body))
		report := verify(t, s.Bucket)
		if len(report.Errors()) > 0 || !slices.ContainsFunc(report.Problems, func(p maintain.Problem) bool { return p.Key == format.CheckpointKey }) {
			t.Errorf("with the checkpoint %q:\n%s", body, report)
		}
	}
}

// TestDamages applies one small damage at a time: only its rule must be reported.
func TestDamages(t *testing.T) {
	for _, d := range damages {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, d.store)
			d.do(s)
			report := verify(t, s.Bucket)
			if len(report.Errors()) == 0 {
				t.Fatalf("in a store with %q nothing was found, want %s\n%s", d.name, d.rule, report)
			}
			for _, p := range report.Errors() {
				if p.Rule != d.rule {
					t.Errorf("found %s\nwant %s alone", p, d.rule)
				}
			}
		})
	}
}
