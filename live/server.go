package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
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
	Infos         bool             // frames have the infos of the task, 4 bytes each

	// Resolution is that of poses, in m and for the values of quaternions; 0: they are exact.
	Resolution float64

	State State // from which to go on; the zero value begins

	// Key makes the tokens of sessions: one of KeySize bytes that [NewKey] returned, the same for a run that goes on,
	// so that clients can go on with their sessions. nil: a new one.
	Key []byte

	// Keep, if not nil, is called at a decision point on the goroutine of Run: as Run
	// begins, each KeepEvery of wall time, and as it ends. An error ends the run.
	Keep      func(State) error
	KeepEvery time.Duration

	// Stepped, if not nil, is called after each control step of a block, on the goroutine that took it. Framed, if
	// not nil, is called after each frame of the driver, on the goroutine of Run, and Wait says how long to wait
	// then, in wall time; nil: until a control step is due.
	Stepped func(b *sim.Block)
	Framed  func(d *runners.Driver, f runners.Frame)
	Wait    func(d *runners.Driver) time.Duration

	// DecisionTimeout is the simulated time in which a decision wants its reply; 0: DefaultDecisionTimeout.
	DecisionTimeout time.Duration

	sleep func(context.Context, time.Duration) // set by tests
}

// State is what a server has besides its worlds.
type State struct {
	Lives    int64            `json:"lives"`   // processes that have run it before
	Frames   int64            `json:"frames"`  // published so far
	Clients  int64            `json:"clients"` // that have joined, or more
	Intents  int64            `json:"intents"` // numbered so far
	Paused   bool             `json:"paused"`
	Speed    float64          `json:"speed"` // 0: 1
	Commands []runlog.Command `json:"commands,omitempty"`
}

// Successor returns the state from which another process goes on with the run.
func (s State) Successor() State {
	s.Lives++
	s.Clients += maxSessions // sessions may have begun since the state was kept
	return s
}

// Update adds a segment that has been repeated from a run log to a state: the interventions before it and, unless it
// only restarted worlds, a frame after it.
func (s *State) Update(interventions []runlog.Intervention, restart bool) {
	for _, i := range interventions {
		switch effect := i.Effect.(type) {
		case *runlog.Command:
			s.remember(effect)
		case *runlog.Pause:
			s.Paused = effect.Paused
		case *runlog.Speed:
			s.Speed = effect.Factor
		}
		if i.Intent != nil {
			s.Intents = max(s.Intents, i.Intent.Number)
		}
	}
	if !restart {
		s.Frames++
	}
}

// remember keeps a command for later episodes, or forgets one that is released.
func (s *State) remember(c *runlog.Command) {
	s.Commands = slices.DeleteFunc(s.Commands, func(old runlog.Command) bool {
		return old.World == c.World && old.Name == c.Name
	})
	if c.Values != nil {
		s.Commands = append(s.Commands, *c)
	}
}

// Server runs worlds that clients watch and steer. Run owns the worlds; the methods
// Submit, SubmitAs, Step, Join, Capture and Description may be called from any goroutine.
//
// What goroutines share is the hub, behind its lock, and what is atomic. No other lock is
// taken while that one is held, and it is not held during a step.
type Server struct {
	env    *env.Env
	spec   sim.Spec
	config Config
	hub    *hub
	order  atomic.Pointer[Order]
	scenery

	// Of the goroutine of Run:
	pace
	frameBuffer
	plannerState
	captureSources
	overrides   []override // by world
	episodes    []int64    // by world, at the step before: where it is another now, a new one has begun
	orderSource orderSource
	pushes      []actingPush
	labels      []episodeLabels // by world
	lastKeep    keepPoint
	stepBlock   func(w *sim.Worker, b *sim.Block) error
}

// actingPush is a push that a client of an origin has made.
type actingPush struct {
	origin, id string
	world      int
	until      int64 // control step before which it ends
}

// episodeLabels counts the labels of the newest episode of a world that has any.
type episodeLabels struct {
	episode int64
	count   int
}

