package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

const (
	ringFrames  = 256 // frames that are kept
	queueFrames = 64  // that a client may be behind before it skips
	keyEvery    = 64  // frames, where beats are further apart
	maxSessions = 1000

	slowAfter     = 5 * time.Second // a client with frames to read that reads none is closed
	sessionExpiry = time.Minute     // after its client is gone
	sweepEvery    = 250 * time.Millisecond
)

// The errors of Client.Next.
var (
	ErrClosed = errors.New("the server has ended")
	ErrSlow   = errors.New("the client has read nothing for 5 s")
	ErrMoved  = errors.New("the session goes on in another connection")

	errUnknownSession = errors.New("the session is unknown, want one that was joined")
)

// hub holds the newest frames and the clients that read them.
type hub struct {
	mu       sync.Mutex
	enc      *encoder
	newest   sample // without values; for snapshots
	ring     [ringFrames]ringFrame
	first    int64 // index of the first frame of this process
	head     int64 // index of the next frame; frame i is ring[i%ringFrames], and its number is i+1
	lastKey  int64
	sessions map[string]*session
	named    int64  // sessions so far
	key      []byte // of their tokens
	closed   bool

	skipped, slow, bytes int64 // for Stats

	published chan struct{} // 1: there are new frames
	done      chan struct{} // closed with the hub

	description *wire.Description
}

type ringFrame struct {
	data []byte
	key  bool
}

// newHub returns the hub of a run whose first frame has the index first. The key is that
// of the sessions' tokens.
func newHub(d *wire.Description, key []byte, first int64) *hub {
	h := &hub{
		enc:         newEncoder(newLayout(d.Tracks), int(d.Worlds)),
		sessions:    map[string]*session{},
		published:   make(chan struct{}, 1),
		done:        make(chan struct{}),
		first:       first,
		head:        first,
		lastKey:     -1,
		key:         key,
		description: d,
	}
	h.newest.worlds = make([]worldSample, d.Worlds)
	for i := range h.newest.worlds {
		h.newest.worlds[i].ages = make([]int64, len(d.Tracks))
	}
	return h
}

// publish makes a frame of s the newest. It waits for no client and, once the ring is
// warm, allocates nothing.
func (h *hub) publish(s *sample, beat bool) {
	h.mu.Lock()
	f := &h.ring[h.head%ringFrames]
	f.key = beat || h.lastKey < 0 || h.head-h.lastKey >= keyEvery
	if f.key {
		h.lastKey = h.head
	}
	f.data = h.enc.append(f.data[:0], s, h.head+1, f.key)
	if cap(f.data) > 16*len(f.data)+1<<16 { // many intents were in an earlier one
		f.data = bytes.Clone(f.data)
	}
	h.head++
	h.newest.n, h.newest.paused, h.newest.speed = s.n, s.paused, s.speed
	for i := range s.worlds {
		from, to := &s.worlds[i], &h.newest.worlds[i]
		ages := append(to.ages[:0], from.ages...)
		*to = *from
		to.ages = ages
	}
	h.mu.Unlock()
	select {
	case h.published <- struct{}{}:
	default:
	}
}

// fanOut wakes the clients after each frame, until the hub is closed. It has a goroutine
// of its own, so that the number of clients does not matter to the steps.
func (h *hub) fanOut() {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var wait []*Client
	for {
		select {
		case <-h.done:
			return
		case <-h.published:
			wait = h.waiting(wait[:0])
			for _, c := range wait { // without the lock, which they take at once
				c.signal()
			}
			clear(wait)
		case now := <-sweep.C:
			h.sweep(now)
		}
	}
}

// waiting appends the clients that wait for a frame.
func (h *hub) waiting(dst []*Client) []*Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if c := s.client; c != nil && c.reading && !c.held {
			dst = append(dst, c)
		}
	}
	return dst
}

