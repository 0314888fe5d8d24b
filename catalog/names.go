package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ontosql/ontosql"
)

// maxName is PostgreSQL's limit of an identifier in bytes (NAMEDATALEN - 1).
const maxName = 63

// Fold is the name that an unquoted identifier has: ASCII letters in lower
// case, other letters as they are, cut to 63 bytes (PostgreSQL manual 4.1.1).
func Fold(name string) string {
	return truncate(strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, name))
}

// truncate cuts a name as PostgreSQL's parser does, between two characters.
func truncate(name string) string { return Cut(name, maxName) }

// Cut is a name cut to so many bytes, between two characters.
func Cut(name string, most int) string {
	if len(name) <= most {
		return name
	}
	end := most
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// nameTables gives every type the name of its table and fills byName. Entities
// choose before relations, their quoted names included; of several that fold
// to one name the one spelled in lower case takes it, else the oldest, so that
// a name stays with the type that had it. The others are left with their
// quoted names, or, where names differ only behind their 63rd byte, with a number.
func (c *Catalog) nameTables() {
	c.byName = make(map[string]*Type, 2*len(c.Types))
	for _, kind := range []ontosql.Kind{ontosql.Entity, ontosql.Relation} {
		var claims []*Type
		for _, t := range c.Types {
			if t.Ref.Kind == kind {
				claims = append(claims, t)
			}
		}
		slices.SortStableFunc(claims, func(a, b *Type) int {
			return cmp.Or(cmp.Compare(folded(b), folded(a)), byAge(a, b))
		})
		for _, t := range claims {
			t.Table = c.freeName(t)
			c.byName[t.Table] = t
		}
		for _, t := range claims {
			if quoted := truncate(t.Ref.Name); c.byName[quoted] == nil {
				c.byName[quoted] = t
			}
		}
	}
}

// freeName is the name of a type's table: the first of its own names that is free, else its
// folded name with a number.
func (c *Catalog) freeName(t *Type) string {
	for _, name := range []string{Fold(t.Ref.Name), truncate(t.Ref.Name)} {
		for c.ofEntity(name) && t.Ref.Kind == ontosql.Relation && len(name) < maxName {
			name = truncate(name + "_rel")
		}
		if c.byName[name] == nil {
			return name
		}
	}
	for n := 2; ; n++ {
		number := fmt.Sprintf("_%d", n)
		if name := Cut(Fold(t.Ref.Name), maxName-len(number)) + number; c.byName[name] == nil {
			return name
		}
	}
}

func (c *Catalog) ofEntity(name string) bool {
	t := c.byName[name]
	return t != nil && t.Ref.Kind == ontosql.Entity
}

// folded is 1 for a type whose name is spelled as its folded form.
func folded(t *Type) int {
	if t.Ref.Name == Fold(t.Ref.Name) {
		return 1
	}
	return 0
}

// byAge orders the older type first and one of unknown age last.
func byAge(a, b *Type) int {
	if a.CreatedAt.IsZero() != b.CreatedAt.IsZero() {
		if a.CreatedAt.IsZero() {
			return 1
		}
		return -1
	}
	return a.CreatedAt.Compare(b.CreatedAt)
}

// Quoted reports whether a name can only be written in quotes, because it would be
// folded without.
func Quoted(name string) bool { return name != Fold(name) }

// nameColumns folds the names of a type's columns, but for those that SQL declared
// in quotes. Where several fields fold to one name, the one spelled in lower case
// takes it, else the first in byte order; the others keep their quoted names.
func nameColumns(columns []Column, quoted map[string]bool) {
	taken := make(map[string]bool, len(columns))
	for i := range columns {
		c := &columns[i]
		if c.Field == Fold(c.Field) || quoted[c.Field] {
			c.Name = truncate(c.Field)
			taken[c.Name] = true
		}
	}
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(columns[a].Field, columns[b].Field) })
	for _, i := range order {
		c := &columns[i]
		if c.Name != "" {
			continue
		}
		if c.Name = Fold(c.Field); taken[c.Name] {
			c.Name = truncate(c.Field)
		}
		taken[c.Name] = true
	}
}
