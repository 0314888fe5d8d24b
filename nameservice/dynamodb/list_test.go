package dynamodb

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ontosql/ontosql/nameservice"
)

// list lists the records of a type through a transport and compares their aliases.
func (x table) list(s *Service, kind string, want ...string) {
	x.Helper()
	list, err := s.List(x.Context(), kind)
	got := []string{}
	for _, r := range list {
		got = append(got, r.Alias.String())
	}
	if err != nil || !slices.Equal(got, want) {
		x.Errorf("list of %q: got %q, %v; want %q", kind, got, err, want)
	}
}

func (x table) createAll() {
	x.Helper()
	s := x.open(nil)
	for _, n := range []nameservice.New{
		{Alias: nameservice.Alias{Name: "b", Branch: "main"}},
		{Alias: nameservice.Alias{Name: "a", Branch: "main"}},
		{Alias: nameservice.Alias{Graph: true, Name: "b", Branch: "main"}, Type: "vg:bm25"},
	} {
		n.CreatedAt = created
		if _, err := s.Create(x.Context(), n); err != nil {
			x.Fatal(err)
		}
	}
}

// TestListByIndex: graph sources come from the index; so do ontologies, once a scan has found that none
// is of version 1.
func TestListByIndex(t *testing.T) {
	x := newTable(t, false)
	x.createAll()
	tr := new(transport)
	s := x.open(tr)
	x.list(s, "vg:bm25", "vg:b:main")
	x.list(s, nameservice.Ledger, "a:main", "b:main")
	x.list(s, nameservice.Ledger, "a:main", "b:main")
	if got, want := fmt.Sprint(tr.ops()), "[DescribeTable Query Scan Query]"; got != want {
		t.Errorf("requests: %s, want %s", got, want)
	}
	var query struct{ IndexName, KeyConditionExpression string }
	if tr.last(t, "Query", &query); query.IndexName != "type-index" || query.KeyConditionExpression != "#type = :type" {
		t.Errorf("query: %+v", query)
	}
	x.plant(nameservice.Alias{Name: "c", Branch: "main"}, `{"ledger_alias":"c:main","commit_t":1,"commit_address":"x"}`)
	x.list(x.open(nil), nameservice.Ledger, "a:main", "b:main", "c:main")
}

// TestListWithoutIndex: a table without the index is scanned with a filter, and so is one that nobody may
// describe, and one whose index has gone since.
func TestListWithoutIndex(t *testing.T) {
	bare := noTable(t)
	bare.makeBare()
	bare.createAll()
	tr := new(transport)
	bare.list(bare.open(tr), "vg:bm25", "vg:b:main")
	var scan struct {
		FilterExpression string
		ConsistentRead   bool
	}
	if tr.last(t, "Scan", &scan); !scan.ConsistentRead || !strings.HasPrefix(scan.FilterExpression, "#type = :type") {
		t.Errorf("scan: %+v", scan)
	}

	x := newTable(t, false)
	x.createAll()
	for _, op := range []string{"DescribeTable", "Query"} {
		tr := &transport{answer: func(_ int, e exchange) (*http.Response, error) {
			switch {
			case e.op != op:
				return nil, nil
			case op == "Query":
				return refusal(400, "ValidationException", "The table does not have the specified index: type-index"), nil
			}
			return refusal(400, "AccessDeniedException", "not authorized to perform: dynamodb:DescribeTable"), nil
		}}
		s := x.open(tr)
		x.list(s, "vg:bm25", "vg:b:main")
		if tr.count("Scan") != 1 {
			t.Errorf("without %s: %v, want a scan", op, tr.ops())
		}
	}
}

