package branch

import (
	"github.com/ontosql/ontosql"
	"github.com/ontosql/ontosql/chain"
	"github.com/ontosql/ontosql/resolver"
)

// Ancestry is what two branches have in common.
type Ancestry struct {
	// Fork is the last commit that both chains have, 0 if they have none in common.
	Fork ontosql.CommitID
	// InFirst is the last commit of the second branch whose changes the first one has: the fork, or one
	// that was merged into it since. InSecond is the opposite.
	InFirst, InSecond ontosql.CommitID

	first, second *resolver.Pin
}

// Ahead is the number of commits of the first branch that the second one does not have.
func (a *Ancestry) Ahead() int { return int(a.first.Head.Commit - a.InSecond) }

// Behind is the opposite of Ahead.
func (a *Ancestry) Behind() int { return int(a.second.Head.Commit - a.InFirst) }

// reverse is the ancestry of the second and the first branch.
func (a *Ancestry) reverse() *Ancestry {
	return &Ancestry{Fork: a.Fork, InFirst: a.InSecond, InSecond: a.InFirst, first: a.second, second: a.first}
}

// relate finds what two pins have in common. The chains are compared, and the merges that their
// commits record. The error is a *ontosql.CorruptError.
func relate(first, second *resolver.Pin) (*Ancestry, error) {
	a := &Ancestry{Fork: first.View.Fork(second.View), first: first, second: second}
	var err error
	if a.InFirst, err = mergedUpTo(second.View, first.View, first.Head.Commit, a.Fork); err != nil {
		return nil, err
	}
	a.InSecond, err = mergedUpTo(first.View, second.View, second.Head.Commit, a.Fork)
	return a, err
}

// mergedUpTo is the last commit of a branch whose changes another one, into, has at a commit of it.
func mergedUpTo(branch, into *chain.View, at, fork ontosql.CommitID) (ontosql.CommitID, error) {
	merged := min(fork, at)
	for id := fork + 1; id <= at; id++ {
		e := into.Commit(id)
		m, err := e.Manifest.Merge(e.Path)
		if err != nil {
			return 0, err
		}
		if m == nil || m.Commit <= merged {
			continue
		}
		if of := branch.Commit(m.Commit); of != nil && of.Digest() == m.Digest { // else a merge of a third branch
			merged = m.Commit
		}
	}
	return merged, nil
}

// state is a branch at a commit.
type state struct {
	second bool // of the second branch of the ancestry
	commit ontosql.CommitID
}

// bases are the newest states that both branches have. There are two if each was merged into the
// other before it had the other's merge: then a value that is that of either is not changed.
func (a *Ancestry) bases() ([]state, error) {
	ofFirst, ofSecond := state{commit: a.InSecond}, state{second: true, commit: a.InFirst}
	if ofFirst.commit == a.Fork && ofSecond.commit == a.Fork {
		return []state{ofFirst}, nil
	}
	firstThere, err := mergedUpTo(a.first.View, a.second.View, a.InFirst, a.Fork)
	if err != nil {
		return nil, err
	}
	secondThere, err := mergedUpTo(a.second.View, a.first.View, a.InSecond, a.Fork)
	switch {
	case err != nil:
		return nil, err
	case firstThere >= a.InSecond: // the state of the second has that of the first
		return []state{ofSecond}, nil
	case secondThere >= a.InFirst:
		return []state{ofFirst}, nil
	}
	return []state{ofFirst, ofSecond}, nil
}

// pin pins a state.
func (a *Ancestry) pin(s state) (*resolver.Pin, error) {
	if s.second {
		return a.second.At(s.commit)
	}
	return a.first.At(s.commit)
}
