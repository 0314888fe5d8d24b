package scope

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/proto"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/types"
)

// CheckParameterTypes wants a type for each parameter of a statement that has no place
// for any: those that the client declared (42P18).
func CheckParameterTypes(oids []uint32) error {
	if n := newParams(oids).Unused(); n > 0 {
		return IndeterminateType(n)
	}
	return nil
}

// IndeterminateType is 42P18 for parameter n.
func IndeterminateType(n int) *pgerr.Error {
	return pgerr.New(pgerr.IndeterminateDatatype, "could not determine data type of parameter $%d", n)
}

// Params are the parameters of a statement: their types, given by the client
// or by the first place that needs one.
type Params struct {
	types []types.Type // oid 0: not known yet
	seen  map[int]bool
}

func newParams(oids []uint32) *Params {
	p := &Params{seen: map[int]bool{}}
	for _, o := range oids {
		if o == types.Unknown {
			o = 0
		}
		p.types = append(p.types, types.Of(o))
	}
	return p
}

// See makes parameter n exist and returns its type, unknown if nothing said one.
func (p *Params) See(n int) types.Type {
	p.seen[n] = true
	for len(p.types) < n {
		p.types = append(p.types, types.Of(0))
	}
	if p.types[n-1].OID == 0 {
		return types.Of(types.Unknown)
	}
	return p.types[n-1]
}

// WithoutVoid is a call without its arguments that are parameters of type void, which
// PostgreSQL leaves out, too (ParseFuncOrColumn): JDBC has such a one for the result.
func (p *Params) WithoutVoid(n *pg.FuncCall) *pg.FuncCall {
	isVoid := func(a *pg.Node) bool {
		x := a.GetParamRef()
		return x != nil && 0 < x.Number && int(x.Number) <= len(p.types) && p.types[x.Number-1].OID == types.Void
	}
	if !slices.ContainsFunc(n.Args, isVoid) {
		return n
	}
	rest := proto.CloneOf(n)
	rest.Args = slices.DeleteFunc(rest.Args, isVoid)
	return rest
}

// Fix gives parameter n the type that its first use requires.
func (p *Params) Fix(n int, ty types.Type) *pgerr.Error {
	have := p.See(n)
	switch {
	case have.OID == types.Unknown:
		p.types[n-1] = types.Of(ty.OID)
	case have.OID != ty.OID:
		return pgerr.New("42P08", "inconsistent types deduced for parameter $%d", n).
			WithDetail("%s versus %s", have, types.Of(ty.OID))
	}
	return nil
}

// Unused is the number of a parameter that the statement does not use and that has no type, 0
// if every one is used or typed.
func (p *Params) Unused() int {
	for i, ty := range p.types {
		if ty.OID == 0 && !p.seen[i+1] {
			return i + 1
		}
	}
	return 0
}

// oids are the final types; a parameter that no place gave a type is text.
func (p *Params) oids() []uint32 {
	out := make([]uint32, len(p.types))
	for i := range p.types {
		out[i] = p.oid(i + 1)
	}
	return out
}

// known are the types that are known, 0 for the others, and the parameters that were named.
func (p *Params) known() (oids []uint32, named []int) {
	for i, ty := range p.types {
		oids = append(oids, ty.OID)
		if p.seen[i+1] {
			named = append(named, i+1)
		}
	}
	return oids, named
}

// ShareParams gives the parameters of several queries the same types. oids are those that the
// client declared.
func ShareParams(queries []*Scoped, oids []uint32) error {
	all := newParams(oids)
	for _, sc := range queries {
		for i, oid := range sc.Params {
			if oid != 0 && all.See(i+1).OID == types.Unknown {
				all.types[i] = types.Of(oid)
			}
		}
		for _, n := range sc.Mentioned {
			all.See(n)
		}
	}
	if n := all.Unused(); n > 0 {
		return IndeterminateType(n)
	}
	for _, sc := range queries {
		sc.Params = all.oids()
	}
	return nil
}

// oid is the final type of parameter n.
func (p *Params) oid(n int) uint32 {
	if oid := p.types[n-1].OID; oid != 0 {
		return oid
	}
	return types.Text
}
