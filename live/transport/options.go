package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// Options are those of the servers.
type Options struct {
	Access *Access     // nil: everybody may do everything
	TLS    *tls.Config // nil: plain connections
	Hosts  []string    // names, besides those of the loopback, by which pages may reach the server

	// Origins are those of pages elsewhere that may watch by Foxglove's protocol, such as
	// "https://app.foxglove.dev".
	Origins []string

	// Log, if not nil, is called with a line about each client that is refused.
	Log func(line string)

	hello time.Duration // until a client has said who it is; 0: helloTimeout; set by tests
	stall time.Duration // until a client that does not read is closed; 0: stallTimeout; set by tests
}

// The limits of connections.
const (
	maxConnections = 512
	maxMessage     = 1 << 18 // bytes, from a client
	helloTimeout   = 5 * time.Second
	stallTimeout   = 5 * time.Second
	pingEvery      = time.Second
	sendWithin     = 30 * time.Second // a message of Foxglove's protocol, such as a scene
	closeWithin    = 250 * time.Millisecond
	writeBuffer    = 128 << 10 // bytes of a connection that the system keeps, about
)

func (o *Options) helloTimeout() time.Duration {
	if o.hello > 0 {
		return o.hello
	}
	return helloTimeout
}

// idleTimeout is the time after which a connection is closed on which nothing was asked.
func (o *Options) idleTimeout() time.Duration { return 12 * o.helloTimeout() }

func (o *Options) stallTimeout() time.Duration {
	if o.stall > 0 {
		return o.stall
	}
	return stallTimeout
}

// watch ends a client that does not read while there are frames. The buffers on the way to
// it can hold many of them, so its answers to pings are what counts: it gets to a ping only
// after all that was sent before.
func (o *Options) watch(ctx context.Context, conn *websocket.Conn, c *live.Client) {
	tick := time.NewTicker(min(pingEvery, o.stallTimeout()))
	defer tick.Stop()
	for seen := c.Frames(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		frames := c.Frames()
		if frames == seen {
			continue
		}
		ping, cancel := context.WithTimeout(ctx, o.stallTimeout())
		err := conn.Ping(ping)
		late := ping.Err() != nil && ctx.Err() == nil
		cancel()
		if err != nil {
			if late {
				c.Stalled(c.Frames() - seen)
			}
			return
		}
		seen = frames
	}
}

func (o *Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
	}
}

// maxLines is how many lines a server logs in a second; who is refused can cause any number.
const maxLines = 100

// bounded returns a log that leaves out the lines beyond maxLines a second, and says how
// many with the next one.
func bounded(log func(string), now func() time.Time) func(string) {
	if log == nil {
		return nil
	}
	var mu sync.Mutex
	var since time.Time
	lines, left := 0, 0
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if t := now(); t.Sub(since) >= time.Second {
			since, lines = t, 0
		}
		if lines++; lines > maxLines {
			left++
			return
		}
		if left > 0 {
			log(fmt.Sprintf("%d lines like this were left out", left))
			left = 0
		}
		log(line)
	}
}

// limited is a listener that closes connections beyond maxConnections at once.
type limited struct {
	net.Listener
	options *Options

	mu   sync.Mutex
	open int
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t, ok := c.(*net.TCPConn); ok { // one that does not read costs no more
			t.SetWriteBuffer(writeBuffer)
		}
		l.mu.Lock()
		full := l.open >= maxConnections
		if !full {
			l.open++
		}
		l.mu.Unlock()
		if full {
			l.options.log("refused " + c.RemoteAddr().String() + ": too many connections")
			c.Close()
			continue
		}
		return &counted{Conn: c, of: l}, nil
	}
}

type counted struct {
	net.Conn
	of   *limited
	once sync.Once
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	c.once.Do(func() {
		c.of.mu.Lock()
		defer c.of.mu.Unlock()
		c.of.open--
	})
	return c.Conn.Close()
}
