package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// The limits of captures.
const (
	maxCaptures   = 32       // at once
	maxEvery      = 1000_000 // boundaries
	captureBytes  = 512 << 10
	minCaptured   = 16 // captures that captureBytes must hold
	maxCapturable = 256
)

// Capture brings a client exact values with their timestamps from the phase Export of a
// runner. Nothing waits for it: what does not fit into its queue is dropped and counted.
// One goroutine at a time may call Next; the other methods may be called from any
// goroutine.
type Capture struct {
	of      *captures
	runner  int // in env.Captured
	every   int64
	worlds  []bool // nil: all
	sources []source
	rowInts int      // 7 and a timestamp for each source
	values  int      // of a row
	limit   int      // rows that the queue holds
	staged  []staged // by block: those of the step that runs, on the goroutine of the block
	share   int      // rows of each in staged

	wake  chan struct{}
	ended chan struct{} // closed with err

	mu      sync.Mutex
	queue   rows
	missed  int64 // since the last Next
	err     error
	reading bool // in Next, waiting
	taken   time.Time

	spare rows // of Next
}

// rows are captures, one after the other.
type rows struct {
	n      int
	ints   []int64 // world, episode, n, k, ns, dt, beat, and the timestamps; noStamp for the value of the reset
	values []float64
}

// staged are the captures of a block in a step, and how many more did not fit.
type staged struct {
	rows
	missed int64
}

const noStamp = -1

func (r *rows) clear() { r.n, r.ints, r.values = 0, r.ints[:0], r.values[:0] }

// source is something that can be captured.
type source struct {
	name string
	size int
	read func(dst []float64, ctx *runners.StepContext, w *sim.World) (stampNS int64)
}

// captures are those of a server.
type captures struct {
	known   []source // in the order of Description.CaptureValues
	runners []string
	blocks  []block

	changed atomic.Bool  // list is another than the goroutine of Run has
	missed  atomic.Int64 // of all, also of those that have ended
	mu      sync.Mutex
	list    []*Capture
	closed  bool

	// Of the goroutine of Run, and between its calls of Each of no other:
	all      []*Capture
	byRunner [][]*Capture // by runner in env.Captured
}

// block are the worlds in the rows [first, end).
type block struct{ first, end int }

// newCaptures finds what can be captured and describes it.
func (s *Server) newCaptures(d *wire.Description) {
	c := &s.captures
	c.runners = s.env.Captured()
	if c.runners == nil {
		return
	}
	c.byRunner = make([][]*Capture, len(c.runners))
	for _, b := range s.env.Sim().Blocks() {
		c.blocks = append(c.blocks, block{b.Row(), b.Row() + b.Len()})
	}
	c.known = s.sources()
	d.CaptureRunners = c.runners
	for _, source := range c.known {
		d.CaptureValues = append(d.CaptureValues, &wire.Capturable{Name: source.name, Size: uint32(source.size)})
	}
	s.env.OnCapture(c.take)
}

// sources are what has a timestamp of its own, so that it does not matter that physics has
// run ahead in Export.
func (s *Server) sources() (all []source) {
	for i, suite := 0, s.env.Sim().Sensors(); i < suite.Len(); i++ {
		all = append(all, source{channelPrefix + suite.Info(i).Name, suite.Size(i), func(dst []float64, _ *runners.StepContext, w *sim.World) int64 {
			if ns, ok := w.Read(dst, i); ok {
				return ns
			}
			return noStamp
		}})
	}
	stampOf := func(ns int64, ok bool) int64 {
		if !ok {
			return noStamp
		}
		return ns
	}
	all = append(all, source{"observation", s.spec.ObservationSize, func(dst []float64, _ *runners.StepContext, w *sim.World) int64 {
		values, ns, ok := w.Observation()
		copy(dst, values)
		return stampOf(ns, ok)
	}}, source{"action", s.spec.ActionSize, func(dst []float64, _ *runners.StepContext, w *sim.World) int64 {
		values, ns, ok := w.Action()
		for i, v := range values {
			dst[i] = float64(v)
		}
		return stampOf(ns, ok)
	}})
	if s.poses > 0 {
		all = append(all, source{poseTrack, s.poses, func(dst []float64, _ *runners.StepContext, w *sim.World) int64 { return s.env.Pose(w, dst) }})
	}
	n := len(s.captures.runners)
	return append(all, source{"step", n, func(dst []float64, ctx *runners.StepContext, _ *sim.World) int64 {
		for i := range dst {
			dst[i] = float64(ctx.Step(runners.ID(i)).DT)
		}
		return ctx.NS
	}}, source{"alpha", n, func(dst []float64, ctx *runners.StepContext, _ *sim.World) int64 {
		for i := range dst {
			dst[i] = ctx.Alpha(runners.ID(i))
		}
		return ctx.NS
	}})
}

