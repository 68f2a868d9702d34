package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// Options are those of the servers.
type Options struct {
	Access *Access     // nil: everybody may do everything
	TLS    *tls.Config // nil: plain connections
	Hosts  []string    // names, besides those of the loopback, by which pages may reach the server

	// Origins are those of pages elsewhere that may watch by Foxglove's protocol, such as "https://app.foxglove.dev".
	Origins []string

	// Log, if not nil, is called with a line about each client that is refused.
	Log func(line string)

	hello time.Duration // until a client has said who it is; 0: helloTimeout; set by tests
	stall time.Duration // until a client that does not read is closed; 0: stallTimeout; set by tests
}

// service is what the servers have in common.
type service struct {
	run     *live.Server
	options Options
	gate    *gate
}

func newService(run *live.Server, o Options) service {
	o.Log = limitLines(o.Log, time.Now)
	return service{run: run, options: o, gate: newGate(&o)}
}

// The limits of connections.
const (
	maxMessage   = 1 << 18 // bytes, from a client
	helloTimeout = 5 * time.Second
	stallTimeout = 5 * time.Second
	pingEvery    = time.Second      // of idle connections by gRPC
	sendWithin   = 30 * time.Second // a message of Foxglove's protocol, such as a scene
	closeWithin  = 250 * time.Millisecond
	writeBuffer  = 128 << 10 // bytes of a connection that the system keeps, about
)

func (o *Options) helloTimeout() time.Duration { return cmp.Or(o.hello, helloTimeout) }
func (o *Options) stallTimeout() time.Duration { return cmp.Or(o.stall, stallTimeout) }

// idleTimeout is the time after which a connection is closed on which nothing was asked.
func (o *Options) idleTimeout() time.Duration { return 12 * o.helloTimeout() }

// stallTicks is how many times watch looks, while a ping is not answered, whether there are new
// frames. Only the times at which there are count.
const stallTicks = 5

// watch ends a client that does not read while there are frames. The buffers on the way to it can hold many of them,
// so its answers to pings are what counts: it gets to a ping only after all that was sent before. One that has not
// answered for a while is sent no frames until it does, so that it costs the others nothing.
func (o *Options) watch(ctx context.Context, c *live.Client, ping func(context.Context) error) {
	tick := time.NewTicker(o.stallTimeout() / stallTicks)
	defer tick.Stop()
	answers := make(chan error, 1)
	send := func() { answers <- ping(ctx) }
	go send()
	lastFrames := c.Frames()
	for pingOpen, lateTicks, pingFrames := true, 0, lastFrames; ; {
		select {
		case <-ctx.Done():
			return
		case err := <-answers:
			if err != nil {
				if ctx.Err() == nil && lateTicks >= stallTicks-1 { // it could not be sent
					c.Stalled(c.Frames() - pingFrames)
				}
				return
			}
			pingOpen, lateTicks = false, 0
			c.PauseFrames(false)
		case <-tick.C:
			frames := c.Frames()
			switch {
			case frames == lastFrames:
			case !pingOpen:
				pingOpen, pingFrames = true, lastFrames
				go send()
			default:
				c.PauseFrames(true)
				if lateTicks++; lateTicks == stallTicks {
					c.Stalled(frames - pingFrames)
					return
				}
			}
			lastFrames = frames
		}
	}
}

func (o *Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

const maxLines = 100

// limitLines returns a log that leaves out the lines beyond maxLines a second, and says how many with the next one.
func limitLines(log func(string), now func() time.Time) func(string) {
	if log == nil {
		return nil
	}
	var mu sync.Mutex
	var since time.Time
	lines := 0
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if t := now(); t.Sub(since) >= time.Second {
			if lines > maxLines {
				log(fmt.Sprintf("%d lines like this were left out", lines-maxLines))
			}
			since, lines = t, 0
		}
		if lines++; lines <= maxLines {
			log(line)
		}
	}
}
