package nameservicetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/ontosql/ontosql/nameservice"
)

// testPushConditions: each push is accepted or refused by the conditions of seed 003, one by one.
func testPushConditions(w *world) {
	const h, i, s, c = nameservice.Head, nameservice.Index, nameservice.Status, nameservice.Config
	at := func(v int64) nameservice.Value { return value(v, fmt.Sprintf(`{"t":%d,"a":{"b":[1,2]}}`, v)) }
	for n, test := range []struct {
		concern        nameservice.Concern
		story          string
		start          nameservice.Value
		expected, next nameservice.Value
		accepted       bool
	}{
		{h, "the first", value(0, ""), value(0, ""), at(1), true},
		{h, "the first may be any commit", value(0, ""), value(0, ""), at(42), true},
		{h, "of an unborn head the payload does not count", value(0, ""), at(0), at(1), true},
		{h, "an unborn head is 0", value(0, ""), at(41), at(42), false},
		{h, "the next", at(41), at(41), at(42), true},
		{h, "a gap", at(41), at(41), at(50), true},
		{h, "a stale watermark", at(41), at(40), at(42), false},
		{h, "a watermark of the future", at(41), at(42), at(43), false},
		{h, "another payload", at(41), value(41, `{"t":41}`), at(42), false},
		{h, "null for a payload", at(41), value(41, ""), at(42), false},
		{h, "a payload in another order and notation", at(41), value(41, ` {"a" : {"b":[1.0,2e0]}, "t":4.1e1}`), at(42), true},
		{h, "true is not 1", value(1, `{"a":1}`), value(1, `{"a":true}`), at(2), false},
		{h, "a member null is not one that is missing", value(1, `{"a":1}`), value(1, `{"a":1,"b":null}`), at(2), false},
		{h, "a member that only the record has", value(1, `{"a":1,"b":2}`), value(1, `{"a":1}`), at(2), false},
		{h, "numbers that differ behind the 16th digit", value(1, `{"a":12345678901234567}`), value(1, `{"a":12345678901234568}`), at(2), false},
		{h, "the same watermark", at(41), at(41), at(41), false},
		{h, "backwards", at(41), at(41), at(40), false},
		{h, "a null payload that has a watermark", value(41, ""), value(41, ""), at(42), true},
		{h, "a null payload that has a watermark, and another one expected", value(41, ""), at(41), at(42), false},

		{i, "the first", value(0, ""), value(0, ""), at(1), true},
		{i, "an unborn index is 0", value(0, ""), value(1, ""), at(2), false},
		{i, "the next", at(16), at(16), at(17), true},
		{i, "the payload does not count", at(16), value(16, `{"x":1}`), at(17), true},
		{i, "a stale watermark", at(16), at(15), at(17), false},
		{i, "the same watermark", at(16), at(16), at(16), false},
		{i, "unborn is over", at(16), value(0, ""), at(17), false},

		{s, "the first", value(1, `{"state":"ready"}`), value(1, ""), at(2), true},
		{s, "a status begins at 1", value(1, `{"state":"ready"}`), value(0, ""), at(2), false},
		{s, "the next", at(89), at(89), at(90), true},
		{s, "the payload does not count", at(89), value(89, `{"x":1}`), at(90), true},
		{s, "a stale watermark", at(89), at(88), at(90), false},
		{s, "the same watermark", at(89), at(89), at(89), false},

		{c, "the first", value(0, ""), value(0, ""), at(1), true},
		{c, "an unborn config is 0", value(0, ""), value(1, ""), at(2), false},
		{c, "the next", at(2), at(2), at(3), true},
		{c, "the payload does not count", at(2), value(2, ""), at(3), true},
		{c, "a stale watermark", at(2), at(1), at(3), false},
		{c, "backwards", at(2), at(2), at(1), false},
	} {
		a := nameservice.Alias{Name: fmt.Sprint("shop", n), Branch: "main"}
		story := fmt.Sprintf("%s, %s: push %s in the place of %s onto %s", test.concern, test.story, show(&test.next), show(&test.expected), show(&test.start))
		r := w.create(a)
		if now := r.Value(test.concern); now.V != test.start.V {
			w.mustWrite(a, nameservice.NewFastForward(test.concern, test.start))
		}
		result, want := w.write(a, nameservice.NewPush(test.concern, test.expected, test.next)), test.start
		switch {
		case result.Updated != test.accepted:
			w.Errorf("%s: updated: %v, want %v", story, result.Updated, test.accepted)
		case test.accepted:
			want = test.next
		case result.Actual == nil || !result.Actual.Equal(test.start):
			w.Errorf("%s: the actual value is %s", story, show(result.Actual))
		}
		w.want(story, a, test.concern, want)
	}
}

