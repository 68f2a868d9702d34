package training

import (
	"math"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/spell"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/usage"
	"github.com/polyrhythm-rl/polyrhythm/training/rundir"
)

const evaluationPrefix = "evaluation/"

// earlyEnd is how near a training is to the end that its [configs.Stop] gives it.
type earlyEnd struct {
	settings configs.Stop
	reached  rundir.Stopped
}

// take counts a value of the metric, if it is one of these numbers.
func (e *earlyEnd) take(prefix string, names []string, values []float64) {
	metric, its := strings.CutPrefix(e.settings.Metric, prefix)
	i := slices.Index(names, metric)
	switch {
	case !its || i < 0 || math.IsNaN(values[i]):
	case e.settings.Reached(values[i]):
		e.reached = rundir.Stopped{Metric: e.settings.Metric, Value: values[i], Consecutive: e.reached.Consecutive + 1}
	default:
		e.reached = rundir.Stopped{}
	}
}

// isDue reports whether the training ends now.
func (e *earlyEnd) isDue() bool {
	return e.settings.Metric != "" && e.reached.Consecutive >= max(1, e.settings.Consecutive)
}

// state returns what take has counted; nil: nothing.
func (e *earlyEnd) state() *rundir.Stopped {
	if e.reached.Consecutive == 0 {
		return nil
	}
	reached := e.reached
	return &reached
}

// checkStop returns an error unless training.stop is about a metric of the training, in a task with these infos.
func checkStop(c *configs.Config, infos []string) error {
	metric := c.Training.Stop.Metric
	if metric == "" {
		return nil
	}
	infos = infoColumns(infos)
	known := slices.Concat(c.Training.Algorithm.Columns(), infos)
	statistics, _ := (&rundir.Evaluation{}).Statistics()
	for _, name := range slices.Concat(statistics, infos) {
		known = append(known, evaluationPrefix+name)
	}
	switch {
	case !slices.Contains(known, metric):
		return usage.Errorf("training.stop.metric: no metric %q%s", metric, spell.Hint(metric, known))
	case strings.HasPrefix(metric, evaluationPrefix) && c.Evaluation.Every == 0:
		return usage.Errorf("training.stop.metric is %s and evaluation.every is 0, want evaluations on the way", metric)
	}
	return nil
}
