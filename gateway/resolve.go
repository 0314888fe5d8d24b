package gateway

import "github.com/ontosql/ontosql/gateway/relation"

// resolving is the Resolver for the names that the session uses now.
func (s *Session) resolving() relation.Resolver {
	return relation.Resolver{Database: s.db.Name, Startup: s.start.Database, Path: s.settings.Value("search_path")}
}
