package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// contender is one side of a comparison.
type contender struct {
	name string
	// turn does what is compared, once or a few times, and says how long each took.
	// lap counts from 0, so that all contenders are asked the same.
	turn func(lap int) ([]time.Duration, error)
}

// each is a turn of so many questions; i counts them over all laps.
func each(questions int, ask func(i int) error) func(lap int) ([]time.Duration, error) {
	return eachBy(wallClock(), questions, ask)
}

// clock is the time since some moment.
type clock func() (time.Duration, error)

func wallClock() clock {
	began := time.Now()
	return func() (time.Duration, error) { return time.Since(began), nil }
}

// eachBy is each by another clock.
func eachBy(now clock, questions int, ask func(i int) error) func(lap int) ([]time.Duration, error) {
	return func(lap int) ([]time.Duration, error) {
		took := make([]time.Duration, questions)
		for i := range took {
			began, err := now()
			if err != nil {
				return nil, err
			}
			if err := ask(lap*questions + i); err != nil {
				return nil, err
			}
			ended, err := now()
			if err != nil {
				return nil, err
			}
			took[i] = ended - began
		}
		return took, nil
	}
}

// race lets the contenders take turns, after a lap that does not count, so that
// the machine's mood is in all of them. Its result is in their order.
func race(laps int, all ...contender) ([]samples, error) {
	out := make([]samples, len(all))
	for lap := range laps + 1 {
		for i, c := range all {
			took, err := c.turn(lap)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			if lap > 0 {
				out[i] = append(out[i], took...)
			}
		}
	}
	return out, nil
}

// samples are how long the same thing took each time.
type samples []time.Duration

func (s samples) median() time.Duration            { return median(s) }
func (s samples) quantile(q float64) time.Duration { return quantile(s, q) }

// over is the ratio of two medians.
func (s samples) over(other samples) float64 {
	return float64(s.median()) / float64(other.median())
}

func median[T cmp.Ordered](all []T) T { return quantile(all, 0.5) }

// quantile is the least value that a share q of all does not exceed.
func quantile[T cmp.Ordered](all []T, q float64) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
