package sim

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/digest"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Snapshot is the complete state of the worlds of a run at a decision point: a restored sim continues bit for bit as
// the original did. For each world it holds the clock, the physics row with its warm start and parameters, the
// sensors' samples, the task's memory, the observation, the action in force, the episode so far, its rows of the
// buffers, and the state of the [StateSaver]. It holds no random streams, since a stream is a function of its key,
// and nothing of a learner.
//
// The samples of Config.Probes lie beside that, for runs with the same ones. In other runs they are those of the
// state at which physics stands, until it moves on.
//
// A snapshot is stored by world, so it fits any block size and number of workers. It never changes; any number of
// goroutines may use it.
type Snapshot struct {
	fits   []string // "name: value" lines on which a sim must agree
	worlds [][]byte // by row

	observed []string // Config.Probes
	samples  [][]byte // theirs, by world; nil if there are none
}

// Worlds is the number of worlds.
func (s *Snapshot) Worlds() int { return len(s.worlds) }

// StateSaver has state of its own for each world, such as a recorder's sums since its last row. A snapshot includes
// it. Its methods are called while no world steps.
type StateSaver interface {
	// AppendState appends the saver's state for a world.
	AppendState(dst []byte, world int) []byte
	// SetState sets the state for a world to one from AppendState. If state is invalid, it returns an error and changes
	// nothing.
	SetState(world int, state []byte) error
}

// Snapshot takes a snapshot. It must not be called while Each runs.
func (s *Sim) Snapshot() *Snapshot {
	snapshot := &Snapshot{fits: s.fits(s.clock), worlds: make([][]byte, 0, s.config.Worlds)}
	size := 0 // of the record before, since a training takes a snapshot in each iteration
	for _, b := range s.blocks {
		for i := range b.worlds {
			record := b.worlds[i].appendTo(make([]byte, 0, size))
			if s.config.StateSaver != nil {
				record = s.config.StateSaver.AppendState(record, b.first+i)
			}
			size = len(record)
			snapshot.worlds = append(snapshot.worlds, record)
			if len(s.config.Probes) > 0 {
				snapshot.observed = s.config.Probes
				snapshot.samples = append(snapshot.samples, b.bank.AppendObserved(nil, i))
			}
		}
	}
	return snapshot
}

// Restore sets every world to its state in the snapshot, which was taken in this run or in another with the same
// task, model, sensors, clock and seed. A snapshot taken with a [StateSaver] may be restored without one, but not
// the reverse. A run with a log cannot restore, unless the log is one that goes on from the snapshot. Restore must
// not be called while Each runs.
//
// Restore checks every world of the snapshot before it changes the first. The sim must not be used after an error of
// the saver; other errors leave it unchanged.
func (s *Sim) Restore(snapshot *Snapshot) (err error) {
	if snapshot == nil {
		return errors.New("sim: no snapshot given (nil), want one of Snapshot or ReadSnapshot")
	}
	if !s.stepping.TryLock() {
		return fmt.Errorf("sim: Restore %w", ErrBusy)
	}
	defer s.stepping.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.config.Log != nil && !s.config.Log.Continued() {
		return errors.New("sim: this run has a log, which could not be replayed " +
			"past a restored snapshot: run without one")
	}
	clock := s.clock.Clone()
	if origin := snapshot.origin(); origin <= clock.Last() {
		clock.Forget(origin) // as the run did from which the snapshot is
	}
	if err := compareFits(snapshot.fits, s.fits(clock)); err != nil {
		return err
	}
	defer func(previous *runners.Clock) {
		if err != nil {
			s.clock = previous
		}
	}(s.clock)
	s.clock = clock
	if len(snapshot.worlds) != s.Worlds() {
		return fmt.Errorf("sim: a snapshot of %d worlds, want %d", len(snapshot.worlds), s.Worlds())
	}
	defer s.updated()
	// Check the records with a separate world.
	trial := newBlock(s, 0, 0, newBuffers(s.spec, 1))
	steps := make([]int64, s.Worlds())
	rests := make([][]byte, s.Worlds())
	for i, record := range snapshot.worlds {
		world := s.config.Slice.From + i
		trial.first = world
		rest, err := trial.worlds[0].setTo(record)
		if err != nil {
			return fmt.Errorf("sim: snapshot of world %d: %w", world, err)
		}
		if s.config.StateSaver != nil && len(rest) == 0 {
			return fmt.Errorf("sim: the snapshot was taken without a StateSaver (no recording), and this run has one: " +
				"it can be restored only into runs without")
		}
		steps[i], rests[i] = trial.n, rest
		if block, _ := s.find(world); steps[block.Row()] != steps[i] {
			return fmt.Errorf("sim: snapshot of world %d at step %d and of world %d at step "+
				"%d; a block's worlds must be at one step",
				block.first, steps[block.Row()], world, steps[i])
		}
	}
	for i, record := range snapshot.worlds {
		world := s.config.Slice.From + i
		b, id := s.find(world)
		if _, err := b.worlds[id].setTo(record); err != nil {
			return fmt.Errorf("sim: snapshot of world %d: %w", world, err)
		}
		known := slices.Equal(snapshot.observed, s.config.Probes) && len(s.config.Probes) > 0
		if !(known && b.bank.SetObservedState(id, snapshot.samples[i])) && len(s.config.Probes) > 0 {
			s.observeAgain(trial, b, id, record)
		}
		if s.config.StateSaver != nil {
			if err := s.config.StateSaver.SetState(world, rests[i]); err != nil {
				return fmt.Errorf("sim: snapshot of world %d: StateSaver: %w", world, err)
			}
		}
	}
	if s.config.Log != nil {
		s.config.Log.Restored()
	}
	return nil
}

