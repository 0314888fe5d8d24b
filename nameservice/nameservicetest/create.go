package nameservicetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ontosql/ontosql/nameservice"
)

// testCreate: a new record is that of the seed's example "Unborn".
func testCreate(w *world) {
	got := w.create(nameservice.Alias{Name: "newdb", Branch: "main"})
	const want = `{"pk":"newdb:main","v":2,"type":"ledger","name":"newdb","branch":"main","deps":null,"created_at":1705312200,` +
		`"retracted":false,"head_v":0,"head":null,"index_v":0,"index":null,"status_v":1,"status":{"state":"ready"},"config_v":0,"config":null}`
	for story, r := range map[string]*nameservice.Record{"Create": got, "Get": w.get(got.Alias)} {
		text, err := json.Marshal(r)
		if err != nil || string(text) != want {
			w.Errorf("%s:\n got %s, %v\nwant %s", story, text, err, want)
		}
	}
}

func testCreateTwice(w *world) {
	w.create(shop)
	w.mustWrite(shop, nameservice.NewPush(nameservice.Config, value(0, ""), value(1, `{"a":1}`)))
	_, err := w.Create(w.Context(), nameservice.New{Alias: shop, CreatedAt: created})
	w.wantError("Create of a record that exists", err, nameservice.ErrExists)
	w.want("after it", shop, nameservice.Config, value(1, `{"a":1}`))
	w.mustWrite(shop, nameservice.NewRetract(1, value(2, `{"state":"retracted"}`)))
	_, err = w.Create(w.Context(), nameservice.New{Alias: shop, CreatedAt: created})
	w.wantError("Create of a retracted record", err, nameservice.ErrExists)
}

func testTypes(w *world) {
	graph := nameservice.Alias{Graph: true, Name: "search", Branch: "main"}
	for _, bad := range []nameservice.New{
		{Alias: shop, Type: "vg:bm25"},
		{Alias: shop, Type: "other"},
		{Alias: shop, Deps: []string{"a:main"}},
		{Alias: graph},
		{Alias: graph, Type: "ledger"},
		{Alias: graph, Type: "vg:"},
	} {
		_, err := w.Create(w.Context(), bad)
		w.wantError(fmt.Sprintf("Create %s of type %q, depending on %q", bad.Alias, bad.Type, bad.Deps), err, nameservice.ErrType)
	}
	for name, kind := range map[string]string{"search": "vg:bm25", "sql": "vg:jdbc", "later": "vg:whatever"} {
		a := nameservice.Alias{Graph: true, Name: name, Branch: "main"}
		if _, err := w.Create(w.Context(), nameservice.New{Alias: a, Type: kind, Deps: []string{"shop:main"}, CreatedAt: created}); err != nil {
			w.Errorf("Create %s of type %s: %v", a, kind, err)
			continue
		}
		if r := w.get(a); r.Type != kind || len(r.Deps) != 1 || r.Deps[0] != "shop:main" {
			w.Errorf("%s has type %q and dependencies %q, want %q and shop:main", a, r.Type, r.Deps, kind)
		}
	}
}

// testUnknown: a record without data is there, and one that was never created is not.
func testUnknown(w *world) {
	w.create(shop)
	w.want("unborn", shop, nameservice.Head, value(0, ""))
	for _, other := range []nameservice.Alias{
		{Name: "shop", Branch: "dev"},
		{Name: "sho", Branch: "main"},
		{Graph: true, Name: "shop", Branch: "main"},
	} {
		_, err := w.Get(w.Context(), other)
		w.wantError("Get "+other.String(), err, nameservice.ErrNotFound)
	}
}

func testList(w *world) {
	if list, err := w.List(w.Context(), ""); err != nil || len(list) != 0 {
		w.Errorf("List of nothing: got %q, %v", pks(list), err)
	}
	for _, pk := range []string{"b:main", "a:main", "vg:a:main", "a:dev", "a/b:main", "a b:main"} {
		a, err := nameservice.ParseAlias(pk)
		if err != nil {
			w.Fatal(err)
		}
		w.create(a)
	}
	w.mustWrite(nameservice.Alias{Name: "b", Branch: "main"}, nameservice.NewRetract(1, value(2, `{"state":"retracted"}`)))
	for kind, want := range map[string][]string{
		"":        {"a b:main", "a/b:main", "a:dev", "a:main", "b:main", "vg:a:main"},
		"ledger":  {"a b:main", "a/b:main", "a:dev", "a:main", "b:main"},
		"vg:bm25": {"vg:a:main"},
		"vg:":     {},
	} {
		list, err := w.List(w.Context(), kind)
		if err != nil {
			w.Errorf("List %q: %v", kind, err)
		}
		w.equal(fmt.Sprintf("List %q", kind), pks(list), want)
		for _, r := range list {
			if got, want := r.Members().Encode(), w.get(r.Alias).Members().Encode(); string(got) != string(want) {
				w.Errorf("%s in the list:\n got %s\nwant %s", r.Alias, got, want)
			}
		}
	}
}

