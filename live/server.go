package live

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Config describes a server.
type Config struct {
	// Env are the worlds, opened with OpenOptions.Poses if frames are to have poses. From
	// New on they belong to the server, until Run returns; the caller closes them.
	Env *env.Env

	// Act, if not nil, writes the actions of a block before each step, as a policy does;
	// nil: zeros. An intent may decide instead for its world.
	Act func(w *sim.Worker, b *sim.Block) error

	Time          runners.Settings // of the driver; the mode must be SimRealtime
	Configuration string           // of the run, as YAML, for the description
	Channels      []string         // sensor channels in each frame

	// Resolution is that of poses, in m and for the values of quaternions; 0: they are
	// exact.
	Resolution float64

	State State // from which to go on; the zero value begins

	// Key makes the tokens of sessions: one of KeySize bytes that [NewKey] returned, the
	// same for a run that goes on, so that clients can go on with their sessions. nil: a
	// new one.
	Key []byte

	// Keep, if not nil, is called at a decision point on the goroutine of Run: as Run
	// begins, each KeepEvery of wall time, and as it ends. An error ends the run.
	Keep      func(State) error
	KeepEvery time.Duration

	// Published, if not nil, is called on the goroutine of Run at each decision point, with
	// the number of its frame, before the frame is made. It must be quick.
	Published func(number int64)

	// Stepped, if not nil, is called after each control step of a block, on the goroutine
	// that took it. Framed, if not nil, is called after each frame of the driver, on the
	// goroutine of Run, and Wait says how long to wait then, in wall time; nil: until a
	// control step is due.
	Stepped func(b *sim.Block)
	Framed  func(d *runners.Driver, f runners.Frame)
	Wait    func(d *runners.Driver) time.Duration

	// DecisionTimeout is the simulated time in which a decision wants its reply; 0:
	// DefaultDecisionTimeout. Span, if not nil, is called with each decision that has ended,
	// on the goroutine of Run.
	DecisionTimeout time.Duration
	Span            func(Span)

	sleep func(context.Context, time.Duration) // set by tests
}

// State is what a server has besides its worlds.
type State struct {
	Lives    int64         `json:"lives"`   // processes that have run it before
	Clients  int64         `json:"clients"` // that have joined, or more
	Intents  int64         `json:"intents"` // numbered so far
	Paused   bool          `json:"paused"`
	Speed    float64       `json:"speed"` // 0: 1
	Commands []env.Command `json:"commands,omitempty"`
}

// Resumed returns the state from which another process goes on with the run.
func (s State) Resumed() State {
	s.Lives++
	s.Clients += maxSessions // sessions may have begun since the state was kept
	return s
}

// Repeated brings a state up to date with an intervention that has been repeated from a
// run log.
func (s *State) Repeated(i env.Intervention) {
	if i.Command != nil {
		s.remember(i.Command)
	}
	if i.Intent == nil {
		return
	}
	s.Intents = max(s.Intents, i.Intent.Number)
	switch i.Intent.Kind {
	case "pause":
		s.Paused = i.Intent.Note == pauseNote(true)
	case "speed":
		var factor float64
		if _, err := fmt.Sscanf(i.Intent.Note, speedNote, &factor); err == nil {
			s.Speed = factor
		}
	}
}

// remember keeps a command for later episodes, or forgets one that is released.
func (s *State) remember(c *env.Command) {
	s.Commands = slices.DeleteFunc(s.Commands, func(old env.Command) bool { return old.World == c.World && old.Name == c.Name })
	if c.Values != nil {
		s.Commands = append(s.Commands, *c)
	}
}

// What the log says of a pause and of a speed.
const speedNote = "factor %g"

func pauseNote(paused bool) string { return fmt.Sprintf("paused %t", paused) }

