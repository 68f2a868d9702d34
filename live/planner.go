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
	asked   []*wire.Decision // at most one of each world
	session *session         // for which it decides; nil: none yet

	taking *wire.Decision // by Next
}

// NewDecider returns a decider, which decides for worlds once a Decide has been submitted with it; see [Sender].
func (s *Server) NewDecider() *Decider {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	d := &Decider{}
	d.open(s.hub, func() bool {
		if len(d.asked) == 0 {
			return false
		}
		d.taking = d.asked[0]
		d.asked = slices.Delete(d.asked, 0, 1)
		return true
	}, func() { d.hold(nil) })
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
	return d.taking, nil
}

// hold makes the decider decide for a session, which is kept as long as it does. The lock is held.
func (d *Decider) hold(s *session) {
	if d.session != nil {
		d.session.deciders--
		d.session.used = time.Now()
	}
	if d.session = s; s != nil {
		s.deciders++
	}
}

// ask gives the decider a decision, in place of an older one of the same world that it has not taken.
func (d *Decider) ask(next *wire.Decision) {
	d.hub.mu.Lock()
	defer d.hub.mu.Unlock()
	d.cancel(func(old *wire.Decision) bool { return old.World == next.World })
	d.asked = append(d.asked, next)
	d.signal()
}

// cancel takes back decisions that the decider has not taken. The lock is held.
func (d *Decider) cancel(which func(*wire.Decision) bool) {
	d.asked = slices.DeleteFunc(d.asked, which)
}

// planning are the decisions of a run. It belongs to the goroutine of Run.
type planning struct {
	deciding []deciding         // by world; nil without a runner Planner
	pending  []*runlog.Decision // events that are not in the log yet
	refusals bucket             // bytes of refused replies that are kept
}

// deciding is the planner of one world. It belongs to the goroutine of Run.
type deciding struct {
	by   *Decider // nil: nobody decides
	from *session // of by

	id      string // of the decision that waits for its reply; "": none does
	episode int64
	ns      int64 // of its boundary

	ended, how string // the decision before, and what became of it
	last       string // JSON of the last reply that was applied
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
	return intent{apply: func(in *intent, by *runlog.Intent) (refused, err error) {
		for w := range s.deciding {
			d := &s.deciding[w]
			if !chosen[w] {
				continue
			}
			if d.id != "" && d.by != in.decider {
				s.endDecision(w, runlog.DecisionWithdrawn, "another client decides now")
			}
			d.by, d.from = in.decider, in.from
		}
		return nil, s.intervene(by, &runlog.Assignment{Worlds: q.GetWorlds()})
	}}, nil
}

// checkIncoming checks a reply. A reply to a decision that cannot be used is an intent too, with the error in broken:
// it is refused where it arrives, and logged in its place in the order.
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
	what, broken := s.checkReply(world, r.GetJson())
	if broken != nil {
		raw, err := json.Marshal(cut(r.GetJson(), maxReplyBytes))
		if err != nil {
			return intent{}, err
		}
		what = &decided{text: raw}
	}
	apply := func(in *intent, by *runlog.Intent) (refused, err error) {
		return s.applyReply(in, by, what, s.replyRefusal(in, episode))
	}
	return intent{world: world, decision: r.GetId(), broken: broken, apply: apply}, nil
}

// applyReply does what a reply decides, unless it is refused. In any case the log says what became of it.
func (s *Server) applyReply(in *intent, by *runlog.Intent, what *decided, refused error) (_, err error) {
	d := &s.deciding[in.world]
	now := runlog.Decision{
		ID: in.decision, Event: runlog.DecisionApplied, NS: s.timeOf(in.world), Client: in.from.Name, Reply: what.text,
	}
	if refused != nil {
		now.Event, now.Reason = runlog.DecisionRefused, short(refused)
		if !s.refusals.take(time.Now(), float64(len(now.Reply)), refusedPerSecond, refusedBurst) {
			now.Reply = nil // a client could fill the disk with them
		}
		s.decisionEvent(&now)
		return refused, s.env.Intervene(runlog.Intervention{Intent: by, Decision: &now})
	}
	if what.action != nil {
		s.overrides[in.world].set(what.action, maxHold, true)
	}
	first := runlog.Intervention{Intent: by, Decision: &now}
	if len(what.commands) == 0 {
		if err := s.env.Intervene(first); err != nil {
			return nil, err
		}
	}
	for k := range what.commands {
		c := &what.commands[k]
		s.config.State.remember(c)
		first.Effect = c
		if err := s.env.Intervene(first); err != nil {
			return nil, err
		}
		first.Decision = nil
	}
	s.decisionEvent(&now)
	d.last, d.ended, d.how, d.id = string(what.text), d.id, "has been applied", ""
	return nil, nil
}

