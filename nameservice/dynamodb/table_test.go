package dynamodb

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type (
	attributeValue = types.AttributeValue
	stringSet      = types.AttributeValueMemberSS
)

// makeBare makes the table with its key alone, as seed 003 allows.
func (x table) makeBare() {
	x.Helper()
	x.makeWithKey("pk")
}

func (x table) makeWithKey(name string) {
	x.Helper()
	_, err := x.open(nil).client.CreateTable(x.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(x.name), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String(name), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{attribute(name)},
	})
	if err != nil {
		x.Fatalf("make the table: %v", err)
	}
}

// TestInit: the table is billed by request and has the index of types; a second Init leaves it as it is.
func TestInit(t *testing.T) {
	for _, withStates := range []bool{false, true} {
		x := newTable(t, withStates)
		s := x.open(nil)
		out, err := s.client.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(x.name)})
		if err != nil {
			t.Fatal(err)
		}
		indexes := 1
		if withStates {
			indexes = 2
		}
		if out.Table.BillingModeSummary.BillingMode != types.BillingModePayPerRequest || len(out.Table.GlobalSecondaryIndexes) != indexes ||
			!s.hasTypeIndex(t.Context()) || s.hasStateIndex(t.Context()) != withStates {
			t.Errorf("the table is %+v", out.Table)
		}
		if made, err := s.Init(t.Context(), true); made || err != nil {
			t.Errorf("a second Init: made %v, %v", made, err)
		}
	}
	x := noTable(t)
	x.makeWithKey("id")
	if _, err := x.open(nil).Init(t.Context(), false); err == nil {
		t.Error("Init takes a table with another key")
	}
}

func list(items ...attributeValue) attributeValue {
	return &types.AttributeValueMemberL{Value: items}
}

func numeral(text string) attributeValue { return &types.AttributeValueMemberN{Value: text} }

func object(members map[string]attributeValue) attributeValue {
	return &types.AttributeValueMemberM{Value: members}
}
