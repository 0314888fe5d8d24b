// Package roles says which roles a gateway has, as PostgreSQL 15 has them: their attributes, who is a member of whom,
// and the settings that their sessions begin with. It answers whether one role may act as another. It reads
// and writes nothing; room auth keeps the roles in the users file.
package roles
