package dynamodb

import (
	"errors"
	"net/http"
	"testing"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/nameservice"
)

// TestIncompleteRecords: another program has left out the attributes that are null.
func TestIncompleteRecords(t *testing.T) {
	x := newTable(t, true)
	const partial = `{"v":2,"type":"ledger","name":"shop","branch":"main","created_at":1705312200,"other":[1]}`
	for _, c := range nameservice.Concerns {
		for how, e := range map[string]nameservice.Edit{
			"push":         nameservice.NewPush(c, value(0, ""), value(1, `{"state":"x"}`)),
			"fast-forward": nameservice.NewFastForward(c, value(1, `{"state":"x"}`)),
		} {
			x.plant(shop, partial)
			if r, err := x.own.Write(t.Context(), shop, nameservice.NewPush(c, value(3, ""), value(4, `{}`))); err != nil || r.Updated || r.Actual == nil || r.Actual.V != 0 {
				t.Errorf("stale %s of %s: %+v, %v", how, c, r, err)
			}
			if r, err := x.own.Write(t.Context(), shop, e); err != nil || !r.Updated {
				t.Errorf("%s of %s: %+v, %v", how, c, r, err)
			}
			if r := x.found(); !e.Done(r) || string(r.Extra["other"]) != "[1]" {
				t.Errorf("%s of %s: %s", how, c, r.Members().Encode())
			}
		}
	}
	x.plant(shop, partial)
	if r, err := x.own.Write(t.Context(), shop, nameservice.NewRetract(0, value(1, `{"state":"retracted"}`))); err != nil || !r.Updated {
		t.Errorf("retract: %+v, %v", r, err)
	}
	if r, err := x.own.Purge(t.Context(), x.found()); err != nil || !r.Updated || x.found() != nil {
		t.Errorf("purge: %+v, %v", r, err)
	}
	x.plant(shop, `{"v":2,"type":"ledger","name":"shop","branch":"main","retracted":true}`)
	if r, err := x.own.Purge(t.Context(), x.found()); err != nil || !r.Updated || x.found() != nil {
		t.Errorf("purge of an incomplete record: %+v, %v", r, err)
	}
}

// TestFutureVersion: nothing is written to a record of a later schema.
func TestFutureVersion(t *testing.T) {
	x := newTable(t, false)
	x.plant(shop, `{"v":3,"type":"ledger","name":"shop","branch":"main","head_v":1}`)
	var damaged *ontosql.CorruptError
	if _, err := x.own.Write(t.Context(), shop, nameservice.NewFastForward(nameservice.Head, value(9, `{}`))); !errors.As(err, &damaged) {
		t.Errorf("got %v, want a *ontosql.CorruptError", err)
	}
}

// TestRefusalWithoutItem: a server that does not send the item of a refusal is asked for it.
func TestRefusalWithoutItem(t *testing.T) {
	x := newTable(t, false)
	x.create()
	tr := &transport{answer: func(_ int, e exchange) (*http.Response, error) {
		if e.op == "UpdateItem" {
			return refusal(400, "ConditionalCheckFailedException", "The conditional request failed"), nil
		}
		return nil, nil
	}}
	r, err := x.open(tr).Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(4, ""), value(9, `{}`)))
	if err != nil || r.Updated || r.Actual == nil || r.Actual.V != 5 {
		t.Errorf("%+v, %v", r, err)
	}
}
