package coercion

import "github.com/ontosql/ontosql/rewrite/scope"

// Coercer brings typed expressions to other types.
type Coercer struct{ *scope.State }
