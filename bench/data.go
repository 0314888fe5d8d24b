package main

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
)

// The data is a function of the size and of these two constants. A change of the generated data
// changes the version, so that old stores are generated again.
const (
	dataVersion = 2 // files have native columns
	seed        = 42
)

var (
	customerType     = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	productType      = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Product"}
	subscriptionType = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Subscription"}
)

// schemas are what the store knows of the three types.
func schemas() []format.Schema {
	field := func(name string, t format.FieldType) format.SchemaField { return format.NewField(name, t, false) }
	key := func(name string, t format.FieldType) format.SchemaField {
		f := field(name, t)
		f.PrimaryKey = true
		return f
	}
	return []format.Schema{
		{Ref: customerType, Fields: []format.SchemaField{
			key("id", format.FieldStr), field("name", format.FieldStr), field("tier", format.FieldStr),
			field("balance", format.FieldFloat), field("visits", format.FieldInt),
		}},
		{Ref: productType, Fields: []format.SchemaField{
			key("id", format.FieldInt), field("price", format.FieldFloat), field("title", format.FieldStr),
			field("added", format.FieldDatetime), field("active", format.FieldBool),
		}},
		{Ref: subscriptionType, Left: customerType.Name, Right: productType.Name, Fields: []format.SchemaField{
			field("plan", format.FieldStr), field("seats", format.FieldInt),
		}},
	}
}

// epoch is when everything begins; a commit comes an hour after the other.
var epoch = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// random are numbers that depend on the seed and on what they are for.
func random(kind, a, b int) *rand.PCG {
	return rand.NewPCG(seed+uint64(kind), uint64(a)<<20|uint64(b))
}

// Kinds of random numbers.
const (
	ofCustomers = iota
	ofRounds
	ofProducts
	ofSubscriptions
	ofQuestions
)

type customer struct {
	id, name, tier string
	balance        float64
	visits         int64
}

func customerID(i int) string { return fmt.Sprintf("c%07d", i) }

// customerAt is customer i as the given round writes it.
func customerAt(i, round int) customer {
	r := random(ofCustomers, i, round)
	return customer{
		id:      customerID(i),
		name:    "Customer number " + strconv.Itoa(i),
		tier:    []string{"Standard", "Silver", "Gold"}[r.Uint64()%3],
		balance: float64(r.Uint64()%1_000_000) / 100,
		visits:  int64(r.Uint64() % 1000),
	}
}

// row is the customer as it is stored.
func (c customer) row() format.Row {
	return format.Row{Key: c.id, Fields: fields(
		format.Member{Name: "id", Value: format.String(c.id)},
		format.Member{Name: "name", Value: format.String(c.name)},
		format.Member{Name: "tier", Value: format.String(c.tier)},
		format.Member{Name: "balance", Value: format.Float(c.balance)},
		format.Member{Name: "visits", Value: format.Int(c.visits)},
	)}
}

func fields(members ...format.Member) []byte {
	return format.Object(members...).Append(make([]byte, 0, 128), format.Canonical)
}

// writes are the customers of each commit, in order: a round writes every
// customer once, in an order of its own, in as many commits as it has slices.
func (s size) writes() iter.Seq2[int, []int] {
	return func(yield func(round int, customers []int) bool) {
		for round := range s.Rounds {
			order := rand.New(random(ofRounds, round, 0)).Perm(s.Customers)
			for slice := range s.Slices {
				if !yield(round, order[slice*s.Customers/s.Slices:(slice+1)*s.Customers/s.Slices]) {
					return
				}
			}
		}
	}
}

type product struct {
	id     int64
	price  float64
	title  string
	added  time.Time
	active bool
}

func productAt(i int) product {
	r := random(ofProducts, i, 0)
	return product{
		id:     int64(i),
		price:  float64(r.Uint64()%100_000) / 100,
		title:  "Product number " + strconv.Itoa(i),
		added:  epoch.Add(-time.Duration(r.Uint64()%(365*86400)) * time.Second),
		active: r.Uint64()%2 == 0,
	}
}

func (p product) row() format.Row {
	return format.Row{Key: strconv.FormatInt(p.id, 10), Fields: fields(
		format.Member{Name: "id", Value: format.Int(p.id)},
		format.Member{Name: "price", Value: format.Float(p.price)},
		format.Member{Name: "title", Value: format.String(p.title)},
		format.Member{Name: "added", Value: format.String(p.added.Format("2006-01-02T15:04:05.000000+00:00"))},
		format.Member{Name: "active", Value: format.Bool(p.active)},
	)}
}

type subscription struct {
	customer string
	product  int64
	plan     string
	seats    int64
}

// subscriptionAt is the i-th: no two link the same customer and product.
func (s size) subscriptionAt(i int) subscription {
	r := random(ofSubscriptions, i, 0)
	return subscription{
		customer: customerID(i % s.Customers),
		product:  int64((i + i/s.Customers) * 7919 % s.Products),
		plan:     []string{"free", "team", "enterprise"}[r.Uint64()%3],
		seats:    1 + int64(r.Uint64()%50),
	}
}

func (s subscription) row() format.Row {
	return format.Row{Left: s.customer, Right: strconv.FormatInt(s.product, 10), Fields: fields(
		format.Member{Name: "plan", Value: format.String(s.plan)},
		format.Member{Name: "seats", Value: format.Int(s.seats)},
	)}
}

// count is the rows at(0) to at(n-1).
func count(n int, at func(i int) format.Row) iter.Seq[format.Row] {
	return func(yield func(format.Row) bool) {
		for i := range n {
			if !yield(at(i)) {
				return
			}
		}
	}
}
