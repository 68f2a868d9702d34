package sweep

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/polyrhythm-rl/polyrhythm/internal/random"
)

// startStep is the standard deviation of the first generation, as a part of each range.
const startStep = 0.3

// generations is the search of CMAES: the covariance matrix adaptation evolution strategy
// (Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv:1604.00772, 2016; its names and
// defaults, without negative weights). It works in the cube whose sides are the ranges and
// begins in its middle. A point that is drawn outside is mirrored at the side, so that the
// function seems to go on beyond it. A list of values counts as ordered.
//
// It is not gonum's optimize.CmaEsChol, which draws its samples without the step size that
// it adapts, and so gets near an optimum about as slowly as by chance.
type generations struct {
	over       []Range
	rand       *rand.Rand
	n          int // ranges
	total      int // trials
	asked      int // trials so far
	population int
	generation int

	weights            []float64 // of the best points
	muEff              float64
	cc, cs, c1, cmu    float64 // rates of learning
	damping            float64 // of the step size
	expected           float64 // E‖N(0, I)‖
	sigma              float64 // step size
	mean, pathC, pathS []float64
	covariance         *mat.SymDense
	axes               *mat.Dense  // eigenvectors of covariance
	lengths            []float64   // square roots of its eigenvalues
	points             [][]float64 // of the newest generation
}

// newGenerations returns the search. A last generation may be a part of one.
func newGenerations(over []Range, o SearchOptions) (Search, error) {
	if o.Population != 0 && (o.Population < 4 || o.Population > MaxTrials) {
		return nil, fmt.Errorf("population is %d, want 4 to %d, or 0 for the default", o.Population, MaxTrials)
	}
	n := len(over)
	g := &generations{over: over, total: o.Trials, n: n, sigma: startStep,
		population: cmp.Or(o.Population, 4+int(3*math.Log(float64(n))))}
	var stream random.Stream
	g.rand = stream.Key(o.Seed, cmaesStream)

	mu := g.population / 2
	for i := range mu {
		g.weights = append(g.weights, math.Log((float64(g.population)+1)/2)-math.Log(float64(i+1)))
	}
	floats.Scale(1/floats.Sum(g.weights), g.weights)
	g.muEff = 1 / floats.Dot(g.weights, g.weights)
	d := float64(n)
	g.cc = (4 + g.muEff/d) / (d + 4 + 2*g.muEff/d)
	g.cs = (g.muEff + 2) / (d + g.muEff + 5)
	g.c1 = 2 / ((d+1.3)*(d+1.3) + g.muEff)
	g.cmu = min(1-g.c1, 2*(g.muEff-2+1/g.muEff)/((d+2)*(d+2)+g.muEff))
	g.damping = 1 + 2*max(0, math.Sqrt((g.muEff-1)/(d+1))-1) + g.cs
	g.expected = math.Sqrt(d) * (1 - 1/(4*d) + 1/(21*d*d))

	g.mean, g.pathC, g.pathS = make([]float64, n), make([]float64, n), make([]float64, n)
	g.covariance = mat.NewSymDense(n, nil)
	for i := range n {
		g.mean[i] = 0.5
		g.covariance.SetSym(i, i, 1)
	}
	return g, g.decompose()
}

// Size implements [Search].
func (g *generations) Size() (int, float64) { return g.total, float64(g.total) }

// Next implements [Search].
func (g *generations) Next(losses []float64) []Job {
	if len(losses) == g.population {
		if g.update(losses) != nil {
			return nil // the distribution has shrunk to a point
		}
	}
	g.points = nil
	var jobs []Job
	for range min(g.population, g.total-g.asked) {
		z := make([]float64, g.n)
		for i := range z {
			z[i] = g.rand.NormFloat64() * g.lengths[i]
		}
		x := mat.NewVecDense(g.n, nil)
		x.MulVec(g.axes, mat.NewVecDense(g.n, z))
		point := x.RawVector().Data
		inside := make([]float64, g.n)
		for i := range point {
			point[i] = g.mean[i] + g.sigma*point[i]
			inside[i] = mirrored(point[i])
		}
		g.points = append(g.points, point)
		jobs = append(jobs, Job{Trial: g.asked, Values: valuesAt(g.over, inside), Part: 1})
		g.asked++
	}
	return jobs
}

// mirrored returns the place in [0, 1] of which x is an image when both ends are mirrors.
func mirrored(x float64) float64 {
	x = math.Mod(math.Abs(x), 2)
	return min(x, 2-x)
}

// update moves the distribution towards the best points.
func (g *generations) update(losses []float64) error {
	order := make([]int, len(losses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(losses[a], losses[b]) })

	// steps are the best points, seen from the old mean and in units of the step size.
	step := make([]float64, g.n) // their weighted mean
	var steps [][]float64
	for i, w := range g.weights {
		y := slices.Clone(g.points[order[i]])
		floats.Sub(y, g.mean)
		floats.Scale(1/g.sigma, y)
		steps = append(steps, y)
		floats.AddScaled(step, w, y)
	}
	floats.AddScaled(g.mean, g.sigma, step)

	// The path of the step size, in which C^(-1/2) makes all directions alike.
	floats.Scale(1-g.cs, g.pathS)
	floats.AddScaled(g.pathS, math.Sqrt(g.cs*(2-g.cs)*g.muEff), g.whiten(step))
	g.generation++
	length := floats.Norm(g.pathS, 2)
	stalled := length/math.Sqrt(1-math.Pow(1-g.cs, 2*float64(g.generation))) >= (1.4+2/(float64(g.n)+1))*g.expected

	// The path of the covariance. It stands still while the step size grows fast.
	floats.Scale(1-g.cc, g.pathC)
	keep := 1 - g.c1 - g.cmu
	if stalled {
		keep += g.c1 * g.cc * (2 - g.cc)
	} else {
		floats.AddScaled(g.pathC, math.Sqrt(g.cc*(2-g.cc)*g.muEff), step)
	}
	g.covariance.ScaleSym(keep, g.covariance)
	g.covariance.SymRankOne(g.covariance, g.c1, mat.NewVecDense(g.n, g.pathC))
	for i, y := range steps {
		g.covariance.SymRankOne(g.covariance, g.cmu*g.weights[i], mat.NewVecDense(g.n, y))
	}
	g.sigma *= math.Exp(g.cs / g.damping * (length/g.expected - 1))
	g.sigma = min(g.sigma, 1) // further out there are only images
	return g.decompose()
}

// whiten returns C^(-1/2) y.
func (g *generations) whiten(y []float64) []float64 {
	inner := mat.NewVecDense(g.n, nil)
	inner.MulVec(g.axes.T(), mat.NewVecDense(g.n, slices.Clone(y)))
	for i, l := range g.lengths {
		inner.SetVec(i, inner.AtVec(i)/l)
	}
	out := mat.NewVecDense(g.n, nil)
	out.MulVec(g.axes, inner)
	return out.RawVector().Data
}

// decompose sets axes and lengths. It fails if the distribution has no volume.
func (g *generations) decompose() error {
	var eigen mat.EigenSym
	if !eigen.Factorize(g.covariance, true) {
		return fmt.Errorf("the covariance has no eigenvalues")
	}
	g.axes = mat.NewDense(g.n, g.n, nil)
	eigen.VectorsTo(g.axes)
	g.lengths = eigen.Values(nil)
	for i, v := range g.lengths {
		if !(v > 0) || math.IsInf(v, 0) || !(g.sigma > 0) {
			return fmt.Errorf("the variance along an axis is %v, want a positive one", v)
		}
		g.lengths[i] = math.Sqrt(v)
	}
	return nil
}