// Capture begins a capture, from the next decision point on. It may be called from any
// goroutine.
func (s *Server) Capture(q *wire.CaptureRequest) (*Capture, error) {
	of := &s.captures
	if of.runners == nil {
		return nil, errors.New("capture: the worlds were opened without it, want env.OpenOptions.Capture")
	}
	c := &Capture{of: of, rowInts: 7, taken: time.Now(), wake: make(chan struct{}, 1), ended: make(chan struct{})}
	if c.runner = slices.Index(of.runners, q.GetRunner()); c.runner < 0 {
		return nil, fmt.Errorf("capture: no runner %q, want one of %s", shortened(q.GetRunner()), strings.Join(of.runners, ", "))
	}
	if c.every = max(1, int64(q.GetEvery())); c.every > maxEvery {
		return nil, fmt.Errorf("capture: every is %d, want 1 to %d", c.every, maxEvery)
	}
	if err := c.choose(q.GetValues()); err != nil {
		return nil, err
	}
	if err := c.chooseWorlds(s, q.GetWorlds()); err != nil {
		return nil, err
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.closed {
		return nil, ErrClosed
	}
	if len(of.list) >= maxCaptures {
		return nil, fmt.Errorf("capture: there are %d, want fewer than %d for another one", len(of.list), maxCaptures)
	}
	of.list = append(of.list, c)
	of.changed.Store(true)
	return c, nil
}

// choose finds the sources of some names.
func (c *Capture) choose(names []string) error {
	if len(names) == 0 {
		c.sources = c.of.known
	}
	if len(names) > maxCapturable {
		return fmt.Errorf("capture: %d names of values, want at most %d", len(names), maxCapturable)
	}
	for i, name := range names {
		at := slices.IndexFunc(c.of.known, func(s source) bool { return s.name == name })
		if at < 0 || slices.Contains(names[:i], name) {
			known := make([]string, len(c.of.known))
			for k := range known {
				known[k] = c.of.known[k].name
			}
			return fmt.Errorf("capture: values are of %q, want each once, of %s", shortened(name), strings.Join(known, ", "))
		}
		c.sources = append(c.sources, c.of.known[at])
	}
	for i := range c.sources {
		c.rowInts++
		c.values += c.sources[i].size
	}
	return nil
}

// chooseWorlds sets the worlds, and how many of their captures the queue holds.
func (c *Capture) chooseWorlds(s *Server, worlds []uint32) error {
	if len(worlds) > s.env.Worlds() {
		return fmt.Errorf("capture: %d worlds, want at most %d", len(worlds), s.env.Worlds())
	}
	if len(worlds) > 0 {
		c.worlds = make([]bool, s.env.Worlds())
	}
	for _, w := range worlds {
		if err := s.checkWorld(worldOf(w)); err != nil {
			return fmt.Errorf("capture: %w", err)
		}
		c.worlds[worldOf(w)] = true
	}
	c.staged = make([]staged, len(c.of.blocks))
	holding := 0
	for _, b := range c.of.blocks {
		if c.worlds == nil || slices.Contains(c.worlds[b.first:b.end], true) {
			holding++
		}
	}
	c.limit = captureBytes / (8 * (c.rowInts + c.values))
	c.share = c.limit / holding
	if c.limit < minCaptured || c.share == 0 {
		return fmt.Errorf("capture: %d values of each world, of which the queue holds %d captures, want at least %d: ask for fewer values or worlds",
			c.values, c.limit, max(minCaptured, holding))
	}
	return nil
}

// shortened is a text from a client for a message.
func shortened(text string) string { return strings.ToValidUTF8(text[:min(len(text), 100)], "?") }

// follow takes over another list of captures. The goroutine of Run calls it before a step.
func (of *captures) follow() {
	if !of.changed.Load() {
		return
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	of.changed.Store(false)
	of.all = append(of.all[:0], of.list...)
	for i := range of.byRunner {
		of.byRunner[i] = slices.DeleteFunc(of.byRunner[i], func(*Capture) bool { return true })
	}
	for _, c := range of.all {
		of.byRunner[c.runner] = append(of.byRunner[c.runner], c)
	}
}

// take is the callback of the bindings: it captures a world in Export. It runs on the
// goroutine of the world's block.
func (of *captures) take(runner int, ctx *runners.StepContext, w *sim.World) {
	for _, c := range of.byRunner[runner] {
		c.take(ctx, w)
	}
}

func (c *Capture) take(ctx *runners.StepContext, w *sim.World) {
	k := ctx.Step(ctx.ID).K
	if k%c.every != 0 || c.worlds != nil && !c.worlds[w.Row()] {
		return
	}
	to := &c.staged[w.Block()]
	if to.n >= c.share {
		to.missed++
		return
	}
	beat := int64(0)
	if ctx.Sync {
		beat = 1
	}
	to.n++
	to.ints = append(to.ints, int64(w.Index()), w.Episode(), w.StepN(), k, ctx.NS, ctx.DT, beat)
	at := len(to.values)
	to.values = slices.Grow(to.values, c.values)[:at+c.values]
	for i := range c.sources {
		end := at + c.sources[i].size
		to.ints = append(to.ints, c.sources[i].read(to.values[at:end], ctx, w))
		at = end
	}
}

// deliver hands over what a step has captured. The goroutine of Run calls it after the
// step; it waits for no client and, once the queues are warm, allocates nothing.
func (of *captures) deliver() {
	if len(of.all) == 0 {
		return
	}
	now := time.Now()
	for _, c := range of.all {
		of.missed.Add(c.deliver(now))
	}
}

func (c *Capture) deliver(now time.Time) (dropped int64) {
	c.mu.Lock()
	for i := range c.staged {
		from := &c.staged[i]
		if c.err == nil {
			if c.queue.n+from.n > c.limit {
				dropped += int64(c.queue.n)
				c.queue.clear()
			}
			dropped += from.missed
			c.queue.n += from.n
			c.queue.ints = append(c.queue.ints, from.ints...)
			c.queue.values = append(c.queue.values, from.values...)
		}
		from.clear()
		from.missed = 0
	}
	c.missed += dropped
	slow := !c.reading && c.queue.n > 0 && now.Sub(c.taken) > slowAfter
	some := c.queue.n > 0
	c.mu.Unlock()
	if slow {
		c.end(ErrSlow)
	} else if some {
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
	return dropped
}

// Next waits for the next captures, all that there are. They belong to the caller. One that
// has captures to read and for 5 s does not call Next is closed.
func (c *Capture) Next(ctx context.Context) (*wire.Captures, error) {
	for {
		missed, err := c.swap()
		if err != nil {
			return nil, err
		}
		if c.spare.n > 0 {
			return c.message(missed), nil
		}
		select {
		case <-c.wake:
		case <-c.ended:
		case <-ctx.Done():
			c.mu.Lock()
			c.reading, c.taken = false, time.Now()
			c.mu.Unlock()
			return nil, ctx.Err()
		}
	}
}

// swap takes the queue, and leaves an empty one in its place.
func (c *Capture) swap() (missed int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spare.clear()
	if c.err != nil {
		return 0, c.err
	}
	c.reading, c.taken = c.queue.n == 0, time.Now()
	if c.queue.n > 0 {
		missed, c.missed = c.missed, 0
		c.queue, c.spare = c.spare, c.queue
	}
	return missed, nil
}

// message returns the captures in c.spare.
func (c *Capture) message(missed int64) *wire.Captures {
	m := &wire.Captures{Missed: uint64(missed), Captures: make([]*wire.Captured, c.spare.n)}
	ints, values := c.spare.ints, slices.Clone(c.spare.values)
	for i := range m.Captures {
		to := &wire.Captured{
			World: uint32(ints[0]), Episode: ints[1], N: ints[2], K: ints[3], Ns: ints[4], DtNs: ints[5], Beat: ints[6] != 0,
			Values: make([]*wire.Sample, len(c.sources)),
		}
		for k := range c.sources {
			size := c.sources[k].size
			to.Values[k] = &wire.Sample{Values: values[:size:size]}
			if ns := ints[7+k]; ns != noStamp {
				to.Values[k].Ns = &ns
			}
			values = values[size:]
		}
		m.Captures[i], ints = to, ints[c.rowInts:]
	}
	return m
}

// Ended is closed when the capture has ended: the server has, or the client was too slow.
func (c *Capture) Ended() <-chan struct{} { return c.ended }

// Err is why the capture has ended; nil while it can be read.
func (c *Capture) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the capture.
func (c *Capture) Close() { c.end(errors.New("the capture is closed")) }

// end ends the capture and takes it off the list. No lock is held.
func (c *Capture) end(err error) {
	c.mu.Lock()
	first := c.err == nil
	if first {
		c.err = err
		close(c.ended)
		c.queue = rows{}
	}
	c.mu.Unlock()
	if !first {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.list = slices.DeleteFunc(c.of.list, func(other *Capture) bool { return other == c })
	c.of.changed.Store(true)
}

// close ends all captures.
func (of *captures) close() {
	of.mu.Lock()
	of.closed = true
	list := slices.Clone(of.list)
	of.mu.Unlock()
	for _, c := range list {
		c.end(ErrClosed)
	}
}
