package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// The limits of intents.
const (
	minSpeed, maxSpeed = 0.01, 100
	maxSteps           = 1000     // of one request to step
	maxHold            = 1 << 20  // control steps of one action or push
	maxPushes          = 64       // that last for several steps, each in the log at each step
	maxForce           = 1e6      // N, N·m, m/s
	maxEditBytes       = 64 << 10 // of a change of the clock
	maxChanges         = 4096     // of the clock, in a run
	maxInbox           = 4096     // intents that wait for a decision point
)

// intent is an intent that has been checked and numbered.
type intent struct {
	number int64
	from   *session
	kind   string
	world  int // -1: all, or none in particular

	action  []float32
	steps   int64 // of an action, a push or a request to step
	command *env.Command
	push    *env.Push
	seed    *uint64
	paused  bool
	speed   float64
	edits   runners.Edits

	worlds   []int // of a Decide
	mind     *Mind
	decision string   // id, of a reply
	decided  *decided // by it
	broken   error    // why it cannot be used

	stepped chan<- int64 // gets the step n when a request to step is done; nil: nobody waits
}

// inbox holds intents until the next decision point, in the order of their numbers.
type inbox struct {
	mu     sync.Mutex
	last   int64 // number
	queue  []intent
	spare  []intent // taken before, to be used again
	closed bool
	wake   chan struct{} // 1: there are intents
}

// push numbers an intent. The lock of the hub is not held.
func (b *inbox) push(in intent) (number int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := in.from
	switch now := time.Now(); {
	case b.closed:
		return 0, ErrClosed
	case s.queued >= maxQueued || len(b.queue) >= maxInbox:
		return 0, fmt.Errorf("%d intents wait for the next decision point, want at most %d of a client and %d of all", len(b.queue), maxQueued, maxInbox)
	case !s.bucket.take(now, 1, intentsPerSecond, intentBurst):
		return 0, fmt.Errorf("too many intents, want at most %d a second", intentsPerSecond)
	}
	s.queued++
	b.last++
	in.number = b.last
	b.queue = append(b.queue, in)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return in.number, nil
}

// take returns all intents. They are valid until the next call.
func (b *inbox) take() []intent {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.queue
	for i := range taken {
		taken[i].from.queued--
	}
	b.queue, b.spare = b.spare[:0], taken
	return taken
}

// ended reports whether no intents are taken any more.
func (b *inbox) ended() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for i := range b.queue {
		if c := b.queue[i].stepped; c != nil {
			close(c)
		}
	}
}

// Submit checks an intent of a client and gives it its place in the order of all intents.
// It may be called from any goroutine. The error says why the intent is refused; then
// nothing happens.
func (s *Server) Submit(c *Client, in *wire.Intent) (number int64, err error) {
	return s.submit(c.session, in, nil)
}

// SubmitAs is [Server.Submit] for the session of a welcome, whether or not a client reads.
func (s *Server) SubmitAs(token []byte, in *wire.Intent) (number int64, err error) {
	from := s.hub.find(token)
	if from == nil {
		return 0, errUnknownSession
	}
	return s.submit(from, in, nil)
}

// SubmitFor is [Server.SubmitAs] for a client that decides: after a Decide, m gets the
// decisions.
func (s *Server) SubmitFor(token []byte, in *wire.Intent, m *Mind) (number int64, err error) {
	from := s.hub.find(token)
	if from == nil {
		return 0, errUnknownSession
	}
	return s.submitFor(from, in, nil, m)
}

func (s *Server) submit(from *session, in *wire.Intent, stepped chan<- int64) (int64, error) {
	return s.submitFor(from, in, stepped, nil)
}

func (s *Server) submitFor(from *session, in *wire.Intent, stepped chan<- int64, m *Mind) (int64, error) {
	checked, err := s.check(in)
	number := int64(0)
	if need := roleFor(in); err == nil && from.role < need {
		err = fmt.Errorf("%s needs the role %v, want a token of it: this session has %v", checked.kind, need, from.role)
	}
	if err == nil && checked.kind == "decide" && m == nil {
		err = errors.New("decide comes where no decision can go out, want the method Decide or a WebSocket")
	}
	if err == nil {
		checked.from, checked.stepped, checked.mind = from, stepped, m
		number, err = s.inbox.push(checked)
	}
	if err == nil && checked.kind == "decide" {
		s.hub.hold(m, from)
	}
	if err == nil && checked.broken != nil { // it has its place in the log all the same
		number, err = 0, checked.broken
	}
	outcome := &s.taken
	if err != nil {
		outcome = &s.refused
	}
	outcome[kindIndex(kindOf(in))].Add(1)
	return number, err
}

// kindOf is the kind of an intent that may not have been checked.
func kindOf(in *wire.Intent) string {
	switch in.Kind.(type) {
	case *wire.Intent_Action:
		return "action"
	case *wire.Intent_Command:
		return "command"
	case *wire.Intent_Push:
		return "push"
	case *wire.Intent_Reset_:
		return "reset"
	case *wire.Intent_Pause:
		return "pause"
	case *wire.Intent_Speed:
		return "speed"
	case *wire.Intent_Step:
		return "step"
	case *wire.Intent_Edit:
		return "edit"
	case *wire.Intent_Decide:
		return "decide"
	case *wire.Intent_Reply:
		return "reply"
	}
	return "none"
}

