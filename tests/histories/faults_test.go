package histories

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"syscall"
	"time"
)

// nemesis does to a history what the world may do to it, as its seed says.
type nemesis struct {
	record *record
	random *rand.Rand
	among  []*participant
	net    *proxy // nil for a directory
	head   string // the file of the head object

	kills, stops int
}

// run injects faults until done is closed. It leaves every process running and the network
// without faults.
func (n *nemesis) run(done <-chan struct{}) error {
	var wg sync.WaitGroup
	if n.net != nil {
		random := rand.New(rand.NewPCG(n.random.Uint64(), 'w'))
		wg.Go(func() { n.changeWeather(random, done) })
	}
	defer wg.Wait()
	for sleepUntil(done, between(n.random, 300*time.Millisecond, 1500*time.Millisecond)) {
		victim := n.among[n.random.IntN(len(n.among))]
		p := victim.process()
		n.aim(victim, done)
		if n.random.IntN(3) == 0 {
			n.stops++
			p.signal(syscall.SIGSTOP)
			sleepUntil(done, between(n.random, lease/2, lease*2))
			p.signal(syscall.SIGCONT)
			continue
		}
		n.kills++
		p.kill()
		sleepUntil(done, between(n.random, 0, 400*time.Millisecond))
		if err := victim.start(); err != nil {
			return fmt.Errorf("start %s again: %w", victim.name, err)
		}
	}
	return nil
}

// aim waits until the victim is inside a commit: anywhere in it, or just after the head changed
// and before the client received the answer.
func (n *nemesis) aim(victim *participant, done <-chan struct{}) {
	for range 30 {
		if n.record.writing(victim.name) || !sleepUntil(done, 10*time.Millisecond) {
			break
		}
	}
	if n.random.IntN(2) == 0 {
		sleepUntil(done, between(n.random, 0, 50*time.Millisecond))
		return
	}
	before, _ := os.Stat(n.head)
	for range 1000 {
		now, _ := os.Stat(n.head)
		if !os.SameFile(before, now) || !sleepUntil(done, 100*time.Microsecond) {
			return
		}
	}
}

// changeWeather lets calm and trouble of one kind take turns.
func (n *nemesis) changeWeather(random *rand.Rand, done <-chan struct{}) {
	for {
		n.net.set(calm, 0)
		if !sleepUntil(done, between(random, 100*time.Millisecond, 500*time.Millisecond)) {
			return
		}
		n.net.set(noQuestion+weather(random.IntN(int(weathers-noQuestion))), 0.02+0.15*random.Float64())
		if !sleepUntil(done, between(random, 200*time.Millisecond, 900*time.Millisecond)) {
			n.net.set(calm, 0)
			return
		}
	}
}

func between(random *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(random.Int64N(int64(most-least)))
}

// sleepUntil reports whether the time passed before done was closed.
func sleepUntil(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-done:
		return false
	}
}
