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
	maxSessions = 1000

	reservedSessions = 50 // of them, for each role above

	slowAfter     = 5 * time.Second // a client with frames to read that reads none is closed
	sessionExpiry = time.Minute     // of one that nobody uses
	sweepEvery    = 250 * time.Millisecond
)

// The errors of Client.Next.
var (
	ErrClosed = errors.New("the server has ended")
	ErrSlow   = errors.New("the client has read nothing for 5 s")
	ErrMoved  = errors.New("the session goes on in another connection")
	ErrCrowd  = errors.New("the session made way for one of another address, which has fewer")

	errUnknownSession = errors.New("the session is unknown or has ended, want one that was joined")
)

// hub is what all goroutines share: the newest frames, intents that wait for a decision
// point, and who reads what. Its lock is the only one of a server.
type hub struct {
	description *wire.Description
	newFrames   chan struct{} // holds an element where there are frames of which fanOut has not told the clients
	newIntents  chan struct{} // holds an element where there are intents in the inbox
	done        chan struct{} // closed with the hub

	mu           sync.Mutex // of all that follows
	enc          *encoder
	newest       *wire.Frame // whole, for key frames
	ring         [ringFrames][]byte
	first        int64   // index of the first frame of this process
	head         int64   // index of the next frame; frame i is ring[i%ringFrames], and its number is i+1
	speed        float64 // of the newest frame
	sessions     map[string]*session
	sessionCount int64  // sessions that have begun so far, of all processes of the run
	key          []byte // of their tokens
	life         int64  // number of this process of the run
	startTime    time.Time
	closed       bool

	intentCount int64    // intents with a number so far, of all processes of the run
	inbox       []intent // in the order of their numbers
	spare       []intent // the array of an earlier inbox, for the next one

	readers  map[*reader]bool
	captures []*Capture      // those among the readers
	traces   []DecisionTrace // of the newest decisions, oldest first
	stats    Stats           // the counts of the hub; Stats fills in the rest
}

// newHub returns the hub of a run whose first frame has the index first. The key is that of the sessions' tokens.
func newHub(d *wire.Description, key []byte, first int64) *hub {
	h := &hub{
		enc:         newEncoder(layout(d.Tracks), int(d.Worlds)),
		sessions:    map[string]*session{},
		readers:     map[*reader]bool{},
		newFrames:   make(chan struct{}, 1),
		newIntents:  make(chan struct{}, 1),
		done:        make(chan struct{}),
		first:       first,
		head:        first,
		key:         key,
		startTime:   time.Now(),
		description: d,
	}
	h.newest = h.enc.newFrame(int(d.Worlds))
	for _, kind := range kinds() {
		h.stats.Intents = append(h.stats.Intents, IntentStats{Kind: kind})
	}
	return h
}

// publish makes a frame with the values of all worlds the newest, which belongs to the hub then, and returns another
// one to be filled. It waits for no client and, once the ring is warm, allocates nothing.
func (h *hub) publish(f *wire.Frame, values []float64) (next *wire.Frame) {
	h.mu.Lock()
	slot, speed := &h.ring[h.head%ringFrames], f.Speed
	h.stats.Paused = f.Paused
	h.head++
	f.Number = h.head
	if speed == h.speed {
		f.Speed = 0
	}
	f.Key = h.head-1 == h.first // clients of an earlier process go on with it
	data := h.enc.append((*slot)[:0], f, values)
	if cap(data) > 16*len(data)+1<<16 { // many intents were in an earlier one
		data = bytes.Clone(data)
	}
	*slot = data
	f.Key, f.Speed, f.Applied, f.Decisions = false, speed, nil, nil // as a client wants it that begins here
	next, h.newest, h.speed = h.newest, f, speed
	h.mu.Unlock()
	poke(h.newFrames)
	return next
}

// fanOut wakes the clients after each frame, until the hub is closed. It has a goroutine
// of its own, so that the number of clients does not matter to the steps.
func (h *hub) fanOut() {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	var clients []*Client
	for {
		select {
		case <-h.done:
			return
		case <-h.newFrames:
			clients = h.readyClients(clients[:0])
			for _, c := range clients { // without the lock, which they take at once
				c.signal()
			}
			clear(clients)
		case now := <-sweep.C:
			h.sweep(now)
		}
	}
}

func (h *hub) readyClients(dst []*Client) []*Client {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sessions {
		if c := s.client; c != nil && c.waiting && !c.framesPaused {
			dst = append(dst, c)
		}
	}
	return dst
}

// sweep closes clients that read nothing, and ends sessions that nobody uses.
func (h *hub) sweep(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for token, s := range h.sessions {
		c := s.client
		switch {
		case s.idle() && now.Sub(s.lastUse) > sessionExpiry:
			delete(h.sessions, token)
		case c != nil && c.position < h.head && c.slow(now):
			c.endSlow(h.head - c.position)
		}
	}
}

// close ends all who read, and takes no more intents.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	close(h.done)
	for r := range h.readers {
		r.end(ErrClosed)
	}
}

// endSlow ends a client that has not read some frames. The lock is held.
func (c *Client) endSlow(frames int64) {
	if c.err == nil {
		c.hub.stats.Slow++
	}
	c.end(fmt.Errorf("%w, while %d frames waited", ErrSlow, frames))
}