// replyRefusal says why a reply is not applied; nil if it is.
func (s *Server) replyRefusal(in *intent, episode int64) error {
	d := &s.deciding[in.world]
	switch now := s.env.Sim().Episode(in.world); {
	case episode != now:
		return fmt.Errorf("wrong episode: the decision is of episode %d, the world is in %d", episode, now)
	case in.decision == d.ended:
		return fmt.Errorf("late: the decision %s", d.how)
	case in.decision != d.id:
		return errors.New("stale: the decision is not the one that waits for a reply")
	case in.from != d.from:
		return fmt.Errorf("the decision was asked of %s", d.from.Name)
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
				s.endDecision(w, runlog.DecisionWithdrawn, "the episode has ended")
			case d.by.gone():
				s.endDecision(w, runlog.DecisionWithdrawn, "the client has left")
			case s.timeOf(w)-d.ns >= int64(s.config.DecisionTimeout):
				s.endDecision(w, runlog.DecisionTimedOut, fmt.Sprintf("no reply within %v", s.config.DecisionTimeout))
			}
		}
		ns, due := s.env.PlannerBoundary(w)
		if due && d.id == "" && d.by != nil && !d.by.gone() {
			s.ask(w, ns)
		}
	}
}

func (s *Server) timeOf(world int) (ns int64) {
	s.env.Sim().At(world, func(w *sim.World) { ns = w.NS() })
	return ns
}

func (s *Server) ask(world int, ns int64) {
	d := &s.deciding[world]
	ask := &wire.Decision{World: uint32(world), Ns: ns, N: s.n(), Last: d.last, WithinNs: int64(s.config.DecisionTimeout)}
	s.env.Sim().At(world, func(w *sim.World) {
		s.gatherWorld(w)
		ask.Episode = w.Episode()
		values, _, _ := w.Observation()
		ask.Observation = slices.Clone(values)
	})
	ask.Id = decisionID(world, ask.Episode, ns)
	values := slices.Clone(s.values[world*s.hub.enc.size():][:s.hub.enc.size()])
	tracks := map[string][]any{}
	for _, track := range s.hub.enc.layout {
		own := values[:track.Size]
		values = values[track.Size:]
		ask.Tracks = append(ask.Tracks, &wire.Perceived{Name: track.Name, Values: own})
		tracks[track.Name] = finite(own)
	}
	d.id, d.episode, d.ns = ask.Id, ask.Episode, ns
	perception, err := json.Marshal(map[string]any{"observation": finite(ask.Observation), "tracks": tracks})
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	s.happened(world, &runlog.Decision{Event: runlog.DecisionAsked, Perception: perception})
	d.by.ask(ask)
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
	d := &s.deciding[world]
	s.happened(world, &runlog.Decision{Event: event, Reason: reason})
	s.hub.mu.Lock()
	d.by.cancel(func(asked *wire.Decision) bool { return asked.Id == d.id })
	s.hub.mu.Unlock()
	d.ended, d.how, d.id = d.id, "has timed out", ""
	if event != runlog.DecisionTimedOut {
		d.how = "was withdrawn: " + reason
	}
}

// happened adds an event to the decision of a world that is asked or ends.
func (s *Server) happened(world int, e *runlog.Decision) {
	d := &s.deciding[world]
	e.ID, e.NS, e.Client = d.id, s.timeOf(world), d.from.Name
	s.pending = append(s.pending, e)
	s.decisionEvent(e)
}

// decisionEvent puts an event into the next frame and its trace.
func (s *Server) decisionEvent(e *runlog.Decision) {
	event := &wire.DecisionEvent{Id: e.ID, Event: e.Event, Client: e.Client, Reason: e.Reason}
	s.frame.Decisions = append(s.frame.Decisions, event)
	s.hub.trace(e, s.n())
}

// logDecisions writes the events of decisions to the log. A step, or an empty segment, has to follow.
func (s *Server) logDecisions() error {
	for _, e := range s.pending {
		if err := s.env.Intervene(runlog.Intervention{Decision: e}); err != nil {
			return err
		}
	}
	s.pending = s.pending[:0]
	return nil
}
