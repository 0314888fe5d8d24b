package dynamodb

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ontosql/ontosql/nameservice"
)

// TestLimitsAreThoseOfDynamoDB: what encode accepts is kept with its exact value.
func TestLimitsAreThoseOfDynamoDB(t *testing.T) {
	x := newTable(t, false)
	x.create()
	for n, text := range []string{
		`0.10000000000000000000000000000000000001`, `12345678901234567890123456789012345678`, `-12345678901234567890123456789012345678e-30`,
		`9.9999999999999999999999999999999999999e125`, `-9.9e125`, `1e-130`, `0e999`, `-0`, `1.50`, `100e-2`,
		strings.Repeat("[", maxDepth-1) + "1" + strings.Repeat("]", maxDepth-1),
		`""`, `[]`, `{}`, `{"` + strings.Repeat("n", maxName) + `":1}`, `"é\u2028 😀"`,
	} {
		next := value(int64(n+6), `{"x":`+text+`}`)
		if result, err := x.open(nil).Write(t.Context(), shop, nameservice.NewFastForward(nameservice.Config, next)); err != nil || !result.Updated {
			t.Errorf("%.80s: %+v, %v", text, result, err)
		} else if got := x.found().Config; !got.Equal(next) {
			t.Errorf("got %.80s, want %.80s", got.Payload, next.Payload)
		}
	}
}

// TestWhatEncodeRefuses: what encode refuses, DynamoDB would refuse or change.
func TestWhatEncodeRefuses(t *testing.T) {
	x := newTable(t, false)
	s := x.open(nil)
	deep := number(1)
	for range maxDepth + 1 {
		deep = list(deep)
	}
	for name, attribute := range map[string]attributeValue{
		"39 digits": numeral("123456789012345678901234567890123456789"), "1e126": numeral("1e126"), "1e-131": numeral("1e-131"),
		"depth": deep, "no name": object(map[string]attributeValue{"": text("x")}),
	} {
		_, err := s.client.PutItem(t.Context(), &dynamodb.PutItemInput{
			TableName: aws.String(x.name), Item: map[string]attributeValue{"pk": text("x"), "x": attribute},
		})
		if !invalid(err) {
			t.Errorf("%s: got %v, want a ValidationException", name, err)
		}
	}
}