// observeAgain computes the probes of Config.Probes at the state of a restored world, with the help of a world that
// is not part of the run.
func (s *Sim) observeAgain(trial, b *Block, id int, record []byte) {
	trial.first = b.first + id
	if _, err := trial.worlds[0].setTo(record); err != nil {
		return // the record has been checked
	}
	if s.workers[0].stepper.Forward(trial.rows, []int32{0}) == 0 {
		b.bank.SetObserved(id, trial.rows.Sample(0, 0))
	}
}

// clockLine begins the line of a snapshot that has the version of the clock with which it begins.
const clockLine = "clock: "

// origin returns the version of the clock with which it begins.
func (s *Snapshot) origin() int {
	for _, line := range s.fits {
		var v runners.Version
		if text, ok := strings.CutPrefix(line, clockLine); ok && json.Unmarshal([]byte(text), &v) == nil {
			return v.Number
		}
	}
	return 0
}

// fits lists all that the simulation depends on besides the snapshot, with a clock.
func (s *Sim) fits(clock *runners.Clock) []string {
	var fits []string
	add := func(name string, format string, values ...any) {
		fits = append(fits, name+": "+strings.ReplaceAll(fmt.Sprintf(format, values...), "\n", " "))
	}
	add("task", "%s", s.spec.Name)
	add("observation values", "%d", s.spec.ObservationSize)
	add("action values", "%d", s.spec.ActionSize)
	add("memory values", "%d", s.spec.MemorySize)
	if s.spec.LastingSize > 0 {
		add("lasting values", "%d", s.spec.LastingSize)
	}
	add("info values", "%d", len(s.spec.InfoNames))
	add("derived values", "%v", s.spec.Derived)
	if len(s.spec.Probes) > 0 {
		add("probes", "%v", s.spec.Probes)
	}
	if len(s.spec.Parameters) > 0 {
		add("parameters", "%v", s.spec.Parameters)
	}
	add("warm-up substeps", "%d", s.spec.WarmupSteps)
	add("time limit", "%d", s.spec.MaxSteps)
	if s.config.Stagger {
		add("first episodes", "staggered")
	}
	add("worlds", "%d", s.config.Worlds)
	if s.config.Slice.Len() != s.config.Worlds {
		add("slice", "%v", s.config.Slice)
	}
	add("episodes", "%d", s.config.Episodes)
	if s.config.Independent {
		add("independent episodes", "from %d", s.config.FirstEpisode)
	}
	add("autoreset", "%d", slices.Index(autoresets, s.config.Autoreset))
	add("seed", "%d", s.config.Seed)
	first := s.config.Clock.Schedule(0)
	for i, r := range first.Runners() {
		add(fmt.Sprintf("runner %d", i), "%s at %s Hz, disabled %t", r.Name, r.Rate, r.Disabled)
	}
	for _, e := range first.Order() {
		// Bindings that only read, such as a recorder or viewer, may differ.
		if e.Role != runners.Callback || e.Writes {
			add("binding "+e.Name, "%v priority %d at %s, substeps %d, enabled %t", e.Phase, e.Priority, e.RateText(),
				e.Substeps, e.Enabled)
		}
	}
	plain := func(v any) []byte {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // it is plain data
		}
		return text
	}
	if origin := origin(clock); origin != nil {
		fits = append(fits, clockLine+string(plain(origin)))
	}
	for _, c := range clock.Changes() {
		add("change at step "+strconv.FormatInt(c.N, 10), "%s", plain(c.Edits))
	}
	for i := range s.suite.Len() {
		c := s.suite.Info(i)
		add("channel "+c.Name, "%d values of %v, %s", c.Size, c.Sources, c.Model())
	}
	state := make([]float64, s.config.Model.StateSize())
	s.config.Model.InitialState(state)
	var h digest.Hash
	h.Start()
	h.Floats(state)
	add("state values", "%d, initially of digest %016x", len(state), h.Sum())
	for _, line := range s.config.Identity {
		fits = append(fits, strings.ReplaceAll(line, "\n", " "))
	}
	return fits
}

