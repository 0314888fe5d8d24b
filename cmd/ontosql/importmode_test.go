package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/transfer"
	"github.com/ontosql/ontosql/writepath"
)

// TestImportModes loads rows of which some are there, in each of the modes, into a directory and a
// SQLite file.
func TestImportModes(t *testing.T) {
	for _, store := range []string{"s3-v1", "sqlite-v2"} {
		flags := fixtureFlags(t, store)
		stored := storedProducts(t, flags)
		say := func(line string, want int) (out, problem string) {
			t.Helper()
			code, out, problem := command(t, withFlags(line, flags...)...)
			if code != want {
				t.Fatalf("%s: %s: exit %d, want %d: %s%s", store, line, code, want, out, problem)
			}
			return out, problem
		}
		row := func(sku, title string) string {
			return `{"type_kind":"entity","type_name":"product","fields":{"sku":` + sku + `,"title":"` + title + `","price":1.0}}` + "\n"
		}
		some := file(t, "some.jsonl", row("7", "changed")+row("99", "added")+
			`{"type_kind":"relation","type_name":"Purchase","left_key":"c1","right_key":"7","instance_key":"o1","fields":{"qty":1}}`+"\n")

		_, problem := say("import --apply --mode append --input "+some, exitConflict)
		if !strings.Contains(problem, "2 of 3 records are in conflict") {
			t.Errorf("%s: append: %s", store, problem)
		}
		for _, how := range []string{"", "--dry-run"} {
			_, problem = say("import --mode overwrite --input "+some+" "+how, exitConflict)
			for _, want := range []string{"missing in the input", "nothing was imported", "entity:product 10\n", "entity:product 11\n", "relation:Purchase c1 -> 7 (o2)\n"} {
				if !strings.Contains(problem+"\n", want) {
					t.Errorf("%s: overwrite %s: no %q in %s", store, how, want, problem)
				}
			}
		}
		out, _ := say("import --apply --json --mode overwrite --input "+some, exitConflict)
		type answer struct {
			Status  string
			Updates int
			Missing int
			Rows    []missingRow `json:"missing_rows"`
		}
		refused := decoded[answer](t, out)
		if refused.Status != "missing" || refused.Missing != len(refused.Rows) || refused.Missing != stored {
			t.Errorf("%s: overwrite --json: %+v, want %d rows", store, refused, stored)
		}
		if got := storedProducts(t, flags); got != stored {
			t.Errorf("%s: %d products and purchases after refusals, want %d", store, got, stored)
		}

		out, _ = say("import --apply --json --mode overwrite --keep-missing --input "+some, exitOK)
		kept := decoded[answer](t, out)
		if kept.Status != "applied" || kept.Updates != 2 || !slices.Equal(kept.Rows, refused.Rows) {
			t.Errorf("%s: overwrite --keep-missing: %+v", store, kept)
		}
		if out, _ = say("import --mode overwrite --keep-missing --input "+some, exitOK); !strings.Contains(out, "missing: ") || !strings.Contains(out, "entity:product 10\n") {
			t.Errorf("%s: the list of what is missing:\n%s", store, out)
		}

		everything := t.TempDir()
		say("export --type product --output "+everything, exitOK)
		out, _ = say("import --apply --json --mode overwrite --input "+everything, exitOK)
		if whole := decoded[answer](t, out); whole.Status != "applied" || whole.Missing != 0 {
			t.Errorf("%s: overwrite by everything: %+v", store, whole)
		}
		say("import --apply --mode merge --input "+some, exitOK)
		say("import --apply --mode append --input "+file(t, "new.jsonl", row("100", "new")), exitOK)
		for _, line := range []string{"--mode replace", "--mode merge --on-conflict skip", "--mode merge --keep-missing", "--keep-missing"} {
			say("import --input "+some+" "+line, exitUsage)
		}
	}
}