// testPushApart: a push changes its own pair of attributes and nothing else.
func testPushApart(w *world) {
	want := w.create(shop)
	for round := range int64(3) {
		for _, c := range nameservice.Concerns {
			from := want.Value(c)
			next := value(from.V+1+round, fmt.Sprintf(`{"round":%d,"of":%q}`, round, c))
			w.mustWrite(shop, nameservice.NewPush(c, from, next))
			nameservice.NewFastForward(c, next).Apply(want)
			got := w.get(shop)
			if !equalRecords(got, want) {
				w.Fatalf("after a push of %s:\n got %s\nwant %s", c, got.Members().Encode(), want.Members().Encode())
			}
		}
	}
}

// equalRecords compares all that two records have, payloads by their values.
func equalRecords(a, b *nameservice.Record) bool {
	a = a.Clone()
	for _, c := range nameservice.Concerns {
		if a.Value(c).Equal(b.Value(c)) {
			a.Set(c, b.Value(c))
		}
	}
	return string(a.Members().Encode()) == string(b.Members().Encode())
}

func testPayloads(w *world) {
	w.create(shop)
	for _, payload := range []string{`1`, `"text"`, `[]`, `{`, `{"a":NaN}`, `{"a":"\ud800"}`, `{"a":"\u0000"}`, `{} {}`} {
		for _, c := range nameservice.Concerns {
			_, err := w.Write(w.Context(), shop, nameservice.NewFastForward(c, value(9, payload)))
			w.wantError(fmt.Sprintf("%s %s", c, payload), err, nameservice.ErrPayload)
		}
	}
	for _, v := range []int64{0, -1} {
		_, err := w.Write(w.Context(), shop, nameservice.NewPush(nameservice.Index, value(-2, ""), value(v, `{}`)))
		w.wantError(fmt.Sprint("watermark ", v), err, nameservice.ErrPayload)
	}
	_, err := w.Write(w.Context(), shop, nameservice.NewPush(nameservice.Status, value(1, ""), value(2, "")))
	w.wantError("a status that is null", err, nameservice.ErrPayload)
	for _, c := range []nameservice.Concern{nameservice.Head, nameservice.Index, nameservice.Config} {
		for v, payload := range []string{``, `null`, `{}`, ` {"x" : { } } `} {
			next := value(int64(v+1), payload)
			w.mustWrite(shop, nameservice.NewFastForward(c, next))
			w.want("payload "+payload, shop, c, next)
		}
	}
}

// testForeignMembers: what a payload has beside what this program knows is kept with its exact value.
func testForeignMembers(w *world) {
	w.create(shop)
	const payload = `{"address":"s3://b/k","t":42,"big":12345678901234567890123,"exact":0.1234567890123456789,"no":false,"nothing":null,` +
		`"list":[1,"x",{"y":[[]]}],"<&>":"\u00e9\u2028 \ud83d\ude00","nested":{"b":1,"a":2}}`
	w.mustWrite(shop, nameservice.NewPush(nameservice.Head, value(0, ""), value(42, payload)))
	for _, c := range []nameservice.Concern{nameservice.Index, nameservice.Status, nameservice.Config} {
		w.mustWrite(shop, nameservice.NewFastForward(c, value(9, `{"x":1}`)))
	}
	w.want("after pushes of the other concerns", shop, nameservice.Head, value(42, payload))
	r := w.get(shop)
	text, err := json.Marshal(r)
	if err != nil {
		w.Fatal(err)
	}
	var again nameservice.Record
	if err := json.Unmarshal(text, &again); err != nil || !again.Head.Equal(value(42, payload)) {
		w.Errorf("as JSON and back: %s, %v; want %s", show(&again.Head), err, payload)
	}
}

// testRarePayloads: what not every store can keep is kept with its exact value, or refused and nothing
// is written.
func testRarePayloads(w *world) {
	w.create(shop)
	depth := func(n int) string { return strings.Repeat(`{"x":`, n) + "1" + strings.Repeat("}", n) }
	current := value(0, "")
	for n, payload := range []string{
		`{"":"no name"}`, `{"digits":1234567890123456789012345678901234567890}`, `{"great":1e200,"small":1e-200}`,
		depth(100), `{"long":"` + strings.Repeat("x", 1<<19) + `"}`,
	} {
		next := value(int64(n+1), payload)
		_, err := w.Write(w.Context(), shop, nameservice.NewPush(nameservice.Config, current, next))
		if err == nil {
			current = next
		} else {
			w.wantError(fmt.Sprintf("payload %.50s", payload), err, nameservice.ErrPayload)
		}
		w.want(fmt.Sprintf("payload %.50s", payload), shop, nameservice.Config, current)
	}
}

// testPushNothing: no write creates a record.
func testPushNothing(w *world) {
	for _, c := range nameservice.Concerns {
		for how, edit := range map[string]nameservice.Edit{
			"push":         nameservice.NewPush(c, value(0, ""), value(1, `{}`)),
			"fast-forward": nameservice.NewFastForward(c, value(1, `{}`)),
			"retract":      nameservice.NewRetract(0, value(1, `{"state":"retracted"}`)),
		} {
			if result := w.write(shop, edit); result.Updated || result.Actual != nil {
				w.Errorf("%s of %s without a record: got %v, %s; want a conflict without a value", how, c, result.Updated, show(result.Actual))
			}
			_, err := w.Get(w.Context(), shop)
			w.wantError(fmt.Sprintf("Get after %s of %s", how, c), err, nameservice.ErrNotFound)
		}
	}
}

