package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	typeIndex  = "type-index"
	stateIndex = "state-index"

	// indexesKnown is how long what is known of the indexes of a table is believed. An index that
	// was added meanwhile lacks the states that were written until then.
	indexesKnown = time.Minute
	// creation is how long a new table may take.
	creation = 5 * time.Minute
)

// Init makes the table, billed by request, with the index of types, and waits until it is there. A
// table that is there already is checked and left as it is. withStates adds the index of states,
// for programs that look for records by the state in their status; the program itself does not.
func (s *Service) Init(ctx context.Context, withStates bool) (made bool, err error) {
	in := &dynamodb.CreateTableInput{
		TableName: aws.String(s.table), BillingMode: types.BillingModePayPerRequest,
		KeySchema:              []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions:   []types.AttributeDefinition{attribute("pk"), attribute("type")},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{index(typeIndex, "type")},
	}
	if withStates {
		in.AttributeDefinitions = append(in.AttributeDefinitions, attribute(stateAttribute))
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, index(stateIndex, stateAttribute))
	}
	_, err = s.client.CreateTable(ctx, in)
	var there *types.ResourceInUseException
	if err != nil && !errors.As(err, &there) {
		return false, s.fail(ctx, "init", err)
	}
	made = err == nil
	waiter := dynamodb.NewTableExistsWaiter(s.client, func(o *dynamodb.TableExistsWaiterOptions) { o.MinDelay = time.Second })
	out, err := waiter.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(s.table)}, creation)
	if err != nil {
		return made, s.fail(ctx, "init", err)
	}
	s.indexes.forget()
	return made, s.checkKey(out.Table)
}

// checkKey refuses a table that is none of records.
func (s *Service) checkKey(t *types.TableDescription) error {
	if t == nil || len(t.KeySchema) != 1 || aws.ToString(t.KeySchema[0].AttributeName) != "pk" {
		return fmt.Errorf("dynamodb: the key of table %s is not the attribute pk alone: it is no table of records", s.table)
	}
	for _, a := range t.AttributeDefinitions {
		if aws.ToString(a.AttributeName) == "pk" && a.AttributeType != types.ScalarAttributeTypeS {
			return fmt.Errorf("dynamodb: the key of table %s is not a String: it is no table of records", s.table)
		}
	}
	return nil
}

func attribute(name string) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
}

func index(name, partition string) types.GlobalSecondaryIndex {
	return types.GlobalSecondaryIndex{
		IndexName: aws.String(name),
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String(partition), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeRange},
		},
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
	}
}

// indexes are those of the table that this program uses.
type indexes struct {
	mu     sync.Mutex
	until  time.Time
	byType bool // records can be queried by type
	states bool // the state of a record is to be written beside its status
}

func (x *indexes) forget() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.until = time.Time{}
}

func (s *Service) hasTypeIndex(ctx context.Context) bool {
	byType, _ := s.lookUpIndexes(ctx)
	return byType
}

func (s *Service) hasStateIndex(ctx context.Context) bool {
	_, states := s.lookUpIndexes(ctx)
	return states
}

// lookUpIndexes asks what indexes there are. If it is not told, for lack of the permission to
// describe the table for example, there are none: whatever else is wrong with the table, the
// request that follows says.
func (s *Service) lookUpIndexes(ctx context.Context) (byType, states bool) {
	x := &s.indexes
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := time.Now(); now.After(x.until) {
		out, err := s.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(s.table)})
		if ctx.Err() != nil {
			return false, false
		}
		x.until, x.byType, x.states = now.Add(indexesKnown), false, false
		if err == nil && out.Table != nil {
			x.read(out.Table)
		}
	}
	return x.byType, x.states
}

func (x *indexes) read(t *types.TableDescription) {
	for _, i := range t.GlobalSecondaryIndexes {
		if len(i.KeySchema) == 0 {
			continue
		}
		partition := aws.ToString(i.KeySchema[0].AttributeName)
		switch aws.ToString(i.IndexName) {
		case typeIndex: // one that is being made has not all records, and one of keys only no concerns
			x.byType = partition == "type" && i.IndexStatus == types.IndexStatusActive &&
				i.Projection != nil && i.Projection.ProjectionType == types.ProjectionTypeAll
		case stateIndex:
			x.states = partition == stateAttribute
		}
	}
}
