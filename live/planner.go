package live

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// DefaultDecisionTimeout is the simulated time in which a decision wants its reply.
const DefaultDecisionTimeout = 10 * time.Second

// Mind takes the decisions that are due to a client that decides, such as one that asks a
// language model. Nothing waits for it: at most one decision of each world is kept for it. One
// goroutine at a time may call Next; Close may be called from any goroutine.
type Mind struct {
	server *Server
	wake   chan struct{}

	mu     sync.Mutex
	asked  []*wire.Decision // at most one of each world
	closed bool
	ended  chan struct{} // closed with closed

	session *session // for which it decides, under the lock of the hub; nil: none yet
}

// NewMind returns a mind, which decides for worlds once a Decide has been submitted with
// it; see [Server.SubmitFor].
func (s *Server) NewMind() *Mind {
	return &Mind{server: s, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// Next waits for the next decision. It belongs to the caller.
func (m *Mind) Next(ctx context.Context) (*wire.Decision, error) {
	for {
		m.mu.Lock()
		if len(m.asked) > 0 {
			d := m.asked[0]
			m.asked = slices.Delete(m.asked, 0, 1)
			m.mu.Unlock()
			return d, nil
		}
		m.mu.Unlock()
		select {
		case <-m.wake:
		case <-m.ended:
			return nil, errors.New("the mind is closed")
		case <-m.server.hub.done:
			return nil, ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the mind: its decisions are withdrawn.
func (m *Mind) Close() {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		close(m.ended)
	}
	m.mu.Unlock()
	m.server.hub.mu.Lock()
	defer m.server.hub.mu.Unlock()
	m.server.hub.drop(m)
}

func (m *Mind) gone() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.closed
}

// ask gives the mind a decision, in place of an older one of the same world that it has
// not taken.
func (m *Mind) ask(d *wire.Decision) {
	m.mu.Lock()
	m.asked = append(slices.DeleteFunc(m.asked, func(old *wire.Decision) bool { return old.World == d.World }), d)
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// forget takes back a decision that has ended before the mind has taken it.
func (m *Mind) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = slices.DeleteFunc(m.asked, func(d *wire.Decision) bool { return d.Id == id })
}

// deciding is the planner of one world. It belongs to the goroutine of Run.
type deciding struct {
	mind *Mind    // nil: nobody decides
	from *session // of the mind

	id      string // of the decision that waits for its reply; "": none does
	episode int64
	ns      int64 // of its boundary
	began   time.Time

	ended, how string // the decision before, and what became of it
	last       string // JSON of the last reply that was applied
}

// decisionID names a decision by its world, episode, runner and boundary.
func decisionID(world int, episode, ns int64) string {
	return fmt.Sprintf("%d/%d/%s/%d", world, episode, env.PlannerRunner, ns)
}

// parseDecisionID returns the world and the episode of a decision.
func parseDecisionID(id string) (world int, episode int64, err error) {
	parts := strings.Split(id, "/")
	if len(parts) == 4 {
		w, err1 := strconv.ParseUint(parts[0], 10, 31)
		e, err2 := strconv.ParseInt(parts[1], 10, 64)
		ns, err3 := strconv.ParseInt(parts[3], 10, 64)
		if err1 == nil && err2 == nil && err3 == nil && decisionID(int(w), e, ns) == id {
			return int(w), e, nil
		}
	}
	if len(id) > 100 {
		id = id[:100]
	}
	return 0, 0, fmt.Errorf("id of the reply is %q, want that of a decision", id)
}

// checkDecide checks a Decide.
func (s *Server) checkDecide(d *wire.Decide) (intent, error) {
	in := intent{kind: "decide", world: -1}
	if !s.env.Decides() {
		return in, fmt.Errorf("decide: the run has no runner %s, want one in its configuration", env.PlannerRunner)
	}
	if len(d.GetWorlds()) > s.env.Worlds() {
		return in, fmt.Errorf("decide: %d worlds, want at most %d", len(d.GetWorlds()), s.env.Worlds())
	}
	for _, w := range d.GetWorlds() {
		if err := s.checkWorld(worldOf(w)); err != nil {
			return in, fmt.Errorf("decide: %w", err)
		}
		in.worlds = append(in.worlds, worldOf(w))
	}
	if len(in.worlds) == 0 {
		for w := range s.env.Worlds() {
			in.worlds = append(in.worlds, w)
		}
	}
	return in, nil
}

// checkIncoming checks a reply. A reply to a decision that cannot be used is an intent
// too, with the error in broken: it is refused where it arrives, and logged in its place
// in the order.
func (s *Server) checkIncoming(r *wire.Reply) (intent, error) {
	in := intent{kind: "reply", world: -1}
	world, _, err := parseDecisionID(r.GetId())
	if err == nil {
		err = s.checkWorld(world)
	}
	if err != nil {
		return in, err
	}
	in.world, in.decision = world, r.GetId()
	if in.decided, in.broken = s.checkReply(world, r.GetJson()); in.broken != nil {
		text := r.GetJson()
		if len(text) > maxReplyBytes {
			text = text[:maxReplyBytes]
		}
		raw, err := json.Marshal(strings.ToValidUTF8(text, "?"))
		if err != nil {
			return in, err
		}
		in.decided = &decided{text: raw}
	}
	return in, nil
}

// applyDecide makes a client decide for worlds.
func (s *Server) applyDecide(in *intent, note func(string) error) (refused, err error) {
	for _, w := range in.worlds {
		d := &s.deciding[w]
		if d.id != "" && d.mind != in.mind {
			s.endDecision(w, env.DecisionWithdrawn, "another client decides now")
		}
		d.mind, d.from = in.mind, in.from
	}
	return nil, note(fmt.Sprintf("worlds %v", in.worlds))
}

// applyReply does what a reply decides if its decision waits for it. In any case the log
// says what became of it.
func (s *Server) applyReply(in *intent, by *env.Intent) (refused, err error) {
	d := &s.deciding[in.world]
	now := env.Decision{ID: in.decision, NS: s.timeOf(in.world), Client: in.from.name, Reply: in.decided.text}
	if refused = s.replyRefusal(in); refused != nil {
		now.Event, now.Reason = env.DecisionRefused, short(refused)
		if !s.refusals.take(time.Now(), float64(len(now.Reply)), refusedPerSecond, refusedBurst) {
			now.Reply = nil // a client could fill the disk with them
		}
		s.decisionEvent(&now)
		return refused, s.env.Intervene(env.Intervention{Intent: by, Decision: &now})
	}
	now.Event = env.DecisionApplied
	if in.decided.action != nil {
		o := &s.overrides[in.world]
		copy(o.values, in.decided.action)
		o.left, o.decided = maxHold, true
	}
	first := env.Intervention{Intent: by, Decision: &now}
	for k := range in.decided.commands {
		c := &in.decided.commands[k]
		s.given.remember(c)
		first.Command = c
		if err := s.env.Intervene(first); err != nil {
			return nil, err
		}
		first = env.Intervention{Intent: by}
	}
	if first.Decision != nil {
		if err := s.env.Intervene(first); err != nil {
			return nil, err
		}
	}
	s.decisionEvent(&now)
	s.traced(d, &now)
	d.last, d.ended, d.how, d.id = string(in.decided.text), d.id, "has been applied", ""
	return nil, nil
}

// replyRefusal says why a reply is not applied; nil if it is.
func (s *Server) replyRefusal(in *intent) error {
	d := &s.deciding[in.world]
	_, episode, err := parseDecisionID(in.decision)
	switch now := s.env.Sim().Episode(in.world); {
	case err != nil:
		return err
	case episode != now:
		return fmt.Errorf("wrong episode: the decision is of episode %d, the world is in %d", episode, now)
	case in.decision == d.ended:
		return fmt.Errorf("late: the decision %s", d.how)
	case in.decision != d.id:
		return errors.New("stale: the decision is not the one that waits for a reply")
	case in.from != d.from:
		return fmt.Errorf("the decision was asked of %s", d.from.name)
	}
	return in.broken
}

// plan ends the decisions that can wait no more, and asks for those that are due. It is
// called at a decision point, and makes no step wait.
func (s *Server) plan() {
	for w := range s.deciding {
		d := &s.deciding[w]
		if d.id != "" {
			switch {
			case d.episode != s.env.Sim().Episode(w):
				s.endDecision(w, env.DecisionWithdrawn, "the episode has ended")
			case d.mind.gone():
				s.endDecision(w, env.DecisionWithdrawn, "the client has left")
			case s.timeOf(w)-d.ns >= s.timeout:
				s.endDecision(w, env.DecisionTimedOut, fmt.Sprintf("no reply within %v", time.Duration(s.timeout)))
			}
		}
		ns, due := s.env.TakeDue(w)
		if due && d.id == "" && d.mind != nil && !d.mind.gone() {
			s.ask(w, ns)
		}
	}
}

// timeOf returns the time of a world since its episode began, in ns.
func (s *Server) timeOf(world int) (ns int64) {
	s.env.Sim().At(world, func(w *sim.World) { ns = w.NS() })
	return ns
}

// perceived is what the log keeps of a perception.
type perceived struct {
	Observation numbers            `json:"observation"`
	Tracks      map[string]numbers `json:"tracks,omitempty"`
}

// numbers are numbers in JSON, null where one is not finite.
type numbers []float64

// MarshalJSON implements [json.Marshaler].
func (n numbers) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, x := range n {
		if i > 0 {
			out = append(out, ',')
		}
		if x-x != 0 {
			out = append(out, "null"...)
		} else {
			out = strconv.AppendFloat(out, x, 'g', -1, 64)
		}
	}
	return append(out, ']'), nil
}

// ask asks the mind of a world for a decision.
func (s *Server) ask(world int, ns int64) {
	d := &s.deciding[world]
	beats := s.beats // publish compares it
	s.env.Sim().At(world, s.look)
	s.beats = beats
	ask := &wire.Decision{
		World: uint32(world), Ns: ns, N: s.env.Sim().Blocks()[0].N(), Last: d.last, WithinNs: s.timeout,
	}
	s.env.Sim().At(world, func(w *sim.World) {
		ask.Episode = w.Episode()
		values, _, _ := w.Observation()
		ask.Observation = slices.Clone(values)
	})
	ask.Id = decisionID(world, ask.Episode, ns)
	values := slices.Clone(s.gather.values[world*s.hub.enc.size:][:s.hub.enc.size])
	log := perceived{Observation: ask.Observation, Tracks: map[string]numbers{}}
	for _, track := range s.hub.enc.tracks {
		own := values[:track.Size]
		values = values[track.Size:]
		ask.Tracks = append(ask.Tracks, &wire.Perceived{Name: track.Name, Values: own})
		log.Tracks[track.Name] = own
	}
	d.id, d.episode, d.ns, d.began = ask.Id, ask.Episode, ns, time.Now()
	trace, span := s.traceOf(d.id)
	ask.Traceparent = fmt.Sprintf("00-%s-%s-01", trace, span)
	perception, err := json.Marshal(log)
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	e := &env.Decision{ID: d.id, Event: env.DecisionAsked, NS: s.timeOf(world), Client: d.from.name, Perception: perception}
	s.pending = append(s.pending, e)
	s.decisionEvent(e)
	d.mind.ask(ask)
}

// endDecision ends a decision without a reply.
func (s *Server) endDecision(world int, event, reason string) {
	d := &s.deciding[world]
	e := &env.Decision{ID: d.id, Event: event, NS: s.timeOf(world), Client: d.from.name, Reason: reason}
	s.pending = append(s.pending, e)
	s.decisionEvent(e)
	s.traced(d, e)
	d.mind.forget(d.id)
	d.ended, d.how, d.id = d.id, event, ""
	if event == env.DecisionTimedOut {
		d.how = "has timed out"
	} else {
		d.how = "was withdrawn: " + reason
	}
}

// withdraw ends all decisions that wait.
func (s *Server) withdraw(reason string) {
	for w := range s.deciding {
		if s.deciding[w].id != "" {
			s.endDecision(w, env.DecisionWithdrawn, reason)
		}
	}
}

// decisionEvent puts an event into the next frame and its trace.
func (s *Server) decisionEvent(e *env.Decision) {
	s.gather.decisions = append(s.gather.decisions, decisionEvent{e.ID, e.Event, e.Client, e.Reason})
	s.traces.add(e, s.env.Sim().Blocks()[0].N())
}

// logDecisions writes the events of decisions to the log. A step, or an empty segment, has
// to follow.
func (s *Server) logDecisions() error {
	for _, e := range s.pending {
		if err := s.env.Intervene(env.Intervention{Decision: e}); err != nil {
			return err
		}
	}
	s.pending = s.pending[:0]
	return nil
}

// traceOf returns the trace and the span of a decision, in hexadecimal.
func (s *Server) traceOf(id string) (trace, span string) {
	sum := sha256.Sum256(append(s.traceSeed[:], id...))
	return hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])
}

// traced gives the span of a decision that has ended to Config.Span.
func (s *Server) traced(d *deciding, e *env.Decision) {
	if s.config.Span == nil {
		return
	}
	trace, span := s.traceOf(e.ID)
	s.config.Span(Span{
		Trace: trace, Span: span, Begin: d.began, End: time.Now(),
		ID: e.ID, Event: e.Event, Client: e.Client, Reason: e.Reason, Reply: string(e.Reply),
	})
}