func testFastForward(w *world) {
	for n, c := range nameservice.Concerns {
		a := nameservice.Alias{Name: fmt.Sprint("shop", n), Branch: "main"}
		w.create(a)
		w.mustWrite(a, nameservice.NewFastForward(c, value(40, `{"x":40}`)))
		w.mustWrite(a, nameservice.NewFastForward(c, value(42, `{"x":42}`)))
		for _, v := range []int64{42, 41} {
			result := w.write(a, nameservice.NewFastForward(c, value(v, `{"x":"other"}`)))
			if want := value(42, `{"x":42}`); result.Updated || result.Actual == nil || !result.Actual.Equal(want) {
				w.Errorf("fast-forward of %s from 42 to %d: got %v, %s; want the conflict %s", c, v, result.Updated, show(result.Actual), show(&want))
			}
		}
		w.want("fast-forward", a, c, value(42, `{"x":42}`))
	}
}

// testRetract: the mark and the status are written together, if the watermark of the status is the
// expected one.
func testRetract(w *world) {
	w.create(shop)
	w.mustWrite(shop, nameservice.NewPush(nameservice.Head, value(0, ""), value(7, `{"t":7}`)))
	status := value(3, `{"state":"retracted","retracted_at":1705315800}`)
	for _, expected := range []int64{0, 2} {
		if result := w.write(shop, nameservice.NewRetract(expected, status)); result.Updated || result.Actual == nil || result.Actual.V != 1 {
			w.Errorf("retract at status %d: got %v, %s; want a conflict with 1", expected, result.Updated, show(result.Actual))
		}
	}
	if w.get(shop).Retracted {
		w.Error("the record is retracted after conflicts")
	}
	w.mustWrite(shop, nameservice.NewRetract(1, status))
	r := w.get(shop)
	if !r.Retracted || !r.Status.Equal(status) || !r.Head.Equal(value(7, `{"t":7}`)) {
		w.Errorf("after it: %s", r.Members().Encode())
	}
	w.mustWrite(shop, nameservice.NewPush(nameservice.Status, status, value(4, `{"state":"ready"}`)))
	if !w.get(shop).Retracted {
		w.Error("a push of the status has removed the mark, which is none of its attributes")
	}
}

func testRetractReason(w *world) {
	w.create(shop)
	w.mustWrite(shop, nameservice.NewPush(nameservice.Status, value(1, ""), value(200, `{"state":"ready","queue_depth":3}`)))
	now := time.Unix(1705312200, 0)
	if err := nameservice.Retract(w.Context(), w, shop, "Migrated to newdb", now); err != nil {
		w.Fatal(err)
	}
	want := value(201, `{"state":"retracted","retracted_at":1705312200,"reason":"Migrated to newdb"}`)
	w.want("retract", shop, nameservice.Status, want)
	if err := nameservice.Retract(w.Context(), w, shop, "again", now); err != nil {
		w.Errorf("retract of a retracted record: %v", err)
	}
	w.want("retract again", shop, nameservice.Status, want)
	err := nameservice.Retract(w.Context(), w, nameservice.Alias{Name: "none", Branch: "main"}, "", now)
	w.wantError("retract without a record", err, nameservice.ErrNotFound)
}

func testPurge(w *world) {
	seen := w.create(shop)
	w.mustWrite(shop, nameservice.NewPush(nameservice.Index, value(0, ""), value(5, `{"x":1}`)))
	w.mustWrite(shop, nameservice.NewPush(nameservice.Config, value(0, ""), value(5, `{"x":1}`)))
	purge := func(story string, seen *nameservice.Record, want bool) {
		w.Helper()
		result, err := w.Purge(w.Context(), seen)
		if err != nil || result.Updated != want {
			w.Errorf("%s: got %v, %s, %v; want %v", story, result.Updated, show(result.Actual), err, want)
		}
	}
	purge("purge of a record that is in service", w.get(shop), false)
	w.mustWrite(shop, nameservice.NewRetract(1, value(2, `{"state":"retracted"}`)))
	purge("purge of a record that was seen before it was retracted", seen, false)
	seen = w.get(shop)
	w.mustWrite(shop, nameservice.NewFastForward(nameservice.Head, value(1, `{"t":1}`)))
	purge("purge of a record that was written since", seen, false)
	purge("purge", w.get(shop), true)
	_, err := w.Get(w.Context(), shop)
	w.wantError("Get after it", err, nameservice.ErrNotFound)
	purge("purge again", seen, false)
	if list, err := w.List(w.Context(), ""); err != nil || len(list) != 0 {
		w.Errorf("List after it: %q, %v", pks(list), err)
	}
	w.create(shop)
	for _, c := range []nameservice.Concern{nameservice.Head, nameservice.Index, nameservice.Config} {
		w.want("a new record of the same name", shop, c, value(0, ""))
	}
	if w.get(shop).Retracted {
		w.Error("a new record of the same name is retracted")
	}
}
