// Package demo makes a small ontology with a year of history: what `ontosql
// demo` serves and what the tests through psql read. The same seed gives the
// same history, dates included. It is written through writepath and format,
// like every other store.
package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/format"
	"github.com/ontosql/ontosql/objstore"
	"github.com/ontosql/ontosql/writepath"
)

// The history: one commit a week from the first of January 2025, after the
// commit that registers the types and the one that opens the shop.
const (
	weeks     = 52
	customers = 40
	products  = 12
	seed      = 20250101
)

var opening = time.Date(2025, 1, 1, 9, 0, 0, 0, time.UTC)

// Fill initialises the store and writes the history. The store must be empty;
// progress is called after each commit with the number done and the total.
func Fill(ctx context.Context, b objstore.Bucket, progress func(done, total int)) (err error) {
	if _, err := writepath.Init(ctx, b, writepath.InitOptions{Engine: "v1", Now: func() time.Time { return opening }}); err != nil {
		return fmt.Errorf("initialise: %w", err)
	}
	p, err := writepath.NewPublisher(ctx, b, "ontosql-demo")
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := p.Close(ctx); err == nil {
			err = closeErr
		}
	}()
	if _, err := p.Register(ctx, opening, schemas); err != nil {
		return fmt.Errorf("register types: %w", err)
	}
	w := newWorld()
	for week := range weeks + 1 {
		if _, err := p.Publish(ctx, w.week(week)); err != nil {
			return fmt.Errorf("publish week %d: %w", week, err)
		}
		if progress != nil {
			progress(week+1, weeks+1)
		}
	}
	return nil
}

// schemas are the three entity and two relation types of the shop.
var schemas = []format.Schema{
	{Ref: customerType, Fields: []format.SchemaField{
		key("id", format.FieldStr),
		field("name", format.FieldStr),
		field("tier", format.FieldStr),
		field("balance", format.FieldFloat),
		optional("email", format.FieldStr),
	}},
	{Ref: productType, Fields: []format.SchemaField{
		key("sku", format.FieldInt),
		field("title", format.FieldStr),
		field("price", format.FieldFloat),
	}},
	{Ref: storeType, Fields: []format.SchemaField{
		key("code", format.FieldStr),
		field("city", format.FieldStr),
		field("open", format.FieldBool),
	}},
	{Ref: subscriptionType, Left: "Customer", Right: "Product", Fields: []format.SchemaField{
		field("seats", format.FieldInt),
		optional("note", format.FieldStr),
	}},
	{Ref: purchaseType, Left: "Customer", Right: "Product", InstanceKey: "order_no", Fields: []format.SchemaField{
		field("order_no", format.FieldStr),
		field("qty", format.FieldInt),
		field("store", format.FieldStr),
	}},
}

var (
	customerType     = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Customer"}
	productType      = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Product"}
	storeType        = ontosql.TypeRef{Kind: ontosql.Entity, Name: "Store"}
	subscriptionType = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Subscription"}
	purchaseType     = ontosql.TypeRef{Kind: ontosql.Relation, Name: "Purchase"}
)

func field(name string, t format.FieldType) format.SchemaField {
	return format.NewField(name, t, false)
}

func optional(name string, t format.FieldType) format.SchemaField {
	return format.NewField(name, t, true)
}

func key(name string, t format.FieldType) format.SchemaField {
	f := format.NewField(name, t, false)
	f.PrimaryKey = true
	return f
}

// world is the shop as of the last commit.
type world struct {
	rand      *rand.Rand
	customers []customer
	products  []product
	stores    []store
	orders    int
}

type customer struct {
	id, name, tier string
	cents          int    // of the balance
	email          string // "" for none
}

type product struct {
	sku   int64
	title string
	cents int // of the price
}

type store struct {
	code, city string
	open       bool
}

var (
	firstNames = []string{"Ada", "Bo", "Chloé", "Dmitri", "Eun-ji", "Farid", "Grete", "Håkon", "Ines", "Jun"}
	lastNames  = []string{"Okafor", "Nguyen", "Larsen", "García", "Novák", "Sato", "Smith", "Weber"}
	titles     = []string{"Anvil", "Bellows", "Chisel", "Drill", "Easel", "File", "Gimlet", "Hammer", "Inkwell", "Jigsaw", "Kiln", "Lathe"}
	cities     = []string{"Oslo", "Lisbon", "Kraków", "Kyoto"}
)

func newWorld() *world {
	return &world{rand: rand.New(rand.NewPCG(seed, 1))}
}

// week is the commit of one week; week 0 opens the shop.
func (w *world) week(n int) writepath.Commit {
	rows := &changes{}
	message := fmt.Sprintf("week %d", n)
	if n == 0 {
		message = "the shop opens"
		w.open()
		for i := range w.products {
			rows.put(productType, w.products[i].row())
		}
		for i := range w.stores {
			rows.put(storeType, w.stores[i].row())
		}
	}
	w.join(rows, n)
	w.trade(rows)
	if n%8 == 5 {
		w.reprice(rows)
	}
	if n == 30 {
		w.stores[1].open = false
		rows.put(storeType, w.stores[1].row())
	}
	return writepath.Commit{
		At:       opening.Add(time.Minute + time.Duration(n)*7*24*time.Hour),
		Metadata: map[string]string{"message": message, "actor": "demo"},
		Data:     rows.data(),
	}
}

// changes collects the rows of one commit; a later row of an identity replaces
// an earlier one.
type changes struct {
	types []ontosql.TypeRef
	rows  map[ontosql.TypeRef][]format.Row
}

