package terms

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/physics"
)

// Binder resolves what the entries of a configuration need from a robot. Its methods do not fail: they note the first
// error, which Err returns, and return something harmless. One goroutine at a time may use it.
type Binder struct {
	Robot *Robot

	MemorySize  int      // The slots of a world have this many values.
	LastingSize int      // So many more outlive episodes.
	Probes      []string // The task needs these probes, and worlds with parameters of their own from these sources.
	Parameters  []string

	// The first error ends nothing: binding goes on, and what it returns is harmless.
	err error

	// One entry is bound at a time. Its quantities are those of a phase, and it is about an entity, the robot unless it
	// names another. entityUsed says whether its term has asked for that entity.
	entry      *Parsed
	phase      Phase
	entity     int
	entityUsed bool

	// The plan has no phases until all is bound. Then they consist of the quantities that each phase needs, in order.
	plan       Plan
	quantities []quantity
	index      map[string]int // numbers of quantities, by name
	needed     [phaseCount][]int

	entities []entity // The robot is the first.
	actuated []int    // These joints of any entity have an actuator.

	observed       int                   // Observations have this many values so far.
	constant       map[string][]constant // Events may change these values of the model, by their source.
	eventCount     map[string]int        // numbers of entries of events, by their term
	kept           map[string]*Slot      // see keep
	written        map[string]string     // what events of mode reset write, and the keys of their entries
	parameterCount int                   // The parameters of a world have this many values.

	// What is bound may be named by later entries.
	actionNames []string
	bias        *Slot          // biases of the encoders of the actuated joints; nil: they have none
	drivers     map[int]string // the keys of actions, by the index in the control that they set
	commands    map[string]*Command
	references  map[string]*reference // the motions of motion commands
	weights     map[string]*Staged[float64]
	later       map[string][]stage[Parsed] // stages that curriculum terms make of entries, by section and name
	feet        map[string]*Feet
	levels      *levels // nil: each episode draws its patch
}

// NewBinder returns a binder for a robot. stepOffset is added to the run-wide number of a
// control step wherever a curriculum depends on it.
func NewBinder(r *Robot, stepOffset int64) *Binder {
	actuated, _ := r.objects("actuated joint", anyEntity)
	b := &Binder{
		Robot:    r,
		entry:    &Parsed{},
		plan:     Plan{offset: stepOffset},
		index:    map[string]int{},
		constant: map[string][]constant{},
		kept:     map[string]*Slot{},
		written:  map[string]string{},
		entities: r.entities(),
		actuated: actuated,
		drivers:  map[int]string{},
		commands: map[string]*Command{},
		weights:  map[string]*Staged[float64]{},
		later:    map[string][]stage[Parsed]{},
		feet:     map[string]*Feet{},

		references: map[string]*reference{},
	}
	if r.Ground != nil {
		b.Lasting(groundLasting) // the first ones
	}
	b.define()
	return b
}

// Err returns the first error. It begins with the key of the entry.
func (b *Binder) Err() error { return b.err }

// Bind binds an entry, whose quantities are those of a phase, and returns one of the
// types of the kinds: *Action, *Observation, RewardFunc and so on.
func (b *Binder) Bind(p *Parsed, phase Phase) any {
	b.entry, b.phase, b.entity, b.entityUsed = p, phase, 0, false
	if name := p.Head.Entity; name != "" {
		b.entity = b.entityNumber("entity", name)
	}
	bound := p.row.bind(b, p)
	if p.Head.Entity != "" && !b.entityUsed {
		b.Fail("entity", "is %s, but this term is not about an entity", p.Head.Entity)
	}
	return bound
}

// entityNumber returns the number of an entity by its name.
func (b *Binder) entityNumber(key, name string) int {
	i := slices.Index(b.Robot.Entities, name)
	if i < 0 {
		b.Fail(key, ": no entity %q%s", name, spell.Hint(name, b.Robot.Entities))
	}
	return max(i, 0)
}

// subject returns the entity that the entry addresses: the robot, unless the key entity names another.
func (b *Binder) subject() *entity {
	b.entityUsed = true
	return &b.entities[b.entity]
}

// Fail notes an error about a parameter of the entry, formatted as by fmt.Errorf:
// "is 3, want 1 to 2", ": no such joint", or "%w" of an error that goes on from the key.
func (b *Binder) Fail(parameter, format string, args ...any) {
	if b.err == nil {
		if !strings.ContainsRune(":[%", rune(format[0])) {
			format = " " + format
		}
		b.err = fmt.Errorf("%s"+format, append([]any{decode.Join(b.entry.Key, parameter)}, args...)...)
	}
}

// Key returns the key of the entry's random stream. It depends on the names of section
// and entry only, so the draws of an entry do not change when others are added.
func (b *Binder) Key() Key {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s", b.entry.Kind, b.entry.Head.Name)
	return Key(h.Sum64() | 1<<63) // sim has small numbers for its own purposes
}

// maxMemory is the largest number of values that a world remembers: 8 MiB.
const maxMemory = 1 << 20

// Memory returns a slot of n values in the memory of each world.
func (b *Binder) Memory(n int) Slot {
	if most := maxMemory - b.MemorySize; n > most {
		b.Fail("", ": it has each world remember %d values, want at most %d with those of the entries before it", n, most)
		return Slot{}
	}
	b.MemorySize += n
	return Slot{int32(b.MemorySize - n), int32(n)}
}

