package gateway

import "slices"

// lru keeps the values that were used last, a few of them: the order is a slice.
type lru[V any] struct {
	most   int
	values map[string]V
	order  []string // least recently used first
	drop   func(V)  // of a value that gives way; nil for nothing to do
}

func newLRU[V any](most int, drop func(V)) *lru[V] {
	return &lru[V]{most: most, values: map[string]V{}, drop: drop}
}

func (c *lru[V]) get(key string) (v V, ok bool) {
	if v, ok = c.values[key]; ok {
		c.touch(key)
	}
	return v, ok
}

func (c *lru[V]) touch(key string) {
	if n := len(c.order); n > 0 && c.order[n-1] == key {
		return
	}
	if i := slices.Index(c.order, key); i >= 0 {
		c.order = slices.Delete(c.order, i, i+1)
	}
	c.order = append(c.order, key)
}

// put adds a value under a key that has none.
func (c *lru[V]) put(key string, v V) {
	c.values[key] = v
	c.touch(key)
	if len(c.order) > c.most {
		c.remove(c.order[0])
	}
}

func (c *lru[V]) remove(key string) {
	v, ok := c.values[key]
	if !ok {
		return
	}
	delete(c.values, key)
	c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
	if c.drop != nil {
		c.drop(v)
	}
}

// clear drops everything.
func (c *lru[V]) clear() {
	for _, key := range slices.Clone(c.order) {
		c.remove(key)
	}
}
