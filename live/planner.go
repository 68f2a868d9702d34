package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// DefaultDecisionTimeout is the simulated time in which a decision wants its reply.
const DefaultDecisionTimeout = 10 * time.Second

// Decider takes the decisions that are due to a client that decides, such as one that asks a
// language model. Nothing waits for it: at most one decision of each world is kept for it. One
// goroutine at a time may call Next; the other methods may be called from any goroutine.
type Decider struct {
	reader

	// Under the lock of the hub:
	queue   []*wire.Decision // that Next has not returned, at most one of each world
	session *session         // the one that decides by it; nil: none does yet

	decision *wire.Decision // the one that Next returns
}

// NewDecider returns a decider, which decides for worlds once a Decide has been submitted with it; see [Sender].
func (s *Server) NewDecider() *Decider {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	d := &Decider{}
	d.open(s.hub, func() bool {
		if len(d.queue) == 0 {
			return false
		}
		d.decision = d.queue[0]
		d.queue = slices.Delete(d.queue, 0, 1)
		return true
	}, func() { d.setSession(nil) })
	if s.hub.closed {
		d.end(ErrClosed)
	}
	return d
}

// Next waits for the next decision. It belongs to the caller.
func (d *Decider) Next(ctx context.Context) (*wire.Decision, error) {
	if err := d.next(ctx); err != nil {
		return nil, err
	}
	return d.decision, nil
}

// setSession says which session decides by the decider; nil: none. A session does not end while it has deciders. The
// lock is held.
func (d *Decider) setSession(s *session) {
	if d.session != nil {
		d.session.deciderCount--
		d.session.lastUse = time.Now()
	}
	if d.session = s; s != nil {
		s.deciderCount++
	}
}

// ask puts a decision into the queue, in place of an older one of the same world.
func (d *Decider) ask(decision *wire.Decision) {
	d.hub.mu.Lock()
	defer d.hub.mu.Unlock()
	d.cancel(func(old *wire.Decision) bool { return old.World == decision.World })
	d.queue = append(d.queue, decision)
	d.signal()
}

// cancel removes matching decisions from the queue. The lock is held.
func (d *Decider) cancel(match func(*wire.Decision) bool) {
	d.queue = slices.DeleteFunc(d.queue, match)
}

// plannerState has the decisions of a run. It belongs to the goroutine of Run.
type plannerState struct {
	planners     []worldPlanner     // by world; nil without a runner Planner
	unlogged     []*runlog.Decision // events that are not in the log yet
	refusalBytes bucket             // bytes of refused replies that are kept
}

// worldPlanner has the decisions of one world. It belongs to the goroutine of Run.
type worldPlanner struct {
	decider *Decider // nil: nobody decides
	session *session // of the decider

	openID  string // of the decision that waits for its reply; "": none does
	episode int64
	ns      int64 // of its boundary

	previousID, previousOutcome string // the decision before, and what became of it
	lastReply                   string // JSON of the last reply that was applied
}

// decisionID names a decision by its world, episode, runner and boundary.
func decisionID(world int, episode, ns int64) string {
	return fmt.Sprintf("%d/%d/%s/%d", world, episode, env.PlannerRunner, ns)
}

func parseDecisionID(id string) (world int, episode int64, err error) {
	var ns int64
	fmt.Sscanf(id, "%d/%d/"+env.PlannerRunner+"/%d", &world, &episode, &ns)
	if decisionID(world, episode, ns) != id {
		err = fmt.Errorf("id of the reply is %q, want that of a decision", cut(id, 100))
	}
	return world, episode, err
}

// checkPlanner returns an error unless the run asks for decisions.
func (s *Server) checkPlanner(kind string) error {
	if s.env.HasPlanner() {
		return nil
	}
	return fmt.Errorf("%s: the run has no runner %s, want one in its configuration", kind, env.PlannerRunner)
}

