package dynamodb

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ontosql/ontosql/nameservice"
)

// The texts of seed 003, "DynamoDB Operations", word for word.
const (
	seedCreate = `attribute_not_exists(#pk)`

	seedHeadForward = `attribute_not_exists(#hv) OR #hv < :new_t`
	seedHead        = `(#hv = :expected_v AND #h = :expected_head AND :new_t > :expected_v)
  OR
  (#hv = :zero AND attribute_type(#h, :null_type) AND :new_t > :zero)`
	seedHeadUpdate = `SET #hv = :new_t, #h = :head`

	seedIndex = `(#iv = :expected_v AND :new_v > :expected_v)
                     OR
                     (#iv = :zero AND attribute_type(#i, :null_type) AND :expected_v = :zero AND :new_v > :zero)`
	seedIndexUpdate = `SET #iv = :new_v, #i = :index`

	seedStatus = `(#sv = :expected_v AND :new_v > :expected_v)
                     OR
                     (attribute_not_exists(#sv) AND :expected_v = :zero)`
	seedStatusUpdate = `SET #sv = :new_v, #s = :status`

	seedConfig = `(#cv = :expected_v AND :new_v > :expected_v)
                     OR
                     (#cv = :zero AND attribute_type(#c, :null_type) AND :expected_v = :zero)`
	seedConfigUpdate = `SET #cv = :new_v, #c = :config`

	seedRetractUpdate = `SET #r = :true, #sv = :new_sv, #s = :status`

	// unbornHead is what is added to the unborn clause of a head.
	unbornHead = ":expected_v = :zero AND "
)