// Server runs worlds that clients watch and steer. Run owns the worlds; the methods
// Submit, SubmitAs, Step, Join, Capture and Description may be called from any goroutine.
type Server struct {
	env    *env.Env
	spec   sim.Spec
	act    func(w *sim.Worker, b *sim.Block) error
	hub    *hub
	inbox  inbox
	config Config
	order  atomic.Pointer[Order]
	traces traces
	counters
	captures captures

	outlined physics.Outlined // the model, where episodes shape its ground; else nil
	grounds  []atomic.Pointer[ground]

	// Of the goroutine of Run:
	clock     clock
	driver    *runners.Driver
	speed     float64
	overrides []override // by world
	pushes    []pushing
	given     State   // its commands are those that clients gave, and did not release
	episodes  []int64 // by world, to see a new one
	steps     int64   // still to take while paused
	waiting   []waiter
	beats     int64 // of world 0
	gather    sample
	poses     int // values of the poses of a world
	channels  []int
	changes   int           // of the clock, by clients
	kept      time.Duration // when Keep was called last

	deciding  []deciding      // by world; nil without a runner Planner
	pending   []*env.Decision // events that are not in the log yet
	refusals  bucket          // bytes of refused replies that are kept
	timeout   int64           // of decisions, ns
	traceSeed [16]byte        // of the spans of this run

	keptAt             bool // Keep has been called, at:
	keptN, keptIntents int64

	timer     *time.Timer      // of sleep
	look      func(*sim.World) // gatherWorld, made once
	ordered   orderOf
	stepBlock func(w *sim.Worker, b *sim.Block) error
}

// override decides the action of a world for some control steps.
type override struct {
	values  []float32
	left    int64
	decided bool // by a reply to a decision: it ends with the episode
}

// pushing is a push that acts for several control steps.
type pushing struct {
	push  env.Push
	left  int64 // steps
	fresh bool  // it has been made for the next one
}

// waiter waits until a number of control steps have been taken.
type waiter struct {
	left int64
	done chan<- int64
}

// New returns a server at the decision point at which the worlds are, and publishes a
// first frame. The caller then calls Run, once.
func New(c Config) (*Server, error) {
	if c.Time.Mode != runners.SimRealtime {
		return nil, env.ConfigError{Err: fmt.Errorf("time.mode is %v, want %v to serve", c.Time.Mode, runners.SimRealtime)}
	}
	if !(c.Resolution >= 0 && c.Resolution <= 1) {
		return nil, env.ConfigError{Err: fmt.Errorf("the resolution of poses is %v, want 0 to 1", c.Resolution)}
	}
	if c.DecisionTimeout < 0 {
		return nil, env.ConfigError{Err: fmt.Errorf("the time-out of decisions is %v, want more than 0", c.DecisionTimeout)}
	}
	s := &Server{env: c.Env, spec: c.Env.Spec(), act: c.Act, config: c, speed: 1}
	s.inbox.wake, s.inbox.last = make(chan struct{}, 1), c.State.Intents
	if c.State.Speed != 0 {
		s.speed = c.State.Speed
	}
	s.given.Commands = slices.Clone(c.State.Commands)
	if c.Time.Clock == nil {
		c.Time.Clock = runners.NewSystemClock()
	}
	s.clock = clock{real: c.Time.Clock, factor: 1}
	s.clock.set(c.State.Paused, s.speed)
	s.paused.Store(c.State.Paused)
	s.timeout = int64(cmp.Or(c.DecisionTimeout, DefaultDecisionTimeout))
	if _, err := rand.Read(s.traceSeed[:]); err != nil {
		return nil, err
	}
	description, err := s.describe()
	if err != nil {
		return nil, err
	}
	if c.Key == nil {
		if c.Key, err = NewKey(); err != nil {
			return nil, err
		}
	}
	s.newCaptures(description)
	// Frames go on from a number that no earlier process has reached: each published one as
	// it began, one for each step, and at most one for each intent.
	s.hub = newHub(description, c.Key, c.State.Lives+c.Env.Sim().Blocks()[0].N()+c.State.Intents)
	s.hub.named = c.State.Clients
	s.allocate(description)
	set := c.Time
	set.Clock = &s.clock
	if s.driver, err = c.Env.DriveAll(set, s.step); err != nil {
		return nil, err
	}
	s.publish()
	return s, nil
}

// allocate makes the memory of the steps.
func (s *Server) allocate(d *wire.Description) {
	n, l := s.env.Worlds(), s.hub.enc.layout
	s.overrides, s.episodes = make([]override, n), make([]int64, n)
	s.gather = sample{worlds: make([]worldSample, n), values: make([]float64, n*l.size)}
	for i := range n {
		s.overrides[i].values = make([]float32, s.spec.ActionSize)
		s.gather.worlds[i].ages = make([]int64, len(d.Tracks))
		s.episodes[i] = s.env.Sim().Episode(i)
	}
	if s.env.Decides() {
		s.deciding = make([]deciding, n)
	}
	s.look, s.timer = s.gatherWorld, time.NewTimer(0)
	if m, ok := s.env.Model().(physics.Outlined); ok && m.Scenery().Len > 0 {
		s.outlined, s.grounds = m, make([]atomic.Pointer[ground], n)
	}
	s.stepBlock = func(w *sim.Worker, b *sim.Block) error {
		if s.act == nil {
			clear(b.Action())
		} else if err := s.act(w, b); err != nil {
			return err
		}
		for i := range b.Len() {
			if o := &s.overrides[b.First()+i]; o.left > 0 {
				copy(b.Action()[i*s.spec.ActionSize:], o.values)
			}
		}
		if err := b.Step(w); err != nil {
			return err
		}
		if s.config.Stepped != nil {
			s.config.Stepped(b)
		}
		return nil
	}
}

