package live

import (
	"cmp"
	"errors"

	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Order is the clock of world 0 as the editor of a page shows it. It is plain data that nothing changes.
type Order struct {
	N        int64          `json:"n"`         // the step from which it is so
	AnchorNS int64          `json:"anchor_ns"` // the instant of the episode from which boundaries count
	Waiting  bool           `json:"waiting"`   // a change waits for a beat of the world
	Beat     string         `json:"beat"`      // seconds from one beat to the next, as a fraction
	Runners  []OrderRunner  `json:"runners"`
	Bindings []OrderBinding `json:"bindings"` // in the order of execution
}

// OrderRunner is a runner of an Order.
type OrderRunner struct {
	Name    string            `json:"name"`
	Rate    string            `json:"rate"` // Hz, as a fraction if it is not whole
	Enabled bool              `json:"enabled"`
	Fixed   map[string]string `json:"fixed"` // why its "rate" and "toggle" cannot be changed; "": they can
}

// OrderBinding is a binding of an Order.
type OrderBinding struct {
	Name     string            `json:"name"`
	Runner   string            `json:"runner"`
	Rate     string            `json:"rate"`
	Phase    string            `json:"phase"`
	Priority int               `json:"priority"`
	Enabled  bool              `json:"enabled"` // not disabled itself
	Fires    bool              `json:"fires"`   // its runner is not disabled either
	Phases   []string          `json:"phases"`  // to which it can be moved, its own among them
	Runners  []string          `json:"runners"` // to which it can be bound, its own among them; none at beats
	Fixed    map[string]string `json:"fixed"`   // as of a runner: "runner", "phase", "priority", "toggle"
}

// Order returns the clock of world 0 at the newest frame. The caller must not modify it.
func (s *Server) Order() *Order { return s.order.Load() }

// orderSource is what an Order was made from. Where it changes, another Order is made.
type orderSource struct {
	now, newest *runners.Schedule
	anchor      int64
}

// watchOrder makes a new Order if the clock of world 0 has changed. It is called at decision
// points, and costs two comparisons where it has not.
func (s *Server) watchOrder(w *sim.World) {
	source := orderSource{now: w.Schedule(), newest: s.env.Sim().Schedule(), anchor: w.Anchor()}
	if source == s.orderSource {
		return
	}
	before := s.orderSource
	s.orderSource = source
	next := &Order{}
	if source.newest == before.newest { // the world has followed, or has begun a new episode
		*next = *s.order.Load()
	} else {
		s.describeOrder(next, source.newest)
	}
	next.N, next.AnchorNS, next.Waiting = s.frame.N, source.anchor, source.now != source.newest
	s.order.Store(next)
}

// describeOrder describes a schedule and tries which edits the run would accept.
func (s *Server) describeOrder(o *Order, schedule *runners.Schedule) {
	o.Beat = schedule.BeatPeriod().RatString()
	var names, phases []string
	for p := runners.Acquisition; p <= runners.Export; p++ {
		phases = append(phases, p.String())
	}
	for _, r := range schedule.Runners() {
		if r.Name == "" { // removed
			continue
		}
		names = append(names, r.Name)
		o.Runners = append(o.Runners, OrderRunner{
			Name: r.Name, Rate: r.Rate.String(), Enabled: !r.Disabled, Fixed: map[string]string{
				"rate":   s.refusal(ratesNear(r)...),
				"toggle": s.refusal(runners.ToggleRunner{Name: r.Name, Enabled: r.Disabled}),
			},
		})
	}
	for _, e := range schedule.Order() {
		b := OrderBinding{
			Name: e.Name, Runner: e.Runner, Rate: e.RateText(), Phase: e.Phase.String(), Priority: e.Priority,
			Enabled: !e.Disabled, Fires: e.Enabled, Fixed: map[string]string{
				"toggle": s.refusal(runners.ToggleBinding{Name: e.Name, Enabled: e.Disabled}),
				"priority": s.refusal(runners.SetPriority{Name: e.Name, Priority: e.Priority - 1},
					runners.SetPriority{Name: e.Name, Priority: e.Priority + 1}),
			},
		}
		b.Phases, b.Fixed["phase"] = s.choices(phases, b.Phase, func(i int) runners.Edit {
			return runners.SetPhase{Name: e.Name, Phase: runners.Acquisition + runners.Phase(i)}
		})
		if e.Runner != "" {
			b.Runners, b.Fixed["runner"] = s.choices(names, e.Runner, func(i int) runners.Edit {
				return runners.Rebind{Name: e.Name, Runner: names[i]}
			})
		}
		o.Bindings = append(o.Bindings, b)
	}
}

// choices are those that the run accepts, the present one among them, and why it is the only one.
func (s *Server) choices(all []string, present string, edit func(int) runners.Edit) (accepted []string, fixed string) {
	for i, choice := range all {
		reason := ""
		if choice != present {
			reason = s.refusal(edit(i))
		}
		if reason == "" {
			accepted = append(accepted, choice)
		}
		fixed = cmp.Or(fixed, reason)
	}
	if len(accepted) > 1 {
		fixed = ""
	}
	return accepted, fixed
}

// ratesNear are edits of a runner's rate, of which a run that lets it change accepts one.
func ratesNear(r runners.Runner) []runners.Edit {
	var edits []runners.Edit
	for _, by := range [][2]int64{{1, 2}, {2, 1}, {9, 10}, {11, 10}} {
		rate, err := runners.NewRate(r.Rate.Num()*by[0], r.Rate.Den()*by[1])
		if err == nil {
			edits = append(edits, runners.SetRate{Name: r.Name, Rate: rate})
		}
	}
	return edits
}

// refusal returns why the run refuses all of some edits, each by itself, or "" if it accepts one.
func (s *Server) refusal(edits ...runners.Edit) (reason string) {
	n := s.n()
	for _, e := range edits {
		err := s.env.Sim().CheckChange(runners.Change{N: n, Edits: runners.Edits{e}})
		if err == nil {
			return ""
		}
		if inner := errors.Unwrap(err); inner != nil { // without the step
			err = inner
		}
		if reason == "" {
			reason = err.Error()
		}
	}
	return reason
}
