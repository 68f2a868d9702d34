package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/digest"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/sensors"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// Block is a fixed group of worlds that are stepped together. Its buffers, one row per world, are parts of those of
// the [Sim]. One goroutine may use a block at a time.
type Block struct {
	buffers

	sim   *Sim
	index int
	first int // run-wide number of the first world
	n     int64

	worlds []World
	rows   *physics.Rows
	bank   *sensors.Bank
	local  any // of a LocalTask
	memory []float64
	infos  []float64 // worlds × InfoNames: sums over the episode

	inForce []float32 // worlds × ActionSize: the actions that physics acts under
	scratch []float64 // one observation
	walking []int32   // worlds that step
	restart []int32   // worlds that begin an episode

	firstFault string // see [Sim.FirstFault]
	faultN     int64  // its control step

	log    *runlog.Block  // nil without a log
	states []runlog.State // of the worlds, to be logged
	row    []float64      // room for a physics row to be logged
	digest digest.Hash    // scratch
}

// Index is the block's index in Sim.Blocks.
func (b *Block) Index() int { return b.index }

// First is the run-wide number of the block's first world.
func (b *Block) First() int { return b.first }

// Row is the row of the block's first world in the buffers of the [Sim], and in arrays with a row for each world
// that the sim holds. Unless that is a slice, it equals First.
func (b *Block) Row() int { return b.first - b.sim.config.Slice.From }

// Len is the number of worlds in the block.
func (b *Block) Len() int { return len(b.worlds) }

// N is the number of control steps that the block has taken, and so the number of the next step.
func (b *Block) N() int64 { return b.n }

// State is the physics row of world i of the block, to be written before the next step. At a decision point it is
// the state of that instant.
func (b *Block) State(i int) []float64 { return b.rows.Row(i) }

// ReadState is State, to be read; see [World.ReadState].
func (b *Block) ReadState(i int) physics.ReadOnly { return b.rows.Read(i) }

// Parameters are those of world i of the block, to be read; see [World.Parameters].
func (b *Block) Parameters(i int) []float64 { return b.rows.ParameterRow(i) }

// Active reports whether world i of the block has episodes left to run.
func (b *Block) Active(i int) bool { return b.worlds[i].state != retired }

// Begins reports whether world i of the block has taken no control step in its episode. Where worlds reset
// themselves in the step after the last one of an episode, the old episode lasts until then.
func (b *Block) Begins(i int) bool { return b.worlds[i].steps == 0 }

func newBlock(s *Sim, index, first int, view buffers) *Block {
	spec, worlds := s.spec, len(view.reward)
	b := &Block{
		buffers: view,
		sim:     s,
		index:   index,
		first:   first,
		worlds:  make([]World, worlds),
		rows:    physics.NewRows(s.config.Model, worlds, s.outputs, s.slots),
		memory:  make([]float64, worlds*spec.MemorySize),
		infos:   make([]float64, worlds*len(spec.InfoNames)),
		inForce: make([]float32, worlds*spec.ActionSize),
		scratch: make([]float64, spec.ObservationSize),
		walking: make([]int32, 0, worlds),
		restart: make([]int32, 0, worlds),
	}
	b.bank = s.suite.NewBank(b.rows)
	if t, ok := s.config.Task.(LocalTask); ok {
		b.local = t.NewLocal()
	}
	for i := range b.worlds {
		w := &b.worlds[i]
		w.block, w.id, w.state = b, i, resting
		w.episode = s.config.FirstEpisode + int64(first+i-s.config.Worlds) // the first one adds s.config.Worlds
	}
	return b
}

// infoSum holds the sums of the infos of world i over its episode.
func (b *Block) infoSum(i int) []float64 { return part(b.infos, i, 1, len(b.sim.spec.InfoNames)) }

func (b *Block) actionOf(id int) []float32 { return part(b.action, id, 1, b.sim.spec.ActionSize) }

// Step takes one control step of every world that has an episode to run, from decision point to decision point, with
// the actions in Action. If one is not finite or not a valid choice, Step returns an error before any world steps.
func (b *Block) Step(worker *Worker) error {
	if err := b.CheckActions(); err != nil {
		return err
	}
	if b.log != nil {
		b.log.Actions(b.n, b.first, len(b.worlds), b.action)
	}
	clear(b.reward)
	clear(b.terminated)
	clear(b.truncated)
	clear(b.fault)
	b.walking, b.restart = b.walking[:0], b.restart[:0]
	for i := range b.worlds {
		switch w := &b.worlds[i]; w.state {
		case running:
			w.follow(b.n)
			w.acting, w.stepNS = true, w.now.NS
			if w.steps == 0 {
				w.start = b.n
			}
			b.walking = append(b.walking, int32(i))
		case resting:
			b.restart = append(b.restart, int32(i))
		}
	}
	b.begin(worker)
	b.advance(worker)
	b.close()
	b.n++
	b.begin(worker)
	b.logState()
	b.updated()
	worker.yield()
	return nil
}

// CheckActions returns an error, an [ActionError], if an action of a world that has an episode to run is not finite or
// not a valid choice.
func (b *Block) CheckActions() error {
	for i := range b.worlds {
		if b.worlds[i].state != running {
			continue
		}
		if err := b.sim.spec.CheckAction(b.first+i, b.actionOf(i)); err != nil {
			return err
		}
	}
	return nil
}

// advance walks the worlds that step to their next decision points, with one engine call each time some of them need
// physics.
func (b *Block) advance(worker *Worker) {
	walking := append(worker.walking[:0], b.walking...)
	for len(walking) > 0 {
		ids, n := worker.ids[:0], worker.n[:0]
		for _, id := range walking {
			if due := b.worlds[id].walk(); due > 0 {
				ids, n = append(ids, id), append(n, due)
			}
		}
		if len(ids) > 0 && b.integrate(worker, ids, n) > 0 {
			b.collectFaults(worker, ids)
		}
		// A world whose walk did not stop for physics has reached its decision point.
		walking = append(walking[:0], ids...)
	}
}