type frameBuffer struct {
	frame        *wire.Frame      // the one that is filled; the hub has the newest
	values       []float64        // worlds × values of all tracks
	trackSources []source         // of each track
	gather       func(*sim.World) // the method gatherWorld, made once so that no step allocates it
}

// keepPoint is when Config.Keep was called, and after how many control steps and intents; n is -1 before the first
// call.
type keepPoint struct {
	time       time.Duration
	n, intents int64
}

// override is an action of a client in place of the policy's.
type override struct {
	values    []float32
	remaining int64 // control steps; 0: the policy acts
	fromReply bool  // a reply to a decision gave it; it ends with the episode
}

func (o *override) set(values []float32, steps int64, fromReply bool) {
	copy(o.values, values)
	o.remaining, o.fromReply = steps, fromReply
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
	if c.Time.Clock == nil {
		c.Time.Clock = runners.NewSystemClock()
	}
	s := &Server{env: c.Env, spec: c.Env.Sim().Spec(), config: c, lastKeep: keepPoint{n: -1}}
	s.config.State.Commands = slices.Clone(c.State.Commands)
	s.clock = clock{real: c.Time.Clock, factor: cmp.Or(c.State.Speed, 1)}
	s.pause(c.State.Paused)
	if c.Wait == nil {
		s.config.Wait = func(d *runners.Driver) time.Duration { return s.clock.wall(d.Wait()) }
	}
	s.config.DecisionTimeout = cmp.Or(c.DecisionTimeout, DefaultDecisionTimeout)
	s.captureSources.runners = s.env.CaptureRunners()
	s.sources = s.listSources()
	description, err := s.describe()
	if err != nil {
		return nil, err
	}
	if c.Key == nil {
		c.Key = NewKey()
	}
	s.newCaptures(description)
	s.hub = newHub(description, c.Key, c.State.Frames)
	s.hub.sessionCount, s.hub.life, s.hub.intentCount = c.State.Clients, c.State.Lives, c.State.Intents
	s.allocate()
	set := c.Time
	set.Clock = &s.clock
	if s.driver, err = c.Env.DriveAll(set, s.step); err != nil {
		return nil, err
	}
	s.publish()
	return s, nil
}

