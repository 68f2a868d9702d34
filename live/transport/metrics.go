package transport

import (
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// MetricsPath is where Prometheus finds the counts of a run.
const MetricsPath = "/metrics"

// serveMetrics adds [MetricsPath].
func (w *Web) serveMetrics(mux *http.ServeMux) {
	all := prometheus.NewPedanticRegistry()
	process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
	all.MustRegister(newMetrics(w.run), collectors.NewGoCollector(), process)
	w.handle(mux, MetricsPath, promhttp.HandlerFor(all, promhttp.HandlerOpts{MaxRequestsInFlight: 4}).ServeHTTP)
}

// metrics reads the counts of a run when Prometheus asks, so that no step waits for it.
type metrics struct {
	run           *live.Server
	step, intents *prometheus.Desc
	fields        []*prometheus.Desc // by field of live.Stats; nil for one that has no tag
}

func newMetrics(run *live.Server) *metrics {
	constant := prometheus.Labels{"task": run.Description().GetTask()}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("polyrhythm_live_"+name, help, labels, constant)
	}
	m := &metrics{
		run:     run,
		step:    desc("step_seconds", "Wall time of the control steps of all worlds."),
		intents: desc("intents_total", "Intents by kind and outcome.", "kind", "outcome"),
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[live.Stats]()) {
		var d *prometheus.Desc
		if name := f.Tag.Get("metric"); name != "" {
			d = desc(name, f.Tag.Get("help"))
		}
		m.fields = append(m.fields, d)
	}
	return m
}

// Describe implements [prometheus.Collector].
func (m *metrics) Describe(descriptions chan<- *prometheus.Desc) {
	prometheus.DescribeByCollect(m, descriptions)
}

// Collect implements [prometheus.Collector].
func (m *metrics) Collect(values chan<- prometheus.Metric) {
	s := m.run.Stats()
	below, count := map[float64]uint64{}, uint64(0)
	for i, bound := range live.StepBounds {
		count += s.StepTimes[i]
		below[bound] = count
	}
	count += s.StepTimes[len(live.StepBounds)]
	values <- prometheus.MustNewConstHistogram(m.step, count, s.StepTime.Seconds(), below)
	for i, d := range m.fields {
		if d == nil {
			continue
		}
		value, kind := 0.0, prometheus.GaugeValue
		switch v := reflect.ValueOf(s).Field(i).Interface().(type) {
		case time.Duration:
			value = v.Seconds()
		case int64:
			value = float64(v)
		case bool:
			if v {
				value = 1
			}
		}
		if strings.HasSuffix(reflect.TypeOf(s).Field(i).Tag.Get("metric"), "_total") {
			kind = prometheus.CounterValue
		}
		values <- prometheus.MustNewConstMetric(d, kind, value)
	}
	for _, k := range s.Intents {
		for outcome, n := range map[string]int64{"taken": k.Taken, "refused": k.Refused, "failed": k.Failed} {
			values <- prometheus.MustNewConstMetric(m.intents, prometheus.CounterValue, float64(n), k.Kind, outcome)
		}
	}
}