// integrate makes one engine call. It returns the number of faults.
func (b *Block) integrate(worker *Worker, ids, n []int32) int {
	t := b.sim.config.Trace
	i := -1 // of the traced world
	if t != nil {
		i = slices.Index(ids, int32(t.World-b.first))
	}
	if i < 0 {
		return worker.stepper.Step(b.rows, ids, n)
	}
	start := time.Since(t.origin)
	faults := worker.stepper.Step(b.rows, ids, n)
	t.engine(&b.worlds[ids[i]], start, n[i], len(ids))
	return faults
}

func (b *Block) collectFaults(worker *Worker, ids []int32) {
	for _, id := range ids {
		if f := b.rows.Fault[id]; f != physics.FaultNone {
			b.worlds[id].fail(f, worker.stepper.FaultMessage(id))
		}
	}
}

// close ends the episodes that are over and sets the next state of their worlds.
func (b *Block) close() {
	b.restart = b.restart[:0]
	for _, id := range b.walking {
		w := &b.worlds[id]
		if w.fault != physics.FaultNone {
			b.fault[id], b.truncated[id] = true, true
			w.faults++
			w.lastFault = fmt.Sprintf("%v: %s", w.fault, w.message)
			if b.firstFault == "" {
				line, _, _ := strings.Cut(w.message, "\n") // a panic's stack follows
				b.firstFault = fmt.Sprintf("world %d at control step %d: %s", w.Index(), b.n, line)
				b.faultN = b.n
			}
		}
		if !b.terminated[id] && !b.truncated[id] {
			continue
		}
		observation, _, _ := w.Observation()
		n := len(observation)
		copy(b.final[int(id)*n:], observation)
		copy(b.finalInfo[int(id)*len(w.Info()):], w.Info())
		b.returns[id], b.lengths[id] = w.ret, w.steps
		w.ended(true)
		if t, ok := b.sim.config.Task.(EndingTask); ok {
			t.Ended(w)
		}
		switch b.sim.config.Autoreset {
		case SameStep:
			b.restart = append(b.restart, id)
		case NextStep:
			w.state = resting
		case Disabled:
			w.state = ended
		}
	}
}

// begin starts the next episode of the worlds in b.restart and walks them to the decision point of their t = 0. It
// makes one engine call, or a few with WarmupSteps.
func (b *Block) begin(worker *Worker) {
	s := b.sim
	begin := worker.ids[:0]
	for _, id := range b.restart {
		w := &b.worlds[id]
		w.next()
		if s.config.Episodes > 0 && w.episode >= s.config.Episodes {
			w.state = retired
			continue
		}
		w.prepare()
		begin = append(begin, id)
	}
	if len(begin) == 0 {
		return
	}
	if s.spec.WarmupSteps > 0 {
		b.warmUp(worker, begin)
	} else {
		b.forward(worker, begin)
	}
	for _, id := range begin {
		w := &b.worlds[id]
		b.bank.Reset(int(id), w.root.Seed, w.root.World, w.root.Episode)
		w.walk()
	}
}

// forward makes the rows of worlds consistent after their state was written.
func (b *Block) forward(worker *Worker, ids []int32) {
	if worker.stepper.Forward(b.rows, ids) > 0 {
		b.collectFaults(worker, ids)
	}
}

// warmUp takes the task's WarmupSteps before t = 0 and resets the substep boundary to 0. The forward after them does
// not change the simulation; it samples the probes at the new state.
func (b *Block) warmUp(worker *Worker, ids []int32) {
	n := worker.n[:len(ids)]
	for remaining := b.sim.spec.WarmupSteps; remaining > 0; {
		substeps := min(remaining, b.sim.slots-1)
		for i := range n {
			n[i] = int32(substeps)
		}
		if worker.stepper.Step(b.rows, ids, n) > 0 {
			b.collectFaults(worker, ids)
		}
		remaining -= substeps
	}
	b.forward(worker, ids)
	for _, id := range ids {
		b.rows.Boundary[id] = 0 // also of a world that failed
	}
}

// Restart begins a new episode in the worlds whose value in mask is true; mask has length Len. A running episode
// ends as incomplete.
//
// If seeds is not nil, it has length Len, and each of these worlds takes its own seed from it: from this episode on,
// its random streams are those of a run of one world with that seed, whatever its index here.
func (b *Block) Restart(worker *Worker, mask []bool, seeds []uint64) {
	if len(mask) != len(b.worlds) || seeds != nil && len(seeds) != len(b.worlds) {
		panic(fmt.Sprintf("sim: restart of a block of %d worlds with a mask of %d and %d seeds", len(b.worlds),
			len(mask), len(seeds)))
	}
	if b.log != nil {
		b.log.Restart(b.n, b.first, mask, seeds)
	}
	b.restart = b.restart[:0]
	for i := range b.worlds {
		w := &b.worlds[i]
		if !mask[i] || w.state == retired {
			continue
		}
		b.cut(i)
		if seeds != nil {
			w.reseed(seeds[i])
		}
		b.restart = append(b.restart, int32(i))
	}
	b.begin(worker)
	b.updated()
}

// updated calls Config.Updated, when the rows of the block have new values.
func (b *Block) updated() {
	if f := b.sim.config.Updated; f != nil {
		f(b)
	}
}

// cut ends world i's episode as incomplete, if one is running.
func (b *Block) cut(i int) {
	w := &b.worlds[i]
	if w.state != running {
		return
	}
	if w.steps > 0 {
		w.ended(false)
	}
	w.state = ended
}
