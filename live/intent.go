package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// The limits of intents.
const (
	minSpeed, maxSpeed = 0.01, 100
	maxSteps           = 1000     // of one request to step
	maxHold            = 1 << 20  // control steps of one action or push
	maxForce           = 1e6      // N, N·m, m/s
	maxEditBytes       = 64 << 10 // of a change of the clock
	maxInbox           = 4096     // intents that wait for a decision point
)

// intent is an intent that has been checked and waits for a decision point.
type intent struct {
	number     int64
	session    *session
	kind       string
	world      int          // 0: none in particular
	decision   string       // id, of a reply
	replyError error        // why a reply cannot be used: it is refused, but has its place in the log
	decider    *Decider     // of the sender
	bytes      int          // that the run keeps of it, about
	stepReply  chan<- int64 // gets the step n when a request to step is done; nil: nobody waits

	// apply does what the intent wants, at a decision point on the goroutine of Run. refused
	// says why it cannot be; err ends the run.
	apply func(in *intent, cause *runlog.Intent) (refused, err error)
}

func (h *hub) push(in intent) (number int64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := in.session
	switch now := time.Now(); {
	case h.closed:
		return 0, ErrClosed
	case s.inboxCount >= maxQueued || len(h.inbox) >= maxInbox:
		return 0, fmt.Errorf("%d intents wait for the next decision point, want at most %d of a client and %d of all",
			len(h.inbox), maxQueued, maxInbox)
	case !s.bucket.take(now, 1, intentsPerSecond, intentBurst):
		return 0, fmt.Errorf("too many intents, want at most %d a second", intentsPerSecond)
	case !s.kept.take(now, float64(in.bytes), keptPerSecond, keptBurst):
		return 0, fmt.Errorf("the run would keep %d bytes of it, want at most %d a second of all intents of an address",
			in.bytes, keptPerSecond)
	}
	if in.kind == "decide" && in.decider.err == nil {
		in.decider.setSession(s)
	}
	s.inboxCount++
	h.intentCount++
	in.number = h.intentCount
	h.inbox = append(h.inbox, in)
	poke(h.newIntents)
	return in.number, nil
}

// takeIntents returns all intents. They are valid until the next call.
func (h *hub) takeIntents() []intent {
	h.mu.Lock()
	defer h.mu.Unlock()
	intents := h.inbox
	for i := range intents {
		intents[i].session.inboxCount--
	}
	h.inbox, h.spare = h.spare[:0], intents
	return intents
}

// Submit is [Server.SubmitAs] for a client.
func (s *Server) Submit(c *Client, in *wire.Intent) (number int64, err error) {
	return s.SubmitAs(Sender{Session: c.Session(), Role: c.Role()}, in)
}

// Sender says who sends an intent.
type Sender struct {
	Session []byte   // of a welcome, whether or not a client reads
	Role    Role     // that the sender may have; the lesser of it and the session's counts
	Decider *Decider // gets the decisions after a Decide; nil: the sender does not decide
}

// SubmitAs checks an intent and gives it its place in the order of all intents. It may be
// called from any goroutine. The error says why the intent is refused; then nothing happens.
func (s *Server) SubmitAs(sender Sender, in *wire.Intent) (number int64, err error) {
	return s.submit(sender, in, nil)
}

