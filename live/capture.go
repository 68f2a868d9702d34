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
	runner  int // index in Env.CaptureRunners
	every   int64
	worlds  []bool
	sources []source
	words   int             // of 8 bytes that one capture takes at most
	limit   int             // captures that the queue holds
	share   int             // captures that each element of blocks holds
	blocks  []blockCaptures // by block: those of the step that runs, on the goroutine of the block

	queue captureRows // under the lock of the hub
	batch captureRows // what Next returns
}

// captureRows are captures, encoded one after the other.
type captureRows struct {
	count  int
	missed int64 // captures besides, which did not fit
	data   []byte
}

func (r *captureRows) clear() { *r = captureRows{data: r.data[:0]} }

// add adds other rows, in place of its own if they do not fit into a limit, and returns how many are lost.
func (r *captureRows) add(other *captureRows, limit int) (lost int64) {
	before := r.missed
	if r.count+other.count > limit {
		*r = captureRows{missed: r.missed + int64(r.count), data: r.data[:0]}
	}
	r.count += other.count
	r.missed += other.missed
	r.data = append(r.data, other.data...)
	return r.missed - before
}

// blockCaptures are those of a block in one step.
type blockCaptures struct {
	captureRows
	message *wire.Captures // of one capture, filled anew for each
	stamps  []int64        // timestamps of the values of the message
}

type source struct {
	name string
	size int
	read func(dst []float64, ctx *runners.StepContext, w *sim.World) (ns int64, ok bool) // not ok: still of the reset
}

// captureSources is what can be captured, and the captures of a step. The goroutine of Run owns the lists; the others
// read them while Each runs.
type captureSources struct {
	sources  []source // in the order of Description.CaptureValues
	runners  []string
	captures []*Capture
}

func (s *Server) newCaptures(d *wire.Description) {
	c := &s.captureSources
	if c.runners == nil {
		return
	}
	d.CaptureRunners = c.runners
	for _, source := range c.sources {
		d.CaptureValues = append(d.CaptureValues, &wire.Capturable{Name: source.name, Size: uint32(source.size)})
	}
	s.env.OnCapture(func(runner int, ctx *runners.StepContext, w *sim.World) { // on the goroutine of the block
		for _, one := range c.captures {
			if one.runner == runner {
				one.stage(ctx, w)
			}
		}
	})
}

// listSources returns what has a timestamp of its own, so that it does not matter that physics has run ahead in Export.
func (s *Server) listSources() (sources []source) {
	type (
		step  = *runners.StepContext
		world = *sim.World
	)
	add := func(name string, size int, read func(dst []float64, ctx step, w world) (int64, bool)) {
		sources = append(sources, source{name, size, read})
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
	add("step", len(s.captureSources.runners), func(dst []float64, ctx step, _ world) (int64, bool) {
		for i := range dst {
			dst[i] = float64(ctx.Step(runners.ID(i)).DT)
		}
		return ctx.NS, true
	})
	add("alpha", len(s.captureSources.runners), func(dst []float64, ctx step, _ world) (int64, bool) {
		for i := range dst {
			dst[i] = ctx.Alpha(runners.ID(i))
		}
		return ctx.NS, true
	})
	return sources
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
		c.queue = captureRows{}
		h.captures = slices.DeleteFunc(h.captures, func(other *Capture) bool { return other == c })
	})
	h.captures = append(h.captures, c)
	return c, nil
}

func (s *Server) newCapture(q *wire.CaptureRequest) (*Capture, error) {
	state := &s.captureSources
	if state.runners == nil {
		return nil, errors.New("the worlds were opened without it, want env.OpenOptions.Capture")
	}
	c := &Capture{every: max(1, int64(q.GetEvery()))}
	if c.runner = slices.Index(state.runners, q.GetRunner()); c.runner < 0 {
		return nil, fmt.Errorf("no runner %q, want one of %s", cut(q.GetRunner(), 100), strings.Join(state.runners, ", "))
	}
	if c.every > maxEvery {
		return nil, fmt.Errorf("every is %d, want 1 to %d", c.every, maxEvery)
	}
	if err := c.choose(state.sources, q.GetValues()); err != nil {
		return nil, err
	}
	return c, c.chooseWorlds(s, q.GetWorlds())
}

