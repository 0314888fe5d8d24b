package ddlstmt

import (
	"errors"
	"fmt"
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"github.com/ontosql/ontosql/pgerr"
	"github.com/ontosql/ontosql/rewrite/input"
	"github.com/ontosql/ontosql/rewrite/syntax"
	"github.com/ontosql/ontosql/rewrite/types"
)

// DeclaredType is a type as PostgreSQL knows it.
type DeclaredType struct {
	OID    uint32
	Typmod int32  // as pg_attribute.atttypmod has it; -1 for none
	Name   string // as format_type writes it: "numeric(10,2)", "character varying(40)"
}

// TextLength is n of a varchar(n), whose type modifier is given.
func TextLength(typmod int32) int { return int(typmod) - 4 }

// NumericLimits are p and s of a numeric(p,s), by its type modifier, and PostgreSQL's error of
// a value that overflows it.
func NumericLimits(typmod int32) (precision, scale int, overflow *pgerr.Error) {
	p, s := types.NumericTypmod(typmod)
	return int(p), int(s), input.NumericOverflow(typmod)
}

// columnTypes are the types that a column may have.
var columnTypes = []uint32{
	types.Bool, types.Bytea, types.Int8, types.Int4, types.Int2, types.Text, types.Varchar, types.JSON, types.JSONB,
	types.Float4, types.Float8, types.Date, types.TimestampTZ, types.Numeric, types.UUID,
}

// serialTypes are the pseudo-types for an integer column with a sequence of its own.
var serialTypes = []string{"smallserial", "serial2", "serial", "serial4", "bigserial", "serial8"}

// declaredType reads the type of a column, of an ordinary table if stored is true. In a type
// char(n) is a varchar(n): nothing is padded.
func declaredType(t *syntax.Tree, column string, n *pg.TypeName, stored bool) (DeclaredType, error) {
	at := t.Position(n.Location)
	if n.Setof {
		return DeclaredType{}, pgerr.New(pgerr.InvalidTableDefinition, "column %q cannot be declared SETOF", column)
	}
	if names := syntax.Strings(n.Names); len(names) == 1 && slices.Contains(serialTypes, names[0]) {
		if stored && len(n.ArrayBounds) > 0 {
			return DeclaredType{}, pgerr.Unsupported("array of serial is not implemented").At(at)
		}
		return DeclaredType{}, pgerr.Unsupported("type %s is not supported", names[0]).At(at).
			WithHint("The ontology has no sequences, schemas of the workspace have. Use bigint and give each row its number, or uuid with DEFAULT gen_random_uuid().")
	}
	ty, err := syntax.TypeOf(t, n)
	if err != nil {
		var e *pgerr.Error
		if errors.As(err, &e) && e.Code == pgerr.FeatureNotSupported && e.Hint == "" {
			e.Hint = otherTypeHint
		}
		return DeclaredType{}, err
	}
	if stored {
		return declareStored(column, ty, at)
	}
	return declare(column, ty, at)
}

// declareStored is the type of a column of an ordinary table, which may be any type of values.
func declareStored(column string, ty types.Type, at int) (DeclaredType, error) {
	if ty.Category() == 'P' || ty.OID == types.Unknown {
		return DeclaredType{}, pgerr.New(pgerr.InvalidTableDefinition, "column %q has pseudo-type %s", column, ty)
	}
	ty.OID = types.External(ty.OID)
	return DeclaredType{OID: ty.OID, Typmod: ty.Typmod, Name: declaredName(ty)}, nil
}

// StoredType is the type of a column of an ordinary table that another table gives.
func StoredType(column string, ty types.Type) (DeclaredType, error) {
	if ty.OID == types.Unknown { // PostgreSQL makes a text of it
		ty = types.Of(types.Text)
	}
	return declareStored(column, ty, 0)
}

// DeclareType is the type of a column that a query or a table gives: its OID and
// modifier decide, and a text with one is a varchar(n). A column of another type is
// 0A000.
func DeclareType(column string, oid uint32, typmod int32) (DeclaredType, error) {
	return declare(column, types.Type{OID: oid, Typmod: typmod}, 0)
}

func declare(column string, ty types.Type, at int) (DeclaredType, error) {
	if ty.OID == types.BPChar || ty.OID == types.Text && ty.Typmod >= 4 {
		ty.OID = types.Varchar
	}
	if ty.Category() == 'P' || ty.OID == types.Unknown {
		return DeclaredType{}, pgerr.New(pgerr.InvalidTableDefinition, "column %q has pseudo-type %s", column, ty)
	}
	ty.OID = types.External(ty.OID)
	switch {
	case !slices.Contains(columnTypes, ty.OID):
		err := pgerr.Unsupported("type %s is not supported for a column", ty).At(at).WithHint(otherTypeHint)
		if ty.OID == types.Timestamp {
			err.Hint = "Use timestamptz: a moment is kept with its zone."
		}
		return DeclaredType{}, err
	case ty.OID == types.TimestampTZ && ty.Typmod >= 0 && ty.Typmod < 6:
		return DeclaredType{}, pgerr.Unsupported("timestamptz(%d) is not supported for a column", ty.Typmod).At(at).
			WithHint("Use timestamptz, which keeps microseconds.")
	case ty.OID == types.TimestampTZ:
		ty.Typmod = -1
	}
	return DeclaredType{OID: ty.OID, Typmod: ty.Typmod, Name: declaredName(ty)}, nil
}

const otherTypeHint = "Use jsonb for what has parts and text for anything else."

// declaredName is the type with its modifier, as format_type writes it.
func declaredName(t types.Type) string {
	switch {
	case t.Typmod < 4:
	case t.OID == types.Numeric:
		precision, scale := types.NumericTypmod(t.Typmod)
		return fmt.Sprintf("numeric(%d,%d)", precision, scale)
	case t.OID == types.Varchar:
		return fmt.Sprintf("character varying(%d)", t.Typmod-4)
	}
	return t.String()
}

// checkColumnCollation checks the COLLATE of a column: only bytewise collations are supported.
func checkColumnCollation(t *syntax.Tree, ty DeclaredType, n *pg.CollateClause) error {
	if n == nil {
		return nil
	}
	at := t.Position(n.Location)
	if err := syntax.CheckCollation(n); err != nil {
		return err.At(at)
	}
	if !types.IsText(ty.OID) {
		return pgerr.New(pgerr.DatatypeMismatch, "collations are not supported by type %s", types.Type{OID: ty.OID, Typmod: -1}).At(at)
	}
	return nil
}
