package runlog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
)

var magic = [8]byte{'p', 'r', 'r', 'u', 'n', 'l', 'o', 'g'}

// version is that of the format. Up to version 2 an intervention was a note, a text in JSON.
const version = 3

// RecordKind is the kind of a record.
type RecordKind uint8

// The kinds of records, see the package documentation.
const (
	KindHeader RecordKind = iota + 1
	KindState
	KindActions
	KindRestart
	KindIntervention
	KindSegment
	KindEnd
)

var kindNames = [...]string{"", "header", "state", "actions", "restart", "intervention", "segment", "end"}

func (k RecordKind) String() string {
	if k >= KindHeader && k <= KindEnd {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Aspect is what a part of the state of a world is about. If several differ after a step, a [Difference] names the
// lowest, since it may have caused the others.
type Aspect uint8

// The aspects of the state of a world.
const (
	Action     Aspect = iota // of the step that led to the state
	Clock                    // instant, episode, step
	Random                   // key of the random streams
	Physics                  // state row and substep
	Sensors                  // measurements of the channels
	Task                     // memory, observation, reward, end of the episode
	NumAspects = iota
)

var aspectNames = [NumAspects]string{"action", "clock", "random streams", "physics", "sensors", "task"}

func (a Aspect) String() string {
	if a < NumAspects {
		return aspectNames[a]
	}
	return fmt.Sprintf("Aspect(%d)", uint8(a))
}

// State holds a hash of each aspect of a world.
type State [NumAspects]uint64

// Header describes the run of a log: everything that is needed to replay it.
type Header struct {
	Kind          string `json:"kind"`           // the command that ran, such as "rollout" or "train"
	Configuration string `json:"configuration"`  // YAML, without the number of workers
	Seed          uint64 `json:"seed"`           // of the configuration
	Worlds        int    `json:"worlds"`         // number of worlds of the run
	From          int    `json:"from,omitempty"` // first world of the log, and
	To            int    `json:"to,omitempty"`   // the one after its last; 0: the log has all worlds
	BlockSize     int    `json:"block_size"`     // worlds per block
	Episodes      int64  `json:"episodes"`       // limit of the run; 0 for none
	// control steps from one state record to the next, at least 1
	Every   int64 `json:"every"`
	Actions bool  `json:"actions"` // whether the actions are in the log
	// what chose the actions, such as the policy and its checksum
	Driver map[string]string `json:"driver,omitempty"`
	// control steps of each world before the run, for curricula
	StepOffset int64 `json:"step_offset,omitempty"`
	// digest of the compiled model, of one from the user's files
	Model string `json:"model,omitempty"`
	// of everything that affects the bits, including processor and kernels
	Versions map[string]string `json:"versions"`
}

// appendRecord appends a record whose payload fill appends.
func appendRecord(dst []byte, kind RecordKind, fill func([]byte) []byte) []byte {
	start := len(dst)
	dst = fill(append(dst, byte(kind), 0, 0, 0, 0))
	binary.LittleEndian.PutUint32(dst[start+1:], uint32(len(dst)-start-recordHead))
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// appendNumber appends a record whose payload is a number.
func appendNumber(dst []byte, kind RecordKind, n int64) []byte {
	return appendRecord(dst, kind, func(dst []byte) []byte { return binary.LittleEndian.AppendUint64(dst, uint64(n)) })
}

const (
	recordHead = 5  // kind and length
	recordTail = 4  // checksum
	worldsHead = 16 // n, first world and worlds
	maxPayload = 1 << 25
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Record is one record of a log, which belongs to the reader and is valid until the next call of [Reader.Next].
type Record struct {
	Kind   RecordKind
	Offset int64 // in the file, in bytes

	payload []byte
}

// N returns the control step of the record; 0 for a header or segment.
func (r *Record) N() int64 {
	if r.Kind == KindHeader || r.Kind == KindSegment {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(r.payload))
}

// First returns the run-wide index of the first world of a state, actions or restart record.
func (r *Record) First() int { return int(binary.LittleEndian.Uint32(r.payload[8:])) }

// Worlds returns the number of worlds of a state, actions or restart record.
func (r *Record) Worlds() int { return int(binary.LittleEndian.Uint32(r.payload[12:])) }

// AppendActions appends the values of an actions record, row-major by world.
func (r *Record) AppendActions(dst []float32) []float32 {
	for i := worldsHead; i < len(r.payload); i += 4 {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(r.payload[i:])))
	}
	return dst
}

// AppendMask appends, for each world of a restart record, whether it began a new episode.
func (r *Record) AppendMask(dst []bool) []bool {
	for _, b := range r.payload[worldsHead:][:r.Worlds()] {
		dst = append(dst, b != 0)
	}
	return dst
}

// AppendSeeds appends the seeds of a restart record, one for each world; nothing if the record has no seeds.
func (r *Record) AppendSeeds(dst []uint64) []uint64 {
	for i := worldsHead + r.Worlds(); i < len(r.payload); i += 8 {
		dst = append(dst, binary.LittleEndian.Uint64(r.payload[i:]))
	}
	return dst
}

// Intervention returns the intervention of a record, which belongs to the caller.
func (r *Record) Intervention() (i Intervention) {
	if err := i.take(r.payload[8:]); err != nil {
		panic(err) // cannot happen: check has read it, or this log has written it
	}
	return i
}

// check returns an error unless the payload is valid for the kind of the record.
func (r *Record) check() error {
	size := len(r.payload)
	exact := func(want int) error {
		if size != want {
			return fmt.Errorf("the length of a %v record is %d bytes, want %d", r.Kind, size, want)
		}
		return nil
	}
	switch r.Kind {
	case KindHeader:
		return nil
	case KindIntervention:
		if size < 8 {
			return exact(8)
		}
		return new(Intervention).take(r.payload[8:])
	case KindSegment, KindEnd:
		return exact(8)
	case KindState, KindActions, KindRestart:
	default:
		return fmt.Errorf("the kind of a record is %d, want %d to %d", r.Kind, KindHeader, KindEnd)
	}
	if size < worldsHead {
		return exact(worldsHead)
	}
	worlds := r.Worlds()
	if worlds < 1 || worlds > size {
		return fmt.Errorf("the number of worlds of a %v record is %d, want 1 to %d", r.Kind, worlds, size)
	}
	switch r.Kind {
	case KindState:
		return exact(worldsHead + 8*NumAspects*worlds)
	case KindRestart:
		if size != worldsHead+9*worlds { // with seeds
			return exact(worldsHead + worlds)
		}
		return nil
	}
	if (size-worldsHead)%(4*worlds) != 0 {
		return fmt.Errorf("the length of an actions record for %d worlds is %d bytes, want %d and a multiple of %d",
			worlds, size, worldsHead, 4*worlds)
	}
	return nil
}

// describe describes a record for an error.
func (r *Record) describe() string {
	switch r.Kind {
	case KindState:
		return fmt.Sprintf("the state of %s after %s", r.worlds(), controlSteps(r.N()))
	case KindActions:
		return fmt.Sprintf("the actions of %s in step %d", r.worlds(), r.N())
	case KindRestart:
		seeds := ""
		if len(r.payload) > worldsHead+r.Worlds() {
			seeds = " with seeds"
		}
		return fmt.Sprintf("a restart in %s%s before step %d", r.worlds(), seeds, r.N())
	case KindIntervention:
		i := r.Intervention()
		return fmt.Sprintf("%v before step %d", &i, r.N())
	case KindSegment:
		return fmt.Sprintf("the end of segment %d", binary.LittleEndian.Uint64(r.payload))
	case KindEnd:
		return "the end of the run after " + controlSteps(r.N())
	}
	return "the " + r.Kind.String()
}

// worlds describes the worlds of a state, actions or restart record.
func (r *Record) worlds() string {
	if r.Worlds() == 1 {
		return fmt.Sprintf("world %d", r.First())
	}
	return fmt.Sprintf("worlds %d to %d", r.First(), r.First()+r.Worlds()-1)
}

// controlSteps returns "1 control step", "2 control steps" and so on.
func controlSteps(n int64) string {
	if n == 1 {
		return "1 control step"
	}
	return fmt.Sprintf("%d control steps", n)
}

func (h *Header) encode() []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // cannot happen: JSON has all its types
	}
	return text
}