func (c *Capture) choose(sources []source, names []string) error {
	if len(names) == 0 {
		c.sources = sources
	}
	if len(names) > maxCapturable {
		return fmt.Errorf("%d names of values, want at most %d", len(names), maxCapturable)
	}
	for i, name := range names {
		k := slices.IndexFunc(sources, func(s source) bool { return s.name == name })
		if k < 0 || slices.Contains(names[:i], name) {
			all := make([]string, len(sources))
			for j := range all {
				all[j] = sources[j].name
			}
			return fmt.Errorf("values are of %q, want each once, of %s", cut(name, 100), strings.Join(all, ", "))
		}
		c.sources = append(c.sources, sources[k])
	}
	c.words = rowWords
	for i := range c.sources {
		c.words += 3 + c.sources[i].size
	}
	return nil
}

// chooseWorlds sets the worlds, and how many of their captures the queue holds.
func (c *Capture) chooseWorlds(s *Server, worlds []uint32) error {
	var err error
	if c.worlds, err = s.choose(worlds); err != nil {
		return err
	}
	blocks, count := s.env.Sim().Blocks(), 0
	c.blocks = make([]blockCaptures, len(blocks))
	for i := range c.blocks {
		capture := &wire.Captured{}
		for _, source := range c.sources {
			capture.Values = append(capture.Values, &wire.Sample{Values: make([]float64, source.size)})
		}
		c.blocks[i].message = &wire.Captures{Captures: []*wire.Captured{capture}}
		c.blocks[i].stamps = make([]int64, len(c.sources))
	}
	for _, b := range blocks {
		if slices.Contains(c.worlds[b.Row():b.Row()+b.Len()], true) {
			count++
		}
	}
	c.limit = captureBytes / (8 * c.words)
	c.share = c.limit / count
	if c.limit < minCaptured || c.share == 0 {
		return fmt.Errorf("%d values of each world, of which the queue holds %d captures, want at least %d: "+
			"ask for fewer values or worlds", c.words, c.limit, max(minCaptured, count))
	}
	return nil
}

// updateCaptures copies the list of captures from the hub before a step.
func (s *Server) updateCaptures() {
	c := &s.captureSources
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	c.captures = append(c.captures[:0], s.hub.captures...)
}

// stage captures a world in Export, on the goroutine of its block.
func (c *Capture) stage(ctx *runners.StepContext, w *sim.World) {
	k := ctx.Step(ctx.ID).K
	if k%c.every != 0 || !c.worlds[w.Row()] {
		return
	}
	block := &c.blocks[w.Block()]
	if block.count >= c.share {
		block.missed++
		return
	}
	block.count++
	capture := block.message.Captures[0]
	capture.World, capture.Episode, capture.N = uint32(w.Index()), w.Episode(), w.StepN()
	capture.K, capture.Ns, capture.DtNs, capture.Beat = k, ctx.NS, ctx.DT, ctx.Sync
	for i, v := range capture.Values {
		var ok bool
		v.Ns = nil
		if block.stamps[i], ok = c.sources[i].read(v.Values, ctx, w); ok {
			v.Ns = &block.stamps[i]
		}
	}
	var err error
	if block.data, err = (proto.MarshalOptions{}).MarshalAppend(block.data, block.message); err != nil {
		panic(err) // cannot happen: it has no text
	}
}

// deliver hands over what a step has captured. It waits for no client and, once the queues
// are warm, allocates nothing.
func (s *Server) deliver() {
	if len(s.captureSources.captures) == 0 {
		return
	}
	now := time.Now()
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	for _, c := range s.captureSources.captures {
		c.deliver(now)
	}
}

func (c *Capture) deliver(now time.Time) {
	for i := range c.blocks {
		if c.err == nil {
			c.hub.stats.CaptureMissed += c.queue.add(&c.blocks[i].captureRows, c.limit)
		}
		c.blocks[i].clear()
	}
	if c.queue.count == 0 {
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
	err := proto.Unmarshal(c.batch.data, m)
	m.Missed = uint64(c.batch.missed)
	return m, err
}

// takeQueue takes the queue, and leaves an empty one in its place. The lock is held.
func (c *Capture) takeQueue() bool {
	if c.queue.count == 0 {
		return false
	}
	c.batch.clear()
	c.queue, c.batch = c.batch, c.queue
	return true
}
