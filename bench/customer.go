package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

var customerType = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}

// customer i is the same in both servers.
type customer struct {
	id, name, tier string
	balance        float64
	visits         int64
}

func customerAt(i int, random *rand.Rand) customer {
	return customer{
		id:      fmt.Sprintf("c%07d", i),
		name:    "Customer number " + strconv.Itoa(i),
		tier:    []string{"Standard", "Silver", "Gold"}[random.IntN(3)],
		balance: float64(random.IntN(1_000_000)) / 100,
		visits:  random.Int64N(1000),
	}
}

// customerSchema is what the store knows of customers.
func customerSchema() format.Schema {
	id := format.NewField("id", format.FieldStr, false)
	id.PrimaryKey = true
	return format.Schema{Ref: customerType, Fields: []format.SchemaField{
		id, format.NewField("name", format.FieldStr, false), format.NewField("tier", format.FieldStr, false),
		format.NewField("balance", format.FieldFloat, false), format.NewField("visits", format.FieldInt, false),
	}}
}

// row is the customer as it is stored.
func (c customer) row() format.Row {
	fields := format.Object(
		format.Member{Name: "id", Value: format.String(c.id)},
		format.Member{Name: "name", Value: format.String(c.name)},
		format.Member{Name: "tier", Value: format.String(c.tier)},
		format.Member{Name: "balance", Value: format.Float(c.balance)},
		format.Member{Name: "visits", Value: format.Int(c.visits)},
	).Append(nil, format.Canonical)
	return format.Row{Key: c.id, Fields: fields}
}
