package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of /proc/PID/stat (USER_HZ, which is 100 on every Linux).
const tick = 10 * time.Millisecond

// processorTime is what a process took so far, 0 where the system does not tell.
func processorTime(pid int) time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in parentheses may hold spaces; utime and stime are the 14th and
	// 15th field, the 12th and 13th after it (proc(5)).
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// clock is the one by which the work of a process, 0 for this one, is measured: that of the wall, or with
// the flag processor the time that the processors spent on it.
func (l *lab) clock(pid int) clock {
	if !l.processor {
		return wallClock()
	}
	const ofProcess = 2 // CPUCLOCK_SCHED of the kernel's posix-timers.h
	id := int32(^pid<<3 | ofProcess)
	return func() (time.Duration, error) {
		var at unix.Timespec
		err := unix.ClockGettime(id, &at)
		return time.Duration(at.Nano()), err
	}
}

// ownProcessorTime is that of this process.
func ownProcessorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// processorTime is the processor time of the S3 server, whose process id is in a file next to
// the buckets.
func (r *remote) processorTime() time.Duration {
	text, err := os.ReadFile(filepath.Join(filepath.Dir(r.server.Buckets), "pid"))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return processorTime(pid)
}
