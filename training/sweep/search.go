package sweep

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// The methods of [NewSearch].
const (
	Grid    = "grid"    // all combinations
	Halton  = "halton"  // points that fill the space evenly
	Halving = "halving" // points of Halton, of which only the best are trained for long
)

// Methods are the names of all methods.
var Methods = []string{Grid, Halton, Halving}

// Job asks to train one trial.
type Job struct {
	Trial  int      // counted from 0, in the order in which trials are first asked for
	Values []string // YAML, of each range
	Part   float64  // of the configured steps up to which it is trained, above 0 to 1
}

// Search chooses the values of trials. Its jobs depend on nothing but how it was made and the losses it is
// told. That of a grid or of Halton has one rung. Halving is successive halving (Jamieson and Talwalkar,
// "Non-stochastic Best Arm Identification and Hyperparameter Optimization", 2016), with the numbers of a
// bracket of Hyperband (Li et al., "Hyperband", 2018, algorithm 1, lines 3 to 9): of n trials, the points of
// Halton, ⌊n η⁻ⁱ⌋ are trained in rung i, from 0 to s, up to η^(i-s) of their steps. Those of the
// next rung are the best of this one. A trial that failed does not go on.
type Search struct {
	all   []Job // of the first rung
	eta   int
	last  int // the last rung, s
	rung  int // the one that was asked for; -1: none yet
	asked []Job
}

// SearchOptions are the choices that the methods leave open.
type SearchOptions struct {
	Method string `json:"method" yaml:"method"`
	Trials int    `json:"trials" yaml:"trials"` // number; for a grid the most that it may have, 0: MaxTrials
	Seed   uint64 `json:"-" yaml:"-"`
	Eta    int    `json:"eta,omitempty" yaml:"eta"`     // of Halving: one in so many trials goes on; 0: 3
	Rungs  int    `json:"rungs,omitempty" yaml:"rungs"` // of Halving; 0: as many as the trials last for
}

// NewSearch returns a search over the product of ranges; a grid of none has one trial. The error says which
// option is not usable.
func NewSearch(over []Range, o SearchOptions) (*Search, error) {
	if len(over) == 0 && o.Method != Grid {
		return nil, fmt.Errorf("no key is swept, want at least one for the method %s", o.Method)
	}
	if o.Method != Grid && (o.Trials < 1 || o.Trials > MaxTrials) {
		return nil, fmt.Errorf("trials is %d, want 1 to %d for the method %s", o.Trials, MaxTrials, o.Method)
	}
	if (o.Eta != 0 || o.Rungs != 0) && o.Method != Halving {
		return nil, fmt.Errorf("eta and rungs are options of the method %s, which is not given: the method is %s", Halving,
			o.Method)
	}

	s := &Search{eta: 1, rung: -1}
	var err error
	switch o.Method {
	case Grid:
		s.all, err = gridJobs(over, o.Trials)
	case Halton:
		s.all = haltonJobs(over, o.Trials, o.Seed)
	case Halving:
		s.all = haltonJobs(over, o.Trials, o.Seed)
		err = s.halve(o)
	default:
		err = fmt.Errorf("method is %q, want one of %s", o.Method, strings.Join(Methods, ", "))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// halve makes it the search of Halving.
func (s *Search) halve(o SearchOptions) error {
	if o.Eta != 0 && (o.Eta < 2 || o.Eta > MaxTrials) {
		return fmt.Errorf("eta is %d, want 2 to %d, or 0 for 3", o.Eta, MaxTrials)
	}
	s.eta = cmp.Or(o.Eta, 3)
	for n := o.Trials; n >= s.eta; n /= s.eta {
		s.last++
	}
	if o.Rungs < 0 || o.Rungs > s.last+1 {
		return fmt.Errorf("rungs is %d, want at most %d for %d trials of which one in %d goes on, or 0 for that",
			o.Rungs, s.last+1, o.Trials, s.eta)
	}
	if o.Rungs > 0 {
		s.last = o.Rungs - 1
	}
	for i := range s.all {
		s.all[i].Part = s.part(0)
	}
	return nil
}

// part returns the part of the training up to which rung i goes.
func (s *Search) part(i int) float64 { return math.Pow(float64(s.eta), float64(i-s.last)) }

// size returns how many trials rung i has, if none fails.
func (s *Search) size(i int) int {
	n := len(s.all)
	for range i {
		n /= s.eta
	}
	return n
}

// Size returns how many trials there will be, and to how many whole trainings all jobs amount.
func (s *Search) Size() (trials int, trainings float64) {
	before := 0.0
	for i := range s.last + 1 {
		trainings += float64(s.size(i)) * (s.part(i) - before)
		before = s.part(i)
	}
	return len(s.all), trainings
}

// Next returns the next jobs, which may be done at once in any order; none: the search
// is over. losses are those of the jobs of the call before, in their order: the
// smaller the better, +Inf for a trial that failed. The first call has none.
func (s *Search) Next(losses []float64) []Job {
	s.rung++
	if s.rung > s.last {
		return nil
	}
	if s.rung == 0 {
		s.asked = s.all
		return s.asked
	}
	order := make([]int, 0, len(s.asked))
	for i := range s.asked {
		if !math.IsInf(losses[i], 1) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })
	order = order[:min(len(order), s.size(s.rung))]
	slices.Sort(order)
	var next []Job
	for _, i := range order {
		job := s.asked[i]
		job.Part = s.part(s.rung)
		next = append(next, job)
	}
	s.asked = next
	return next
}

// gridJobs returns all combinations. The last range varies fastest.
func gridJobs(over []Range, most int) (jobs []Job, err error) {
	if most < 0 || most > MaxTrials {
		return nil, fmt.Errorf("trials is %d, want 0 to %d", most, MaxTrials)
	}
	most = cmp.Or(most, MaxTrials)
	jobs = []Job{{Part: 1}}
	for i := range over {
		values, err := over[i].Grid()
		if err != nil {
			return nil, err
		}
		if len(jobs)*len(values) > most {
			return nil, fmt.Errorf("the grid has more than %d trials, want at most that: fewer values, or more trials", most)
		}
		var longer []Job
		for _, job := range jobs {
			for _, v := range values {
				longer = append(longer, Job{len(longer), append(slices.Clone(job.Values), v), 1})
			}
		}
		jobs = longer
	}
	return jobs, nil
}

// haltonStream is the last word of the key of the random stream, see [random.Stream].
const haltonStream uint64 = 0x68616c746f6e // "halton"

// haltonJobs returns n trials at the points of a Halton sequence, scrambled by seed (Owen,
// "A randomized Halton algorithm in R", 2017). The first trials are the same for every n.
func haltonJobs(over []Range, n int, seed uint64) []Job {
	points := mat.NewDense(n, len(over), nil)
	var stream random.Stream
	samplemv.Halton{Kind: samplemv.Owen, Q: distmv.NewUnitUniform(len(over), nil),
		Src: stream.Key(seed, haltonStream)}.Sample(points)
	jobs := make([]Job, n)
	for i := range jobs {
		jobs[i] = Job{Trial: i, Part: 1}
		for k := range over {
			jobs[i].Values = append(jobs[i].Values, over[k].At(min(max(points.At(i, k), 0), math.Nextafter(1, 0))))
		}
	}
	return jobs
}
