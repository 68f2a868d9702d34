package live

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// KeySize is that of Config.Key, in bytes.
const KeySize = 32

const tokenMAC = 16

// NewKey returns a key for Config.Key.
func NewKey() []byte {
	key := make([]byte, KeySize)
	rand.Read(key) // which never fails
	return key
}

// claims are what a session's token says of it, as JSON before an HMAC-SHA256 of that, cut to 16 bytes. So a server
// with the same key, which may be a later process of the same run, knows the session without having kept it.
//
// A session ends when nobody has used it for a minute, one of an earlier process a minute after this one began.
type claims struct {
	Name   string
	Role   Role
	Number int64  // of the session
	Life   int64  // number of the process in which it began
	Secret string // random
}

func (c claims) token(key []byte) string {
	text, _ := json.Marshal(c) // which cannot fail: plain data
	return string(append(text, tokenSum(key, text)...))
}

func tokenSum(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)[:tokenMAC]
}

// parseToken returns what a token says; ok is false if it was not made with the key.
func parseToken(key, token []byte) (c claims, ok bool) {
	n := len(token) - tokenMAC
	if n < 0 || !hmac.Equal(tokenSum(key, token[:n]), token[n:]) {
		return c, false
	}
	return c, json.Unmarshal(token[:n], &c) == nil
}

// session is a client as the others and the log know it. It outlives a connection.
type session struct {
	claims
	token        string
	origin       string    // of who began it here
	client       *Client   // nil: nobody reads
	lastUse      time.Time // when its client left, or it last did something without one
	bucket       bucket    // of intents
	kept         *bucket   // bytes that the run keeps of intents, shared by the sessions of an origin
	inboxCount   int       // intents in the inbox
	deciderCount int       // of the deciders by which it decides
}

func (s *session) idle() bool { return s.client == nil && s.deciderCount == 0 }

// sessionOf returns the session of a token, which may be of an earlier process of the run; nil if
// there is none, or it has ended. The lock is held.
func (h *hub) sessionOf(token []byte, origin string) (*session, error) {
	if s := h.sessions[string(token)]; s != nil {
		return s, nil
	}
	c, ok := parseToken(h.key, token)
	if !ok || c.Life == h.life || time.Since(h.startTime) > sessionExpiry {
		return nil, nil
	}
	return h.add(c, string(token), origin)
}

// begin begins a session. The lock is held.
func (h *hub) begin(name string, role Role, origin string) (*session, error) {
	c := claims{Role: role, Number: h.sessionCount + 1, Life: h.life, Secret: rand.Text()}
	c.Name = fmt.Sprintf("%s-%d", cmp.Or(name, "client"), c.Number)
	return h.add(c, c.token(h.key), origin)
}

// add adds a session. Those that nobody uses make way for it, the oldest first, then the newest of the origin with the
// most, if that has more than this one's. Some are kept for each higher role, so that nobody locks out those who may
// do more. The lock is held.
func (h *hub) add(c claims, token, origin string) (*session, error) {
	if most := maxSessions - reservedSessions*int(Operate-c.Role); len(h.sessions) >= most {
		old := h.leastUsed(c.Role)
		if old == nil {
			old = h.crowding(c.Role, origin)
		}
		if old == nil {
			return nil, fmt.Errorf("there are %d sessions, want fewer than %d for another one that may %v",
				len(h.sessions), most, c.Role)
		}
		if old.client != nil {
			old.client.end(ErrCrowd)
		}
		delete(h.sessions, old.token)
	}
	h.sessionCount = max(h.sessionCount, c.Number)
	s := &session{claims: c, token: token, origin: origin, lastUse: time.Now(), kept: h.keptOf(origin)}
	h.sessions[token] = s
	return s, nil
}

// keptOf returns the bucket of the sessions of an origin. One that leaves and comes again finds it as it was while a
// session of the origin is remembered. The lock is held.
func (h *hub) keptOf(origin string) *bucket {
	for _, s := range h.sessions {
		if s.origin == origin {
			return s.kept
		}
	}
	return &bucket{}
}

// leastUsed returns the session that nobody has used for longest, of those that may do no more than a role; nil: none.
func (h *hub) leastUsed(role Role) (oldest *session) {
	for _, s := range h.sessions {
		if s.idle() && s.Role <= role && (oldest == nil || s.lastUse.Before(oldest.lastUse)) {
			oldest = s
		}
	}
	return oldest
}

// crowding returns the newest session of the origin with the most of those that may do no more than a role; nil: the
// given origin would have as many with another one.
func (h *hub) crowding(role Role, origin string) (newest *session) {
	counts, most := map[string]int{}, 0
	for _, s := range h.sessions {
		if s.Role <= role {
			counts[s.origin]++
			most = max(most, counts[s.origin])
		}
	}
	if most <= counts[origin]+1 {
		return nil
	}
	for _, s := range h.sessions {
		if s.Role <= role && counts[s.origin] == most && (newest == nil || s.Number > newest.Number) {
			newest = s
		}
	}
	return newest
}
