package rundir

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/rl"
)

const infoPrefix = "info/"

// Intermediate is an evaluation during training, after EnvSteps environment steps.
type Intermediate struct {
	EnvSteps int64
	Evaluation
}

// Statistics returns the numbers of an evaluation with their names: those of the fields, then info/NAME of each info.
func (e *Evaluation) Statistics() (names []string, values []float64) {
	names = []string{"mean_return", "std_return", "min_return", "max_return", "mean_length", "terminated", "truncated",
		"faults"}
	values = []float64{e.MeanReturn, e.StdReturn, e.MinReturn, e.MaxReturn, e.MeanLength, float64(e.Terminated),
		float64(e.Truncated), float64(e.Faults)}
	for _, name := range slices.Sorted(maps.Keys(e.Infos)) {
		names, values = append(names, infoPrefix+name), append(values, e.Infos[name])
	}
	return names, values
}

// WriteEvaluation adds a line to [EvaluationsFile], after the names of the columns if header is set. All lines have the
// same infos. A NaN is an empty cell, and reading a number gives the same bits.
func WriteEvaluation(w io.Writer, i *Intermediate, header bool) error {
	names, values := i.Statistics()
	names = slices.Concat([]string{"env_steps", "seed", "episodes"}, names, []string{"first_fault"})
	cells := []string{strconv.FormatInt(i.EnvSteps, 10), strconv.FormatUint(i.Seed, 10), strconv.Itoa(i.Episodes)}
	for _, v := range values {
		cells = append(cells, rl.Decimal(v))
	}
	lines := [][]string{append(cells, i.FirstFault)}
	if header {
		lines = slices.Insert(lines, 0, names)
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// ReadEvaluations reads the lines of [EvaluationsFile]. The task, the mode of time and the model are not among them.
func ReadEvaluations(r io.Reader) (all []Intermediate, err error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	for n, line := range lines[1:] {
		i := Intermediate{Evaluation: Evaluation{Infos: map[string]float64{}}}
		for k, cell := range line {
			if err := i.set(lines[0][k], cell); err != nil {
				return nil, fmt.Errorf("line %d: %s is %q, want a number", n+2, lines[0][k], cell)
			}
		}
		all = append(all, i)
	}
	return all, nil
}

func (i *Intermediate) set(column, cell string) (err error) {
	numbers := map[string]*float64{"mean_return": &i.MeanReturn, "std_return": &i.StdReturn, "min_return": &i.MinReturn,
		"max_return": &i.MaxReturn, "mean_length": &i.MeanLength}
	counts := map[string]*int{"episodes": &i.Episodes, "terminated": &i.Terminated, "truncated": &i.Truncated,
		"faults": &i.Faults}
	number := func() (float64, error) {
		if cell == "" {
			cell = "NaN"
		}
		return strconv.ParseFloat(cell, 64)
	}
	if p := numbers[column]; p != nil {
		*p, err = number()
	} else if p := counts[column]; p != nil {
		*p, err = strconv.Atoi(cell)
	} else if name, ok := strings.CutPrefix(column, infoPrefix); ok {
		i.Infos[name], err = number()
	}
	switch column {
	case "env_steps":
		i.EnvSteps, err = strconv.ParseInt(cell, 10, 64)
	case "seed":
		i.Seed, err = strconv.ParseUint(cell, 10, 64)
	case "first_fault":
		i.FirstFault = cell
	}
	return err
}