// sweep closes clients that read nothing, and forgets sessions whose clients and minds are
// gone.
func (h *hub) sweep(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for token, s := range h.sessions {
		c := s.client
		switch {
		case c == nil && s.minds == 0 && now.Sub(s.gone) > sessionExpiry:
			delete(h.sessions, token)
		case c != nil && !c.reading && c.next < h.head && now.Sub(c.taken) > slowAfter:
			h.slow++
			h.detach(c, fmt.Errorf("%w, while %d frames waited", ErrSlow, h.head-c.next))
		}
	}
}

// close ends all clients.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	close(h.done)
	for _, s := range h.sessions {
		if s.client != nil {
			h.detach(s.client, ErrClosed)
		}
	}
}

// detach ends a client. The lock is held.
func (h *hub) detach(c *Client, err error) {
	if c.err != nil {
		return
	}
	c.err = err
	close(c.ended)
	if c.session.client == c {
		c.session.client, c.session.gone = nil, time.Now()
	}
}

// JoinOptions say who joins.
type JoinOptions struct {
	Name string // for people and the log
	Role Role

	// Session is that of an earlier Welcome, to go on with it, or empty. After is the
	// number of the last frame that the client has; 0: none.
	Session []byte
	After   int64
}

// Client reads the updates of one session. One goroutine at a time may call Next; the
// other methods may be called from any goroutine.
type Client struct {
	hub     *hub
	session *session
	wake    chan struct{}
	ended   chan struct{} // closed with err

	// Under the lock of the hub:
	err     error
	next    int64 // index of the frame to read next
	greeted bool
	missed  int64 // to be told
	fresh   bool  // a snapshot is due
	reading bool  // in Next, waiting
	held    bool  // it is sent no frames
	taken   time.Time
	pings   uint64        // id of the last ping
	pinging bool          // it is to be sent
	pinged  chan struct{} // closed with its answer; nil: none is waited for

	buf []byte // of Next
}

// join begins a session or goes on with one.
func (h *hub) join(o JoinOptions) (*Client, error) {
	name, err := clientName(o.Name)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	c := &Client{hub: h, wake: make(chan struct{}, 1), ended: make(chan struct{}), taken: time.Now(), next: h.head, fresh: h.head > h.first}
	s, err := h.known(o.Session)
	if err != nil {
		return nil, err
	}
	if s == nil || s.role > o.Role {
		if c.session, err = h.begin(name, o.Role); err != nil {
			return nil, err
		}
		c.session.client = c
		return c, nil
	}
	if s.client != nil {
		h.detach(s.client, ErrMoved)
	}
	c.session, s.client = s, c
	switch after := o.After; {
	case after > 0 && after <= h.head && after >= max(h.first, h.head-queueFrames):
		c.next, c.fresh = after, false
	case after > 0 && after < h.head:
		c.missed = h.head - after - 1 // the snapshot is the newest of them
		h.skipped += c.missed
	}
	return c, nil
}

// hold keeps a session while a mind is open that decides for it.
func (h *hub) hold(m *Mind, s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.gone() || m.session == s {
		return
	}
	h.drop(m)
	m.session = s
	s.minds++
}

// drop ends what hold began. The lock is held.
func (h *hub) drop(m *Mind) {
	if m.session != nil {
		m.session.minds--
		m.session.gone = time.Now()
		m.session = nil
	}
}

// find returns the session of a token, also where no client of it has joined this process of
// the run; nil if there is none.
func (h *hub) find(token []byte) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.known(token)
	if err != nil {
		return nil // too many
	}
	return s
}

// clients returns how many sessions have begun so far.
func (h *hub) clients() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.named
}

func (c *Client) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Session is the secret with which the session can be found again.
func (c *Client) Session() []byte { return []byte(c.session.token) }

// Name is the client's name in frames and the log.
func (c *Client) Name() string { return c.session.name }

// Ended is closed when the client can read no more: the server has ended, the client was
// too slow, or its session goes on elsewhere.
func (c *Client) Ended() <-chan struct{} { return c.ended }

// Err is why the client has ended, ErrSlow for example; nil while it can read.
func (c *Client) Err() error {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	return c.err
}

// Frames returns how many frames the server has published.
func (c *Client) Frames() int64 {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	return c.hub.head - c.hub.first
}