// The names of tracks.
const (
	poseTrack     = "poses"
	channelPrefix = "channel/"
)

// describe describes the run and finds the channels of frames.
func (s *Server) describe() (*wire.Description, error) {
	e := s.env
	d := &wire.Description{
		Version: env.Version, Task: s.spec.Name, Worlds: uint32(e.Worlds()),
		ActionSize: uint32(s.spec.ActionSize), ActionLow: s.spec.ActionLow, ActionHigh: s.spec.ActionHigh,
		ActionNames: s.spec.ActionNames, Choices: uint32(s.spec.Discrete), Configuration: s.config.Configuration,
		ObservationNames: s.spec.ObservationNames,
	}
	if e.Decides() {
		var err error
		if d.ReplySchema, err = s.replySchema(); err != nil {
			return nil, err
		}
	}
	for _, c := range e.Sim().Commands() {
		d.Commands = append(d.Commands, &wire.Command{Name: c.Name, ValueNames: c.ValueNames, Low: c.Low, High: c.High})
	}
	for _, name := range e.Bodies() {
		d.Bodies = append(d.Bodies, &wire.Body{
			Name:     name,
			Force:    e.CheckIntervention(env.Intervention{Push: &env.Push{Body: name, Force: [3]float64{1}}}) == nil,
			Velocity: e.CheckIntervention(env.Intervention{Push: &env.Push{Body: name, Velocity: [3]float64{1}}}) == nil,
		})
	}
	if size := e.PoseSize(); size > 0 {
		s.poses = size * len(d.Bodies)
		d.Tracks = append(d.Tracks, &wire.Track{Name: poseTrack, Size: uint32(size * len(d.Bodies)), Resolution: s.config.Resolution, PoseSize: uint32(size)})
	}
	for _, name := range s.config.Channels {
		i, err := e.Sim().Sensors().Find(name)
		if err != nil {
			return nil, env.ConfigError{Err: err}
		}
		s.channels = append(s.channels, i)
		d.Tracks = append(d.Tracks, &wire.Track{Name: channelPrefix + name, Size: uint32(e.Sim().Sensors().Size(i)), Stamped: true})
	}
	return d, nil
}

// Description describes the run.
func (s *Server) Description() *wire.Description { return s.hub.description }

// Join begins the session of a client, or goes on with one. The caller says which role
// the client may have.
func (s *Server) Join(o JoinOptions) (*Client, error) { return s.hub.join(o) }

