package rl

import (
	"bytes"
	"math"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestMetricsWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewMetricsWriter(&b, true)
	var stats episodeStats
	m := Metrics{Iteration: 1, EnvSteps: 1_003_520, PolicyLoss: 0.1, Epochs: 10}
	stats.report(&m)
	polytest.NoError(t, w.Write(m))
	stats.add(2.5, 10, false)
	stats.add(-1, 30, false)
	stats.add(math.NaN(), 5, true)
	m.Iteration = 2
	stats.report(&m)
	polytest.NoError(t, w.Write(m))
	const want = `iteration,env_steps,episodes,faults,mean_return,min_return,max_return,mean_length,` +
		`min_length,max_length,` +
		`policy_loss,value_loss,entropy,approx_kl,clip_fraction,grad_norm,explained_variance,learning_rate,std,` +
		`epochs,retries,asymmetry
1,1003520,0,0,,,,,,,0.1,0,0,0,0,0,0,0,0,10,0,0
2,1003520,3,1,0.75,-1,2.5,20,10,30,0.1,0,0,0,0,0,0,0,0,10,0,0
`
	if b.String() != want {
		t.Errorf("wrote\n%swant\n%s", b.String(), want)
	}
}
