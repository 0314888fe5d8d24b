package rewrite

import (
	"errors"
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
)

// DeclaredType is a type as PostgreSQL knows it.
type DeclaredType struct {
	OID    uint32
	Typmod int32  // as pg_attribute.atttypmod has it; -1 for none
	Name   string // as format_type writes it: "numeric(10,2)", "character varying(40)"
}

// TextLength is n of a varchar(n), whose type modifier is given.
func TextLength(typmod int32) int { return int(typmod) - 4 }

// NumericLimits are p and s of a numeric(p,s), whose type modifier is given, and what
// PostgreSQL says of a value that has no place in it.
func NumericLimits(typmod int32) (precision, scale int, overflow *pgerr.Error) {
	p, s := numericMod(typmod)
	return int(p), int(s), numericOverflow(typmod)
}

// columnTypes are the types that a column can be declared to have.
var columnTypes = []uint32{
	boolOID, byteaOID, int8OID, int4OID, int2OID, textOID, varcharOID, jsonOID, jsonbOID,
	float4OID, float8OID, dateOID, timestamptzOID, numericOID, uuidOID,
}

// serialTypes are what the grammar takes for types and PostgreSQL for an integer
// with a sequence.
var serialTypes = []string{"smallserial", "serial2", "serial", "serial4", "bigserial", "serial8"}

// declaredType reads the type of a column. char(n) is a varchar(n): nothing is padded.
func (t *tree) declaredType(column string, n *pg.TypeName) (DeclaredType, error) {
	at := t.position(n.Location)
	if n.Setof {
		return DeclaredType{}, pgerr.New(pgerr.InvalidTableDefinition, "column %q cannot be declared SETOF", column)
	}
	if names := strs(n.Names); len(names) == 1 && slices.Contains(serialTypes, names[0]) {
		return DeclaredType{}, pgerr.Unsupported("type %s is not supported", names[0]).At(at).
			WithHint("There are no sequences. Use bigint and give each row its number, or uuid with DEFAULT gen_random_uuid().")
	}
	ty, err := typeOf(t, n)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) && e.Code == pgerr.FeatureNotSupported && e.Hint == "" {
			e.Hint = otherTypeHint
		}
		return DeclaredType{}, err
	}
	return declare(column, ty, at)
}

// DeclareType is the type of a column that a query or a table gives: its OID and
// modifier decide, and a text with one is a varchar(n). A column of another type is
// 0A000.
func DeclareType(column string, oid uint32, typmod int32) (DeclaredType, error) {
	return declare(column, typ{oid: oid, mod: typmod}, 0)
}

func declare(column string, ty typ, at int) (DeclaredType, error) {
	if ty.oid == bpcharOID || ty.oid == textOID && ty.mod >= 4 {
		ty.oid = varcharOID
	}
	if ty.category() == 'P' || ty.oid == unknownOID {
		return DeclaredType{}, pgerr.New(pgerr.InvalidTableDefinition, "column %q has pseudo-type %s", column, ty)
	}
	precision, scale := numericMod(ty.mod)
	switch {
	case !slices.Contains(columnTypes, ty.oid):
		err := pgerr.Unsupported("type %s is not supported for a column", ty).At(at).WithHint(otherTypeHint)
		if ty.oid == timestampOID {
			err.Hint = "Use timestamptz: a moment is kept with its zone."
		}
		return DeclaredType{}, err
	case ty.oid == timestamptzOID && ty.mod >= 0 && ty.mod < 6:
		return DeclaredType{}, pgerr.Unsupported("timestamptz(%d) is not supported for a column", ty.mod).At(at).
			WithHint("Use timestamptz, which keeps microseconds.")
	case ty.oid == timestamptzOID:
		ty.mod = -1
	case ty.oid == numericOID && ty.mod >= 0 && (precision-scale > maxWhole || scale > maxFraction):
		return DeclaredType{}, pgerr.Unsupported("%s is not supported for a column", declaredName(ty)).At(at).
			WithHint("A numeric column has at most %d digits before the point and %d behind it.", maxWhole, maxFraction)
	}
	return DeclaredType{OID: ty.oid, Typmod: ty.mod, Name: declaredName(ty)}, nil
}

const otherTypeHint = "Use jsonb for what has parts and text for anything else."

// declaredName is the type with its modifier, as format_type writes it.
func declaredName(t typ) string {
	switch {
	case t.mod < 4:
	case t.oid == numericOID:
		precision, scale := numericMod(t.mod)
		return fmt.Sprintf("numeric(%d,%d)", precision, scale)
	case t.oid == varcharOID:
		return fmt.Sprintf("character varying(%d)", t.mod-4)
	}
	return t.String()
}

// collation checks the COLLATE of a column: its order is that of bytes.
func (t *tree) collation(ty DeclaredType, n *pg.CollateClause) error {
	if n == nil {
		return nil
	}
	at := t.position(n.Location)
	if err := byteOrder(n); err != nil {
		return err.At(at)
	}
	if !isText(ty.OID) {
		return pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", typ{oid: ty.OID, mod: -1}).At(at)
	}
	return nil
}
