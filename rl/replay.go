package rl

import (
	"math"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Replay is what SAC learns from: of each world the newest rows, each an observation, the action that followed, from
// -1 to 1 within its bounds, and the reward. Where convolutions read pictures, values that are bytes by
// [Shape].ByteFactors are kept as such. The row after the last one of an episode that was cut off has its final
// observation and no action; no other final observation is needed. Not safe for concurrent use, except that different
// goroutines may add to different worlds.
type Replay struct {
	worlds, observation, action int

	layout layout    // of the observations
	rows   int       // of each world, of which one has an observation alone: the newest
	data   []float32 // world w's row i, counted since the beginning, is row w·rows + i mod rows
	bytes  []byte    // of these rows
	kind   []ending  // of these rows; seam where there is no action

	count   []int64 // by world, the rows that are complete, since the beginning
	written []int64 // by world, those that WriteNew has written
}

// seam is the kind of a row that has the final observation of an episode.
const seam ending = cutOff + 1

// size is the number of values of a row that are no bytes: those of the observation, the action and the reward.
func (r *Replay) size() int { return r.layout.floats + r.action + 1 }

// replayRows is the number of rows of each world.
func replayRows(worlds int, o SACSettings) int64 {
	return (o.Replay+int64(worlds)-1)/int64(worlds) + 1
}

// replayBytes is what a replay takes; o has no defaults to be filled in, and all pictures of the shape are read.
func replayBytes(shape Shape, o SACSettings) int64 {
	l := newLayout(shape)
	row := int64(l.floats+shape.Action+1)*single + int64(l.bytes) + 1
	return int64(shape.Worlds) * replayRows(shape.Worlds, o) * row
}

// NewReplay returns an empty replay for a learner, for [Replay.Read]. The error is one of [Check].
func NewReplay(shape Shape, settings Settings) (*Replay, error) {
	if _, err := Check(shape, settings); err != nil {
		return nil, err
	}
	return newReplay(settings.seenIn(shape), settings.SAC.filled()), nil
}

func newReplay(shape Shape, o SACSettings) *Replay {
	r := &Replay{
		worlds: shape.Worlds, observation: shape.Observation, action: shape.Action,
		layout: newLayout(shape), rows: int(replayRows(shape.Worlds, o)),
		count: make([]int64, shape.Worlds), written: make([]int64, shape.Worlds),
	}
	r.kind = make([]ending, r.worlds*r.rows)
	r.data = make([]float32, r.worlds*r.rows*r.size())
	r.bytes = make([]byte, r.worlds*r.rows*r.layout.bytes)
	return r
}

// Span is the number of control steps after which a row has left the replay.
func (r *Replay) Span() int64 { return int64(r.rows) }

// place is the place in kind of a world's row.
func (r *Replay) place(world int, row int64) int { return world*r.rows + int(row%int64(r.rows)) }

// row is the world's row, which shares memory.
func (r *Replay) row(world int, row int64) []float32 {
	return nn.RowOf(r.data, r.size(), r.place(world, row))
}

// bytesOf are the bytes of the world's row, which share memory.
func (r *Replay) bytesOf(world int, row int64) []byte {
	return nn.RowOf(r.bytes, r.layout.bytes, r.place(world, row))
}

// observe sets what the world shows now.
func (r *Replay) observe(world int, observation []float64) {
	r.layout.write(r.row(world, r.count[world]), r.bytesOf(world, r.count[world]), observation)
}

// act sets the action on what was observed, for the caller to write.
func (r *Replay) act(world int) []float32 {
	return r.row(world, r.count[world])[r.layout.floats:][:r.action]
}

// acted is the action in the row that begins at a place of data.
func (r *Replay) acted(row int64) []float32 { return r.data[row+int64(r.layout.floats):][:r.action] }

// complete completes the row of a step: the reward, and how the step ended. final is read only where the episode was
// cut off.
func (r *Replay) complete(world int, reward float64, end ending, final []float64) {
	i := r.count[world]
	r.row(world, i)[r.size()-1] = float32(min(max(reward, -math.MaxFloat32), math.MaxFloat32))
	r.kind[r.place(world, i)] = end
	r.count[world]++
	if end == cutOff {
		r.observe(world, final)
		r.kind[r.place(world, i+1)] = seam
		r.count[world]++
	}
}

// oldest is the oldest of the world's rows that are complete.
func (r *Replay) oldest(world int) int64 { return max(0, r.count[world]-int64(r.rows-1)) }

// longest is the largest number of complete rows of a world.
func (r *Replay) longest() (n int64) {
	for w, count := range r.count {
		n = max(n, count-r.oldest(w))
	}
	return n
}

// batch is a number of transitions that were drawn, by their rows' places in Replay.data.
type transitions struct {
	now, next []int64 // next: n steps later, or where the sum ended
	reward    []float64
	discount  []float64 // of the value of next; 0 where nothing follows

	nowShift, nextShift []shift // of the pictures of these rows
}

// shift is by how many pixels, down and to the right, the place lies in a picture that is read as a pixel.
type shift [2]int32

func newTransitions(n int) transitions {
	return transitions{make([]int64, n), make([]int64, n), make([]float64, n), make([]float64, n), make([]shift, n),
		make([]shift, n)}
}

// part returns those first up to end, without that; it shares memory.
func (t transitions) part(first, end int) transitions {
	return transitions{t.now[first:end], t.next[first:end], t.reward[first:end], t.discount[first:end],
		t.nowShift[first:end], t.nextShift[first:end]}
}

// shiftPictures draws shifts of up to most pixels.
func (t transitions) shiftPictures(most int, noise nn.Stream) {
	for _, list := range [][]shift{t.nowShift, t.nextShift} {
		for i := range list {
			list[i] = shift{noise.Int32N(int32(2*most+1)) - int32(most), noise.Int32N(int32(2*most+1)) - int32(most)}
		}
	}
}

// hasAction reports whether any row that is complete has an action.
func (r *Replay) hasAction() bool {
	for w, count := range r.count {
		for row := r.oldest(w); row < count; row++ {
			if r.kind[r.place(w, row)] != seam {
				return true
			}
		}
	}
	return false
}

// drawTries is after how many rows that have no action draw takes the next one that has: at least half of the rows of
// a learner have one.
const drawTries = 128

// draw fills t with transitions drawn uniformly, with replacement, from all that have an action. Rewards are summed
// over so many steps, fewer at an episode's end and before the newest observation. There must be a transition, see
// hasAction.
func (r *Replay) draw(t transitions, steps int, gamma float64, noise nn.Stream) {
	longest := uint64(r.longest())
	all := uint64(r.worlds) * longest
	for i := range t.now {
		x := uint64(0)
		for try := uint64(0); ; try++ {
			switch {
			case try < drawTries:
				x = noise.Uint64N(all)
			case try < drawTries+all:
				x = (x + 1) % all
			default:
				panic("rl: a replay without a transition")
			}
			world, row := int(x/longest), int64(x%longest)
			row = r.count[world] - 1 - row
			if row < r.oldest(world) || r.kind[r.place(world, row)] == seam {
				continue
			}
			r.follow(t.part(i, i+1), world, row, steps, gamma)
			break
		}
	}
}

// follow sets the one transition of t to that which begins with a world's row.
func (r *Replay) follow(t transitions, world int, row int64, steps int, gamma float64) {
	size := int64(r.size())
	t.now[0] = int64(r.place(world, row)) * size
	sum, discount := 0.0, 1.0
	for range steps {
		place := r.place(world, row)
		sum += float64(discount * float64(r.data[int64(place+1)*size-1]))
		discount *= gamma
		row++
		if r.kind[place] == stopped {
			discount = 0
		}
		if r.kind[place] != goesOn || row == r.count[world] || r.kind[r.place(world, row)] == seam {
			break
		}
	}
	t.next[0] = int64(r.place(world, row)) * size
	t.reward[0], t.discount[0] = sum, discount
}