// JoinOptions say who joins.
type JoinOptions struct {
	Name string // for people and the log
	Role Role   // that of a session that goes on is the lesser of both

	// Origin is where the client comes from, such as its address: where there are too many sessions, those of the
	// origin with the most make way for others'. "" is one, too.
	Origin string

	// Session is that of an earlier Welcome, to go on with it, or empty. After is the
	// number of the last frame that the client has; 0: none.
	Session []byte
	After   int64
}

// Client reads the updates of one session. One goroutine at a time may call Next; the
// other methods may be called from any goroutine.
type Client struct {
	reader
	session *session

	// Under the lock of the hub:
	position     int64 // index of the frame to read next
	welcomeSent  bool
	keyDue       bool          // the next frame has to be the newest, as a key frame
	framesPaused bool          // see PauseFrames
	pingID       uint64        // id of the last ping
	pingDue      bool          // the ping has not been sent yet
	pingAnswer   chan struct{} // closed when the client answers; nil: nobody waits for that

	buf []byte // of Next
}

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
	s, err := h.sessionOf(o.Session, o.Origin)
	after := o.After
	if err == nil && (s == nil || s.Role > o.Role) {
		after = 0
		s, err = h.begin(name, o.Role, o.Origin)
	}
	if err != nil {
		return nil, err
	}
	if s.client != nil {
		s.client.end(ErrMoved)
	}
	c := &Client{session: s, position: max(h.first, h.head-1), keyDue: true}
	s.client = c
	c.open(h, c.takeUpdate, func() {
		if s.client == c {
			s.client, s.lastUse = nil, time.Now()
		}
	})
	switch {
	case after > 0 && after <= h.head && after >= max(h.first, h.head-queueFrames):
		c.position, c.keyDue = after, false
	case after > 0 && after < h.head:
		c.position = after
	}
	return c, nil
}

// useSession returns the session of a token, and keeps it from ending for another minute. No client of it has to have
// joined this process of the run.
func (h *hub) useSession(token []byte) (*session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.sessionOf(token, "")
	if s == nil && err == nil {
		err = errUnknownSession
	}
	if err != nil {
		return nil, err
	}
	s.lastUse = time.Now()
	return s, nil
}

// Session is the secret with which the session can be found again.
func (c *Client) Session() []byte { return []byte(c.session.token) }

// Role is what the client may do.
func (c *Client) Role() Role { return c.session.Role }

// Name is the client's name in frames and the log.
func (c *Client) Name() string { return c.session.Name }

// Frames returns how many frames the server has published.
func (c *Client) Frames() int64 {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	return c.hub.head - c.hub.first
}

// Stalled ends the client with ErrSlow: the other end of its connection has read none of the last frames.
func (c *Client) Stalled(frames int64) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.endSlow(frames)
}

// PauseFrames says whether the client is sent no frames for now, since it has not answered a ping.
// They wait for it as for one that is slow, and cost the others nothing.
func (c *Client) PauseFrames(paused bool) {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	c.framesPaused = paused
	c.signal()
}

// Ping sends the client a ping and waits for the answer, which it gives when it has read all
// that was sent before. It is for connections that have no pings of their own, and clients
// whose request to join says that they answer. One goroutine at a time may call it.
func (c *Client) Ping(ctx context.Context) error {
	answer := make(chan struct{})
	c.hub.mu.Lock()
	c.pingID++
	c.pingDue, c.pingAnswer = true, answer
	c.signal()
	c.hub.mu.Unlock()
	select {
	case <-answer:
		return nil
	case <-c.done:
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
	if c := s.client; c != nil && c.pingAnswer != nil && !c.pingDue && id == c.pingID {
		close(c.pingAnswer)
		c.pingAnswer = nil
	}
	return nil
}

// Next waits for the next update and returns it encoded, valid until the next call. The first is a welcome, then
// comes a key frame and then each frame. A client that is more than 64 frames behind goes on with the newest one as a
// key frame. One that has frames to read and for 5 s does not call Next is closed.
func (c *Client) Next(ctx context.Context) ([]byte, error) {
	err := c.next(ctx)
	return c.buf, err
}

// takeUpdate puts the next update into c.buf, if there is one. The lock is held.
func (c *Client) takeUpdate() bool {
	h := c.hub
	c.buf = c.buf[:0]
	if h.head-c.position > queueFrames {
		c.keyDue = true
	}
	switch {
	case !c.welcomeSent:
		c.welcomeSent = true
		c.put(&wire.Update{Kind: &wire.Update_Welcome{Welcome: &wire.Welcome{
			Session: []byte(c.session.token), Client: c.session.Name, Role: c.session.Role.String(),
			Description: h.description,
		}}})
	case c.pingDue:
		c.pingDue = false
		c.put(&wire.Update{Kind: &wire.Update_Ping{Ping: &wire.Ping{Id: c.pingID}}})
	case c.framesPaused:
	case c.keyDue && h.head > h.first:
		h.stats.Skipped += h.head - 1 - c.position
		c.keyDue, c.position = false, h.head
		c.buf = h.enc.appendKey(c.buf, h.newest)
	case c.position < h.head:
		c.buf = append(c.buf, h.ring[c.position%ringFrames]...)
		c.position++
	}
	h.stats.Bytes += int64(len(c.buf))
	return len(c.buf) > 0
}

func (c *Client) put(u *wire.Update) {
	var err error
	if c.buf, err = proto.Marshal(u); err != nil {
		c.end(err)
	}
}
