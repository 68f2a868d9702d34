package terms

import "strings"

// Delay is a number of control steps, or a list of the lowest and the highest number.
type Delay struct{ Low, High int }

// maxDelay is the longest delay, in control steps.
const maxDelay = 1000

// FromYAML implements [decode.Value].
func (d *Delay) FromYAML(_ string, value any) (want string, err error) {
	ends, ok := value.([]any)
	if !ok {
		ends = []any{value, value}
	}
	if len(ends) == 2 {
		low, ok1 := ends[0].(int)
		high, ok2 := ends[1].(int)
		if ok1 && ok2 && low >= 0 && low <= high && high <= maxDelay {
			*d = Delay{low, high}
			return "", nil
		}
	}
	return "a number of control steps from 0 to 1000, or a list of the lowest and the highest", nil
}

// delayLine keeps the latest vectors of a kind in the memory of a world.
type delayLine struct {
	size, cap int // values of a vector, and vectors kept
	most      int // longest delay
	count     Slot
	lag       Slot
	ring      Slot
}

// newDelayLine returns memory for vectors of n values with a delay, of which history are
// read at once. The delay of an episode is drawn as it begins.
func newDelayLine(b *Binder, d Delay, n, history int) delayLine {
	r := delayLine{size: n, cap: d.High + history, most: d.High}
	if r.cap == 1 {
		return r
	}
	r.count, r.lag, r.ring = b.Memory(1), b.Memory(1), b.Memory(n*r.cap)
	key := b.Key() + 1
	if d.High > 0 {
		b.add(memoryQuantity(delayName(b.entry), 0, "1", "", r.lag))
		b.OnReset(func(v *View) {
			lag := d.Low
			if d.High > d.Low {
				lag += v.Draw(key).IntN(d.High - d.Low + 1)
			}
			v.Slot(r.lag)[0] = float64(lag)
		})
	}
	return r
}

// delayName is the name of the quantity of the delay of an entry of actions or observations.
func delayName(p *Parsed) string {
	section, _, _ := strings.Cut(p.Key, "[") // such as observations.policy
	return section + "." + p.Head.Name + ".delay"
}

// push adds a vector.
func (r *delayLine) push(v *View, vector []float64) {
	count := &v.Slot(r.count)[0]
	copy(v.Slot(r.ring)[int(*count)%r.cap*r.size:], vector)
	*count++
}

// read writes to dst the vector that is back vectors before the one that the delay lets
// through. If there is none yet, it writes the first and returns false.
func (r *delayLine) read(v *View, dst []float64, lag int) bool {
	newest := int(v.Slot(r.count)[0]) - 1 - int(v.Slot(r.lag)[0]) - lag
	start := max(newest, 0) % r.cap * r.size
	copy(dst, v.Slot(r.ring)[start:start+r.size])
	return newest >= 0
}
