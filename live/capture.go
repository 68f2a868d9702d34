package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The limits of captures.
const (
	maxCaptures      = 32       // at once
	reservedCaptures = 4        // of them, for each role above
	maxEvery         = 1000_000 // boundaries
	captureBytes     = 512 << 10
	minCaptured      = 16 // captures that captureBytes must hold
	maxCapturable    = 256
	rowWords         = 12 // of 8 bytes: what a capture has besides its values
)

// Capture brings a client exact values with their timestamps from the phase Export of a runner. Nothing waits for it:
// what does not fit into its queue is dropped and counted. One goroutine at a time may call Next; the other methods
// may be called from any goroutine.
type Capture struct {
	reader
	runner  int // in Env.CaptureRunners
	every   int64
	worlds  []bool
	sources []source
	values  int      // captured at once, in the number of words that they may take
	limit   int      // captures that the queue holds
	share   int      // captures of each block in staged
	staged  []staged // by block: those of the step that runs, on the goroutine of the block

	queue rows // under the lock of the hub
	had   rows // by Next
}

// rows are captures, encoded one after the other.
type rows struct {
	n      int
	missed int64 // more, which did not fit
	data   []byte
}

func (r *rows) clear() { *r = rows{data: r.data[:0]} }

// add adds other rows, in place of its own if they do not fit into a limit, and returns how many are lost.
func (r *rows) add(other *rows, limit int) (lost int64) {
	before := r.missed
	if r.n+other.n > limit {
		*r = rows{missed: r.missed + int64(r.n), data: r.data[:0]}
	}
	r.n += other.n
	r.missed += other.missed
	r.data = append(r.data, other.data...)
	return r.missed - before
}

type staged struct {
	rows
	next *wire.Captures // of one capture, to be filled
	ns   []int64        // timestamps of it
}

type source struct {
	name string
	size int
	read func(dst []float64, ctx *runners.StepContext, w *sim.World) (ns int64, ok bool) // not ok: still of the reset
}

// capturing is what can be captured, and by whom it is. The goroutine of Run owns the lists,
// and between its calls of Each no other.
type capturing struct {
	known   []source // in the order of Description.CaptureValues
	runners []string
	all     []*Capture
}

func (s *Server) newCaptures(d *wire.Description) {
	c := &s.capturing
	if c.runners == nil {
		return
	}
	d.CaptureRunners = c.runners
	for _, source := range c.known {
		d.CaptureValues = append(d.CaptureValues, &wire.Capturable{Name: source.name, Size: uint32(source.size)})
	}
	s.env.OnCapture(func(runner int, ctx *runners.StepContext, w *sim.World) { // on the goroutine of the block
		for _, one := range c.all {
			if one.runner == runner {
				one.stage(ctx, w)
			}
		}
	})
}

// sources are what has a timestamp of its own, so that it does not matter that physics has run ahead in Export.
func (s *Server) sources() (all []source) {
	type (
		step  = *runners.StepContext
		world = *sim.World
	)
	add := func(name string, size int, read func(dst []float64, ctx step, w world) (int64, bool)) {
		all = append(all, source{name, size, read})
	}
	for i, suite := 0, s.env.Sim().Sensors(); i < suite.Len(); i++ {
		add(channelPrefix+suite.Info(i).Name, suite.Size(i), func(dst []float64, _ step, w world) (int64, bool) {
			return w.Read(dst, i)
		})
	}
	add("observation", s.spec.ObservationSize, func(dst []float64, _ step, w world) (int64, bool) {
		values, ns, ok := w.Observation()
		copy(dst, values)
		return ns, ok
	})
	add("action", s.spec.ActionSize, func(dst []float64, _ step, w world) (int64, bool) {
		values, ns, ok := w.Action()
		for i, v := range values {
			dst[i] = float64(v)
		}
		return ns, ok
	})
	if size := s.env.PoseSize(); size > 0 {
		add(poseTrack, size*len(s.env.Bodies()), func(dst []float64, _ step, w world) (int64, bool) {
			return s.env.Pose(w, dst), true
		})
	}
	add("step", len(s.capturing.runners), func(dst []float64, ctx step, _ world) (int64, bool) {
		for i := range dst {
			dst[i] = float64(ctx.Step(runners.ID(i)).DT)
		}
		return ctx.NS, true
	})
	add("alpha", len(s.capturing.runners), func(dst []float64, ctx step, _ world) (int64, bool) {
		for i := range dst {
			dst[i] = ctx.Alpha(runners.ID(i))
		}
		return ctx.NS, true
	})
	return all
}

// Capture begins a capture for a client of a role, from the next decision point on. It may be
// called from any goroutine.
func (s *Server) Capture(role Role, q *wire.CaptureRequest) (*Capture, error) {
	c, err := s.newCapture(q)
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, ErrClosed
	}
	if n, most := len(h.captures), maxCaptures-reservedCaptures*int(Operate-role); n >= most {
		return nil, fmt.Errorf("capture: there are %d, want fewer than %d for another one of the role %v", n, most, role)
	}
	c.open(h, c.takeQueue, func() {
		c.queue = rows{}
		h.captures = slices.DeleteFunc(h.captures, func(other *Capture) bool { return other == c })
	})
	h.captures = append(h.captures, c)
	return c, nil
}