// Step submits intents of a session and takes control steps of a paused run, and returns
// when they have been taken, with the number of steps of the run. Intents that are refused
// have an error in their acks, and the steps are taken nevertheless.
func (s *Server) Step(ctx context.Context, token []byte, intents []*wire.Intent, steps uint32) (*wire.StepReply, error) {
	from := s.hub.find(token)
	if from == nil {
		return nil, errUnknownSession
	}
	reply := &wire.StepReply{}
	for _, in := range intents {
		number, err := s.submit(from, in, nil)
		reply.Acks = append(reply.Acks, Ack(in, number, err))
	}
	done := make(chan int64, 1)
	in := &wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: steps}}}
	if _, err := s.submit(from, in, done); err != nil {
		return nil, err
	}
	select {
	case n, ok := <-done:
		if !ok && s.inbox.ended() {
			return nil, ErrClosed
		}
		if !ok {
			return nil, errors.New("the run is not paused, want a pause before steps")
		}
		reply.N = n
		return reply, nil
	case <-s.hub.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Pong says that the client of a session has read the ping that [Client.Ping] sent with an id.
func (s *Server) Pong(token []byte, id uint64) error { return s.hub.pong(token, id) }

// Ack returns the acknowledgement of an intent that Submit took or refused.
func Ack(in *wire.Intent, number int64, err error) *wire.Ack {
	a := &wire.Ack{Id: in.GetId(), Number: number}
	if err != nil {
		a.Number, a.Error = 0, short(err)
	}
	return a
}

// Run steps the worlds by the wall clock, and publishes a frame after each step, until
// ctx is cancelled or the worlds have run all their episodes or steps. Then it closes all
// clients and returns nil. Any other end is an error.
func (s *Server) Run(ctx context.Context) error {
	go s.hub.fanOut()
	defer s.hub.close()
	defer s.inbox.close()
	defer s.captures.close()
	if err := s.keep(true); err != nil {
		return err
	}
	for ctx.Err() == nil && s.env.Active() {
		if err := s.keep(false); err != nil {
			return err
		}
		if !s.clock.paused {
			f, err := s.driver.Frame()
			if err != nil {
				return err
			}
			s.dropped.Add(int64(f.Dropped))
			s.lag.Store(int64(s.clock.wall(s.driver.Backlog())))
			if s.config.Framed != nil {
				s.config.Framed(s.driver, f)
			}
			if s.env.Active() {
				s.sleep(ctx, s.wait())
			}
			continue
		}
		if s.steps == 0 {
			s.sleep(ctx, math.MaxInt64)
		}
		if err := s.whilePaused(); err != nil {
			return err
		}
	}
	s.withdraw("the run has ended")
	if len(s.pending) > 0 {
		if err := s.logDecisions(); err != nil {
			return err
		}
		if err := s.emptySegment(); err != nil {
			return err
		}
	}
	return s.keep(true)
}

// wait is the wall time until the next frame of the driver.
func (s *Server) wait() time.Duration {
	if s.config.Wait != nil && !s.clock.paused {
		return s.config.Wait(s.driver)
	}
	return s.clock.wall(s.driver.Wait())
}

// emptySegment brings the notes into the log at once.
func (s *Server) emptySegment() error {
	return s.env.Each(func(*sim.Worker, *sim.Block) error { return nil })
}

// sleep waits until the next frame of the driver or, while paused, for intents.
func (s *Server) sleep(ctx context.Context, d time.Duration) {
	var wake <-chan struct{}
	if s.clock.paused {
		d, wake = time.Second, s.inbox.wake // a second, to keep the state
	}
	if s.config.sleep != nil {
		s.config.sleep(ctx, d)
		return
	}
	s.timer.Reset(d)
	defer s.timer.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-s.timer.C:
	}
}

// keep calls Config.Keep if it is due, or in any case, unless nothing has happened since or
// a force acts in the next step, which the worlds alone do not say.
func (s *Server) keep(anyway bool) error {
	now := s.clock.real.Now()
	if s.config.Keep == nil || s.env.Pushing() || !anyway && now-s.kept < s.config.KeepEvery {
		return nil
	}
	n, last := s.env.Sim().Blocks()[0].N(), s.state()
	if s.keptAt && n == s.keptN && last.Intents == s.keptIntents {
		return nil
	}
	s.kept, s.keptAt, s.keptN, s.keptIntents = now, true, n, last.Intents
	return s.config.Keep(last)
}

func (s *Server) state() State {
	clients := s.hub.clients()
	s.inbox.mu.Lock()
	defer s.inbox.mu.Unlock()
	last := s.inbox.last - int64(len(s.inbox.queue))
	return State{
		Lives: s.config.State.Lives, Clients: clients, Intents: last,
		Paused: s.clock.paused, Speed: s.speed, Commands: slices.Clone(s.given.Commands),
	}
}

// step is a control step of the driver: it applies what has arrived, and steps unless
// that paused the run.
func (s *Server) step() error {
	if err := s.applyAll(); err != nil {
		return err
	}
	if s.clock.paused {
		return s.whilePaused()
	}
	return s.stepOnce()
}

// whilePaused applies intents and takes one of the steps that they ask for.
func (s *Server) whilePaused() error {
	if err := s.applyAll(); err != nil {
		return err
	}
	if s.clock.paused && s.steps > 0 {
		if err := s.stepOnce(); err != nil {
			return err
		}
		s.steps--
		s.tell()
		return nil
	}
	if len(s.gather.applied) == 0 {
		return nil
	}
	if err := s.emptySegment(); err != nil { // the log has the intents that a frame names
		return err
	}
	s.publish()
	return nil
}

// tell answers those whose steps have been taken.
func (s *Server) tell() {
	n := s.env.Sim().Blocks()[0].N()
	for i := range s.waiting {
		s.waiting[i].left--
		if s.waiting[i].left == 0 {
			s.waiting[i].done <- n
		}
	}
	s.waiting = slices.DeleteFunc(s.waiting, func(w waiter) bool { return w.left <= 0 })
}

