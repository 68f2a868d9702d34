package rl

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

func TestMetricsWriter(t *testing.T) {
	var b bytes.Buffer
	w := NewMetricsWriter(&b, true)
	var stats episodeStats
	m := Metrics{Iteration: 1, EnvSteps: 2048, PolicyLoss: 0.1, Epochs: 10}
	stats.report(&m)
	if err := w.Write(m); err != nil {
		t.Fatal(err)
	}
	stats.add(2.5, 10, false)
	stats.add(-1, 30, false)
	stats.add(math.NaN(), 5, true)
	m.Iteration = 2
	stats.report(&m)
	if err := w.Write(m); err != nil {
		t.Fatal(err)
	}
	const want = `iteration,env_steps,episodes,faults,mean_return,min_return,max_return,mean_length,min_length,max_length,` +
		`policy_loss,value_loss,entropy,approx_kl,clip_fraction,grad_norm,explained_variance,learning_rate,std,epochs,retries,asymmetry
1,2048,0,0,,,,,,,0.1,0,0,0,0,0,0,0,0,10,0,0
2,2048,3,1,0.75,-1,2.5,20,10,30,0.1,0,0,0,0,0,0,0,0,10,0,0
`
	if b.String() != want {
		t.Errorf("wrote\n%swant\n%s", b.String(), want)
	}
}

// A field that columns forgets would silently be missing from every table.
func TestMetricsColumnsAreAllFields(t *testing.T) {
	names, values := new(Metrics).Columns()
	if fields := reflect.TypeFor[Metrics]().NumField(); len(names) != fields || len(values) != fields {
		t.Errorf("%d names and %d values, want %d each", len(names), len(values), fields)
	}
}
