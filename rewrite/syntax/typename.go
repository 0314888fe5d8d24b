package syntax

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/pgfunc/str"
	"github.com/ontosql/ontosql/rewrite/types"
)

// informationTypes are the types below information_schema's domains.
var informationTypes = map[string]types.Type{
	"cardinal_number": types.Of(types.Int4), "character_data": types.Of(types.Varchar), "sql_identifier": types.Of(types.Name), "time_stamp": {OID: types.TimestampTZ, Typmod: 2}, "yes_or_no": {OID: types.Varchar, Typmod: 3 + 4},
}

// maxTypeLength is PostgreSQL's bound of n in varchar(n) and char(n) (MaxAttrSize).
const maxTypeLength = 10485760

// TypeOf reads a type name of the grammar, with its modifiers and array bounds.
func TypeOf(tr *Tree, n *pg.TypeName) (types.Type, error) {
	ty, err := NamedType(n)
	if err != nil {
		return types.Type{}, err.At(tr.Position(n.Location))
	}
	return ty, nil
}

// NamedType is TypeOf without the position of the error.
func NamedType(n *pg.TypeName) (types.Type, *pgerr.Error) {
	names := Strings(n.Names)
	if n.PctType || n.Setof {
		return types.Type{}, pgerr.Unsupported("%%TYPE and SETOF are not supported")
	}
	undefined := func() *pgerr.Error {
		return pgerr.New(pgerr.UndefinedObject, "type %q does not exist", strings.Join(names, ".")+strings.Repeat("[]", min(len(n.ArrayBounds), 1)))
	}
	name := names[len(names)-1]
	if len(names) == 2 && names[0] == "information_schema" && informationTypes[name].OID != 0 && len(n.ArrayBounds) == 0 {
		return informationTypes[name], nil
	}
	if len(names) == 2 && names[0] != "pg_catalog" {
		return types.Type{}, undefined()
	}
	i := types.ByName[name]
	if i == nil && strings.HasPrefix(name, "_") && types.ByName[name[1:]] != nil {
		return types.ArrayOf(types.Of(types.ByName[name[1:]].OID)), nil
	}
	if i == nil || i.EngineType == "" {
		switch name {
		case "money", "xml", "point", "line", "box", "path", "polygon", "circle", "cidr", "macaddr",
			"tsvector", "tsquery", "int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange":
			return types.Type{}, pgerr.Unsupported("type %s is not supported", name)
		}
		return types.Type{}, undefined()
	}
	ty := types.Of(i.OID)
	var err *pgerr.Error
	if ty.Typmod, err = modifier(i, n.Typmods); err != nil {
		return types.Type{}, err
	}
	if len(n.ArrayBounds) > 0 {
		ty = types.Type{OID: types.ArrayOf(ty).OID, Typmod: ty.Typmod, Numeric: ty.Numeric}
	}
	return ty.Internal(), nil
}

// modifier is a type's modifier as PostgreSQL counts it (atttypmod), -1 for none.
func modifier(i *types.Info, given []*pg.Node) (int32, *pgerr.Error) {
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
	switch i.OID {
	case types.Numeric:
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
		if s < -1000 || s > 1000 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "NUMERIC scale %d must be between -1000 and 1000", s)
		}
		return types.NumericModifier(p, s), nil
	case types.Varchar, types.BPChar:
		lengthName := strings.TrimPrefix(i.Name, "bp")
		if mods[0] < 1 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s must be at least 1", lengthName)
		}
		if mods[0] > maxTypeLength {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s cannot exceed %d", lengthName, maxTypeLength)
		}
		return mods[0] + 4, nil
	case types.Bit, types.Varbit:
		if mods[0] < 1 {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s must be at least 1", i.Name)
		}
		if mods[0] > str.MaxBits {
			return 0, pgerr.New(pgerr.InvalidParameterValue, "length for type %s cannot exceed %d", i.Name, str.MaxBits)
		}
		return mods[0], nil
	case types.Timestamp, types.TimestampTZ, types.Time, types.TimeTZ:
		return min(mods[0], 6), nil
	case types.Interval:
		if len(mods) > 1 {
			return types.IntervalTypmod(mods[0], min(mods[1], 6)), nil
		}
		return types.IntervalTypmod(mods[0], types.AllIntervalDigits), nil
	}
	return 0, pgerr.New(pgerr.SyntaxError, "type modifier is not allowed for type %q", i.Name)
}