// stepOnce takes one control step of all worlds and publishes a frame.
func (s *Server) stepOnce() error {
	begun := time.Now()
	if err := s.logDecisions(); err != nil {
		return err
	}
	if err := s.goOn(); err != nil {
		return err
	}
	s.captures.follow()
	if err := s.env.Each(s.stepBlock); err != nil {
		return err
	}
	s.captures.deliver()
	for i := range s.overrides {
		s.overrides[i].left = max(0, s.overrides[i].left-1)
	}
	s.publish()
	s.stepped(time.Since(begun))
	return nil
}

// publish gathers the state of the worlds and publishes it.
func (s *Server) publish() {
	if s.config.Published != nil {
		s.config.Published(s.hub.head + 1) // only this goroutine changes it
	}
	g := &s.gather
	g.n, g.paused, g.speed = s.env.Sim().Blocks()[0].N(), s.clock.paused, s.speed
	beats := s.beats
	for i := range g.worlds {
		s.env.Sim().At(i, s.look)
	}
	s.plan()
	s.hub.publish(g, s.beats != beats)
	g.applied, g.decisions = g.applied[:0], g.decisions[:0]
}

// gatherWorld gathers the state of one world.
func (s *Server) gatherWorld(w *sim.World) {
	i := w.Index()
	if s.outlined != nil {
		s.watchGround(w)
	}
	to, values := &s.gather.worlds[i], s.gather.values[i*s.hub.enc.size:]
	if i == 0 {
		s.beats = w.Beats()
		s.watchOrder(w)
	}
	to.episode, to.ns, to.reward = w.Episode(), w.NS(), float32(w.Reward())
	to.terminated, to.truncated = w.Ended()
	ages := to.ages
	if s.poses > 0 {
		s.env.Pose(w, values[:s.poses])
		values, ages, ages[0] = values[s.poses:], ages[1:], -1
	}
	for k, channel := range s.channels {
		n := s.env.Sim().Sensors().Size(channel)
		ns, ok := w.Read(values[:n], channel)
		ages[k] = -1
		if ok {
			ages[k] = w.NS() - ns
		}
		values = values[n:]
	}
}

// applyAll applies the intents that have arrived, in order.
func (s *Server) applyAll() error {
	taken := s.inbox.take()
	if len(taken) > 0 { // they come after what is to be logged already
		if err := s.logDecisions(); err != nil {
			return err
		}
	}
	for i := range taken {
		in := &taken[i]
		refused, err := s.apply(in)
		if err != nil {
			return err
		}
		a := applied{number: in.number, client: in.from.name, kind: in.kind, decision: in.decision}
		if refused != nil {
			s.failed[kindIndex(in.kind)].Add(1)
			a.err = short(refused)
			if err := s.logRefused(in, a.err); err != nil {
				return err
			}
			if in.stepped != nil {
				close(in.stepped)
			}
		}
		s.gather.applied = append(s.gather.applied, a)
	}
	clear(taken) // what clients sent is not kept
	return nil
}

// logRefused logs that an intent could not be applied. The decision of a reply says so
// already.
func (s *Server) logRefused(in *intent, why string) error {
	if in.kind == "reply" {
		return nil
	}
	return s.env.Intervene(env.Intervention{Intent: &env.Intent{
		Number: in.number, Client: in.from.name, Kind: in.kind, World: max(0, in.world), Note: "refused: " + why,
	}})
}