// Stalled ends the client with ErrSlow: the other end of its connection has read none of
// the last frames.
func (c *Client) Stalled(frames int64) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	if c.err == nil {
		c.hub.slow++
	}
	c.hub.detach(c, fmt.Errorf("%w, while %d frames waited", ErrSlow, frames))
}

// Hold says whether the client is sent no frames for now, since it has not answered a ping.
// They wait for it as for one that is slow, and cost the others nothing.
func (c *Client) Hold(held bool) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.held = held
	c.signal()
}

// Ping sends the client a ping and waits for the answer, which it gives when it has read all
// that was sent before. It is for connections that have no pings of their own, and clients
// whose request to join says that they answer. One goroutine at a time may call it.
func (c *Client) Ping(ctx context.Context) error {
	answered := make(chan struct{})
	c.hub.mu.Lock()
	c.pings++
	c.pinging, c.pinged = true, answered
	c.signal()
	c.hub.mu.Unlock()
	select {
	case <-answered:
		return nil
	case <-c.ended:
		return c.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pong takes the answer to a ping. One that comes late is no error.
func (h *hub) pong(token []byte, id uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[string(token)]
	if s == nil {
		return errUnknownSession
	}
	if c := s.client; c != nil && c.pinged != nil && !c.pinging && id == c.pings {
		close(c.pinged)
		c.pinged = nil
	}
	return nil
}

// Close ends the client. Its session can be joined again for a minute.
func (c *Client) Close() {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.hub.detach(c, errors.New("the client is closed"))
}

// Next waits for the next update and returns it encoded, valid until the next call. The
// first is a welcome, then comes a key frame and then each frame. A client that is more
// than 64 frames behind gets a gap instead and goes on at the newest key frame. One that
// has frames to read and for 5 s does not call Next is closed.
func (c *Client) Next(ctx context.Context) ([]byte, error) {
	for {
		if err := c.take(); err != nil {
			return nil, err
		}
		if len(c.buf) > 0 {
			return c.buf, nil
		}
		select {
		case <-c.wake:
		case <-c.ended:
		case <-ctx.Done():
			c.stopReading()
			return nil, ctx.Err()
		}
	}
}

// stopReading says that Next does not wait any more.
func (c *Client) stopReading() {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.reading, c.taken = false, time.Now()
}

// take copies the next update to c.buf, if there is one.
func (c *Client) take() error {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	c.buf = c.buf[:0]
	if c.err != nil {
		return c.err
	}
	c.reading, c.taken = false, time.Now()
	if behind := h.head - c.next; c.greeted && !c.held && !c.fresh && behind > queueFrames {
		c.skip()
	}
	switch {
	case !c.greeted:
		c.greeted = true
		return c.put(&wire.Update{Kind: &wire.Update_Welcome{Welcome: &wire.Welcome{
			Session: []byte(c.session.token), Client: c.session.name, Role: c.session.role.String(), Description: h.description,
		}}})
	case c.pinging:
		c.pinging = false
		return c.put(&wire.Update{Kind: &wire.Update_Ping{Ping: &wire.Ping{Id: c.pings}}})
	case c.held:
		c.reading = true
	case c.missed > 0:
		missed := uint64(c.missed)
		c.missed = 0
		return c.put(&wire.Update{Kind: &wire.Update_Gap{Gap: &wire.Gap{Missed: missed}}})
	case c.fresh:
		c.fresh, c.next = false, h.head
		c.buf = h.enc.appendSnapshot(c.buf, &h.newest, h.head)
	case c.next < h.head:
		c.buf = append(c.buf, h.ring[c.next%ringFrames].data...)
		c.next++
	default:
		c.reading = true
	}
	h.bytes += int64(len(c.buf))
	return nil
}

// skip drops the client's queue up to the newest key frame.
func (c *Client) skip() {
	c.missed += c.hub.lastKey - c.next
	c.hub.skipped += c.hub.lastKey - c.next
	c.next = c.hub.lastKey
}

func (c *Client) put(u *wire.Update) (err error) {
	c.buf, err = proto.MarshalOptions{}.MarshalAppend(c.buf, u)
	c.hub.bytes += int64(len(c.buf))
	return err
}