// request is what the tests read of a request of a write.
type request struct {
	Key, Item                                          map[string]json.RawMessage
	ConditionExpression, UpdateExpression              string
	ExpressionAttributeNames                           map[string]string
	ExpressionAttributeValues                          map[string]json.RawMessage
	ReturnValuesOnConditionCheckFailure, KeyConditions string
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func jsonOf(values map[string]json.RawMessage) string {
	text, err := json.Marshal(values)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// withoutIndexes answers all requests with success; the table has no indexes.
func withoutIndexes() *transport {
	return &transport{answer: func(int, exchange) (*http.Response, error) { return response(200, `{}`), nil }}
}

var (
	shop    = nameservice.Alias{Name: "shop", Branch: "main"}
	created = time.Unix(1705312200, 0)
)

func value(v int64, payload string) nameservice.Value {
	if payload == "" {
		return nameservice.Value{V: v}
	}
	return nameservice.Value{V: v, Payload: json.RawMessage(payload)}
}

// TestCreateIsThatOfTheSeed compares the item and the condition with those of the seed.
func TestCreateIsThatOfTheSeed(t *testing.T) {
	tr := withoutIndexes()
	if _, err := alone(t, tr).Create(t.Context(), nameservice.New{Alias: shop, CreatedAt: created}); err != nil {
		t.Fatal(err)
	}
	var got request
	tr.last(t, "PutItem", &got)
	const item = `{"branch":{"S":"main"},"config":{"NULL":true},"config_v":{"N":"0"},"created_at":{"N":"1705312200"},"deps":{"NULL":true},` +
		`"head":{"NULL":true},"head_v":{"N":"0"},"index":{"NULL":true},"index_v":{"N":"0"},"name":{"S":"shop"},"pk":{"S":"shop:main"},` +
		`"retracted":{"BOOL":false},"status":{"M":{"state":{"S":"ready"}}},"status_v":{"N":"1"},"type":{"S":"ledger"},"v":{"N":"2"}}`
	if diff := cmp.Diff(item, jsonOf(got.Item)); diff != "" {
		t.Errorf("the item (-seed +sent):\n%s", diff)
	}
	if got.ConditionExpression != seedCreate {
		t.Errorf("condition: %s, want %s", got.ConditionExpression, seedCreate)
	}
}

// TestWritesAreThoseOfTheSeed compares each expression with that of the seed, less what is added to it:
// the guard of all, and of the unborn clause of a head what is expected.
func TestWritesAreThoseOfTheSeed(t *testing.T) {
	const h, i, s, c = nameservice.Head, nameservice.Index, nameservice.Status, nameservice.Config
	for _, tc := range []struct {
		name                      string
		edit                      nameservice.Edit
		condition, update, values string
	}{
		{
			"push_head, option B", nameservice.NewPush(h, value(41, `{"t":41}`), value(42, `{"t":42}`)), seedHead, seedHeadUpdate,
			`{":expected_head":{"M":{"t":{"N":"41"}}},":expected_v":{"N":"41"},":head":{"M":{"t":{"N":"42"}}},":new_t":{"N":"42"},":null_type":{"S":"NULL"},":schema":{"N":"2"},":zero":{"N":"0"}}`,
		},
		{
			"push_head, option A", nameservice.NewFastForward(h, value(42, `{"t":42}`)), seedHeadForward, seedHeadUpdate,
			`{":head":{"M":{"t":{"N":"42"}}},":new_t":{"N":"42"},":schema":{"N":"2"}}`,
		},
		{
			"push_index", nameservice.NewPush(i, value(16, ""), value(17, `{"default":null}`)), seedIndex, seedIndexUpdate,
			`{":expected_v":{"N":"16"},":index":{"M":{"default":{"NULL":true}}},":new_v":{"N":"17"},":null_type":{"S":"NULL"},":schema":{"N":"2"},":zero":{"N":"0"}}`,
		},
		{
			"push_status", nameservice.NewPush(s, value(89, ""), value(90, `{"state":"ready"}`)), seedStatus, seedStatusUpdate,
			`{":expected_v":{"N":"89"},":new_v":{"N":"90"},":schema":{"N":"2"},":status":{"M":{"state":{"S":"ready"}}},":zero":{"N":"0"}}`,
		},
		{
			"push_config", nameservice.NewPush(c, value(2, ""), value(3, "")), seedConfig, seedConfigUpdate,
			`{":config":{"NULL":true},":expected_v":{"N":"2"},":new_v":{"N":"3"},":null_type":{"S":"NULL"},":schema":{"N":"2"},":zero":{"N":"0"}}`,
		},
		{
			// The seed has no condition. Ours is the first clause of push_status.
			"retract", nameservice.NewRetract(90, value(91, `{"state":"retracted"}`)), "#sv = :expected_v AND :new_sv > :expected_v", seedRetractUpdate,
			`{":expected_v":{"N":"90"},":new_sv":{"N":"91"},":schema":{"N":"2"},":status":{"M":{"state":{"S":"retracted"}}},":true":{"BOOL":true}}`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tr := withoutIndexes()
			if result, err := alone(t, tr).Write(t.Context(), shop, tc.edit); err != nil || !result.Updated {
				t.Fatalf("Write: %+v, %v", result, err)
			}
			var got request
			tr.last(t, "UpdateItem", &got)
			want := "#schema = :schema AND (" + oneLine(tc.condition) + ")"
			if condition := strings.Replace(got.ConditionExpression, unbornHead+":new_t", ":new_t", 1); condition != want {
				t.Errorf("condition:\n got %s\nwant %s", condition, want)
			}
			if got.UpdateExpression != tc.update {
				t.Errorf("update:\n got %s\nwant %s", got.UpdateExpression, tc.update)
			}
			if diff := cmp.Diff(tc.values, jsonOf(got.ExpressionAttributeValues)); diff != "" {
				t.Errorf("values (-want +sent):\n%s", diff)
			}
			for placeholder, name := range got.ExpressionAttributeNames {
				if attributes[placeholder] != name || !strings.Contains(got.ConditionExpression+got.UpdateExpression, placeholder) {
					t.Errorf("the name %s is %q", placeholder, name)
				}
			}
			if jsonOf(got.Key) != `{"pk":{"S":"shop:main"}}` {
				t.Errorf("key: %s", jsonOf(got.Key))
			}
		})
	}
}

// TestOneRequest: a write that is accepted, a conflict and a look-up are one request each. The indexes
// are asked for once, for statuses and lists.
func TestOneRequest(t *testing.T) {
	x := newTable(t, false)
	tr := new(transport)
	s := x.open(tr)
	step := func(story string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, tr.ops()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", story, diff)
		}
		tr.seen = nil
	}
	if _, err := s.Create(t.Context(), nameservice.New{Alias: shop, CreatedAt: created}); err != nil {
		t.Fatal(err)
	}
	step("create", "DescribeTable", "PutItem")
	for _, expected := range []int64{0, 7} {
		if _, err := s.Write(t.Context(), shop, nameservice.NewPush(nameservice.Head, value(expected, ""), value(9, `{"t":9}`))); err != nil {
			t.Fatal(err)
		}
		step("push", "UpdateItem")
	}
	if _, err := s.Get(t.Context(), shop); err != nil {
		t.Fatal(err)
	}
	var get struct{ ConsistentRead bool }
	if tr.last(t, "GetItem", &get); !get.ConsistentRead {
		t.Error("the read may be of the past")
	}
	step("get", "GetItem")
}