// TestListOfPages: an answer has at most 1 MB.
func TestListOfPages(t *testing.T) {
	x := newTable(t, false)
	s := x.open(nil)
	var want []string
	for i := range 8 {
		a := nameservice.Alias{Graph: true, Name: fmt.Sprint("g", i), Branch: "main"}
		if _, err := s.Create(t.Context(), nameservice.New{Alias: a, Type: "vg:jdbc", CreatedAt: created}); err != nil {
			t.Fatal(err)
		}
		large := value(1, `{"x":"`+strings.Repeat("x", 300<<10)+`"}`)
		if _, err := s.Write(t.Context(), a, nameservice.NewPush(nameservice.Config, value(0, ""), large)); err != nil {
			t.Fatal(err)
		}
		want = append(want, a.String())
	}
	tr := new(transport)
	s = x.open(tr)
	x.list(s, "", want...)
	x.list(s, "vg:jdbc", want...)
	if tr.count("Scan") < 2 || tr.count("Query") < 2 {
		t.Errorf("requests: %v, want several pages", tr.ops())
	}
}

func TestDamagedRecordsAreLeftOut(t *testing.T) {
	x := newTable(t, false)
	x.createAll()
	x.plant(nameservice.Alias{Name: "damaged", Branch: "main"}, `{"v":2,"type":"ledger","name":"other","branch":"main"}`)
	var told []string
	s := x.open(nil)
	s.damaged = func(err error) { told = append(told, err.Error()) }
	x.list(s, "", "a:main", "b:main", "vg:b:main")
	if len(told) != 1 || !strings.Contains(told[0], "damaged:main") {
		t.Errorf("told: %q", told)
	}
}

// TestStates: where the table has the index of states, the state of a record stands beside its status,
// and is no member of the record.
func TestStates(t *testing.T) {
	for _, withStates := range []bool{false, true} {
		x := newTable(t, withStates)
		s := x.open(nil)
		state := func(story, want string) {
			t.Helper()
			if !withStates {
				want = ""
			}
			item, err := s.get(t.Context(), shop)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if value, ok := item[stateAttribute]; ok {
				text, err := decode(value)
				if err != nil {
					t.Fatal(err)
				}
				got = string(text)
			}
			if got != want {
				t.Errorf("%s: status_state is %s, want %s", story, got, want)
			}
			if r := x.found(); r.Extra != nil {
				t.Errorf("%s: the record has %v", story, r.Extra)
			}
		}
		if _, err := s.Create(t.Context(), nameservice.New{Alias: shop, CreatedAt: created}); err != nil {
			t.Fatal(err)
		}
		state("create", `"ready"`)
		x.write(nameservice.NewPush(nameservice.Status, value(1, ""), value(2, `{"state":"indexing"}`)))
		state("push", `"indexing"`)
		x.write(nameservice.NewFastForward(nameservice.Status, value(3, `{"x":1}`)))
		state("push without a state", ``)
		x.write(nameservice.NewRetract(3, value(4, `{"state":"retracted"}`)))
		state("retract", `"retracted"`)
	}
}

// TestVersion1 keeps what it does not know, whatever its type.
func TestVersion1KeepsOtherAttributes(t *testing.T) {
	x := newTable(t, false)
	x.plant(shop, legacyShop)
	s := x.open(nil)
	if _, err := s.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(x.name), Key: key(shop), UpdateExpression: aws.String("ADD tags :tags"),
		ExpressionAttributeValues: map[string]attributeValue{":tags": &stringSet{Value: []string{"x", "y"}}},
	}); err != nil {
		t.Fatal(err)
	}
	if migrated, err := s.Migrate(t.Context(), shop); !migrated || err != nil {
		t.Fatalf("migrate: %v, %v", migrated, err)
	}
	item, err := s.get(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	if tags, ok := item["tags"].(*stringSet); !ok || len(tags.Value) != 2 || item["ledger_alias"] != nil || item["other"] == nil {
		t.Errorf("the item is %v", item)
	}
	if r := x.found(); r.Legacy || r.Head.V != 5 || string(r.Extra["other"]) != `"kept"` {
		t.Errorf("the record is %s", r.Members().Encode())
	}
}
