package transport

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
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
}

// The limits of connections.
const (
	maxConnections = 512
	maxMessage     = 1 << 18 // bytes, from a client
	helloTimeout   = 5 * time.Second
)

func (o *Options) helloTimeout() time.Duration {
	if o.hello > 0 {
		return o.hello
	}
	return helloTimeout
}

func (o *Options) log(line string) {
	if o.Log != nil {
		o.Log(line)
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
