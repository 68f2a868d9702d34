package transport

import (
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// metricsOf asks for the metrics, and has Prometheus's own parser read them.
func metricsOf(t *testing.T, s *served, token string) (status int, families map[string]*dto.MetricFamily) {
	t.Helper()
	r := polytest.Must(http.NewRequestWithContext(bound(t), "GET", "http://"+s.web+MetricsPath, nil))(t)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer := polytest.Must(http.DefaultClient.Do(r))(t)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return answer.StatusCode, nil
	}
	var parser expfmt.TextParser
	families = polytest.Must(parser.TextToMetricFamilies(answer.Body))(t)
	return answer.StatusCode, families
}

// Prometheus reads what the server has done.
func TestMetrics(t *testing.T) {
	s := serve(t, Options{})
	ctx := bound(t)
	client := s.dial(t, insecure.NewCredentials())
	updates := polytest.Must(client.Join(ctx, &wire.JoinRequest{}))(t)
	welcome := polytest.Must(updates.Recv())(t)
	if _, err := client.Step(ctx, &wire.StepRequest{Session: welcome.GetWelcome().GetSession(), Steps: 7,
		Intents: []*wire.Intent{
			{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{1, 0, 0}}}},
			{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "trunk", Force: []float64{1, 0, 0}}}},
			{Kind: &wire.Intent_Push{Push: &wire.Push{Body: "tail", Force: []float64{1, 0, 0}}}},
			{Kind: &wire.Intent_Edit{Edit: &wire.Edit{Edits: `[{"set_rate": {"name": "nobody", "rate": "25"}}]`}}},
			{},
		}}); err != nil {
		t.Fatal(err)
	}
	for { // until the client has been sent all
		u := polytest.Must(updates.Recv())(t)
		if f := u.GetFrame(); f != nil && f.N == 7 {
			break
		}
	}
	_, families := metricsOf(t, s, "")
	one := func(name string) *dto.Metric {
		f := families["polyrhythm_live_"+name]
		if f == nil || len(f.Metric) != 1 {
			t.Fatalf("metric %s is %v, want one", name, f)
		}
		return f.Metric[0]
	}
	if h := one("step_seconds").Histogram; h.GetSampleCount() != 7 || !(h.GetSampleSum() > 0) ||
		len(h.Bucket) != len(live.StepBounds)+1 {
		t.Errorf("step_seconds is %v, want 7 steps", h)
	}
	for name, want := range map[string]float64{"paused": 1, "clients": 1, "sessions": 1} {
		polytest.Equal(t, one(name).Gauge.GetValue(), want, "%s", name)
	}
	if got := one("frames_total").Counter.GetValue(); got < 8 {
		t.Errorf("frames_total is %v, want at least 8", got)
	}
	if got := one("sent_bytes_total").Counter.GetValue(); got < 1000 {
		t.Errorf("sent_bytes_total is %v, want more", got)
	}
	counts := map[string]float64{}
	for _, m := range families["polyrhythm_live_intents_total"].Metric {
		labels := map[string]string{}
		for _, l := range m.Label {
			labels[l.GetName()] = l.GetValue()
		}
		if v := m.Counter.GetValue(); v != 0 {
			counts[labels["kind"]+" "+labels["outcome"]] = v
		}
	}
	want := map[string]float64{"push taken": 2, "push refused": 1, "edit taken": 1, "edit failed": 1, "step taken": 1,
		"none refused": 1}
	for k, v := range want {
		polytest.Equal(t, counts[k], v, "%s", k)
	}
	if len(counts) != len(want) {
		t.Errorf("intents are %v, want %v", counts, want)
	}
	problems, err := testutil.CollectAndLint(newMetrics(s.run))
	if err != nil || len(problems) > 0 {
		t.Errorf("the metrics have problems %v, %v", problems, err)
	}
}

// Metrics are for those who may watch.
func TestMetricsWantAToken(t *testing.T) {
	s := serve(t, Options{Access: accessOf(t, "watch watch-watch-watch\n")})
	for token, want := range map[string]int{"": http.StatusUnauthorized, "watch": http.StatusUnauthorized,
		"watch-watch-watch": http.StatusOK} {
		if got, _ := metricsOf(t, s, token); got != want {
			t.Errorf("token %q: status %d, want %d", token, got, want)
		}
	}
	s.logged(t, errToken.Error())
}