// submit is SubmitAs; stepReply is that of [intent].
func (s *Server) submit(sender Sender, in *wire.Intent, stepReply chan<- int64) (number int64, err error) {
	session, err := s.hub.useSession(sender.Session)
	if err != nil {
		return 0, err
	}
	request, err := s.check(in)
	request.bytes += intentBytes + proto.Size(in)
	request.kind, request.session, request.stepReply, request.decider = kindOf(in), session, stepReply, sender.Decider
	least, role := Operate, min(session.Role, sender.Role)
	if slices.Contains(steerKinds, request.kind) {
		least = Steer
	}
	switch {
	case err != nil:
	case role < least:
		err = fmt.Errorf("%s needs the role %v, want a token of it: this session has %v", request.kind, least, role)
	case request.kind == "decide" && sender.Decider == nil:
		err = errors.New("decide comes where no decision can go out, want the method Decide or a WebSocket")
	default:
		if number, err = s.hub.push(request); err == nil && request.replyError != nil {
			number, err = 0, request.replyError
		}
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if err != nil {
		s.hub.intentStats(request.kind).Refused++
	} else {
		s.hub.intentStats(request.kind).Taken++
	}
	return number, err
}

// kinds are the kinds of intents, as the log and frames name them; "none" is one without.
var kinds = sync.OnceValue(func() (names []string) {
	fields := (&wire.Intent{}).ProtoReflect().Descriptor().Oneofs().ByName("kind").Fields()
	for i := range fields.Len() {
		names = append(names, string(fields.Get(i).Name()))
	}
	return append(names, "none")
})

var steerKinds = []string{"action", "command", "push", "decide", "reply", "label"}

func kindOf(in *wire.Intent) string {
	m := in.ProtoReflect()
	if f := m.WhichOneof(m.Descriptor().Oneofs().ByName("kind")); f != nil {
		return string(f.Name())
	}
	return "none"
}

// check checks an intent against what does not change during the run.
func (s *Server) check(in *wire.Intent) (intent, error) {
	switch k := in.Kind.(type) {
	case *wire.Intent_Action:
		return s.checkAction(k.Action)
	case *wire.Intent_Command:
		return s.checkCommand(k.Command)
	case *wire.Intent_Push:
		return s.checkPush(k.Push)
	case *wire.Intent_Reset_:
		return s.checkReset(k.Reset_)
	case *wire.Intent_Pause:
		return intent{apply: func(_ *intent, cause *runlog.Intent) (refused, err error) {
			s.pause(k.Pause.GetPaused())
			return nil, s.intervene(cause, &runlog.Pause{Paused: k.Pause.GetPaused()})
		}}, nil
	case *wire.Intent_Speed:
		f := k.Speed.GetFactor()
		if !(f >= minSpeed && f <= maxSpeed) {
			return intent{}, fmt.Errorf("speed is %v, want %v to %v", f, minSpeed, maxSpeed)
		}
		return intent{apply: func(_ *intent, cause *runlog.Intent) (refused, err error) {
			s.clock.set(s.clock.paused, f)
			return nil, s.intervene(cause, &runlog.Speed{Factor: f})
		}}, nil
	case *wire.Intent_Step:
		n := int64(k.Step.GetCount())
		if n < 1 || n > maxSteps {
			return intent{}, fmt.Errorf("steps is %d, want 1 to %d", n, maxSteps)
		}
		return intent{apply: func(in *intent, cause *runlog.Intent) (refused, err error) {
			if !s.clock.paused {
				return errNotPaused, nil
			}
			if len(s.stepRequests) >= maxQueued {
				return fmt.Errorf("%d requests for steps wait, want at most that", len(s.stepRequests)), nil
			}
			s.stepRequests = append(s.stepRequests, stepRequest{n, in.stepReply})
			return nil, s.intervene(cause, &runlog.Steps{Count: n})
		}}, nil
	case *wire.Intent_Edit:
		return s.checkEdit(k.Edit.GetEdits())
	case *wire.Intent_Decide:
		return s.checkDecide(k.Decide)
	case *wire.Intent_Reply:
		return s.checkIncoming(k.Reply)
	case *wire.Intent_Label:
		return s.checkLabel(k.Label)
	}
	return intent{}, errors.New("the intent has no kind, want an action, a command, a push, a reset, a pause, a speed, " +
		"steps, an edit, a decide, a reply or a label")
}

var errNotPaused = errors.New("the run is not paused, want a pause before steps")

// intervene makes and logs what an intent wants.
func (s *Server) intervene(cause *runlog.Intent, effect runlog.Effect) error {
	return s.env.Intervene(runlog.Intervention{Intent: cause, Effect: effect})
}

func (s *Server) checkWorld(world int) error {
	if world < 0 || world >= s.env.Sim().Worlds() {
		return fmt.Errorf("world is %d, want 0 to %d", world, s.env.Sim().Worlds()-1)
	}
	return nil
}

// choose returns which worlds are chosen by their numbers: all by none.
func (s *Server) choose(worlds []uint32) (chosen []bool, err error) {
	if len(worlds) > s.env.Sim().Worlds() {
		return nil, fmt.Errorf("%d worlds, want at most %d", len(worlds), s.env.Sim().Worlds())
	}
	chosen = slices.Repeat([]bool{len(worlds) == 0}, s.env.Sim().Worlds())
	for _, w := range worlds {
		if err := s.checkWorld(int(w)); err != nil {
			return nil, err
		}
		chosen[w] = true
	}
	return chosen, nil
}

func (s *Server) checkAction(a *wire.Action) (intent, error) {
	world, values, steps := int(a.GetWorld()), a.GetValues(), max(1, int64(a.GetSteps()))
	err := s.checkWorld(world)
	switch {
	case err != nil:
	case steps > maxHold:
		err = fmt.Errorf("steps is %d, want at most %d", steps, maxHold)
	case len(values) == 0: // the policy acts again
		steps = 0
	default:
		err = s.checkValues(world, values)
	}
	if err != nil {
		return intent{}, fmt.Errorf("action: %w", err)
	}
	return intent{world: world, apply: func(_ *intent, cause *runlog.Intent) (refused, err error) {
		s.overrides[world].set(values, steps, false)
		return nil, s.intervene(cause, &runlog.Override{World: world, Steps: steps})
	}}, nil
}

func (s *Server) checkValues(world int, values []float32) error {
	if len(values) != s.spec.ActionSize {
		return fmt.Errorf("%d values, want %d", len(values), s.spec.ActionSize)
	}
	if err := s.spec.CheckAction(world, values); err != nil || s.spec.Discrete > 0 {
		return err
	}
	for i, v := range values {
		if low, high := s.spec.ActionLow[i], s.spec.ActionHigh[i]; !(float64(v) >= low && float64(v) <= high) {
			return fmt.Errorf("value %d is %v, want %v to %v", i, v, low, high)
		}
	}
	return nil
}

func (s *Server) checkCommand(q *wire.SetCommand) (intent, error) {
	c := &runlog.Command{World: int(q.GetWorld()), Name: q.GetName()}
	if len(q.GetValues()) > 0 {
		c.Values = q.Values
	}
	return intent{world: c.World, apply: func(_ *intent, cause *runlog.Intent) (refused, err error) {
		if refused = s.intervene(cause, c); refused == nil {
			s.config.State.remember(c)
		}
		return refused, nil
	}}, s.env.CheckEffect(c)
}

func (s *Server) checkPush(p *wire.Push) (intent, error) {
	push := &runlog.Push{World: int(p.GetWorld()), Body: p.GetBody(), Steps: int64(p.GetSteps())}
	if push.Steps > maxHold {
		return intent{}, fmt.Errorf("push: steps is %d, want at most %d", push.Steps, maxHold)
	}
	if p.GetId() == 0 && len(p.GetForce())+len(p.GetTorque())+len(p.GetVelocity()) == 0 {
		return intent{}, errors.New("push: it has no force, torque or velocity, want one of them, or the id of a push that it ends")
	}
	for _, v := range []struct {
		name string
		from []float64
		to   *[3]float64
	}{
		{"force", p.GetForce(), &push.Force},
		{"torque", p.GetTorque(), &push.Torque},
		{"velocity", p.GetVelocity(), &push.Velocity},
	} {
		if n := len(v.from); n != 0 && n != 3 {
			return intent{}, fmt.Errorf("push: %s has %d values, want 3 or none", v.name, n)
		}
		for _, x := range v.from {
			if !(x >= -maxForce && x <= maxForce) {
				return intent{}, fmt.Errorf("push: a value of %s is %v, want %v to %v", v.name, x, -maxForce, maxForce)
			}
		}
		copy(v.to[:], v.from)
	}
	return intent{world: push.World, apply: func(in *intent, cause *runlog.Intent) (refused, err error) {
		if p.Id != 0 {
			push.ID = fmt.Sprintf("%s/%d", in.session.Name, p.Id)
		}
		return s.push(in.session.origin, push, cause), nil
	}}, s.env.CheckEffect(push)
}

// push makes a push, unless the origin of its client has as many as it may.
func (s *Server) push(origin string, push *runlog.Push, cause *runlog.Intent) (refused error) {
	now, own := s.n(), 0
	s.pushes = slices.DeleteFunc(s.pushes, func(p actingPush) bool {
		return p.until <= now || push.ID != "" && p.id == push.ID
	})
	for _, p := range s.pushes {
		if p.origin == origin {
			own++
		}
	}
	if own >= maxPushes {
		return fmt.Errorf("push: %d pushes of this address act, want fewer than %d for another one", own, maxPushes)
	}
	if refused = s.intervene(cause, push); refused == nil {
		s.pushes = append(s.pushes, actingPush{origin, push.ID, push.World, now + max(1, push.Steps)})
	}
	return refused
}

func (s *Server) checkLabel(l *wire.Label) (intent, error) {
	label := &runlog.Label{World: int(l.GetWorld()), Task: l.GetTask(), Success: l.Success}
	return intent{world: label.World, apply: func(_ *intent, cause *runlog.Intent) (refused, err error) {
		s.env.Sim().At(label.World, func(w *sim.World) { label.Episode, label.NS = w.Episode(), w.NS() })
		labels := &s.labels[label.World]
		if labels.episode != label.Episode {
			*labels = episodeLabels{episode: label.Episode}
		}
		if labels.count >= maxLabels {
			return fmt.Errorf("label: episode %d of world %d has %d, want at most that", label.Episode, label.World,
				labels.count), nil
		}
		labels.count++
		return s.intervene(cause, label), nil
	}}, s.env.CheckEffect(label)
}

func (s *Server) checkReset(q *wire.Reset) (in intent, err error) {
	reset, mask, seeds := &runlog.Reset{All: q.World == nil}, make([]bool, s.env.Sim().Worlds()), []uint64(nil)
	for i := range mask {
		if mask[i] = q.World == nil || int(*q.World) == i; mask[i] {
			in.bytes += resetBytes
		}
		if q.Seed != nil {
			seeds = append(seeds, *q.Seed+uint64(i))
		}
	}
	if q.World != nil {
		reset.World = int(*q.World)
		in.world, err = reset.World, s.checkWorld(reset.World)
	}
	in.apply = func(_ *intent, cause *runlog.Intent) (refused, err error) {
		if err := s.intervene(cause, reset); err != nil {
			return nil, err
		}
		if err := s.env.ResetWorlds(mask, nil, seeds); err != nil {
			return nil, err
		}
		s.pushes = slices.DeleteFunc(s.pushes, func(p actingPush) bool { return mask[p.world] })
		s.plan() // a decision is due as an episode begins
		return nil, nil
	}
	return in, err
}

func (s *Server) checkEdit(text string) (intent, error) {
	var edits runners.Edits
	if len(text) > maxEditBytes {
		return intent{}, fmt.Errorf("edits are %d bytes, want at most %d", len(text), maxEditBytes)
	}
	if err := json.Unmarshal([]byte(text), &edits); err != nil {
		return intent{}, fmt.Errorf("edits: %w", plainJSON(err))
	}
	if len(edits) == 0 {
		return intent{}, errors.New("edits are empty, want at least one")
	}
	return intent{apply: func(_ *intent, cause *runlog.Intent) (refused, err error) {
		return s.intervene(cause, &runlog.Change{N: s.n(), Edits: edits}), nil
	}}, nil
}
