package rewrite

import "google.golang.org/protobuf/reflect/protoreflect"

// visit calls f for every message of a tree, parents first, until f says no.
func visit(m protoreflect.Message, f func(any) bool) bool {
	if !f(m.Interface()) {
		return false
	}
	ok := true
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.Kind() != protoreflect.MessageKind:
		case fd.IsList():
			l := v.List()
			for i := range l.Len() {
				if ok = visit(l.Get(i).Message(), f); !ok {
					return false
				}
			}
		default:
			ok = visit(v.Message(), f)
		}
		return ok
	})
	return ok
}
