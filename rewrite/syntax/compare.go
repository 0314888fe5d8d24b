package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"
)

// WithoutLocations is a copy of a node without the locations of its parts, for comparing nodes.
func WithoutLocations(n *pg.Node) *pg.Node {
	n = proto.Clone(n).(*pg.Node)
	Visit(n.ProtoReflect(), func(m any) bool {
		part := m.(proto.Message).ProtoReflect()
		if place := part.Descriptor().Fields().ByName("location"); place != nil {
			part.Clear(place)
		}
		return true
	})
	return n
}
