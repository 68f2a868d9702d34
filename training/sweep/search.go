package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// The methods of [NewSearch].
const (
	Grid    = "grid"    // all combinations
	Halton  = "halton"  // points that fill the space evenly
	CMAES   = "cma-es"  // generations around the best so far, see cmaes.go
	Halving = "halving" // points of Halton, of which only the best are trained for long, see halving.go
)

// Methods are the names of all methods.
var Methods = []string{Grid, Halton, CMAES, Halving}

// Job asks to train one trial.
type Job struct {
	Trial  int      // counted from 0, in the order in which trials are first asked for
	Values []string // YAML, of each range
	Part   float64  // of the configured steps up to which it is trained, above 0 to 1
}

// Search chooses the values of trials. Its jobs depend on nothing but how it was made and
// the losses it is told.
type Search interface {
	// Next returns the next jobs, which may be done at once in any order; none: the search
	// is over. losses are those of the jobs of the call before, in their order: the
	// smaller the better, +Inf for a trial that failed. The first call has none.
	Next(losses []float64) []Job

	// Size returns how many trials there will be, and to how many whole trainings all jobs
	// amount.
	Size() (trials int, trainings float64)
}

// SearchOptions are the choices that the methods leave open.
type SearchOptions struct {
	Method     string
	Trials     int // number; for a grid the most that it may have, 0: MaxTrials
	Seed       uint64
	Population int // trials in a generation of CMAES; 0: 4 + ⌊3 ln n⌋ for n ranges
	Eta        int // of Halving: one in so many trials goes on; 0: 3
	Rungs      int // of Halving; 0: as many as the trials last for
}

// NewSearch returns a search over the product of ranges. The error says which option is
// not usable.
func NewSearch(over []Range, o SearchOptions) (Search, error) {
	if len(over) == 0 {
		return nil, fmt.Errorf("no key is swept, want at least one")
	}
	if o.Method != Grid && (o.Trials < 1 || o.Trials > MaxTrials) {
		return nil, fmt.Errorf("trials is %d, want 1 to %d for the method %s", o.Trials, MaxTrials, o.Method)
	}
	if o.Population != 0 && o.Method != CMAES {
		return nil, fmt.Errorf("population is %d, want none: the method is %s", o.Population, o.Method)
	}
	if (o.Eta != 0 || o.Rungs != 0) && o.Method != Halving {
		return nil, fmt.Errorf("eta is %d and rungs is %d, want none: the method is %s", o.Eta, o.Rungs, o.Method)
	}
	switch o.Method {
	case Grid:
		return newGrid(over, o.Trials)
	case Halton:
		return &batch{haltonJobs(over, o.Trials, o.Seed)}, nil
	case CMAES:
		return newGenerations(over, o)
	case Halving:
		return newHalving(over, o)
	}
	return nil, fmt.Errorf("method is %q, want one of %v", o.Method, Methods)
}

// batch is a search whose trials are all known from the start.
type batch struct{ jobs []Job }

// Next implements [Search].
func (b *batch) Next(losses []float64) []Job {
	if losses != nil {
		return nil
	}
	return b.jobs
}

// Size implements [Search].
func (b *batch) Size() (int, float64) { return len(b.jobs), float64(len(b.jobs)) }

// newGrid returns the search of all combinations. The last range varies fastest.
func newGrid(over []Range, most int) (Search, error) {
	if most < 0 || most > MaxTrials {
		return nil, fmt.Errorf("trials is %d, want 0 to %d", most, MaxTrials)
	}
	most = cmp.Or(most, MaxTrials)
	combinations := [][]string{nil}
	for i := range over {
		values, err := over[i].Grid()
		if err != nil {
			return nil, err
		}
		if len(combinations)*len(values) > most {
			return nil, fmt.Errorf("the grid has more than %d trials, want at most that: fewer values, or more trials", most)
		}
		var longer [][]string
		for _, c := range combinations {
			for _, v := range values {
				longer = append(longer, append(slices.Clone(c), v))
			}
		}
		combinations = longer
	}
	b := &batch{}
	for i, c := range combinations {
		b.jobs = append(b.jobs, Job{Trial: i, Values: c, Part: 1})
	}
	return b, nil
}

// The last words of the keys of random streams, see [random.Stream].
const (
	haltonStream uint64 = 0x68616c746f6e // "halton"
	cmaesStream  uint64 = 0x636d61657300 // "cmaes"
)

// haltonJobs returns n trials at the points of a Halton sequence, scrambled by seed (Owen,
// "A randomized Halton algorithm in R", 2017). The first trials are the same for every n.
func haltonJobs(over []Range, n int, seed uint64) []Job {
	points := mat.NewDense(n, len(over), nil)
	var stream random.Stream
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(len(over), nil), Src: stream.Key(seed, haltonStream)}.Sample(points)
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = Job{Trial: i, Values: valuesAt(over, points.RawRowView(i)), Part: 1}
	}
	return jobs
}

// valuesAt returns the values at a point of the unit cube.
func valuesAt(over []Range, point []float64) []string {
	values := make([]string, len(over))
	for i := range over {
		values[i] = over[i].At(min(max(point[i], 0), math.Nextafter(1, 0)))
	}
	return values
}
