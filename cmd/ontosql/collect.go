package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How much the heap may grow before it is collected: to five times the live memory and by at
// most largestGrowth, but always to twice the live memory.
const (
	mostPercent   = 400
	leastPercent  = 100
	largestGrowth = 128 << 20
)

// collectSeldom lets a small heap grow to five times what is live before it is
// collected: at the usual doubling a fifth of a busy gateway's time went into
// collecting. What is large lies with the engine, outside the heap, so that this
// costs tens of megabytes; a large heap, as of a COPY of many rows, grows by little
// more than its garbage. Beyond an eighth of the machine's memory it is collected as
// often as that takes. GOGC and GOMEMLIMIT decide where they are set.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(mostPercent)
		afterCollection(func() { debug.SetGCPercent(growthPercent(liveHeap())) })
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(machineMemory() / 8)
	}
}

const (
	idleLook   = 5 * time.Second // between two looks at what was allocated
	idleBytes  = 1 << 20         // a process that allocates less in between is idle
	worthBytes = 16 << 20        // allocations since the last collection that make another one worth while
)

// collectWhenIdle gives the garbage of a process that has come to rest back to the machine. The
// runtime by itself collects a heap that does not grow every two minutes.
func collectWhenIdle(ctx context.Context) {
	var rest atRest
	tick := time.NewTicker(idleLook)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if rest.came(allocated()) {
				debug.FreeOSMemory()
			}
		case <-ctx.Done():
			return
		}
	}
}

// atRest sees when a process comes to rest, by the bytes that it has allocated in all.
type atRest struct{ last, collected uint64 }

// came reports whether little was allocated since the last call, and much before that since came
// was last true.
func (r *atRest) came(now uint64) bool {
	quiet := now-r.last < idleBytes
	r.last = now
	if !quiet || now-r.collected < worthBytes {
		return false
	}
	r.collected = now
	return true
}

// growthPercent is by how much a heap may grow of which so many bytes are live.
func growthPercent(live uint64) int {
	return int(min(mostPercent, max(leastPercent, largestGrowth*100/max(live, 1))))
}

// liveHeap is what the last collection found in use.
func liveHeap() uint64 { return bytesOf("/gc/heap/live:bytes") }

// allocated is what was allocated on the heap since the start.
func allocated() uint64 { return bytesOf("/gc/heap/allocs:bytes") }

func bytesOf(metric string) uint64 {
	sample := []metrics.Sample{{Name: metric}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterCollection calls f after each collection of garbage, from a goroutine of the
// runtime.
func afterCollection(f func()) {
	// It is big enough not to share its memory with something that lives.
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		afterCollection(f)
		f()
	}, struct{}{})
}
