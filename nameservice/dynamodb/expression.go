package dynamodb

import (
	"regexp"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ontosql/ontosql/nameservice"
)

// The expressions are those of seed 003, with its placeholders. Two things are added:
//
//   - Updates ask for version 2 of the schema first. UpdateItem makes an item that is not
//     there, and would mix the attributes of both versions in a record of version 1.
//   - The unborn clause of head asks for :expected_v = :zero, as those of index and config do:
//     a caller who expects commit 41 has diverged from a record without commits.
const (
	createCondition  = "attribute_not_exists(#pk)"
	guard            = "#schema = :schema AND "
	retractCondition = "#sv = :expected_v AND :new_sv > :expected_v"
	retractUpdate    = "SET #r = :true, #sv = :new_sv, #s = :status"
)

// push is how one concern is written.
type push struct {
	compare string // the condition of compare-and-set
	forward string // the condition of fast-forward
	update  string
	seen    string // of a purge: the watermark is as it was seen
}

var (
	headPush = push{
		compare: "(#hv = :expected_v AND #h = :expected_head AND :new_t > :expected_v)" +
			" OR (#hv = :zero AND attribute_type(#h, :null_type) AND :expected_v = :zero AND :new_t > :zero)",
		forward: "attribute_not_exists(#hv) OR #hv < :new_t",
		update:  "SET #hv = :new_t, #h = :head",
		seen:    "#hv = :seen_head_v",
	}
	indexPush = push{
		compare: "(#iv = :expected_v AND :new_v > :expected_v)" +
			" OR (#iv = :zero AND attribute_type(#i, :null_type) AND :expected_v = :zero AND :new_v > :zero)",
		forward: "attribute_not_exists(#iv) OR #iv < :new_v",
		update:  "SET #iv = :new_v, #i = :index",
		seen:    "#iv = :seen_index_v",
	}
	statusPush = push{
		compare: "(#sv = :expected_v AND :new_v > :expected_v)" +
			" OR (attribute_not_exists(#sv) AND :expected_v = :zero)",
		forward: "attribute_not_exists(#sv) OR #sv < :new_v",
		update:  "SET #sv = :new_v, #s = :status",
		seen:    "#sv = :seen_status_v",
	}
	configPush = push{
		compare: "(#cv = :expected_v AND :new_v > :expected_v)" +
			" OR (#cv = :zero AND attribute_type(#c, :null_type) AND :expected_v = :zero)",
		forward: "attribute_not_exists(#cv) OR #cv < :new_v",
		update:  "SET #cv = :new_v, #c = :config",
		seen:    "#cv = :seen_config_v",
	}
)

// attributes are the names behind the placeholders. Several, status and name among them, are
// words that expressions reserve.
var attributes = map[string]string{
	"#pk": "pk", "#schema": "v", "#type": "type", "#r": "retracted",
	"#hv": "head_v", "#h": "head",
	"#iv": "index_v", "#i": "index",
	"#sv": "status_v", "#s": "status", "#ss": stateAttribute,
	"#cv": "config_v", "#c": "config",
	"#created": "created_at",
}

var pushes = [...]push{
	nameservice.Head: headPush, nameservice.Index: indexPush, nameservice.Status: statusPush, nameservice.Config: configPush,
}

// expressions are the condition and the update of an edit.
func expressions(e nameservice.Edit) (condition, update string) {
	p := pushes[e.Concern]
	switch {
	case e.Retract && e.Expected != nil:
		return guard + "(" + retractCondition + ")", retractUpdate
	case e.Expected != nil:
		return guard + "(" + p.compare + ")", p.update
	case e.Retract:
		return guard + "(" + p.forward + ")", p.update + ", #r = :true"
	}
	return guard + "(" + p.forward + ")", p.update
}

// valuesOf are the values behind the placeholders of an edit. The error wraps
// nameservice.ErrPayload.
func valuesOf(e nameservice.Edit) (map[string]types.AttributeValue, error) {
	payload, err := encodePayload(e.Next.Payload)
	if err != nil {
		return nil, err
	}
	v := number(e.Next.V)
	values := map[string]types.AttributeValue{
		":schema":    number(nameservice.SchemaVersion),
		":zero":      number(0),
		":null_type": text("NULL"),
		":true":      &types.AttributeValueMemberBOOL{Value: true},
		":new_t":     v, ":new_v": v, ":new_sv": v,
		":" + e.Concern.String(): payload,
	}
	if e.Expected == nil {
		return values, nil
	}
	values[":expected_v"] = number(e.Expected.V)
	if values[":expected_head"], err = encodePayload(e.Expected.Payload); err != nil {
		values[":expected_head"] = text("") // equals none, as what DynamoDB cannot keep
	}
	return values, nil
}

var placeholder = regexp.MustCompile(`[#:][a-z_]+`)

// bind picks the names and values that the expressions mention: DynamoDB refuses a request
// with others.
func bind(values map[string]types.AttributeValue, expressions ...string) (map[string]string, map[string]types.AttributeValue) {
	names, bound := make(map[string]string), make(map[string]types.AttributeValue)
	for _, expression := range expressions {
		for _, p := range placeholder.FindAllString(expression, -1) {
			if name, ok := attributes[p]; ok {
				names[p] = name
			} else {
				bound[p] = values[p]
			}
		}
	}
	return names, bound
}
