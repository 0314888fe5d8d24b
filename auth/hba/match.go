package hba

import (
	"net/netip"
	"slices"
	"strings"
)

// Connection is what a client says before it has proved anything.
type Connection struct {
	Address        netip.Addr
	TLS            bool
	User, Database string // the database with its branch and point, if the client names them: shop:dev@v1
}

// Membership knows the members of roles.
type Membership interface {
	// Member reports whether the user is the role, or a member of it directly or by other
	// roles. That superusers may do everything does not make them members.
	Member(user, role string) bool
}

// Match is the first line that fits the connection, false if none does.
func (r *Rules) Match(c Connection, members Membership) (Rule, bool) {
	c.Address = c.Address.Unmap().WithZone("")
	for _, rule := range r.rules {
		if rule.fits(c, members) {
			return rule, true
		}
	}
	return Rule{}, false
}

func (r *Rule) fits(c Connection, members Membership) bool {
	switch {
	case r.encryption == encrypted && !c.TLS, r.encryption == plain && c.TLS:
		return false
	case r.network.IsValid() && !r.network.Contains(c.Address):
		return false
	}
	database := func(t token) bool {
		switch {
		case t.keyword("all"):
			return true
		case t.keyword("sameuser"):
			return covers(c.User, c.Database)
		case t.keyword("samerole"), t.keyword("samegroup"):
			return members.Member(c.User, alias(c.Database))
		case t.keyword("replication"):
			return false // such connections do not exist
		}
		return covers(t.text, c.Database)
	}
	user := func(t token) bool {
		switch {
		case t.keyword("all"):
			return true
		case !t.quoted && len(t.text) > 1 && t.text[0] == '+':
			return members.Member(c.User, t.text[1:])
		}
		return t.text == c.User
	}
	return slices.ContainsFunc(r.databases, database) && slices.ContainsFunc(r.user, user)
}

// covers reports whether a name of a database means this one: shop means its branches and points
// too, so that nobody gets around a line by asking for shop@HEAD.
func covers(name, database string) bool {
	rest, ok := strings.CutPrefix(database, name)
	return ok && (rest == "" || rest[0] == ':' || rest[0] == '@')
}

// alias is the database without branch and point.
func alias(database string) string {
	if i := strings.IndexAny(database, ":@"); i >= 0 {
		return database[:i]
	}
	return database
}