// compareFits returns an error with the first line in which a snapshot and a sim differ.
func compareFits(snapshot, sim []string) error {
	if has, want, differ := runlog.FirstDifference(snapshot, sim); differ {
		return fmt.Errorf("sim: the snapshot does not fit: it has %q, this run has %q", has, want)
	}
	return nil
}

// still is what of a world's record has the same size for every task.
type still struct {
	N int64 // control steps of the world's block

	Runner   uint8 // with Boundary: the instant of the cursor; NoRunner before the first episode
	Boundary int64

	stillEpisode
	Version            int32 // of the clock
	AnchorNS, Anchored int64
	Return             float64
	Latched, Faults    int64
	ObserveNS, ActNS   int64
	Observed, Acted    bool

	PhysicsBoundary     int64
	PhysicsFault, Fault uint8
	stillShown

	Message uint32 // length of the fault's message, which follows the arrays
}

type stillEpisode struct {
	State                 uint8
	Episode, Start, Steps int64
	Seeded                bool   // it has a seed of its own
	Seed, Drawn           uint64 // then: that seed, and its episodes before this one
	StepNS                int64
}

// stillShown is what the buffers show.
type stillShown struct {
	Reward                         float64
	Terminated, Truncated, Faulted bool
	EpisodeReturn                  float64
	EpisodeLength                  int64
}

var stillBytes = binary.Size(still{})

// arrays are what of a world's record has a size that follows from the task and the model. They share the block's
// memory.
func (w *World) arrays() []any {
	observation, _, _ := w.Observation()
	inForce, _, _ := w.Action()
	final := part(w.block.final, w.id, 1, len(observation))
	finalInfo := part(w.block.finalInfo, w.id, 1, len(w.Info()))
	return []any{w.State(), w.Derived(), w.Parameters(), w.Memory(), w.Info(), w.block.infoSum(w.id), observation, final,
		finalInfo, w.block.actionOf(w.id), inForce}
}

// appendTo appends the world's record.
func (w *World) appendTo(dst []byte) []byte {
	b, i := w.block, w.id
	fixed := still{
		N:      b.n,
		Runner: uint8(runners.NoRunner),
		stillEpisode: stillEpisode{State: uint8(w.state), Episode: w.episode, Start: w.start, Steps: w.steps,
			StepNS: w.stepNS},
		Return: w.ret, Latched: w.latched, Faults: w.faults,
		ObserveNS: w.observe.ns, ActNS: w.act.ns, Observed: w.observe.ok, Acted: w.act.ok,
		PhysicsBoundary: b.rows.Boundary[i], PhysicsFault: uint8(b.rows.Fault[i]), Fault: uint8(w.fault),
		stillShown: stillShown{Reward: b.reward[i], Terminated: b.terminated[i], Truncated: b.truncated[i],
			Faulted: b.fault[i], EpisodeReturn: b.returns[i], EpisodeLength: b.lengths[i]},
		Message: uint32(len(w.message)),
	}
	if w.seeded {
		fixed.Seeded, fixed.Seed, fixed.Drawn = true, w.root.Seed, w.root.Episode
	}
	if w.cursor != (runners.Cursor{}) {
		id, k := w.cursor.Boundary()
		fixed.Runner, fixed.Boundary = uint8(id), k
		fixed.Version, fixed.AnchorNS, fixed.Anchored = int32(w.version), w.cursor.Anchor(), w.anchored
	}
	dst = slices.Grow(dst, w.recordBytes()+len(w.message))
	for _, v := range append([]any{&fixed}, w.arrays()...) {
		var err error
		if dst, err = binary.Append(dst, binary.LittleEndian, v); err != nil {
			panic(err) // only for types without a fixed size
		}
	}
	dst = b.bank.AppendState(dst, i)
	return append(dst, w.message...)
}

// recordBytes is the size of a world's record without its message.
func (w *World) recordBytes() int {
	size := stillBytes + w.block.bank.StateBytes()
	for _, v := range w.arrays() {
		size += binary.Size(v)
	}
	return size
}