func (c *changes) put(t ontosql.TypeRef, row format.Row) {
	if c.rows == nil {
		c.rows = map[ontosql.TypeRef][]format.Row{}
	}
	if !slices.Contains(c.types, t) {
		c.types = append(c.types, t)
	}
	same := func(r format.Row) bool {
		return r.Key == row.Key && r.Left == row.Left && r.Right == row.Right && r.Instance == row.Instance
	}
	if i := slices.IndexFunc(c.rows[t], same); i >= 0 {
		c.rows[t][i] = row
		return
	}
	c.rows[t] = append(c.rows[t], row)
}

func (c *changes) data() []writepath.Content {
	data := make([]writepath.Content, len(c.types))
	for i, t := range c.types {
		data[i] = writepath.Content{Type: t, Rows: slices.Values(c.rows[t])}
	}
	return data
}

func (w *world) open() {
	for i := range products {
		w.products = append(w.products, product{sku: int64(100 + i), title: titles[i], cents: w.amount(5, 200)})
	}
	for i, city := range cities {
		w.stores = append(w.stores, store{code: fmt.Sprintf("s%d", i+1), city: city, open: true})
	}
}

// join lets customers sign up: five at the opening, then one in most weeks.
func (w *world) join(c *changes, week int) {
	n := 1
	if week == 0 {
		n = 5
	} else if w.rand.IntN(4) == 0 {
		n = 0
	}
	for range n {
		if len(w.customers) == customers {
			return
		}
		id := fmt.Sprintf("c%d", len(w.customers)+1)
		who := customer{
			id:    id,
			name:  firstNames[w.rand.IntN(len(firstNames))] + " " + lastNames[w.rand.IntN(len(lastNames))],
			tier:  "Standard",
			cents: w.amount(0, 100),
		}
		if w.rand.IntN(3) > 0 {
			who.email = id + "@example.org"
		}
		w.customers = append(w.customers, who)
		c.put(customerType, who.row())
	}
}

// trade changes balances and tiers, sells some products and starts or resizes subscriptions. No
// customer is changed twice in one commit.
func (w *world) trade(c *changes) {
	for _, i := range w.rand.Perm(len(w.customers))[:min(3, len(w.customers))] {
		who := &w.customers[i]
		who.cents = max(0, who.cents+w.amount(-60, 120))
		switch {
		case who.cents > 250_00:
			who.tier = "Gold"
		case who.cents > 120_00:
			who.tier = "Silver"
		default:
			who.tier = "Standard"
		}
		c.put(customerType, who.row())

		item := w.products[w.rand.IntN(len(w.products))]
		w.orders++
		c.put(purchaseType, purchase(who.id, item.sku, fmt.Sprintf("o%04d", w.orders), 1+w.rand.IntN(5), w.stores[w.rand.IntN(len(w.stores))].code))
		if w.rand.IntN(3) == 0 {
			c.put(subscriptionType, subscription(who.id, item.sku, 1+w.rand.IntN(20), w.rand.IntN(2) == 0))
		}
	}
}

func (w *world) reprice(c *changes) {
	for range 3 {
		item := &w.products[w.rand.IntN(len(w.products))]
		item.cents = w.amount(5, 200)
		c.put(productType, item.row())
	}
}

// amount is a random amount between low and high, in hundredths of them.
func (w *world) amount(low, high int) int {
	return low*100 + w.rand.IntN((high-low)*100)
}

func (c customer) row() format.Row {
	email := format.Null()
	if c.email != "" {
		email = format.String(c.email)
	}
	return format.Row{Key: c.id, Fields: fields(
		format.Member{Name: "id", Value: format.String(c.id)},
		format.Member{Name: "name", Value: format.String(c.name)},
		format.Member{Name: "tier", Value: format.String(c.tier)},
		format.Member{Name: "balance", Value: format.Float(float64(c.cents) / 100)},
		format.Member{Name: "email", Value: email},
	)}
}

func (p product) row() format.Row {
	return format.Row{Key: fmt.Sprint(p.sku), Fields: fields(
		format.Member{Name: "sku", Value: format.Int(p.sku)},
		format.Member{Name: "title", Value: format.String(p.title)},
		format.Member{Name: "price", Value: format.Float(float64(p.cents) / 100)},
	)}
}

func (s store) row() format.Row {
	return format.Row{Key: s.code, Fields: fields(
		format.Member{Name: "code", Value: format.String(s.code)},
		format.Member{Name: "city", Value: format.String(s.city)},
		format.Member{Name: "open", Value: format.Bool(s.open)},
	)}
}

// purchase is one order; its number is the instance key and so no field.
func purchase(who string, sku int64, order string, qty int, where string) format.Row {
	return format.Row{Left: who, Right: fmt.Sprint(sku), Instance: order, Fields: fields(
		format.Member{Name: "qty", Value: format.Int(int64(qty))},
		format.Member{Name: "store", Value: format.String(where)},
	)}
}

func subscription(who string, sku int64, seats int, renewed bool) format.Row {
	note := format.Null()
	if renewed {
		note = format.String("renewed")
	}
	return format.Row{Left: who, Right: fmt.Sprint(sku), Fields: fields(
		format.Member{Name: "seats", Value: format.Int(int64(seats))},
		format.Member{Name: "note", Value: note},
	)}
}

func fields(members ...format.Member) []byte {
	return format.Object(members...).Append(nil, format.Canonical)
}