// testNames: names that files must escape are kept, and no two of them are one record.
func testNames(w *world) {
	var aliases []nameservice.Alias
	for _, name := range []string{
		"a", "A b", " a", "org/shop", "org/shop.json", "org.json/shop", "main.json", "main", "..", ".", "a/../b", "a%2Fb", "a/b", "a%b",
		"größe", "日本", `q"uo'te\`, "a.index", "50%", "index.json", strings.Repeat("n", 200),
	} {
		aliases = append(aliases, nameservice.Alias{Name: name, Branch: "main"}, nameservice.Alias{Graph: true, Name: name, Branch: "main"})
	}
	for _, branch := range []string{
		"main.index", "main.head", "main.status", "main.config", "main.index.index", "main.json", "a/b", "a%2Fb", "..", ".", "x y", "main.INDEX",
		strings.Repeat("b", 200),
	} {
		aliases = append(aliases, nameservice.Alias{Name: "a", Branch: branch})
	}
	for i, a := range aliases {
		w.create(a)
		for _, c := range nameservice.Concerns {
			from := w.get(a).Value(c)
			w.mustWrite(a, nameservice.NewPush(c, from, value(int64(i+10), fmt.Sprintf(`{"of":%q}`, fmt.Sprint(a)))))
		}
	}
	for i, a := range aliases {
		for _, c := range nameservice.Concerns {
			w.want("name "+a.String(), a, c, value(int64(i+10), fmt.Sprintf(`{"of":%q}`, fmt.Sprint(a))))
		}
	}
	list, err := w.List(w.Context(), "")
	if err != nil || len(list) != len(aliases) {
		w.Errorf("List: got %d records %q, %v; want %d", len(list), pks(list), err, len(aliases))
	}
}

func testRefusedNames(w *world) {
	for _, a := range []nameservice.Alias{
		{Name: "", Branch: "main"},
		{Name: "a", Branch: ""},
		{Name: "vg", Branch: "main"},
		{Name: "a:b", Branch: "main"},
		{Name: "a", Branch: "b:c"},
		{Name: "a@1", Branch: "main"},
		{Name: "a\nb", Branch: "main"},
		{Name: "a", Branch: "b\x00"},
		{Name: "a\x85", Branch: "main"},
		{Name: "\xff", Branch: "main"},
		{Name: "/a", Branch: "main"},
		{Name: "a/", Branch: "main"},
		{Name: "a//b", Branch: "main"},
		{Name: strings.Repeat("n", 201), Branch: "main"},
	} {
		_, created := w.Create(w.Context(), nameservice.New{Alias: a})
		_, got := w.Get(w.Context(), a)
		_, pushed := w.Write(w.Context(), a, nameservice.NewFastForward(nameservice.Head, value(1, "{}")))
		for call, err := range map[string]error{"Create": created, "Get": got, "Write": pushed} {
			var bad *nameservice.NameError
			if !errors.As(err, &bad) {
				w.Errorf("%s %q: got the error %v, want a *NameError", call, a, err)
			}
		}
	}
}

func testEndedContext(w *world) {
	seen := w.create(shop)
	ctx, cancel := context.WithCancel(w.Context())
	cancel()
	_, created := w.Create(ctx, nameservice.New{Alias: nameservice.Alias{Name: "b", Branch: "main"}})
	_, got := w.Get(ctx, shop)
	_, listed := w.List(ctx, "")
	_, written := w.Write(ctx, shop, nameservice.NewFastForward(nameservice.Head, value(1, "{}")))
	_, purged := w.Purge(ctx, seen)
	_, migrated := w.Migrate(ctx, shop)
	for call, err := range map[string]error{"Create": created, "Get": got, "List": listed, "Write": written, "Purge": purged, "Migrate": migrated} {
		w.wantError(call, err, context.Canceled)
	}
	w.want("nothing was written", shop, nameservice.Head, value(0, ""))
}
