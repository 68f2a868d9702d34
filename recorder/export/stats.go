package export

import (
	"encoding/binary"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/recorder/format"
)

// stats has the statistics of a feature by place in statNames, each with one number for every value of its vector; the
// count has one.
type stats [len(statNames)][]float64

// statNames are LeRobot's names, the last of them of quantiles.
var statNames = [...]string{"min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99"}

var quantiles = [...]float64{0.01, 0.10, 0.50, 0.90, 0.99}

const (
	statMin = iota
	statMax
	statMean
	statStd
	statCount
	statQuantiles
)

// statsOf returns the statistics of a column over rows, at least one. It uses scratch as memory and returns it, grown.
func statsOf(l *format.Layout, column int, rows []byte, scratch []float64) (stats, []float64) {
	s := stats{statCount: {float64(len(rows) / l.Stride)}}
	if c := &l.Columns[column]; c.Width > 0 {
		for _, n := range countShades(nil, l, column, rows) {
			s.addShades(n)
		}
		return s, scratch
	}
	for k := range l.Values(column) {
		scratch = scratch[:0]
		for r := rows; len(r) > 0; r = r[l.Stride:] {
			scratch = append(scratch, l.Float(r, column, k))
		}
		mean, std := stat.PopMeanStdDev(scratch, nil)
		slices.Sort(scratch)
		for i, v := range [...]float64{scratch[0], scratch[len(scratch)-1], mean, std} {
			s[i] = append(s[i], v)
		}
		s.addQuantiles(scratch)
	}
	return s, scratch
}

// addQuantiles appends the quantiles of sorted values.
func (s *stats) addQuantiles(sorted []float64) {
	for i, q := range quantiles {
		s[statQuantiles+i] = append(s[statQuantiles+i], quantile(sorted, q))
	}
}

// shades has how often each value is in a channel of pictures.
type shades []int64

// countShades adds the pixels of a column of pictures to those of each of its channels; nil: there were none.
func countShades(counts []shades, l *format.Layout, column int, rows []byte) []shades {
	c := &l.Columns[column]
	size := c.Kind.Size()
	for len(counts) < c.Channels() {
		counts = append(counts, make(shades, 1<<(8*size)))
	}
	for ; len(rows) > 0; rows = rows[l.Stride:] {
		pixels := l.Bytes(rows, column)
		for i := 0; i < len(pixels); i += size {
			v := int(pixels[i])
			if size == 2 {
				v = int(binary.NativeEndian.Uint16(pixels[i:]))
			}
			counts[i/size%len(counts)][v]++
		}
	}
	return counts
}

// addShades appends the statistics of a channel of pictures, whose values are divided by their largest possible one as
// LeRobot's are.
func (s *stats) addShades(counts shades) {
	total, sum := int64(0), 0.0
	for v, n := range counts {
		total += n
		sum += float64(float64(v) * float64(n))
	}
	largest, mean, squares := float64(len(counts)-1), sum/float64(total), 0.0
	for v, n := range counts {
		squares += float64(n) * (float64(v) - mean) * (float64(v) - mean)
	}
	value := func(rank int64) float64 { // the value of a rank, counted from 0
		for v, n := range counts {
			if rank -= n; rank < 0 {
				return float64(v)
			}
		}
		return largest
	}
	for i, v := range [...]float64{value(0), value(total - 1), mean, math.Sqrt(squares / float64(total))} {
		s[i] = append(s[i], v/largest)
	}
	for i, q := range quantiles {
		place := q * float64(total-1)
		below := math.Floor(place)
		low, high := value(int64(below)), value(min(int64(below)+1, total-1))
		s[statQuantiles+i] = append(s[statQuantiles+i], (low+(place-below)*(high-low))/largest)
	}
}

// quantile interpolates between the two nearest of sorted values.
func quantile(sorted []float64, q float64) float64 {
	position := q * float64(len(sorted)-1)
	below := int(position)
	above := min(below+1, len(sorted)-1)
	return sorted[below] + (position-float64(below))*(sorted[above]-sorted[below])
}

