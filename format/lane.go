package format

import (
	"fmt"
	"sync/atomic"
)

// lane does the work on the full pages and the row groups of a file, in order. As long as no page
// of a file has become full, the work is done at once. From then on a goroutine does it, while
// further pages are filled.
type lane struct {
	jobs   chan func() error // nil without the goroutine
	done   chan struct{}     // closed when the goroutine has ended
	failed atomic.Bool       // err is set: the rest of the jobs are not done
	err    error
	spare  chan page // emptied pages, for their buffers
}

// The jobs that wait bound the memory: each has a page.
const (
	waitingJobs = 4
	sparePages  = 16
)

func newLane() *lane { return &lane{spare: make(chan page, sparePages)} }

// start begins the goroutine, if it has not begun. The caller calls end.
func (l *lane) start() {
	if l.jobs != nil {
		return
	}
	l.jobs, l.done = make(chan func() error, waitingJobs), make(chan struct{})
	go func() {
		defer close(l.done)
		for job := range l.jobs {
			if l.failed.Load() {
				continue
			}
			if l.err = safely(job); l.err != nil {
				l.failed.Store(true)
			}
		}
	}()
}

// do does a job, now or later. The error is that of this job or of an earlier one.
func (l *lane) do(job func() error) error {
	if l.jobs == nil {
		return job()
	}
	if l.failed.Load() {
		return l.err
	}
	l.jobs <- job
	return nil
}

// end waits for all jobs and returns the first error of the goroutine.
func (l *lane) end() error {
	if l.jobs == nil {
		return nil
	}
	close(l.jobs)
	<-l.done
	l.jobs = nil
	return l.err
}

// safely turns a panic, which would end the process, into an error.
func safely(job func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("write parquet file: %v", r)
		}
	}()
	return job()
}

// reuse keeps the buffers of a page, unless they have become large.
func (l *lane) reuse(p page) {
	if cap(p.plain) > keptBuffer {
		return
	}
	select {
	case l.spare <- page{plain: p.plain[:0], valid: p.valid[:0]}:
	default:
	}
}

// emptyPage is a page without values.
func (l *lane) emptyPage() page {
	select {
	case p := <-l.spare:
		return p
	default:
		return page{}
	}
}
