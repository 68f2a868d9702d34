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
type lineWriter struct{ log func(string) }

// Write implements [io.Writer].
func (w lineWriter) Write(p []byte) (int, error) {
	w.log(quoted(strings.TrimSpace(string(p))))
	return len(p), nil
}

// Path is where the WebSocket is.
const Path = "/live/v1"

// Web serves a run by WebSocket, and the page that shows it. The first message of a client is a [wire.Hello], all
// others are intents; those of the server are updates. All are binary.
type Web struct {
	run     *live.Server
	options Options
	server  http.Server
}

// NewWeb returns a server of a run.
func NewWeb(run *live.Server, o Options) *Web {
	o.Log = bounded(o.Log, time.Now)
	w := &Web{run: run, options: o}
	mux := http.NewServeMux()
	mux.HandleFunc(Path, w.socket)
	w.serveData(mux)
	w.serveMetrics(mux)
	mux.HandleFunc("GET "+FoxglovePath, w.foxglove)
	mux.Handle("/", page.Handler())
	w.server = http.Server{
		ErrorLog:          log.New(lineWriter{o.log}, "", 0),
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
	l = &limited{Listener: l, options: &w.options}
	var err error
	if w.options.TLS != nil {
		err = w.server.ServeTLS(l, "", "")
	} else {
		err = w.server.Serve(l)
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
	if !w.own(r.Host) {
		w.options.log("refused " + r.RemoteAddr + ": host " + quoted(r.Host))
		http.Error(to, "the host is not one of this server", http.StatusMisdirectedRequest)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if known := r.URL.Path == FoxglovePath && slices.Contains(w.options.Origins, origin); !known && (err != nil || u.Host != r.Host) {
			w.options.log("refused " + r.RemoteAddr + ": origin " + quoted(origin))
			http.Error(to, "the origin is not this server", http.StatusForbidden)
			return
		}
	}
	next.ServeHTTP(to, r)
}

// quoted is a text from a client for a line of the log.
func quoted(text string) string {
	if len(text) > 100 {
		text = text[:100]
	}
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' || r == 127 {
			return '?'
		}
		return r
	}, text), "?")
}

// own reports whether a host, with or without a port, is an address or one of this
// server's names. A page elsewhere can be given a name that leads here, but no address.
func (w *Web) own(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil || slices.Contains(w.options.Hosts, host)
}

// socket serves one client.
func (w *Web) socket(to http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(to, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // guard has checked the origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxMessage)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c, err := w.hello(ctx, conn)
	if err != nil {
		w.options.log("refused " + r.RemoteAddr + ": " + quoted(err.Error()))
		conn.Close(websocket.StatusPolicyViolation, reason(err))
		return
	}
	defer c.Close()
	go func() {
		select {
		case <-c.Ended():
			time.AfterFunc(time.Second, cancel) // time for the reason
		case <-ctx.Done():
		}
	}()
	context.AfterFunc(ctx, func() { conn.CloseNow() }) // ends a write that blocks
	go func() {
		defer cancel()
		w.receive(ctx, conn, c)
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
		// With ctx each write would make a function to call at its end.
		if err := conn.Write(context.Background(), websocket.MessageBinary, data); err != nil {
			return
		}
	}
}

// reason is an error as the reason of a close, which has at most 123 bytes.
func reason(err error) string {
	return strings.ToValidUTF8(err.Error()[:min(len(err.Error()), 120)], "")
}

// hello waits for the first message and joins.
func (w *Web) hello(ctx context.Context, conn *websocket.Conn) (*live.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, w.options.helloTimeout())
	defer cancel()
	kind, data, err := conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	var hello wire.Hello
	if kind != websocket.MessageBinary || proto.Unmarshal(data, &hello) != nil {
		return nil, errors.New("the first message is not valid, want a Hello")
	}
	role, err := w.options.Access.role(hello.GetToken())
	if err != nil {
		return nil, err
	}
	j := hello.GetJoin()
	return w.run.Join(live.JoinOptions{Name: j.GetName(), Role: role, Session: j.GetSession(), After: j.GetAfter()})
}

// receive takes the intents of a client and acknowledges them.
func (w *Web) receive(ctx context.Context, conn *websocket.Conn, c *live.Client) {
	var mind *live.Mind // of a client that decides
	defer func() {
		if mind != nil {
			mind.Close()
		}
	}()
	for {
		kind, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var in wire.Intent
		if kind != websocket.MessageBinary || proto.Unmarshal(data, &in) != nil {
			conn.Close(websocket.StatusUnsupportedData, "a message is not valid, want an Intent")
			return
		}
		if in.GetDecide() != nil && mind == nil {
			mind = w.run.NewMind()
			go sendDecisions(ctx, conn, mind)
		}
		number, err := w.run.SubmitFor(c.Session(), &in, mind)
		ack, err := proto.Marshal(&wire.Update{Kind: &wire.Update_Ack{Ack: live.Ack(&in, number, err)}})
		if err != nil {
			return
		}
		if err := conn.Write(ctx, websocket.MessageBinary, ack); err != nil {
			return
		}
	}
}

// sendDecisions brings decisions to a client, until the mind is closed or the connection
// ends.
func sendDecisions(ctx context.Context, conn *websocket.Conn, mind *live.Mind) {
	for {
		d, err := mind.Next(ctx)
		if err != nil {
			return
		}
		data, err := proto.Marshal(&wire.Update{Kind: &wire.Update_Decision{Decision: d}})
		if err != nil || conn.Write(ctx, websocket.MessageBinary, data) != nil {
			return
		}
	}
}
