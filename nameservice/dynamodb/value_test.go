package dynamodb

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestValues(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`null`, `null`},
		{`{}`, `{}`},
		{`[]`, `[]`},
		{`""`, `""`},
		{`{"b": [1, "x", null, true, {"a": {}}], "a": false}`, `{"a":false,"b":[1,"x",null,true,{"a":{}}]}`},
		{`"<&> \u2028 \ud83d\ude00 \\ud800 \u0000"`, `"<&> \u2028 😀 \\ud800 \u0000"`},
		{`0.10000000000000000000000000000000000001`, `0.10000000000000000000000000000000000001`},
		{`12345678901234567890123456789012345678`, `12345678901234567890123456789012345678`},
		{`-1.50`, `-1.50`}, // the service says -1.5
		{`9.9e125`, `9.9e125`},
		{`1e-130`, `1e-130`},
		{`0e999`, `0e999`},
		{strings.Repeat("[", maxDepth) + "1" + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth) + "1" + strings.Repeat("]", maxDepth)},
	} {
		value, err := encode([]byte(tc.text))
		if err != nil {
			t.Errorf("encode %s: %v", tc.text, err)
			continue
		}
		if got, err := decode(value); string(got) != tc.want || err != nil {
			t.Errorf("%s: got %s, %v; want %s", tc.text, got, err, tc.want)
		}
	}
}

func TestValuesThatDynamoDBDoesNotKeep(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`{"a": {"": 1}}`, `member "a": DynamoDB keeps no member with an empty name`},
		{`[1, 123456789012345678901234567890123456789]`, `item 1: DynamoDB keeps no number with more than 38 digits: 123456789012345678901234567890123456789`},
		{`0.1234567890123456789012345678901234567890`, `DynamoDB keeps no number with more than 38 digits`},
		{`1e126`, `DynamoDB keeps no number of this magnitude: 1e126`},
		{`0.1e-130`, `DynamoDB keeps no number of this magnitude: 0.1e-130`},
		{`1e99999999999999999999`, `DynamoDB keeps no number of this magnitude`},
		{`"\ud800"`, `half of a surrogate pair`},
		{`"\udc00\ud800"`, `half of a surrogate pair`},
		{"\"\xff\"", `not UTF-8`},
		{`{"` + strings.Repeat("n", maxName+1) + `": 1}`, `name has more than 65535 bytes`},
		{strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), `no more than 31 lists and objects`},
		{`1 2`, `not JSON`},
		{``, `not JSON`},
		{`NaN`, `not JSON`},
	} {
		if value, err := encode([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("encode %.60s: got %v, %v; want an error with %q", tc.text, value, err, tc.want)
		}
	}
}

func TestAttributesThatJSONDoesNotHave(t *testing.T) {
	for _, tc := range []struct {
		value types.AttributeValue
		want  string
	}{
		{&types.AttributeValueMemberB{Value: []byte("x")}, "a value that JSON does not have: Binary"},
		{&types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberSS{Value: []string{"x"}}}}, "item 0: a value that JSON does not have: String Set"},
		{&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a": &types.AttributeValueMemberNS{}}}, `member "a": a value that JSON does not have: Number Set`},
	} {
		if got, err := decode(tc.value); err == nil || err.Error() != tc.want {
			t.Errorf("decode: got %s, %v; want %s", got, err, tc.want)
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e3,null,"x"]}`, `"\ud83d\ude00"`, `1e-130`, `-0`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := encode(text)
		if err != nil {
			return
		}
		first, err := decode(value)
		if err != nil {
			t.Fatalf("decode what was encoded of %q: %v", text, err)
		}
		again, err := encode(first)
		if err != nil {
			t.Fatalf("encode %s again: %v", first, err)
		}
		if second, err := decode(again); string(second) != string(first) || err != nil {
			t.Errorf("%q: got %s, then %s, %v", text, first, second, err)
		}
	})
}
