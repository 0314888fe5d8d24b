package main

import (
	"context"
	"path/filepath"

	"github.com/ontosql/ontosql/transfer"
)

// openSource opens the ontology at a for export and import, at its newest head.
// The caller calls done after the last use of it.
func (p *program) openSource(ctx context.Context, a address) (src transfer.Source, done func(), err error) {
	temp, err := p.cfg.transferDir()
	if err != nil {
		return nil, nil, err
	}
	s, err := p.cfg.openStore(ctx, a, p.log)
	if err != nil {
		return nil, nil, err
	}
	pin, err := s.store.Pin(ctx)
	if err != nil {
		s.close()
		return nil, nil, &openError{err}
	}
	if s.db != nil {
		return transfer.NewTables(s.db, pin), s.close, nil
	}
	return transfer.NewBucket(s.bucket, pin, temp), s.close, nil
}

// transferDir is where what is being moved lies as far as memory is too small.
func (c *Config) transferDir() (string, error) {
	root, err := c.cacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(root, "transfer"), nil
}