// setTo sets the world to a record and returns the bytes that follow the record. After an error, for a record that
// no world can have, the world must not be used.
func (w *World) setTo(record []byte) (rest []byte, err error) {
	if want := w.recordBytes(); len(record) < want {
		return nil, fmt.Errorf("record of %d bytes, want at least %d", len(record), want)
	}
	var fixed still
	for _, v := range append([]any{&fixed}, w.arrays()...) {
		n, err := binary.Decode(record, binary.LittleEndian, v)
		if err != nil {
			panic(err) // the sizes have been checked
		}
		record = record[n:]
	}
	b, i := w.block, w.id
	n := b.bank.StateBytes()
	if err := b.bank.SetState(i, record[:n]); err != nil {
		return nil, err
	}
	if record = record[n:]; uint64(len(record)) < uint64(fixed.Message) {
		return nil, fmt.Errorf("message of %d bytes, want at most %d", fixed.Message, len(record))
	}
	w.message = string(record[:fixed.Message])
	record = record[fixed.Message:]

	if err := w.stand(&fixed); err != nil {
		return nil, err
	}
	w.state, w.episode, w.start, w.steps = worldState(fixed.State), fixed.Episode, fixed.Start, fixed.Steps
	w.seeded = fixed.Seeded
	if w.seeded {
		w.root = random.Root{Seed: fixed.Seed, Episode: fixed.Drawn}
	} else {
		w.root = random.Root{Seed: b.sim.config.Seed, World: uint64(w.Index()), Episode: uint64(w.episode)}
	}
	w.stepNS, w.ret, w.latched, w.faults = fixed.StepNS, fixed.Return, fixed.Latched, fixed.Faults
	w.observe, w.act = stamp{fixed.ObserveNS, fixed.Observed}, stamp{fixed.ActNS, fixed.Acted}
	w.fault = physics.Fault(fixed.Fault)
	b.n = fixed.N
	b.rows.Boundary[i], b.rows.Fault[i] = fixed.PhysicsBoundary, physics.Fault(fixed.PhysicsFault)
	b.reward[i], b.terminated[i], b.truncated[i], b.fault[i] = fixed.Reward, fixed.Terminated,
		fixed.Truncated, fixed.Faulted
	b.returns[i], b.lengths[i] = fixed.EpisodeReturn, fixed.EpisodeLength
	return record, nil
}

// stand moves the world to the decision point of a record's instant.
func (w *World) stand(fixed *still) error {
	s := w.block.sim
	worlds, index := int64(s.config.Worlds), int64(w.Index())
	switch {
	case worldState(fixed.State) > retired:
		return fmt.Errorf("state %d, want at most %d", fixed.State, retired)
	case fixed.Episode < index || (fixed.Episode-index)%worlds != 0:
		return fmt.Errorf("episode %d, want one of %d, %d, %d and so on", fixed.Episode, index,
			index+worlds, index+2*worlds)
	case fixed.N < 0 || fixed.Start < 0 || fixed.Steps < 0:
		return fmt.Errorf("steps %d, %d and %d, want none below 0", fixed.N, fixed.Start, fixed.Steps)
	case max(fixed.Fault, fixed.PhysicsFault) > uint8(physics.FaultTask):
		return fmt.Errorf("faults %d and %d, want at most %d", fixed.Fault, fixed.PhysicsFault, physics.FaultTask)
	}
	if runners.ID(fixed.Runner) == runners.NoRunner {
		if worldState(fixed.State) != retired {
			return errors.New("a world that never began, and yet goes on")
		}
		w.cursor, w.now, w.call = runners.Cursor{}, sensors.Now{}, 0
		return nil
	}
	if v := int(fixed.Version); v < s.clock.First() || v > s.clock.Last() {
		return fmt.Errorf("clock version %d, want %d to %d", v, s.clock.First(), s.clock.Last())
	}
	schedule := s.clock.Schedule(int(fixed.Version))
	cursor, err := schedule.Resume(fixed.AnchorNS, runners.ID(fixed.Runner), fixed.Boundary)
	if err != nil {
		return err
	}
	if !cursor.Fired().Has(schedule.Control()) {
		return fmt.Errorf("an instant of %d ns, at which no control step begins", cursor.NS())
	}
	w.version, w.anchored = int(fixed.Version), fixed.Anchored
	w.cursor = cursor
	w.arrive()
	// Physics has reached the instant, unless the world failed before it, and is at most slots substeps ahead.
	earliest := w.now.Newest
	if fixed.Fault != uint8(physics.FaultNone) {
		earliest = 0
	}
	if k := fixed.PhysicsBoundary; k < earliest || k > w.now.Newest+int64(s.slots) {
		return fmt.Errorf("physics at substep boundary %d and the clock at %d", k, w.now.Newest)
	}
	w.reach()
	return nil
}

// Equal reports whether two snapshots hold the same bits.
func (s *Snapshot) Equal(other *Snapshot) bool {
	return slices.Equal(s.fits, other.fits) && slices.EqualFunc(s.worlds, other.worlds, bytes.Equal) &&
		slices.Equal(s.observed, other.observed) && slices.EqualFunc(s.samples, other.samples, bytes.Equal)
}