// Lasting returns a slot of n values that outlive the episodes of a world, zero when the run begins. They are those of
// [View.LastingSlot].
func (b *Binder) Lasting(n int) Slot {
	if most := maxMemory - b.LastingSize; n > most {
		b.Fail("", ": it has each world remember %d values for good, want at most %d with those of the entries before it", n,
			most)
		return Slot{}
	}
	b.LastingSize += n
	return Slot{int32(b.LastingSize - n), int32(n)}
}

// keep returns where the n numbers are kept that entries of events of one term draw for a thing, so that one which draws
// some of them leaves the others as they are. It is nil if there is only one such entry, whose other numbers are 0.
func (b *Binder) keep(thing string, n int) *Slot {
	if b.eventCount[drawsOf(b.entry.Head.Term)] < 2 {
		return nil
	}
	if b.kept[thing] == nil {
		slot := b.Memory(n)
		b.kept[thing] = &slot
	}
	return b.kept[thing]
}

// drawsOf returns the name of what the term of an event draws, which two terms have in common.
func drawsOf(term string) string {
	if term == "reset_root_state_from_flat_patches" {
		return "reset_root_state_uniform"
	}
	return term
}

// writes notes something that the event writes which is bound. Events of mode startup happen before all of mode reset, so
// it fails for one that stands in the file behind another of mode reset which writes the same: it would be lost.
func (b *Binder) writes(thing string) {
	first, ok := b.written[thing]
	switch mode := b.entry.Common.(*EventKeys).Mode; {
	case mode == Reset && !ok:
		b.written[thing] = b.entry.Key
	case mode == Startup && ok:
		b.Fail("mode", "is startup, and %s, of mode reset, stands before it and writes %s too: events of mode startup happen "+
			"first, so that this one would be lost, want it before %s or of mode reset", first, thing, first)
	}
}

// OnTerminate adds a function that is called in the control step in which the episode ends as terminated, after the
// terminations and before the rewards.
func (b *Binder) OnTerminate(f func(v *View)) { b.plan.onTerminate = append(b.plan.onTerminate, f) }

// OnReset adds a function that is called after the state of an episode's start has been
// written and events have changed it.
func (b *Binder) OnReset(f func(v *View)) { b.plan.onReset = append(b.plan.onReset, f) }

// OnAct adds a function that is called at the start of each control step, before events.
func (b *Binder) OnAct(f func(v *View)) { b.plan.onAct = append(b.plan.onAct, f) }

// OnStep adds a function that is called at the end of each control step, before rewards
// and terminations; the quantities it reads are those of [RewardPhase].
func (b *Binder) OnStep(f func(v *View)) { b.plan.onStep = append(b.plan.onStep, f) }

// Base returns the parts of the state row that hold the pose of the base, a position in m
// and a quaternion w x y z in the world, and its velocity: linear in m/s in the world, and
// angular in rad/s in the base's frame. Without a free joint it fails.
func (b *Binder) Base(key string) (pose, velocity physics.Span) {
	e := b.subject()
	if e.base < 0 {
		b.Fail(key, ": needs a base that moves freely, and %s", e.noBase())
		return physics.Span{}, physics.Span{}
	}
	j := &b.Robot.Joints[e.base]
	return j.Position, j.Velocity
}

// rootPose returns the position, m, and the orientation in the world of the frame of the addressed entity: its base or,
// where it does not move freely, the body or the world that its first joint is on.
func (b *Binder) rootPose() (position, quaternion Handle) {
	e := b.subject()
	if e.base >= 0 {
		return b.Quantity("base_pos"), b.Quantity("base_quat")
	}
	if len(e.trees) == 0 {
		b.Fail("", ": needs %s to have a body", e)
	}
	if e.frame == 0 {
		pose := b.use(b.add(quantity{name: "pose of the world", size: 7, early: true,
			compute: func(_ *View, dst []float64) { copy(dst, []float64{0, 0, 0, 1, 0, 0, 0}) }}))
		return pose.part(0, 3), pose.part(3, 7)
	}
	name := b.Robot.Bodies[e.frame].Name
	return b.Quantity("body." + name + ".position"), b.Quantity("body." + name + ".quaternion")
}

// Place changes the positions in Robot.Start of the joints that patterns name, and of those that are coupled with them.
func (b *Binder) Place(key string, positions map[string]any) {
	joints, names := b.Robot.objects("joint", anyEntity)
	previous := slices.Clone(b.Robot.Start)
	for i, q := range b.perName(key, positions, "joint", names, math.NaN()) {
		if q == q {
			b.Robot.Start[b.Robot.Joints[joints[i]].Position.Offset] = q
		}
	}
	settle(b.couplings(), b.Robot.Start, previous, nil)
}

// nothing returns a place for values that are never read, because binding has failed.
func (b *Binder) nothing(size int) Handle { return Handle{0, int32(max(size, 1))} }

// noEntry says that no entry of a section has a name, and names the nearest or all.
func noEntry(kind, name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("no %s %q: the configuration has no %ss", kind, name, kind)
	}
	return fmt.Sprintf("no %s %q%s", kind, name, spell.Hint(name, known))
}