// add merges the statistics of another episode into s, all but the quantiles.
func (s *stats) add(o stats) {
	if s[statCount] == nil {
		*s = o
		return
	}
	n := s[statCount][0] + o[statCount][0]
	share, other := s[statCount][0]/n, o[statCount][0]/n
	for k := range s[statMean] {
		difference := o[statMean][k] - s[statMean][k]
		variance := share*s[statStd][k]*s[statStd][k] + other*o[statStd][k]*o[statStd][k] +
			share*other*difference*difference
		s[statMean][k] += other * difference
		s[statStd][k] = math.Sqrt(variance)
		s[statMin][k], s[statMax][k] = min(s[statMin][k], o[statMin][k]), max(s[statMax][k], o[statMax][k])
	}
	s[statCount] = []float64{n}
}

// population has the values of all frames, of those columns that are no pictures, for their quantiles. What does not
// fit into memory is put aside in a file.
type population struct {
	fsys   disk.FS
	path   string // path of the spill file
	layout *format.Layout
	most   int         // number of frames in memory, at most
	values [][]float64 // values of the frames in memory, by place in a frame
	file   disk.File   // the spill file; nil: there is none
	// number of frames of each part of the file, in which the values of one place follow one another
	spilled []int64
	bytes   []byte
}

func newPopulation(fsys disk.FS, path string, l *format.Layout, memory int64) *population {
	p := &population{fsys: fsys, path: path, layout: l}
	width := 0
	for i := range l.Columns {
		if l.Columns[i].Width == 0 {
			width += l.Values(i)
		}
	}
	p.values = make([][]float64, width)
	p.most = int(max(1, memory/8/int64(max(1, width))))
	return p
}

// add adds frames.
func (p *population) add(rows []byte) error {
	for ; len(rows) > 0; rows = rows[p.layout.Stride:] {
		value := 0
		for i := range p.layout.Columns {
			if p.layout.Columns[i].Width > 0 {
				continue
			}
			for k := range p.layout.Values(i) {
				p.values[value] = append(p.values[value], p.layout.Float(rows, i, k))
				value++
			}
		}
		if value > 0 && len(p.values[0]) >= p.most {
			if err := p.putAside(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *population) putAside() (err error) {
	if p.file == nil {
		if p.file, err = p.fsys.Create(p.path); err != nil {
			return err
		}
	}
	p.spilled = append(p.spilled, int64(len(p.values[0])))
	for i, values := range p.values {
		p.bytes = p.bytes[:0]
		for _, v := range values {
			p.bytes = binary.NativeEndian.AppendUint64(p.bytes, math.Float64bits(v))
		}
		if _, err := p.file.Write(p.bytes); err != nil {
			return err
		}
		p.values[i] = values[:0]
	}
	return nil
}

// eachSorted calls f with the values of all frames in ascending order, for each value of a frame; they are valid during
// the call.
func (p *population) eachSorted(f func(values []float64)) error {
	var back *os.File
	if p.file != nil {
		var err error
		if back, err = disk.Open(p.path); err != nil {
			return err
		}
		defer back.Close()
	}
	var all []float64
	for i, values := range p.values {
		all = all[:0]
		start := int64(0) // start of the part, in values
		for _, frames := range p.spilled {
			p.bytes = slices.Grow(p.bytes[:0], int(8*frames))[:8*frames]
			if _, err := back.ReadAt(p.bytes, 8*(start+int64(i)*frames)); err != nil {
				return err
			}
			for offset := 0; offset < len(p.bytes); offset += 8 {
				all = append(all, math.Float64frombits(binary.NativeEndian.Uint64(p.bytes[offset:])))
			}
			start += int64(len(p.values)) * frames
		}
		all = append(all, values...)
		slices.Sort(all)
		f(all)
	}
	return nil
}

// close closes the file, which goes with the folder that it is in.
func (p *population) close() error {
	if p.file == nil {
		return nil
	}
	file := p.file
	p.file = nil
	return file.Close()
}
