package throughput

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// RateModel predicts the rate of worlds that step in rounds, where no worker waits for another but at the end. The time
// that a worker takes for a step of one of its worlds is a sum of Terms.
type RateModel struct {
	Setting             // setting of the predictions, apart from their number of workers
	Lines    int        `json:"lines"`
	Terms    []RateTerm `json:"terms"`
	Missing  []string   `json:"missing"`  // names of terms that the lines do not vary, or not alone
	Residual float64    `json:"residual"` // largest relative error of a line
	// time of the dataset's writer, with one thread, for a row; 0 if no line tells
	Writer      float64         `json:"writer_s"`
	Predictions []PredictedRate `json:"predictions"` // rates with whole blocks for each worker
}

// PredictedRate is a prediction of environment steps per second: Low if each worker costs all others what the fit
// found, High if those beyond the measured ones cost nothing. Neither is above Most, where the writer is busy all the
// time; 0: none.
type PredictedRate struct {
	Workers int     `json:"workers"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
	Most    float64 `json:"most"`
}

// RateTerm is a part of the time of a step, Seconds × its value in a line.
type RateTerm struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
	Error   float64 `json:"error"` // standard error
	value   func(p point) float64
}

// point is where the model is evaluated: a line, the workers that have a block at all, and whether these leave no
// processor to the dataset's writer, which then takes some of theirs.
type point struct {
	*Line
	busy    int
	crowded bool
}

// pointOf returns the point of a measured line.
func pointOf(l *Line, processors int) point {
	busy := min(l.Workers, l.blocks())
	return point{l, busy, busy >= processors}
}

// blocks returns the number of blocks of all worlds.
func (l *Line) blocks() int { return (l.Worlds + l.BlockSize - 1) / l.BlockSize }

// candidates are the terms that Fit tries, in this order.
func candidates() []RateTerm {
	return []RateTerm{
		{Name: "a step of a world", value: func(point) float64 { return 1 }},
		{Name: "a call for a block, shared by its worlds",
			value: func(p point) float64 { return 1 / float64(p.BlockSize) }},
		{Name: "a worker beside the first", value: func(p point) float64 { return float64(p.busy - 1) }},
		{Name: "a recorded row", value: func(p point) float64 { return p.RowsPerStep }},
		{Name: "a recorded row whose writer has no processor of its own", value: func(p point) float64 {
			if p.crowded {
				return p.RowsPerStep
			}
			return 0
		}},
		{Name: "an instant of the clock", value: func(p point) float64 { return p.InstantsPerStep }},
		{Name: "a doubling of the worlds", value: func(p point) float64 { return math.Log2(float64(p.Worlds)) }},
	}
}

// perStep returns the time of one worker for a step of one world. The worker with the most blocks ends a round.
func perStep(l *Line) float64 {
	most := (l.blocks() + l.Workers - 1) / l.Workers
	return float64(l.blocks()) / float64(most) / l.EnvStepsPerS
}

// Fit finds the model with the least relative errors, by least squares, at the lines of a report that Read returned,
// and predicts for numbers of workers.
func Fit(r *Report, workers ...int) (*RateModel, error) {
	m := &RateModel{Lines: len(r.Lines)}
	n := len(r.Lines)
	var columns, orthogonal [][]float64
	for _, t := range candidates() {
		column := make([]float64, n)
		for i, l := range r.Lines {
			if first := r.Lines[0].Task; l.Task != first {
				return nil, fmt.Errorf("its lines are of %s and %s, want those of one task", first, l.Task)
			}
			column[i] = t.value(pointOf(l, r.Processors)) / perStep(l)
		}
		rest := append([]float64{}, column...)
		for _, o := range orthogonal {
			floats.AddScaled(rest, -floats.Dot(rest, o), o)
		}
		if norm := floats.Norm(rest, 2); norm > 1e-3*floats.Norm(column, 2) {
			floats.Scale(1/norm, rest)
			orthogonal = append(orthogonal, rest)
			columns, m.Terms = append(columns, column), append(m.Terms, t)
		} else {
			m.Missing = append(m.Missing, t.Name)
		}
	}
	k := len(columns)
	if n <= k {
		return nil, fmt.Errorf("it has %d lines for %d terms, want more, as of bench --over workers=1,2 --over "+
			"worlds=16,64,256", n, k)
	}
	x, ones := mat.NewDense(n, k, nil), mat.NewVecDense(n, nil)
	for i := range n {
		ones.SetVec(i, 1) // rows are divided by the measured value, which leaves 1
		for j, column := range columns {
			x.Set(i, j, column[i])
		}
	}
	var seconds, fit mat.VecDense
	var square, inverse mat.Dense
	square.Mul(x.T(), x)
	if err := errors.Join(seconds.SolveVec(x, ones), inverse.Inverse(&square)); err != nil {
		return nil, err
	}
	fit.MulVec(x, &seconds)
	sum := 0.0
	for i := range n {
		residual := math.Abs(fit.AtVec(i) - 1)
		sum, m.Residual = sum+float64(residual*residual), max(m.Residual, residual)
	}
	for j := range m.Terms {
		m.Terms[j].Seconds = seconds.AtVec(j)
		m.Terms[j].Error = math.Sqrt(sum / float64(n-k) * inverse.At(j, j))
	}
	m.predict(r, workers)
	return m, nil
}

// predict predicts for the line with the fewest workers, and machines with a processor for each worker. The writer's
// cost is the processor time of lines with one worker, which never waits, beyond that worker's own.
func (m *RateModel) predict(r *Report, workers []int) {
	base, measured, rows, writeSeconds := *r.Lines[0], 0, 0.0, 0.0
	for _, l := range r.Lines {
		measured = max(measured, pointOf(l, r.Processors).busy)
		if l.Workers < base.Workers {
			base = *l
		}
		if l.Workers == 1 && l.RowsPerStep > 0 {
			rows, writeSeconds = rows+l.RowsPerStep, writeSeconds+l.CPUSecondsPerStep-1/l.EnvStepsPerS
		}
	}
	if m.Setting = base.Setting; rows > 0 {
		m.Writer = max(0, writeSeconds/rows)
	}
	rate := func(workers, busy int) (rate float64) {
		p, s := point{&base, busy, workers >= r.Processors}, 0.0
		for _, t := range m.Terms {
			s += float64(t.Seconds * t.value(p))
		}
		return float64(workers) / s
	}
	most := math.Inf(1)
	if s := m.Writer * base.RowsPerStep; s > 0 {
		most = 1 / s
	}
	for _, n := range workers {
		a, b := rate(n, n), rate(n, min(n, measured))
		p := PredictedRate{Workers: n, Low: min(a, b, most), High: min(max(a, b), most)}
		if most < math.Inf(1) {
			p.Most = most
		}
		m.Predictions = append(m.Predictions, p)
	}
}