// checkDecide checks a Decide, which makes its sender decide for worlds.
func (s *Server) checkDecide(q *wire.Decide) (intent, error) {
	if err := s.checkPlanner("decide"); err != nil {
		return intent{}, err
	}
	chosen, err := s.choose(q.GetWorlds())
	if err != nil {
		return intent{}, fmt.Errorf("decide: %w", err)
	}
	bytes := 0
	for _, c := range chosen { // it may be asked at once, and the log has what it perceives
		if c {
			bytes += numberBytes * (s.spec.ObservationSize + s.hub.enc.size())
		}
	}
	return intent{bytes: bytes, apply: func(in *intent, cause *runlog.Intent) (refused, err error) {
		for w := range s.planners {
			d := &s.planners[w]
			if !chosen[w] {
				continue
			}
			if d.openID != "" && d.decider != in.decider {
				s.endDecision(w, runlog.DecisionWithdrawn, "another client decides now")
			}
			d.decider, d.session = in.decider, in.session
		}
		return nil, s.intervene(cause, &runlog.Assignment{Worlds: q.GetWorlds()})
	}}, nil
}

// checkIncoming checks a reply. A reply to a decision that cannot be used is an intent too, with its replyError: it is
// refused where it arrives, and logged in its place in the order.
func (s *Server) checkIncoming(r *wire.Reply) (intent, error) {
	if err := s.checkPlanner("reply"); err != nil {
		return intent{}, err
	}
	world, episode, err := parseDecisionID(r.GetId())
	if err == nil {
		err = s.checkWorld(world)
	}
	if err != nil {
		return intent{}, err
	}
	effects, replyError := s.checkReply(world, r.GetJson())
	if replyError != nil {
		raw, err := json.Marshal(cut(r.GetJson(), maxReplyBytes))
		if err != nil {
			return intent{}, err
		}
		effects = &replyEffects{text: raw}
	}
	apply := func(in *intent, cause *runlog.Intent) (refused, err error) {
		return s.applyReply(in, cause, effects, s.replyRefusal(in, episode))
	}
	return intent{world: world, decision: r.GetId(), replyError: replyError, apply: apply}, nil
}

// applyReply does what a reply decides, unless it is refused. In any case the log says what became of it.
func (s *Server) applyReply(in *intent, cause *runlog.Intent, effects *replyEffects, refused error) (_, err error) {
	d := &s.planners[in.world]
	event := runlog.Decision{
		ID: in.decision, Event: runlog.DecisionApplied, NS: s.timeOf(in.world), Client: in.session.Name,
		Reply: effects.text,
	}
	if refused != nil {
		event.Event, event.Reason = runlog.DecisionRefused, short(refused)
		if !s.refusalBytes.take(time.Now(), float64(len(event.Reply)), refusedPerSecond, refusedBurst) {
			event.Reply = nil // a client could fill the disk with them
		}
		s.decisionEvent(&event)
		return refused, s.env.Intervene(runlog.Intervention{Intent: cause, Decision: &event})
	}
	if effects.action != nil {
		s.overrides[in.world].set(effects.action, maxHold, true)
	}
	first := runlog.Intervention{Intent: cause, Decision: &event} // the one with the decision
	if len(effects.commands) == 0 {
		if err := s.env.Intervene(first); err != nil {
			return nil, err
		}
	}
	for k := range effects.commands {
		c := &effects.commands[k]
		s.config.State.remember(c)
		first.Effect = c
		if err := s.env.Intervene(first); err != nil {
			return nil, err
		}
		first.Decision = nil
	}
	s.decisionEvent(&event)
	d.lastReply, d.previousID, d.previousOutcome, d.openID = string(effects.text), d.openID, "has been applied", ""
	return nil, nil
}

// replyRefusal says why a reply is not applied; nil if it is.
func (s *Server) replyRefusal(in *intent, episode int64) error {
	d := &s.planners[in.world]
	switch now := s.env.Sim().Episode(in.world); {
	case episode != now:
		return fmt.Errorf("wrong episode: the decision is of episode %d, the world is in %d", episode, now)
	case in.decision == d.previousID:
		return fmt.Errorf("late: the decision %s", d.previousOutcome)
	case in.decision != d.openID:
		return errors.New("stale: the decision is not the one that waits for a reply")
	case in.session != d.session:
		return fmt.Errorf("the decision was asked of %s", d.session.Name)
	}
	return in.replyError
}

