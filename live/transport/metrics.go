package transport

import (
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// MetricsPath is where Prometheus finds the counts of a run.
const MetricsPath = "/metrics"

// serveMetrics adds [MetricsPath]. A token of any role comes as "Authorization: Bearer TOKEN"
// where one is needed.
func (w *Web) serveMetrics(mux *http.ServeMux) {
	all := prometheus.NewPedanticRegistry()
	all.MustRegister(newMetrics(w.run), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	answer := promhttp.HandlerFor(all, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	mux.HandleFunc("GET "+MetricsPath, func(to http.ResponseWriter, r *http.Request) {
		secret, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if _, err := w.options.Access.role(secret); err != nil {
			w.options.log("refused " + r.RemoteAddr + ": " + err.Error())
			http.Error(to, err.Error(), http.StatusUnauthorized)
			return
		}
		answer.ServeHTTP(to, r)
	})
}

// metrics reads the counts of a run when Prometheus asks, so that no step waits for it.
type metrics struct {
	run                                      *live.Server
	step, lag, dropped, paused               *prometheus.Desc
	frames, clients, sessions, skipped, slow *prometheus.Desc
	bytes, intents, captures, missed, held   *prometheus.Desc
}

func newMetrics(run *live.Server) *metrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("polyrhythm_live_"+name, help, labels, prometheus.Labels{"task": run.Description().GetTask()})
	}
	return &metrics{
		run:      run,
		step:     desc("step_seconds", "Wall time of the control steps of all worlds."),
		lag:      desc("lag_seconds", "Wall time that waits to be simulated."),
		dropped:  desc("dropped_seconds_total", "Wall time that will not be simulated."),
		paused:   desc("paused", "1 while the run is paused."),
		frames:   desc("frames_total", "Frames published."),
		clients:  desc("clients", "Clients that read."),
		held:     desc("clients_held", "Clients that are sent no frames, because they have not answered a ping."),
		sessions: desc("sessions", "Sessions, with those whose clients are gone."),
		skipped:  desc("frames_skipped_total", "Frames that clients were not sent, because they were slow or away."),
		slow:     desc("clients_slow_total", "Clients that were closed because they read nothing."),
		bytes:    desc("sent_bytes_total", "Bytes of the updates that clients took."),
		captures: desc("captures", "Captures that clients read."),
		missed:   desc("captures_missed_total", "Captures that were dropped, because clients were slow."),
		intents:  desc("intents_total", "Intents by kind and outcome.", "kind", "outcome"),
	}
}

// Describe implements [prometheus.Collector].
func (m *metrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.step, m.lag, m.dropped, m.paused, m.frames, m.clients, m.sessions, m.skipped, m.slow, m.bytes, m.intents, m.captures, m.missed, m.held} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	s := m.run.Stats()
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v)
	}
	below, count := map[float64]uint64{}, uint64(0)
	for i, bound := range live.StepBounds {
		count += s.StepTimes[i]
		below[bound] = count
	}
	count += s.StepTimes[len(live.StepBounds)]
	to <- prometheus.MustNewConstHistogram(m.step, count, s.StepTime.Seconds(), below)
	paused := 0.0
	if s.Paused {
		paused = 1
	}
	gauge(m.lag, s.Lag.Seconds())
	counter(m.dropped, s.Dropped.Seconds())
	gauge(m.paused, paused)
	counter(m.frames, float64(s.Frames))
	gauge(m.clients, float64(s.Clients))
	gauge(m.held, float64(s.Held))
	gauge(m.sessions, float64(s.Sessions))
	counter(m.skipped, float64(s.Skipped))
	counter(m.slow, float64(s.Slow))
	counter(m.bytes, float64(s.Bytes))
	gauge(m.captures, float64(s.Captures))
	counter(m.missed, float64(s.CaptureMissed))
	for _, k := range s.Intents {
		counter(m.intents, float64(k.Taken), k.Kind, "taken")
		counter(m.intents, float64(k.Refused), k.Kind, "refused")
		counter(m.intents, float64(k.Failed), k.Kind, "failed")
	}
}