// short is an error for everybody. It may quote what a client wrote, of any length.
func short(err error) string {
	const most = 300 // bytes
	text := err.Error()
	if len(text) > most {
		text = text[:most-3] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// apply applies an intent. refused says why it cannot be; err ends the run.
func (s *Server) apply(in *intent) (refused, err error) {
	by := &env.Intent{Number: in.number, Client: in.from.name, Kind: in.kind, World: max(0, in.world)}
	note := func(text string) error {
		by.Note = text
		return s.env.Intervene(env.Intervention{Intent: by})
	}
	switch in.kind {
	case "action":
		o := &s.overrides[in.world]
		o.left, o.decided = 0, false
		if len(in.action) > 0 {
			copy(o.values, in.action)
			o.left = in.steps
		}
		return nil, note(fmt.Sprintf("%d steps", o.left))
	case "decide":
		return s.applyDecide(in, note)
	case "reply":
		return s.applyReply(in, by)
	case "command":
		refused = s.env.Intervene(env.Intervention{Intent: by, Command: in.command})
		if refused == nil {
			s.given.remember(in.command)
		}
		return refused, nil
	case "push":
		if in.steps > 1 && len(s.pushes) >= maxPushes {
			return fmt.Errorf("%d pushes last already, want fewer than %d for another one", len(s.pushes), maxPushes), nil
		}
		refused = s.env.Intervene(env.Intervention{Intent: by, Push: in.push})
		if refused == nil && in.steps > 1 {
			s.pushes = append(s.pushes, pushing{*in.push, in.steps, true})
			s.pushes[len(s.pushes)-1].push.Velocity = [3]float64{}
		}
		return refused, nil
	case "reset":
		return s.reset(in, note)
	case "pause":
		s.clock.set(in.paused, s.speed)
		s.paused.Store(in.paused)
		if !in.paused {
			s.refuseSteps()
		}
		return nil, note(pauseNote(in.paused))
	case "speed":
		s.speed = in.speed
		s.clock.set(s.clock.paused, s.speed)
		return nil, note(fmt.Sprintf(speedNote, in.speed))
	case "step":
		if !s.clock.paused {
			return errors.New("the run is not paused, want a pause before steps"), nil
		}
		s.steps += in.steps
		if in.stepped != nil {
			s.waiting = append(s.waiting, waiter{s.steps, in.stepped})
		}
		return nil, note(fmt.Sprintf("%d steps", in.steps))
	case "edit":
		if s.changes++; s.changes > maxChanges {
			return fmt.Errorf("the clock has changed %d times, want at most that", maxChanges), nil
		}
		change := runners.Change{N: s.env.Sim().Blocks()[0].N(), Edits: in.edits}
		return s.env.Intervene(env.Intervention{Intent: by, Change: &change}), nil
	}
	panic("live: an intent of kind " + in.kind) // check makes no other
}

// refuseSteps forgets the steps that were to be taken while paused.
func (s *Server) refuseSteps() {
	s.steps = 0
	for _, w := range s.waiting {
		close(w.done)
	}
	s.waiting = s.waiting[:0]
}

// reset begins new episodes.
func (s *Server) reset(in *intent, note func(string) error) (refused, err error) {
	n := s.env.Worlds()
	mask, seeds := make([]bool, n), []uint64(nil)
	for i := range mask {
		mask[i] = in.world < 0 || in.world == i
	}
	if in.seed != nil {
		seeds = make([]uint64, n)
		for i := range seeds {
			seeds[i] = *in.seed + uint64(i)
		}
	}
	text := "all worlds"
	if in.world >= 0 {
		text = "one world"
	}
	if err := note(text); err != nil {
		return nil, err
	}
	s.pushes = slices.DeleteFunc(s.pushes, func(p pushing) bool { return mask[p.push.World] })
	if err := s.env.ResetWorlds(mask, seeds); err != nil {
		return nil, err
	}
	s.plan() // a decision is due as an episode begins
	return nil, nil
}

// goOn makes pushes and commands go on: a push that lasts, and commands in a new episode.
func (s *Server) goOn() error {
	for i := range s.pushes {
		p := &s.pushes[i]
		p.left--
		if p.fresh {
			p.fresh = false
			continue
		}
		push := p.push
		if err := s.env.Intervene(env.Intervention{Push: &push}); err != nil {
			return err
		}
	}
	s.pushes = slices.DeleteFunc(s.pushes, func(p pushing) bool { return p.left <= 0 })
	for i := range s.episodes {
		episode := s.env.Sim().Episode(i)
		if s.episodes[i] == episode {
			continue
		}
		s.episodes[i] = episode
		if o := &s.overrides[i]; o.decided {
			o.left, o.decided = 0, false
		}
		for k := range s.given.Commands {
			if c := s.given.Commands[k]; c.World == i {
				if err := s.env.Intervene(env.Intervention{Command: &c}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Session is a session that someone reads.
type Session struct {
	Client string `json:"client"` // as frames and the log name it
	Role   string `json:"role"`
}

// Sessions returns the sessions that someone reads, by name.
func (s *Server) Sessions() []Session {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	list := []Session{}
	for _, session := range s.hub.sessions {
		if session.client != nil {
			list = append(list, Session{session.name, session.role.String()})
		}
	}
	slices.SortFunc(list, func(a, b Session) int { return strings.Compare(a.Client, b.Client) })
	return list
}
