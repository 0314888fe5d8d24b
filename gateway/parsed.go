package gateway

import (
	"sync"

	"github.com/ontosql/ontosql/gateway/session"
	"github.com/ontosql/ontosql/rewrite/syntax"
)

// The sizes of the cache of prepared texts.
const (
	mostParsed    = 256
	longestParsed = 4 << 10 // bytes of a text
)

// parsedTexts are the texts that sessions have prepared last, parsed. The connections of a pool
// prepare the same ones, and the parsed form, which nothing changes, is a quarter of the memory of
// a session at rest. Plans are not shared: they hold for one session's settings and tables.
type parsedTexts struct {
	mu    sync.Mutex
	texts *session.LRU[*syntax.Statement]
}

func newParsedTexts() *parsedTexts {
	return &parsedTexts{texts: session.NewLRU[*syntax.Statement](mostParsed, nil)}
}

// analyze is syntax.Analyze. Errors are not kept.
func (p *parsedTexts) analyze(sql string) (*syntax.Statement, error) {
	if len(sql) > longestParsed {
		return syntax.Analyze(sql)
	}
	p.mu.Lock()
	st, ok := p.texts.Get(sql)
	p.mu.Unlock()
	if ok {
		return st, nil
	}
	st, err := syntax.Analyze(sql)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, ok := p.texts.Get(sql); ok {
		return first, nil // another session was faster
	}
	p.texts.Put(sql, st)
	return st, nil
}
