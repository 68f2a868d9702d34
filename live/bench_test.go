package live

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// BenchmarkClients steps one quadruped at its own pace, 50 Hz, in rounds with no clients and
// with 100 that read every frame, one after the other, and compares the medians of the
// times that the steps take: clients share the processors, but no step waits for them.
func BenchmarkClients(b *testing.B) {
	const clients, round = 100, 25
	r := open(b, quadruped(b, "worlds=1"), nil)
	defer r.env.Close()
	s := r.Server
	var alone, watched []time.Duration
	for i := range max(2, b.N) {
		s.hub = newHub(s.hub.description, make([]byte, KeySize), 0) // without the sessions of earlier rounds
		go s.hub.fanOut()
		if i%2 == 1 {
			for range clients {
				c := polytest.Must(s.hub.join(JoinOptions{}))(b)
				go func() {
					for {
						if _, err := c.Next(context.Background()); err != nil {
							return
						}
					}
				}()
			}
		}
		for range round {
			time.Sleep(20 * time.Millisecond)
			begin := time.Now()
			polytest.NoError(b, s.stepOnce())
			took := time.Since(begin)
			if i%2 == 1 {
				watched = append(watched, took)
			} else {
				alone = append(alone, took)
			}
		}
		s.hub.close()
	}
	slices.Sort(alone)
	slices.Sort(watched)
	before, after := alone[len(alone)/2], watched[len(watched)/2]
	b.ReportMetric(float64(before.Nanoseconds())/1e3, "µs/step-alone")
	b.ReportMetric(float64(after.Nanoseconds())/1e3, "µs/step-100-clients")
	b.ReportMetric(100*(float64(after)/float64(before)-1), "%more")
}

// BenchmarkPublish is the part of a step that frames add.
func BenchmarkPublish(b *testing.B) {
	r := open(b, quadruped(b, "worlds=1"), nil)
	defer r.env.Close()
	b.ReportAllocs()
	for b.Loop() {
		r.publish()
	}
}
