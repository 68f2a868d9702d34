package live

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Role is what a client may do. Each may do what those before it may.
type Role uint8

const (
	Watch   Role = iota // read frames
	Steer               // give actions and commands, and push
	Operate             // reset, pause, step, change the speed and the clock
)

var roleNames = [...]string{"watch", "steer", "operate"}

func (r Role) String() string {
	if int(r) < len(roleNames) {
		return roleNames[r]
	}
	return fmt.Sprintf("Role(%d)", uint8(r))
}

// ParseRole returns the role of a name.
func ParseRole(name string) (Role, error) {
	if i := slices.Index(roleNames[:], name); i >= 0 {
		return Role(i), nil
	}
	return 0, fmt.Errorf("role is %q, want watch, steer or operate", name)
}

const maxName = 32 // characters

func clientName(name string) (string, error) {
	if n := utf8.RuneCountInString(name); n > maxName {
		return "", fmt.Errorf("name has %d characters, want at most %d", n, maxName)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", fmt.Errorf("name is %q, want printable characters", name)
	}
	return name, nil
}

// The most intents that a session may send: on average, at once, and waiting for a decision point.
const (
	intentsPerSecond = 500
	intentBurst      = 1000
	maxQueued        = 256
)

// The most bytes that the run keeps of the intents of one origin, in its log and its frames: on average, and at once.
const (
	keptPerSecond = 512 << 10
	keptBurst     = 16 << 20

	intentBytes = 64      // of an intent besides what the client has sent
	resetBytes  = 1 << 10 // of a world that is reset: the log has its state, a dataset its episode
	numberBytes = 20      // of a number in JSON
)

// What is remembered of clients by people's measure: pushes of an origin that act at once, of all that may, and labels
// of an episode of a world.
const (
	maxPushes = 256
	maxLabels = 100
)

// The most bytes of refused replies that the log and the traces keep, on average and at
// once, of all sessions. The others are there without their text.
const (
	refusedPerSecond = 1 << 10
	refusedBurst     = 64 << 10
)

type bucket struct {
	level float64 // of the burst
	time  time.Time
}

func (b *bucket) take(now time.Time, n, perSecond, burst float64) bool {
	b.level = max(0, b.level-now.Sub(b.time).Seconds()*perSecond)
	b.time = now
	if b.level+n > burst {
		return false
	}
	b.level += n
	return true
}
