package dynamodb

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// makeBare makes the table with its key alone, as seed 003 allows.
func (x table) makeBare() {
	x.Helper()
	_, err := x.open(nil).client.CreateTable(x.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String(x.name), BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{attribute("pk")},
	})
	if err != nil {
		x.Fatalf("make the table: %v", err)
	}
}