// roleFor is the role that an intent needs.
func roleFor(in *wire.Intent) Role {
	switch in.Kind.(type) {
	case *wire.Intent_Action, *wire.Intent_Command, *wire.Intent_Push, *wire.Intent_Decide, *wire.Intent_Reply:
		return Steer
	}
	return Operate
}

// check checks an intent against what does not change during the run.
func (s *Server) check(in *wire.Intent) (intent, error) {
	switch k := in.Kind.(type) {
	case *wire.Intent_Action:
		return s.checkAction(k.Action)
	case *wire.Intent_Command:
		c := &env.Command{World: worldOf(k.Command.GetWorld()), Name: k.Command.GetName(), Values: k.Command.GetValues()}
		if len(c.Values) == 0 {
			c.Values = nil
		}
		return intent{kind: "command", world: c.World, command: c}, s.env.CheckIntervention(env.Intervention{Command: c})
	case *wire.Intent_Push:
		return s.checkPush(k.Push)
	case *wire.Intent_Reset_:
		r := intent{kind: "reset", world: -1, seed: k.Reset_.Seed}
		if w := k.Reset_.World; w != nil {
			r.world = worldOf(*w)
			return r, s.checkWorld(r.world)
		}
		return r, nil
	case *wire.Intent_Pause:
		return intent{kind: "pause", world: -1, paused: k.Pause.GetPaused()}, nil
	case *wire.Intent_Speed:
		f := k.Speed.GetFactor()
		if !(f >= minSpeed && f <= maxSpeed) {
			return intent{}, fmt.Errorf("speed is %v, want %v to %v", f, minSpeed, maxSpeed)
		}
		return intent{kind: "speed", world: -1, speed: f}, nil
	case *wire.Intent_Step:
		n := k.Step.GetCount()
		if n < 1 || n > maxSteps {
			return intent{}, fmt.Errorf("steps is %d, want 1 to %d", n, maxSteps)
		}
		return intent{kind: "step", world: -1, steps: int64(n)}, nil
	case *wire.Intent_Edit:
		return checkEdit(k.Edit.GetEdits())
	case *wire.Intent_Decide:
		return s.checkDecide(k.Decide)
	case *wire.Intent_Reply:
		return s.checkIncoming(k.Reply)
	}
	return intent{}, errors.New("the intent has no kind, want an action, a command, a push, a reset, a pause, a speed, steps, an edit, a decide or a reply")
}

// worldOf is a world's number from the network; it fits an int.
func worldOf(w uint32) int { return int(int32(min(w, 1<<31-1))) }

func (s *Server) checkWorld(world int) error {
	if world < 0 || world >= s.env.Worlds() {
		return fmt.Errorf("world is %d, want 0 to %d", world, s.env.Worlds()-1)
	}
	return nil
}

func (s *Server) checkAction(a *wire.Action) (intent, error) {
	in := intent{kind: "action", world: worldOf(a.GetWorld()), action: a.GetValues(), steps: max(1, int64(a.GetSteps()))}
	if err := s.checkWorld(in.world); err != nil {
		return in, fmt.Errorf("action: %w", err)
	}
	if in.steps > maxHold {
		return in, fmt.Errorf("action: steps is %d, want at most %d", in.steps, maxHold)
	}
	if len(in.action) == 0 { // the policy acts again
		return in, nil
	}
	if len(in.action) != s.spec.ActionSize {
		return in, fmt.Errorf("action: %d values, want %d", len(in.action), s.spec.ActionSize)
	}
	if err := s.spec.CheckAction(in.world, in.action); err != nil {
		return in, err
	}
	for i, v := range in.action {
		if low, high := s.spec.ActionLow[i], s.spec.ActionHigh[i]; s.spec.Discrete == 0 && !(float64(v) >= low && float64(v) <= high) {
			return in, fmt.Errorf("action: value %d is %v, want %v to %v", i, v, low, high)
		}
	}
	return in, nil
}

func (s *Server) checkPush(p *wire.Push) (intent, error) {
	push := &env.Push{World: worldOf(p.GetWorld()), Body: p.GetBody()}
	in := intent{kind: "push", world: push.World, push: push, steps: max(1, int64(p.GetSteps()))}
	if in.steps > maxHold {
		return in, fmt.Errorf("push: steps is %d, want at most %d", in.steps, maxHold)
	}
	for _, v := range []struct {
		name string
		from []float64
		to   *[3]float64
	}{{"force", p.GetForce(), &push.Force}, {"torque", p.GetTorque(), &push.Torque}, {"velocity", p.GetVelocity(), &push.Velocity}} {
		if n := len(v.from); n != 0 && n != 3 {
			return in, fmt.Errorf("push: %s has %d values, want 3 or none", v.name, n)
		}
		for _, x := range v.from {
			if !(x >= -maxForce && x <= maxForce) {
				return in, fmt.Errorf("push: a value of %s is %v, want %v to %v", v.name, x, -maxForce, maxForce)
			}
		}
		copy(v.to[:], v.from)
	}
	return in, s.env.CheckIntervention(env.Intervention{Push: push})
}

func checkEdit(text string) (intent, error) {
	in := intent{kind: "edit", world: -1}
	if len(text) > maxEditBytes {
		return in, fmt.Errorf("edits are %d bytes, want at most %d", len(text), maxEditBytes)
	}
	if err := json.Unmarshal([]byte(text), &in.edits); err != nil {
		return in, fmt.Errorf("edits: %w", err)
	}
	if len(in.edits) == 0 {
		return in, errors.New("edits are empty, want at least one")
	}
	return in, nil
}
