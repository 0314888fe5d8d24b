package session

import (
	"slices"
)

// LRU is a cache of the most recently used values. It is for few values: the order is a slice.
type LRU[V any] struct {
	most   int
	values map[string]V
	order  []string // least recently used first
	drop   func(V)  // of a value that gives way; nil for nothing to do
}

// NewLRU returns an empty cache of at most most values. drop is called for each value that is
// removed, nil for nothing.
func NewLRU[V any](most int, drop func(V)) *LRU[V] {
	return &LRU[V]{most: most, values: map[string]V{}, drop: drop}
}

// Get returns the value of a key and marks it as used.
func (c *LRU[V]) Get(key string) (v V, ok bool) {
	if v, ok = c.values[key]; ok {
		c.touch(key)
	}
	return v, ok
}

func (c *LRU[V]) touch(key string) {
	if n := len(c.order); n > 0 && c.order[n-1] == key {
		return
	}
	if i := slices.Index(c.order, key); i >= 0 {
		c.order = slices.Delete(c.order, i, i+1)
	}
	c.order = append(c.order, key)
}

// Put adds a value under a key that has none.
func (c *LRU[V]) Put(key string, v V) {
	c.values[key] = v
	c.touch(key)
	if len(c.order) > c.most {
		c.Remove(c.order[0])
	}
}

// Remove drops the value of a key, if there is one.
func (c *LRU[V]) Remove(key string) {
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

// Clear drops everything.
func (c *LRU[V]) Clear() {
	for _, key := range slices.Clone(c.order) {
		c.Remove(key)
	}
}
