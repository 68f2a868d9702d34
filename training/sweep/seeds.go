package sweep

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/internal/curve"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/rl"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

// The names of the files in the folder of a plan without ranges, beside [StateFile] and the
// run folders seed-1, seed-2 and so on.
const (
	SeedsFile   = "seeds.csv"   // the evaluation of each seed
	SummaryFile = "summary.csv" // their mean and spread
	CurvesFile  = "seeds.png"   // the learning curves
)

// Spread is the distribution of a quantity over seeds. The standard deviation divides by the number of seeds.
// The interquartile mean is that of the middle half of the sorted values; a value on its edge counts with its part inside.
// Its 95 % interval is that of a percentile bootstrap over the seeds (Agarwal et al., "Deep Reinforcement Learning at the
// Edge of the Statistical Precipice", 2021), whose draws depend on the number of seeds alone.
type Spread struct {
	Quantity                                    string
	Mean, Std, Min, Max, Median                 float64
	InterquartileMean                           float64
	InterquartileMeanLow, InterquartileMeanHigh float64 // ends of the interval
}

// spreadOf returns the distribution of at least one value.
func spreadOf(quantity string, values []float64) Spread {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	s := Spread{Quantity: quantity, Min: sorted[0], Max: sorted[n-1], Median: (sorted[(n-1)/2] + sorted[n/2]) / 2}
	for _, v := range sorted {
		s.Mean += v / float64(n)
	}
	for _, v := range sorted {
		s.Std += (v - s.Mean) * (v - s.Mean) / float64(n)
	}
	s.Std = math.Sqrt(s.Std)
	counts := slices.Repeat([]int{1}, n)
	s.InterquartileMean = interquartileMean(sorted, counts)
	s.InterquartileMeanLow, s.InterquartileMeanHigh = bootstrap(sorted, counts)
	return s
}

// interquartileMean returns that of sorted values, each of which is there so many times.
func interquartileMean(sorted []float64, counts []int) (mean float64) {
	n, before := 0, 0
	for _, count := range counts {
		n += count
	}
	quarter := float64(n) / 4
	for i, v := range sorted {
		after := before + counts[i]
		inside := max(0, min(float64(after), 3*quarter)-max(float64(before), quarter))
		mean += inside * v / (2 * quarter)
		before = after
	}
	return mean
}

// Of the bootstrap: as many resamples as those of Agarwal et al., and the last word of the key of the random stream.
const (
	resamples              = 50_000
	bootstrapStream uint64 = 0x626f6f7473747261 // "bootstra"
)

// bootstrap returns the 2.5 % and the 97.5 % quantile of the interquartile means of resamples of sorted values. It
// overwrites counts.
func bootstrap(sorted []float64, counts []int) (low, high float64) {
	var stream random.Stream
	draws := stream.Key(uint64(len(sorted)), bootstrapStream)
	means := make([]float64, resamples)
	for i := range means {
		clear(counts)
		for range counts {
			counts[draws.IntN(len(counts))]++
		}
		means[i] = interquartileMean(sorted, counts)
	}
	slices.Sort(means)
	return quantile(means, 0.025), quantile(means, 0.975)
}

// quantile returns that of sorted values, linear between two of them.
func quantile(sorted []float64, part float64) float64 {
	position := part * float64(len(sorted)-1)
	i := min(int(position), len(sorted)-2)
	return sorted[i] + float64((position-float64(i))*(sorted[i+1]-sorted[i]))
}

// writeSeeds reports the runs of a plan without ranges that are done, and writes their table, its
// summary and a picture of the learning curves.
func (s *sweep) writeSeeds() error {
	table := [][]string{{"seed", "env_steps", "mean_return", "std_return", "min_return", "max_return", "mean_length",
		"episodes"}}
	var returns, lengths []float64
	var curves [][]curve.Point
	for k := range uint64(s.plan.Seeds) {
		t := task{runKey: runKey{1, 1, s.plan.config.Seed + k}}
		if _, done := s.results[t.runKey]; !done {
			continue
		}
		r, err := rundir.ReadReport(s.folder(t))
		if err != nil {
			return err
		}
		s.report.Runs = append(s.report.Runs, r)
		e := r.Evaluation
		row := []string{strconv.FormatUint(r.Seed, 10), strconv.FormatInt(r.EnvSteps, 10)}
		row = append(row, decimals(e.MeanReturn, e.StdReturn, e.MinReturn, e.MaxReturn, e.MeanLength)...)
		table = append(table, append(row, strconv.Itoa(e.Episodes)))
		returns, lengths = append(returns, e.MeanReturn), append(lengths, e.MeanLength)
		path := filepath.Join(r.Folder, rundir.MetricsFile)
		data, err := disk.ReadFile(path, disk.MaxWhole)
		if err != nil {
			return err
		}
		points, err := curve.Read(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		curves = append(curves, points)
	}
	if len(returns) == 0 {
		return nil
	}
	s.report.Summary = []Spread{spreadOf("mean_return", returns), spreadOf("mean_length", lengths)}
	summary := [][]string{{"quantity", "seeds", "mean", "std", "min", "max", "median", "interquartile_mean",
		"interquartile_mean_low", "interquartile_mean_high"}}
	for _, q := range s.report.Summary {
		row := []string{q.Quantity, strconv.Itoa(len(returns))}
		summary = append(summary, append(row, decimals(q.Mean, q.Std, q.Min, q.Max, q.Median, q.InterquartileMean,
			q.InterquartileMeanLow, q.InterquartileMeanHigh)...))
	}
	return errors.Join(s.writeCSV(SeedsFile, table), s.writeCSV(SummaryFile, summary),
		curve.Draw(filepath.Join(s.report.Folder, CurvesFile), s.plan.config.Task.Name, curves...))
}

func decimals(values ...float64) (cells []string) {
	for _, v := range values {
		cells = append(cells, rl.Decimal(v))
	}
	return cells
}

func (s *sweep) writeCSV(name string, lines [][]string) error {
	return disk.Replace(disk.OS{}, filepath.Join(s.report.Folder, name), false, func(w io.Writer) error {
		return csv.NewWriter(w).WriteAll(lines)
	})
}