// storedProducts is how many products and purchases there are that some.jsonl of TestImportModes lacks.
func storedProducts(t *testing.T, flags []string) int {
	t.Helper()
	count := 0
	for _, args := range [][]string{{"entities", "product", `$.sku ne 7`}, {"relations", "Purchase", `$.order_no ne "o1"`}} {
		code, out, problem := command(t, append([]string{"query", args[0], args[1], "--json", "--filter", args[2]}, flags...)...)
		if code != exitOK {
			t.Fatal(problem)
		}
		count += len(decoded[[]any](t, out))
	}
	return count
}

// overtakenWriter is a writer that lets another transaction commit first, once.
type overtakenWriter struct {
	writer
	other func() error
}

func (o *overtakenWriter) Commit(ctx context.Context, tx writepath.Tx) (writepath.Outcome, error) {
	if other := o.other; other != nil {
		o.other = nil
		if err := other(); err != nil {
			return writepath.Outcome{}, err
		}
	}
	return o.writer.Commit(ctx, tx)
}

// TestImportOverwriteIsOvertaken: a row that another writer commits between the comparison and the
// commit is missing in the input, although no record has its key.
func TestImportOverwriteIsOvertaken(t *testing.T) {
	for _, store := range []string{"s3-v1", "sqlite-v2"} {
		for _, keep := range []bool{false, true} {
			flags := fixtureFlags(t, store)
			everything := t.TempDir() + "/rows"
			if code, _, problem := command(t, withFlags("export --type product --output "+everything, flags...)...); code != exitOK {
				t.Fatal(problem)
			}
			input := file(t, "more.jsonl", exportedFiles(t, everything)["product"]+
				`{"type_kind":"entity","type_name":"product","fields":{"sku":98,"title":"added","price":1.0}}`+"\n")
			var out bytes.Buffer
			p := &program{out: &out, err: io.Discard, log: slog.New(slog.DiscardHandler)}
			root := p.command()
			if err := errors.Join(root.ParseFlags(flags), p.cfg.fill(root)); err != nil {
				t.Fatal(err)
			}
			a, err := p.cfg.oneAddress()
			if err != nil {
				t.Fatal(err)
			}
			g, err := p.openSole(t.Context(), a, gatewayUse{})
			if err != nil {
				t.Fatal(err)
			}
			other := func() error {
				pin, err := g.stores[0].Pin(t.Context())
				if err != nil {
					return err
				}
				product, _ := pin.Catalog.Type(ontosql.TypeRef{Kind: ontosql.Entity, Name: "product"})
				theirs := writepath.Row{Row: format.Row{Key: "97", Fields: []byte(`{"price":1.0,"sku":97,"title":"theirs"}`)}}
				_, err = g.committers[0].Commit(t.Context(), writepath.Tx{Pin: pin.Head.Commit, Data: []writepath.Data{{
					Type: product.Ref, SchemaVersion: product.SchemaID,
					Rows: func(yield func(writepath.Row, error) bool) { yield(theirs, nil) },
				}}})
				return err
			}
			err = p.importInto(t.Context(), a, &overtakenWriter{g.committers[0], other}, []string{input}, t.TempDir(), importOptions{apply: true, policy: transfer.Overwrite, keepMissing: keep})
			g.close(context.Background())
			switch {
			case keep && (err != nil || !strings.Contains(out.String(), "entity:product 97\n")):
				t.Errorf("%s: with --keep-missing: %v\n%s", store, err, out.String())
			case !keep && (err == nil || !strings.Contains(err.Error(), "entity:product 97")):
				t.Errorf("%s: %v\n%s", store, err, out.String())
			}
			code, shown, _ := command(t, append([]string{"query", "entities", "product", "--json", "--filter", "$.sku eq 98"}, flags...)...)
			if got := len(decoded[[]any](t, shown)) > 0; code != exitOK || got != keep {
				t.Errorf("%s: with --keep-missing %t the input was imported: %t", store, keep, got)
			}
		}
	}
}
