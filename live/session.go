package live

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// A session's token says which session it is, so that a server with the same key, which
// may be a later process of the same run, knows it without having kept it:
//
//	16 random bytes, the role (1 byte), the number of the session (8 bytes), its name,
//	and of all these an HMAC-SHA256, cut to 16 bytes.

// KeySize is that of Config.Key, in bytes.
const KeySize = 32

const (
	tokenRandom = 16
	tokenHead   = tokenRandom + 1 + 8
	tokenMAC    = 16
)

// NewKey returns a key for Config.Key.
func NewKey() ([]byte, error) {
	key := make([]byte, KeySize)
	_, err := rand.Read(key)
	return key, err
}

// newToken returns the token of a new session.
func newToken(key []byte, name string, role Role, number int64) (string, error) {
	token := make([]byte, tokenRandom, tokenHead+len(name)+tokenMAC)
	if _, err := rand.Read(token); err != nil {
		return "", err
	}
	token = append(token, byte(role))
	token = binary.LittleEndian.AppendUint64(token, uint64(number))
	token = append(token, name...)
	return string(append(token, tokenSum(key, token)...)), nil
}

func tokenSum(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(text)
	return mac.Sum(nil)[:tokenMAC]
}

// parseToken returns what a token says of its session; ok is false if it was not made with
// the key.
func parseToken(key, token []byte) (name string, role Role, number int64, ok bool) {
	n := len(token) - tokenMAC
	if n < tokenHead || !hmac.Equal(tokenSum(key, token[:n]), token[n:]) {
		return "", 0, 0, false
	}
	return string(token[tokenHead:n]), Role(token[tokenRandom]), int64(binary.LittleEndian.Uint64(token[tokenRandom+1:])), true
}

// session is a client as the others and the log know it. It outlives a connection.
type session struct {
	token  string
	name   string
	role   Role
	client *Client // nil: nobody reads
	gone   time.Time
	bucket bucket // of intents
	queued int    // intents in the inbox
	minds  int    // that decide for it
}

// known returns the session of a token, also one that has been forgotten or is of an
// earlier process of the run; nil if there is none. The lock is held.
func (h *hub) known(token []byte) (*session, error) {
	if s := h.sessions[string(token)]; s != nil {
		return s, nil
	}
	name, role, number, ok := parseToken(h.key, token)
	if !ok {
		return nil, nil
	}
	if err := h.room(); err != nil {
		return nil, err
	}
	h.named = max(h.named, number)
	return h.add(string(token), name, role), nil
}

// begin begins a session. The lock is held.
func (h *hub) begin(name string, role Role) (*session, error) {
	if err := h.room(); err != nil {
		return nil, err
	}
	if name == "" {
		name = "client"
	}
	name = fmt.Sprintf("%s-%d", name, h.named+1)
	token, err := newToken(h.key, name, role, h.named+1)
	if err != nil {
		return nil, err
	}
	h.named++
	return h.add(token, name, role), nil
}

func (h *hub) room() error {
	if len(h.sessions) >= maxSessions {
		return fmt.Errorf("there are %d sessions, want fewer than %d for another one", len(h.sessions), maxSessions)
	}
	return nil
}

func (h *hub) add(token, name string, role Role) *session {
	s := &session{token: token, name: name, role: role, gone: time.Now()}
	h.sessions[token] = s
	return s
}
