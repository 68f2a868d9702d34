package runlog

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
)

var magic = [8]byte{'p', 'r', 'r', 'u', 'n', 'l', 'o', 'g'}

const version = 2

// Kind is what a record is.
type Kind uint8

const (
	KindHeader Kind = iota + 1
	KindState
	KindActions
	KindRestart
	KindNote
	KindSegment
	KindEnd
)

var kindNames = [...]string{"", "header", "state", "actions", "restart", "note", "segment", "end"}

func (k Kind) String() string {
	if k >= KindHeader && k <= KindEnd {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Part is a part of a world's state. Of several parts that differ after a step,
// the lowest one is named: the others may follow from it.
type Part uint8

const (
	Action   Part = iota // that the step was taken under
	Clock                // instant, episode, step
	Random               // key of the random streams
	Physics              // state row and substep
	Sensors              // what channels can be read as
	Task                 // memory, observation, reward, episode's end
	NumParts = iota
)

var partNames = [NumParts]string{"action", "clock", "random streams", "physics", "sensors", "task"}

func (p Part) String() string {
	if p < NumParts {
		return partNames[p]
	}
	return fmt.Sprintf("Part(%d)", uint8(p))
}

// State holds a hash of each part of a world.
type State [NumParts]uint64

// Header says what run a log is of: all that it takes to execute it again.
type Header struct {
	Kind          string            `json:"kind"`             // what chose the actions, such as "rollout" or "train"
	Configuration string            `json:"configuration"`    // YAML, without the number of workers
	Seed          uint64            `json:"seed"`             // of the configuration
	Worlds        int               `json:"worlds"`           // run-wide
	BlockSize     int               `json:"block_size"`       // worlds of a block
	Episodes      int64             `json:"episodes"`         // the run's limit; 0: none
	Every         int64             `json:"every"`            // control steps from one state record to the next
	Actions       bool              `json:"actions"`          // whether the actions are in the log
	Driver        map[string]string `json:"driver,omitempty"` // what else chose the actions, such as the policy
	Versions      map[string]string `json:"versions"`         // of all that decides the bits, processor and kernels included
}

// appendRecord appends a record whose payload fill appends.
func appendRecord(dst []byte, kind Kind, fill func([]byte) []byte) []byte {
	dst, at := begin(dst, kind)
	return finish(fill(dst), at)
}

// begin appends a record's kind and room for its length, and returns where the
// record begins, for finish.
func begin(dst []byte, kind Kind) ([]byte, int) {
	return append(dst, byte(kind), 0, 0, 0, 0), len(dst)
}

// finish completes the record that begins at at: its payload has been appended.
func finish(dst []byte, at int) []byte {
	binary.LittleEndian.PutUint32(dst[at+1:], uint32(len(dst)-at-recordHead))
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[at:], castagnoli))
}

const (
	recordHead = 5 // kind and length
	recordTail = 4 // checksum
	worldsHead = 16
	maxPayload = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func appendWorldsHead(dst []byte, n int64, first, worlds int) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(n))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(first))
	return binary.LittleEndian.AppendUint32(dst, uint32(worlds))
}

// Record is one record of a log. Its payload belongs to the reader and is valid
// until its next Next.
type Record struct {
	Kind   Kind
	Offset int64 // in the file

	payload []byte
}

// N is the control step that the record is about; 0 for a header or segment.
func (r *Record) N() int64 {
	if r.Kind == KindHeader || r.Kind == KindSegment {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(r.payload))
}

// First and Worlds say which worlds a state, actions or restart record is about.
func (r *Record) First() int  { return int(binary.LittleEndian.Uint32(r.payload[8:])) }
func (r *Record) Worlds() int { return int(binary.LittleEndian.Uint32(r.payload[12:])) }

// AppendActions appends the values of an actions record.
func (r *Record) AppendActions(dst []float32) []float32 {
	for at := worldsHead; at < len(r.payload); at += 4 {
		dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(r.payload[at:])))
	}
	return dst
}

// AppendMask appends the worlds of a restart record.
func (r *Record) AppendMask(dst []bool) []bool {
	for _, b := range r.payload[worldsHead:][:r.Worlds()] {
		dst = append(dst, b != 0)
	}
	return dst
}

// AppendSeeds appends the seeds of a restart record, one for each world; nothing if
// the worlds went on with the seeds they had.
func (r *Record) AppendSeeds(dst []uint64) []uint64 {
	for at := worldsHead + r.Worlds(); at < len(r.payload); at += 8 {
		dst = append(dst, binary.LittleEndian.Uint64(r.payload[at:]))
	}
	return dst
}

// Note is the text of a note.
func (r *Record) Note() string { return string(r.payload[8:]) }

// check returns an error unless the payload is one of the record's kind.
func (r *Record) check() error {
	size := len(r.payload)
	exact := func(want int) error {
		if size != want {
			return fmt.Errorf("a %v record of %d bytes, want %d", r.Kind, size, want)
		}
		return nil
	}
	switch r.Kind {
	case KindHeader:
		return nil
	case KindNote:
		if size < 8 {
			return exact(8)
		}
		return nil
	case KindSegment, KindEnd:
		return exact(8)
	case KindState, KindActions, KindRestart:
	default:
		return fmt.Errorf("a record of kind %d, want %d to %d", r.Kind, KindHeader, KindEnd)
	}
	if size < worldsHead {
		return exact(worldsHead)
	}
	worlds := r.Worlds()
	if worlds < 1 || worlds > size || r.First() < 0 {
		return fmt.Errorf("a %v record of worlds %d to %d in %d bytes", r.Kind, r.First(), r.First()+worlds-1, size)
	}
	switch r.Kind {
	case KindState:
		return exact(worldsHead + 8*NumParts*worlds)
	case KindRestart:
		if size != worldsHead+9*worlds { // with seeds
			return exact(worldsHead + worlds)
		}
		return nil
	}
	if (size-worldsHead)%(4*worlds) != 0 {
		return fmt.Errorf("an actions record of %d bytes for %d worlds", size, worlds)
	}
	return nil
}

// describe names what a record is about.
func (r *Record) describe() string {
	switch r.Kind {
	case KindState:
		return fmt.Sprintf("the state of worlds %d to %d after %d control steps", r.First(), r.First()+r.Worlds()-1, r.N())
	case KindActions:
		return fmt.Sprintf("the actions of worlds %d to %d in step %d", r.First(), r.First()+r.Worlds()-1, r.N())
	case KindRestart:
		seeds := ""
		if len(r.payload) > worldsHead+r.Worlds() {
			seeds = " with seeds"
		}
		return fmt.Sprintf("a restart of some of the worlds %d to %d%s before step %d", r.First(), r.First()+r.Worlds()-1, seeds, r.N())
	case KindNote:
		return fmt.Sprintf("a note %q before step %d", r.Note(), r.N())
	case KindSegment:
		return fmt.Sprintf("the end of segment %d", binary.LittleEndian.Uint64(r.payload))
	case KindEnd:
		return fmt.Sprintf("the end of the run after %d control steps", r.N())
	}
	return "the " + r.Kind.String()
}

func (h *Header) encode() []byte {
	text, err := json.Marshal(h)
	if err != nil {
		panic(err) // it holds nothing that JSON cannot
	}
	return text
}