func (s *Server) newCapture(q *wire.CaptureRequest) (*Capture, error) {
	of := &s.capturing
	if of.runners == nil {
		return nil, errors.New("the worlds were opened without it, want env.OpenOptions.Capture")
	}
	c := &Capture{every: max(1, int64(q.GetEvery()))}
	if c.runner = slices.Index(of.runners, q.GetRunner()); c.runner < 0 {
		return nil, fmt.Errorf("no runner %q, want one of %s", cut(q.GetRunner(), 100), strings.Join(of.runners, ", "))
	}
	if c.every > maxEvery {
		return nil, fmt.Errorf("every is %d, want 1 to %d", c.every, maxEvery)
	}
	if err := c.choose(of.known, q.GetValues()); err != nil {
		return nil, err
	}
	return c, c.chooseWorlds(s, q.GetWorlds())
}

func (c *Capture) choose(known []source, names []string) error {
	if len(names) == 0 {
		c.sources = known
	}
	if len(names) > maxCapturable {
		return fmt.Errorf("%d names of values, want at most %d", len(names), maxCapturable)
	}
	for i, name := range names {
		at := slices.IndexFunc(known, func(s source) bool { return s.name == name })
		if at < 0 || slices.Contains(names[:i], name) {
			all := make([]string, len(known))
			for k := range all {
				all[k] = known[k].name
			}
			return fmt.Errorf("values are of %q, want each once, of %s", cut(name, 100), strings.Join(all, ", "))
		}
		c.sources = append(c.sources, known[at])
	}
	c.values = rowWords
	for i := range c.sources {
		c.values += 3 + c.sources[i].size
	}
	return nil
}

// chooseWorlds sets the worlds, and how many of their captures the queue holds.
func (c *Capture) chooseWorlds(s *Server, worlds []uint32) error {
	var err error
	if c.worlds, err = s.choose(worlds); err != nil {
		return err
	}
	blocks, holding := s.env.Sim().Blocks(), 0
	c.staged = make([]staged, len(blocks))
	for i := range c.staged {
		one := &wire.Captured{}
		for _, of := range c.sources {
			one.Values = append(one.Values, &wire.Sample{Values: make([]float64, of.size)})
		}
		c.staged[i].next = &wire.Captures{Captures: []*wire.Captured{one}}
		c.staged[i].ns = make([]int64, len(c.sources))
	}
	for _, b := range blocks {
		if slices.Contains(c.worlds[b.Row():b.Row()+b.Len()], true) {
			holding++
		}
	}
	c.limit = captureBytes / (8 * c.values)
	c.share = c.limit / holding
	if c.limit < minCaptured || c.share == 0 {
		return fmt.Errorf("%d values of each world, of which the queue holds %d captures, want at least %d: "+
			"ask for fewer values or worlds", c.values, c.limit, max(minCaptured, holding))
	}
	return nil
}

// follow takes over the list of captures before a step.
func (s *Server) follow() {
	c := &s.capturing
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	c.all = append(c.all[:0], s.hub.captures...)
}

// stage captures a world in Export, on the goroutine of its block.
func (c *Capture) stage(ctx *runners.StepContext, w *sim.World) {
	k := ctx.Step(ctx.ID).K
	if k%c.every != 0 || !c.worlds[w.Row()] {
		return
	}
	to := &c.staged[w.Block()]
	if to.n >= c.share {
		to.missed++
		return
	}
	to.n++
	one := to.next.Captures[0]
	one.World, one.Episode, one.N = uint32(w.Index()), w.Episode(), w.StepN()
	one.K, one.Ns, one.DtNs, one.Beat = k, ctx.NS, ctx.DT, ctx.Sync
	for i, v := range one.Values {
		var ok bool
		v.Ns = nil
		if to.ns[i], ok = c.sources[i].read(v.Values, ctx, w); ok {
			v.Ns = &to.ns[i]
		}
	}
	var err error
	if to.data, err = (proto.MarshalOptions{}).MarshalAppend(to.data, to.next); err != nil {
		panic(err) // cannot happen: it has no text
	}
}

// deliver hands over what a step has captured. It waits for no client and, once the queues
// are warm, allocates nothing.
func (s *Server) deliver() {
	if len(s.capturing.all) == 0 {
		return
	}
	now := time.Now()
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, c := range s.capturing.all {
		c.deliver(now)
	}
}

func (c *Capture) deliver(now time.Time) {
	for i := range c.staged {
		if c.err == nil {
			c.hub.stats.CaptureMissed += c.queue.add(&c.staged[i].rows, c.limit)
		}
		c.staged[i].clear()
	}
	if c.queue.n == 0 {
		return
	}
	if c.slow(now) {
		c.end(ErrSlow)
	}
	c.signal()
}

// Next waits for the next captures, all that there are. They belong to the caller. One that
// has captures to read and for 5 s does not call Next is closed.
func (c *Capture) Next(ctx context.Context) (*wire.Captures, error) {
	if err := c.next(ctx); err != nil {
		return nil, err
	}
	m := &wire.Captures{}
	err := proto.Unmarshal(c.had.data, m)
	m.Missed = uint64(c.had.missed)
	return m, err
}

// takeQueue takes the queue, and leaves an empty one in its place. The lock is held.
func (c *Capture) takeQueue() bool {
	if c.queue.n == 0 {
		return false
	}
	c.had.clear()
	c.queue, c.had = c.had, c.queue
	return true
}
