package rewrite

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc"
)

// informationTypes are the types below information_schema's domains.
var informationTypes = map[string]typ{
	"cardinal_number": t(int4OID), "character_data": t(varcharOID), "sql_identifier": t(nameOID), "time_stamp": {oid: timestamptzOID, mod: 2}, "yes_or_no": {oid: varcharOID, mod: 3 + 4},
}

// maxTypeLength is PostgreSQL's bound of n in varchar(n) and char(n) (MaxAttrSize).
const maxTypeLength = 10485760

// typeOf reads a type name of the grammar, with its modifiers and array bounds.
func typeOf(tr *tree, n *pg.TypeName) (typ, error) {
	ty, err := namedType(n)
	if err != nil {
		return typ{}, err.At(tr.position(n.Location))
	}
	return ty, nil
}

func namedType(n *pg.TypeName) (typ, *pgerr.Error) {
	names := strs(n.Names)
	if n.PctType || n.Setof {
		return typ{}, pgerr.Unsupported("%%TYPE and SETOF are not supported")
	}
	undefined := func() *pgerr.Error {
		return pgerr.New(pgerr.UndefinedObject, "type %q does not exist", strings.Join(names, ".")+strings.Repeat("[]", min(len(n.ArrayBounds), 1)))
	}
	name := names[len(names)-1]
	if len(names) == 2 && names[0] == "information_schema" && informationTypes[name].oid != 0 && len(n.ArrayBounds) == 0 {
		return informationTypes[name], nil
	}
	if len(names) == 2 && names[0] != "pg_catalog" {
		return typ{}, undefined()
	}
	i := typesByName[name]
	if i == nil && strings.HasPrefix(name, "_") && typesByName[name[1:]] != nil {
		return arrayOf(t(typesByName[name[1:]].oid)), nil
	}
	if i == nil || i.duck == "" {
		switch name {
		case "money", "xml", "point", "line", "box", "path", "polygon", "circle", "cidr", "macaddr",
			"tsvector", "tsquery", "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange":
			return typ{}, pgerr.Unsupported("type %s is not supported", name)
		}
		return typ{}, undefined()
	}
	ty := t(i.oid)
	var err *pgerr.Error
	if ty.mod, err = modifier(i, n.Typmods); err != nil {
		return typ{}, err
	}
	if len(n.ArrayBounds) > 0 {
		return typ{oid: arrayOf(ty).oid, mod: ty.mod, num: ty.num}, nil
	}
	return ty, nil
}

// modifier is a type's modifier as PostgreSQL counts it (atttypmod), -1 for none.
func modifier(i *typeInfo, given []*pg.Node) (int32, *pgerr.Error) {
	mods := make([]int32, 0, 2)
	for _, m := range given {
		c := m.GetAConst()
		v, ok := c.GetVal().(*pg.A_Const_Ival)
		if !ok {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "type modifiers must be simple constants or identifiers")
		}
		mods = append(mods, v.Ival.GetIval())
	}
	if len(mods) == 0 {
		return -1, nil
	}
	switch i.oid {
	case numericOID:
		p, s := mods[0], int32(0)
		if len(mods) > 1 {
			s = mods[1]
		}
		if len(mods) > 2 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "invalid NUMERIC type modifier")
		}
		if p < 1 || p > 1000 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "NUMERIC precision %d must be between 1 and 1000", p)
		}
		if p > 38 || s < 0 || s > p {
			return 0, pgerr.Unsupported("numeric(%d,%d) is not supported: at most 38 digits, scale from 0 to the precision", p, s)
		}
		return p<<16 | s + 4, nil
	case varcharOID, bpcharOID:
		lengthName := strings.TrimPrefix(i.name, "bp")
		if mods[0] < 1 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s must be at least 1", lengthName)
		}
		if mods[0] > maxTypeLength {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s cannot exceed %d", lengthName, maxTypeLength)
		}
		return mods[0] + 4, nil
	case bitOID, varbitOID:
		if mods[0] < 1 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s must be at least 1", i.name)
		}
		if mods[0] > pgfunc.MaxBits {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s cannot exceed %d", i.name, pgfunc.MaxBits)
		}
		return mods[0], nil
	case timestampOID, timestamptzOID, timeOID, timetzOID:
		return min(mods[0], 6), nil
	case intervalOID:
		if len(mods) > 1 {
			return intervalMod(mods[0], min(mods[1], 6)), nil
		}
		return intervalMod(mods[0], allDigits), nil
	}
	return 0, pgerr.New(pgerr.SyntaxError, "type modifier is not allowed for type %q", i.name)
}
