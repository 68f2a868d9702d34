package transport

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/page"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// lineWriter gives the lines of a log to a function.
type lineWriter func(string)

// Write implements [io.Writer].
func (w lineWriter) Write(p []byte) (int, error) {
	w(quoted(strings.TrimSpace(string(p))))
	return len(p), nil
}

// Path is where the WebSocket is.
const Path = "/live/v1"

// Web serves a run by WebSocket, and the page that shows it. The first message of a client is a [wire.Hello], all
// others are intents; those of the server are updates. All are binary.
type Web struct {
	service
	server http.Server
}

// NewWeb returns a server of a run.
func NewWeb(run *live.Server, o Options) *Web {
	w := &Web{service: newService(run, o)}
	mux := http.NewServeMux()
	mux.HandleFunc(Path, w.socket)
	w.serveData(mux)
	w.serveMetrics(mux)
	mux.HandleFunc("GET "+FoxglovePath, w.foxglove)
	mux.Handle("/", page.Handler())
	w.server = http.Server{
		ErrorLog:          log.New(lineWriter(w.options.log), "", 0),
		Handler:           http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) { w.guard(to, r, mux) }),
		TLSConfig:         o.TLS,
		ReadHeaderTimeout: o.helloTimeout(),
		ReadTimeout:       o.idleTimeout(), // not of WebSockets
		WriteTimeout:      o.idleTimeout(),
		IdleTimeout:       o.idleTimeout(),
		MaxHeaderBytes:    16 << 10,
	}
	return w
}

// Serve answers until Close. It closes the listener.
func (w *Web) Serve(l net.Listener) error {
	w.gate.Listener = l
	var err error
	if w.options.TLS != nil {
		err = w.server.ServeTLS(w.gate, "", "")
	} else {
		err = w.server.Serve(w.gate)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Close ends all connections. Those of WebSockets end with the run.
func (w *Web) Close() { w.server.Close() }

// guard refuses requests by names that are not the server's, with which a page elsewhere
// could reach it through a browser here, and those of pages from elsewhere.
func (w *Web) guard(to http.ResponseWriter, r *http.Request, next http.Handler) {
	if !w.isOwnHost(r.Host) {
		w.options.log("refused " + r.RemoteAddr + ": host " + quoted(r.Host))
		http.Error(to, "the host is not one of this server", http.StatusMisdirectedRequest)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		known := r.URL.Path == FoxglovePath && slices.Contains(w.options.Origins, origin)
		if !known && (err != nil || u.Host != r.Host) {
			w.options.log("refused " + r.RemoteAddr + ": origin " + quoted(origin))
			http.Error(to, "the origin is not this server", http.StatusForbidden)
			return
		}
	}
	next.ServeHTTP(to, r)
}

// quoted is a text from a client for a line of the log.
func quoted(text string) string {
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 127 {
			return '?'
		}
		return r
	}, text[:min(len(text), 100)]), "?")
}

// isOwnHost reports whether a host, with or without a port, is an address or one of this
// server's names. A page elsewhere can be given a name that leads here, but no address.
func (w *Web) isOwnHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil || slices.Contains(w.options.Hosts, host)
}

// accept begins a WebSocket, for which guard has checked the origin; nil: it could not.
func accept(to http.ResponseWriter, r *http.Request, subprotocols ...string) *websocket.Conn {
	conn, err := websocket.Accept(to, r, &websocket.AcceptOptions{
		Subprotocols: subprotocols, InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil
	}
	conn.SetReadLimit(maxMessage)
	return conn
}

func (w *Web) socket(to http.ResponseWriter, r *http.Request) {
	conn := accept(to, r)
	if conn == nil {
		return
	}
	defer conn.CloseNow()
	c, err := w.hello(conn, r.RemoteAddr)
	if err != nil {
		w.options.log("refused " + r.RemoteAddr + ": " + quoted(err.Error()))
		conn.Close(websocket.StatusPolicyViolation, reason(err))
		return
	}
	sender := live.Sender{Session: c.Session(), Role: c.Role(), Decider: w.run.NewDecider()}
	w.follow(conn, c, func(ctx context.Context) {
		converse(ctx, w.run, sender, func() (*wire.Intent, error) {
			kind, data, err := conn.Read(ctx)
			if err != nil {
				return nil, err
			}
			var in wire.Intent
			if kind != websocket.MessageBinary || proto.Unmarshal(data, &in) != nil {
				err = errors.New("a message is not valid, want an Intent")
				conn.Close(websocket.StatusUnsupportedData, err.Error())
				return nil, err
			}
			return &in, nil
		}, func(u *wire.Update) error {
			data, err := proto.Marshal(u)
			if err == nil {
				err = conn.Write(ctx, websocket.MessageBinary, data)
			}
			return err
		})
	}, func(data []byte) error { // with a context each write would make a function to call at its end
		return conn.Write(context.Background(), websocket.MessageBinary, data)
	})
}

// follow sends a client its updates, while receive takes what it says, until one of them ends.
// Then it closes the client.
func (w *Web) follow(conn *websocket.Conn, c *live.Client, receive func(context.Context), send func([]byte) error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer c.Close()
	context.AfterFunc(ctx, func() { conn.CloseNow() }) // ends a write that blocks
	go func() {
		select {
		case <-c.Ended():
			time.AfterFunc(time.Second, cancel) // time for the reason
		case <-ctx.Done():
		}
	}()
	go func() {
		defer cancel()
		receive(ctx)
	}()
	go w.options.watch(ctx, c, conn.Ping)
	for {
		data, err := c.Next(ctx)
		if err != nil {
			if ctx.Err() == nil {
				conn.Close(websocket.StatusGoingAway, reason(err))
			}
			return
		}
		if send(data) != nil {
			return
		}
	}
}

// reason is an error as the reason of a close, which has at most 123 bytes.
func reason(err error) string {
	return strings.ToValidUTF8(err.Error()[:min(len(err.Error()), 120)], "")
}

func (w *Web) hello(conn *websocket.Conn, address string) (*live.Client, error) {
	ctx, cancel := context.WithTimeout(context.Background(), w.options.helloTimeout())
	defer cancel()
	kind, data, err := conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	var hello wire.Hello
	if kind != websocket.MessageBinary || proto.Unmarshal(data, &hello) != nil {
		return nil, errors.New("the first message is not valid, want a Hello")
	}
	role, err := w.gate.roleOf(context.Background(), address, hello.GetToken())
	if err != nil {
		return nil, err
	}
	j := hello.GetJoin()
	return w.run.Join(live.JoinOptions{
		Name: j.GetName(), Role: role, Session: j.GetSession(), After: j.GetAfter(), Origin: origin(address).String(),
	})
}