// plan ends the decisions that can wait no more, and asks for those that are due. It is
// called at a decision point, and makes no step wait.
func (s *Server) plan() {
	for w := range s.planners {
		d := &s.planners[w]
		if d.openID != "" {
			switch {
			case d.episode != s.env.Sim().Episode(w):
				s.endDecision(w, runlog.DecisionWithdrawn, "the episode has ended")
			case d.decider.hasEnded():
				s.endDecision(w, runlog.DecisionWithdrawn, "the client has left")
			case s.timeOf(w)-d.ns >= int64(s.config.DecisionTimeout):
				s.endDecision(w, runlog.DecisionTimedOut, fmt.Sprintf("no reply within %v", s.config.DecisionTimeout))
			}
		}
		ns, reached := s.env.PlannerBoundary(w)
		if reached && d.openID == "" && d.decider != nil && !d.decider.hasEnded() {
			s.ask(w, ns)
		}
	}
}

func (s *Server) timeOf(world int) (ns int64) {
	s.env.Sim().At(world, func(w *sim.World) { ns = w.NS() })
	return ns
}

func (s *Server) ask(world int, ns int64) {
	d := &s.planners[world]
	decision := &wire.Decision{
		World: uint32(world), Ns: ns, N: s.n(), Last: d.lastReply, WithinNs: int64(s.config.DecisionTimeout),
	}
	s.env.Sim().At(world, func(w *sim.World) {
		s.gatherWorld(w)
		decision.Episode = w.Episode()
		values, _, _ := w.Observation()
		decision.Observation = slices.Clone(values)
	})
	decision.Id = decisionID(world, decision.Episode, ns)
	values := slices.Clone(s.values[world*s.hub.enc.size():][:s.hub.enc.size()])
	tracks := map[string][]any{}
	for _, track := range s.hub.enc.layout {
		trackValues := values[:track.Size]
		values = values[track.Size:]
		decision.Tracks = append(decision.Tracks, &wire.Perceived{Name: track.Name, Values: trackValues})
		tracks[track.Name] = finite(trackValues)
	}
	d.openID, d.episode, d.ns = decision.Id, decision.Episode, ns
	perception, err := json.Marshal(map[string]any{"observation": finite(decision.Observation), "tracks": tracks})
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	s.planEvent(world, &runlog.Decision{Event: runlog.DecisionAsked, Perception: perception})
	d.decider.ask(decision)
}

// finite are numbers for JSON, null where one is not finite.
func finite(values []float64) []any {
	list := make([]any, len(values))
	for i, v := range values {
		if v-v == 0 {
			list[i] = v
		}
	}
	return list
}

// endDecision ends a decision without a reply.
func (s *Server) endDecision(world int, event, reason string) {
	d := &s.planners[world]
	s.planEvent(world, &runlog.Decision{Event: event, Reason: reason})
	s.hub.mu.Lock()
	d.decider.cancel(func(asked *wire.Decision) bool { return asked.Id == d.openID })
	s.hub.mu.Unlock()
	d.previousID, d.previousOutcome, d.openID = d.openID, "has timed out", ""
	if event != runlog.DecisionTimedOut {
		d.previousOutcome = "was withdrawn: " + reason
	}
}

// planEvent adds an event to the decision of a world that is asked or ends.
func (s *Server) planEvent(world int, event *runlog.Decision) {
	d := &s.planners[world]
	event.ID, event.NS, event.Client = d.openID, s.timeOf(world), d.session.Name
	s.unlogged = append(s.unlogged, event)
	s.decisionEvent(event)
}

// decisionEvent puts an event into the next frame and its trace.
func (s *Server) decisionEvent(event *runlog.Decision) {
	s.frame.Decisions = append(s.frame.Decisions, &wire.DecisionEvent{
		Id: event.ID, Event: event.Event, Client: event.Client, Reason: event.Reason,
	})
	s.hub.trace(event, s.n())
}

// logDecisions writes the events of decisions to the log. A step, or an empty segment, has to follow.
func (s *Server) logDecisions() error {
	for _, event := range s.unlogged {
		if err := s.env.Intervene(runlog.Intervention{Decision: event}); err != nil {
			return err
		}
	}
	s.unlogged = s.unlogged[:0]
	return nil
}