func (s *Server) allocate() {
	n, l := s.env.Sim().Worlds(), s.hub.enc.layout
	s.overrides, s.episodes, s.labels = make([]override, n), make([]int64, n), make([]episodeLabels, n)
	s.frame, s.values = l.newFrame(n), make([]float64, n*l.size())
	for i := range n {
		s.overrides[i].values = make([]float32, s.spec.ActionSize)
		s.episodes[i] = s.env.Sim().Episode(i)
	}
	if s.env.HasPlanner() {
		s.planners = make([]worldPlanner, n)
	}
	s.gather, s.timer = s.gatherWorld, time.NewTimer(0)
	if m, ok := s.env.Model().(physics.Outlined); ok && m.Scenery().Len > 0 {
		s.outlined, s.grounds = m, make([]atomic.Pointer[ground], n)
	}
	s.stepBlock = func(w *sim.Worker, b *sim.Block) error {
		if s.config.Act == nil {
			clear(b.Actions())
		} else if err := s.config.Act(w, b); err != nil {
			return err
		}
		for i := range b.Len() {
			if o := &s.overrides[b.First()+i]; o.remaining > 0 {
				copy(b.Actions()[i*s.spec.ActionSize:], o.values)
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

// pictureResolution is that of the channels of cameras: colours and numbers of geoms are multiples of it, and depths
// are rounded to 4 mm.
const pictureResolution = 1.0 / 255

func (s *Server) describe() (*wire.Description, error) {
	e := s.env
	d := &wire.Description{
		Version: env.Version, Task: s.spec.Name, Worlds: uint32(e.Sim().Worlds()),
		ActionSize: uint32(s.spec.ActionSize), ActionLow: s.spec.ActionLow, ActionHigh: s.spec.ActionHigh,
		ActionNames: s.spec.ActionNames, Choices: uint32(s.spec.Discrete), Configuration: s.config.Configuration,
		ObservationNames: s.spec.ObservationNames}
	if s.config.Infos {
		d.InfoNames = s.spec.InfoNames
	}
	if e.HasPlanner() {
		var err error
		if d.ReplySchema, err = s.replySchema(); err != nil {
			return nil, err
		}
	}
	can := func(p runlog.Push) bool { return e.CheckEffect(&p) == nil }
	for _, c := range e.Sim().Commands() {
		d.Commands = append(d.Commands, &wire.Command{Name: c.Name, ValueNames: c.ValueNames, Low: c.Low, High: c.High})
	}
	for _, name := range e.Bodies() {
		d.Bodies = append(d.Bodies, &wire.Body{
			Name:     name,
			Force:    can(runlog.Push{Body: name, Force: [3]float64{1}}),
			Velocity: can(runlog.Push{Body: name, Velocity: [3]float64{1}}),
		})
	}
	if size := e.PoseSize(); size > 0 {
		d.Tracks = append(d.Tracks, &wire.Track{Name: poseTrack, Resolution: s.config.Resolution, PoseSize: uint32(size)})
	}
	for _, name := range s.config.Channels {
		channel, err := e.Sim().Sensors().Find(name)
		if err != nil {
			return nil, env.ConfigError{Err: err}
		}
		track := &wire.Track{Name: channelPrefix + name, Stamped: true}
		if c := e.Sim().Sensors().Info(channel).Camera; c != nil {
			track.Resolution = pictureResolution
			track.Picture = &wire.Picture{Width: uint32(c.Width), Height: uint32(c.Height), Kinds: c.WithDefaults().Kinds}
		}
		d.Tracks = append(d.Tracks, track)
	}
	for _, t := range d.Tracks {
		source := s.sources[slices.IndexFunc(s.sources, func(s source) bool { return s.name == t.Name })]
		s.trackSources = append(s.trackSources, source)
		t.Size = uint32(source.size)
	}
	if n := e.Sim().Worlds() * wire.Size(d.Tracks); n > wire.MaxValues {
		return nil, env.ConfigError{Err: fmt.Errorf("frames would have %d values of %d worlds, want at most %d: "+
			"fewer channels or smaller pictures", n, e.Sim().Worlds(), wire.MaxValues)}
	}
	return d, nil
}

// Far returns the depth of nothing in the channel of a camera, m, by the name of its track; 0 for another track.
func (s *Server) Far(track string) float64 {
	suite := s.env.Sim().Sensors()
	channel, err := suite.Find(strings.TrimPrefix(track, channelPrefix))
	if err != nil || track == poseTrack {
		return 0
	}
	return suite.Info(channel).Far
}

// Description describes the run.
func (s *Server) Description() *wire.Description { return s.hub.description }

// Join begins the session of a client, or goes on with one. The caller says which role the client may have.
func (s *Server) Join(o JoinOptions) (*Client, error) { return s.hub.join(o) }

// Step submits intents of a sender and takes control steps of a paused run, and returns
// when they have been taken, with the number of steps of the run. Intents that are refused
// have an error in their acks, and the steps are taken nevertheless.
func (s *Server) Step(ctx context.Context, sender Sender, intents []*wire.Intent,
	steps uint32) (*wire.StepReply, error) {
	if len(intents) > maxQueued { // each has an answer, whatever it is
		return nil, fmt.Errorf("%d intents, want at most %d at once", len(intents), maxQueued)
	}
	reply := &wire.StepReply{}
	for _, in := range intents {
		number, err := s.SubmitAs(sender, in)
		reply.Acks = append(reply.Acks, Ack(in, number, err))
	}
	stepReply := make(chan int64, 1)
	in := &wire.Intent{Kind: &wire.Intent_Step{Step: &wire.Steps{Count: steps}}}
	if _, err := s.submit(sender, in, stepReply); err != nil {
		return nil, err
	}
	select {
	case stepReply, ok := <-stepReply:
		if !ok {
			return nil, errNotPaused
		}
		reply.N = stepReply
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

// Run steps the worlds by the wall clock, and publishes a frame after each step, until ctx is cancelled or the worlds
// have run all their episodes or steps. Then it closes all clients and returns nil. Any other end is an error.
func (s *Server) Run(ctx context.Context) error {
	go s.hub.fanOut()
	defer s.hub.close()
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
			s.hub.mu.Lock()
			s.hub.stats.Dropped += f.Dropped
			s.hub.stats.Lag = s.clock.wall(s.driver.Backlog())
			s.hub.mu.Unlock()
			if s.config.Framed != nil {
				s.config.Framed(s.driver, f)
			}
			if s.env.Active() {
				s.sleep(ctx, s.config.Wait(s.driver))
			}
			continue
		}
		if len(s.stepRequests) == 0 {
			s.sleep(ctx, 0)
		}
		if err := s.stepPaused(); err != nil {
			return err
		}
	}
	for w := range s.planners {
		if s.planners[w].openID != "" {
			s.endDecision(w, runlog.DecisionWithdrawn, "the run has ended")
		}
	}
	if len(s.unlogged) > 0 {
		if err := s.logDecisions(); err != nil {
			return err
		}
		if err := s.emptySegment(); err != nil {
			return err
		}
	}
	return s.keep(true)
}

// emptySegment brings the notes into the log at once.
func (s *Server) emptySegment() error {
	return s.env.Each(func(*sim.Worker, *sim.Block) error { return nil })
}

// sleep waits for d or, while paused, for intents.
func (s *Server) sleep(ctx context.Context, d time.Duration) {
	var wake <-chan struct{}
	if s.clock.paused {
		d, wake = time.Second, s.hub.newIntents // a second, to keep the state
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

// keep calls Config.Keep if KeepEvery has passed since the last call, or force is set, unless nothing has happened
// since.
func (s *Server) keep(force bool) error {
	now := s.clock.real.Now()
	if s.config.Keep == nil || !force && now-s.lastKeep.time < s.config.KeepEvery {
		return nil
	}
	state := s.state()
	point := keepPoint{now, s.n(), state.Intents}
	if point.n == s.lastKeep.n && point.intents == s.lastKeep.intents {
		return nil
	}
	s.lastKeep = point
	return s.config.Keep(state)
}

func (s *Server) state() State {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	return State{
		Lives: s.config.State.Lives, Frames: h.head, Clients: h.sessionCount, Intents: h.intentCount - int64(len(h.inbox)),
		Paused: s.clock.paused, Speed: s.clock.factor, Commands: slices.Clone(s.config.State.Commands),
	}
}

// n is how many control steps the run has taken.
func (s *Server) n() int64 { return s.env.Sim().Blocks()[0].N() }

// step is a control step of the driver: it applies what has arrived, and steps unless that paused the run.
func (s *Server) step() error {
	if err := s.applyIntents(); err != nil {
		return err
	}
	if s.clock.paused {
		return s.stepPaused()
	}
	return s.stepOnce()
}

// stepPaused applies intents and takes one of the steps that they ask for.
func (s *Server) stepPaused() error {
	if err := s.applyIntents(); err != nil {
		return err
	}
	if s.clock.paused && len(s.stepRequests) > 0 {
		if err := s.stepOnce(); err != nil {
			return err
		}
		first := &s.stepRequests[0]
		if first.remaining--; first.remaining == 0 {
			if first.done != nil {
				first.done <- s.n()
			}
			s.stepRequests = s.stepRequests[1:]
		}
		return nil
	}
	if len(s.frame.Applied) == 0 {
		return nil
	}
	if err := s.emptySegment(); err != nil { // the log has the intents that a frame names
		return err
	}
	s.publish()
	return nil
}

// stepOnce takes one control step of all worlds and publishes a frame.
func (s *Server) stepOnce() error {
	start := time.Now()
	if err := s.logDecisions(); err != nil {
		return err
	}
	if err := s.reapplyCommands(); err != nil {
		return err
	}
	s.updateCaptures()
	if err := s.env.Each(s.stepBlock); err != nil {
		return err
	}
	s.deliver()
	for i := range s.overrides {
		s.overrides[i].remaining = max(0, s.overrides[i].remaining-1)
	}
	s.publish()
	s.hub.countStep(time.Since(start))
	return nil
}

func (s *Server) publish() {
	f := s.frame
	f.N, f.Paused, f.Speed = s.n(), s.clock.paused, s.clock.factor
	for i := range f.Worlds {
		s.env.Sim().At(i, s.gather)
	}
	s.plan()
	s.frame = s.hub.publish(f, s.values)
}

func (s *Server) gatherWorld(w *sim.World) {
	i := w.Index()
	if s.outlined != nil {
		s.watchGround(w)
	}
	world, values := s.frame.Worlds[i], s.values[i*s.hub.enc.size():]
	if i == 0 {
		s.watchOrder(w)
	}
	world.Episode, world.Ns, world.Reward = w.Episode(), w.NS(), float32(w.Reward())
	world.Terminated, world.Truncated = w.Ended()
	if s.config.Infos {
		world.Infos = world.Infos[:0]
		for _, x := range w.Info() {
			world.Infos = append(world.Infos, float32(x))
		}
	}
	for k := range s.trackSources {
		source := &s.trackSources[k]
		ns, ok := source.read(values[:source.size], nil, w)
		if age := w.NS() - ns; ok && s.hub.enc.layout[k].Stamped {
			setAge(world.Tracks[k], age)
		} else {
			setAge(world.Tracks[k], -1)
		}
		values = values[source.size:]
	}
}

func (s *Server) applyIntents() error {
	intents := s.hub.takeIntents()
	if len(intents) > 0 { // the log has the events of decisions before them
		if err := s.logDecisions(); err != nil {
			return err
		}
	}
	for i := range intents {
		in := &intents[i]
		cause := &runlog.Intent{Number: in.number, Client: in.session.Name, Kind: in.kind, World: in.world}
		refused, err := in.apply(in, cause)
		if err != nil {
			return err
		}
		a := &wire.Applied{Number: in.number, Client: in.session.Name, Kind: in.kind, Decision: in.decision}
		if refused != nil {
			s.hub.mu.Lock()
			s.hub.intentStats(in.kind).Failed++
			s.hub.mu.Unlock()
			a.Error = short(refused)
			if in.stepReply != nil {
				close(in.stepReply)
			}
			if in.kind != "reply" { // whose decision says so already
				cause.Refusal = a.Error
				if err := s.intervene(cause, nil); err != nil {
					return err
				}
			}
		}
		s.frame.Applied = append(s.frame.Applied, a)
	}
	clear(intents) // the array is used again, what clients sent is free
	return nil
}

// short is an error for everybody. It may quote what a client wrote, of any length.
func short(err error) string { return cut(err.Error(), 300) }

// cut is the beginning of a text, of at most so many bytes.
func cut(text string, most int) string {
	if len(text) > most {
		text = text[:most-3] + "..."
	}
	return strings.ToValidUTF8(text, "?")
}

// pause pauses the run, or lets it go on, and then forgets the steps that were to be taken.
func (s *Server) pause(paused bool) {
	s.clock.set(paused, s.clock.factor)
	if paused {
		return
	}
	for _, w := range s.stepRequests {
		if w.done != nil {
			close(w.done)
		}
	}
	s.stepRequests = nil
}

// reapplyCommands sets the commands of clients in worlds with a new episode, and ends the actions that replies to
// decisions of the episode before gave.
func (s *Server) reapplyCommands() error {
	for i := range s.episodes {
		episode := s.env.Sim().Episode(i)
		if s.episodes[i] == episode {
			continue
		}
		s.episodes[i] = episode
		if o := &s.overrides[i]; o.fromReply {
			o.remaining, o.fromReply = 0, false
		}
		for _, c := range s.config.State.Commands {
			if c.World == i {
				if err := s.env.Intervene(runlog.Intervention{Effect: &c}); err != nil {
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
			list = append(list, Session{session.Name, session.Role.String()})
		}
	}
	slices.SortFunc(list, func(a, b Session) int { return strings.Compare(a.Client, b.Client) })
	return list
}
