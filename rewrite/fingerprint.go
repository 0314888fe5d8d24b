package rewrite

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/ontosql/ontosql/rewrite/syntax"
)

// placeless is a node without the places of its parts.
func placeless(n *pg.Node) *pg.Node {
	n = proto.Clone(n).(*pg.Node)
	syntax.Visit(n.ProtoReflect(), func(m any) bool {
		part := m.(proto.Message).ProtoReflect()
		if place := part.Descriptor().Fields().ByName("location"); place != nil {
			part.Clear(place)
		}
		return true
	})
	return n
}
