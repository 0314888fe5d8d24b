package crash

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ontosql/ontosql/internal/testenv"
)

// Variables of the environment that make a longer run, and repeat one.
const (
	roundsVar = "ONTOSQL_CRASH_ROUNDS" // kills on directories; a fifth as many on S3
	seedVar   = "ONTOSQL_CRASH_SEED"
)

const (
	// usual is the default number of rounds of a run.
	usual = 40
	// worlds live at once, for they mostly wait for the leases of the dead.
	worlds = 5
	// perStore is how many rounds one store lives through.
	perStore = 25
)

// TestKillOnDirectories kills servers on directories.
func TestKillOnDirectories(t *testing.T) {
	kill(t, number(t, roundsVar, usual), newDirStore)
}

// TestKillOnS3 kills servers on an S3 server that keeps running: a request of a killed server
// may still take effect.
func TestKillOnS3(t *testing.T) {
	at := testenv.S3(t)
	kill(t, number(t, roundsVar, usual)/5, func(ctx context.Context) (*store, error) { return newS3Store(ctx, at) })
}

// seedOf is the seed of a test's randomness. It repeats what clients do and what
// is aimed at, not how the machine takes turns.
func seedOf(t *testing.T) uint64 {
	return uint64(number(t, seedVar, int(time.Now().UnixNano()%1e9)))
}

func number(t *testing.T, name string, otherwise int) int {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%s: %v", name, text, err)
	}
	return n
}

// kill spreads rounds over worlds and reports.
func kill(t *testing.T, rounds int, newStore func(context.Context) (*store, error)) {
	seed := seedOf(t)
	count := newFigures()
	var all sync.WaitGroup
	for n := range worlds {
		mine := rounds / worlds
		if n < rounds%worlds {
			mine++
		}
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			for first := 0; first < mine && !t.Failed(); first += perStore {
				s, err := newStore(t.Context())
				if err != nil {
					t.Errorf("make a store: %v", err)
					return
				}
				// Worlds begin at different aims, so that short runs have all of them.
				if err := newWorld(s, r, count).live(t.Context(), 2*n+first, min(perStore, mine-first)); err != nil {
					t.Errorf("%s=%d, world %d: %v", seedVar, seed, n, err)
				}
				s.remove(t)
			}
		})
	}
	all.Wait()
	t.Logf("seed %d: %s", seed, count)
}
