package syntax

import (
	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Visit calls f for every message of a tree, parents first, until f says no. What a
// constant is made of is not visited: lists have millions of them.
func Visit(m protoreflect.Message, f func(any) bool) bool {
	n := m.Interface()
	if !f(n) {
		return false
	}
	if n, ok := n.(*pg.Node); ok && n.GetAConst() != nil {
		return f(n.GetAConst())
	}
	return VisitChildren(m, func(_ protoreflect.Name, child protoreflect.Message) bool { return Visit(child, f) })
}

// VisitChildren calls f for the messages in the fields of a message, with the name of the
// field, until f says no. It reports whether f never did.
func VisitChildren(m protoreflect.Message, f func(protoreflect.Name, protoreflect.Message) bool) bool {
	ok := true
	rangeFields(m, func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Kind() != protoreflect.MessageKind:
		case fd.IsList():
			l := v.List()
			for i := 0; ok && i < l.Len(); i++ {
				ok = f(fd.Name(), l.Get(i).Message())
			}
		default:
			ok = f(fd.Name(), v.Message())
		}
		return ok
	})
	return ok
}

// rangeFields calls f for every field of a message that is set, in the order of the
// grammar's definition, until f returns false. Message.Range has an order that differs from
// one build of the program to another, and with it the place that an error names.
func rangeFields(m protoreflect.Message, f func(protoreflect.FieldDescriptor, protoreflect.Value) bool) {
	if _, ok := m.Interface().(*pg.Node); ok { // one field of hundreds is set
		m.Range(f)
		return
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); m.Has(fd) && !f(fd, m.Get(fd)) {
			return
		}
	}
}
