// Package dynamodb keeps the records of a name service in a DynamoDB table, an item for each, as
// seed 003 lays them out. It adapts the DynamoDB client of aws-sdk-go-v2, which no other package
// imports. Conditions are evaluated by DynamoDB, by the seed's expressions (expression.go), so
// that other programs can write the same table; a write whose answer was lost is settled by
// sending it again and looking at what refuses it (settle.go).
//
// Payloads are attributes of the types that JSON has: numbers are exact decimals, and the order
// of members is not kept. Attributes and items that nobody here knows are left as they are.
package dynamodb
