package rewrite

import "github.com/ontosql/ontosql/rewrite/scope"

// coercer brings typed expressions to other types.
type coercer struct{ *scope.State }
