package spans

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

var begin = time.Unix(1_790_000_000, 123_456_789)

func decision(event, reason string) live.Span {
	return live.Span{
		Trace: "0123456789abcdef0123456789abcdef", Span: "fedcba9876543210", Begin: begin, End: begin.Add(1500 * time.Millisecond),
		ID: "0/3/Planner/2000000000", Event: event, Client: "mind-1", Reason: reason, Reply: `{"why":"<free>"}`,
	}
}

// A file has the encoding that OpenTelemetry specifies for its collector, and goes on where
// it was.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spans.jsonl")
	for range 2 {
		e, err := New(t.Context(), Options{To: path, Version: "1.2.3"})
		if err != nil {
			t.Fatal(err)
		}
		e.Span(decision("applied", ""))
		e.Span(decision("timed out", "no reply within 10s"))
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	type value struct{ StringValue string }
	type attribute struct {
		Key   string
		Value value
	}
	type line struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attribute }
			ScopeSpans []struct {
				Scope struct{ Name string }
				Spans []struct {
					TraceID, SpanID, Name              string
					Kind                               int
					StartTimeUnixNano, EndTimeUnixNano string
					Attributes                         []attribute
					Status                             struct {
						Code    int
						Message string
					}
				}
			}
		}
	}
	text := func(all []attribute, key string) string {
		for _, a := range all {
			if a.Key == key {
				return a.Value.StringValue
			}
		}
		return ""
	}
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for _, r := range l.ResourceSpans {
			if text(r.Resource.Attributes, "service.name") != "polyrhythm" || text(r.Resource.Attributes, "service.version") != "1.2.3" {
				t.Errorf("the resource is %v", r.Resource)
			}
			for _, s := range r.ScopeSpans[0].Spans {
				if s.TraceID != "0123456789abcdef0123456789abcdef" || s.SpanID != "fedcba9876543210" || s.Name != "decision" || s.Kind != int(tracepb.Span_SPAN_KIND_CLIENT) ||
					s.StartTimeUnixNano != "1790000000123456789" || s.EndTimeUnixNano != "1790000001623456789" ||
					text(s.Attributes, "polyrhythm.decision.id") != "0/3/Planner/2000000000" || text(s.Attributes, "polyrhythm.client") != "mind-1" ||
					text(s.Attributes, "polyrhythm.decision.reply") != `{"why":"<free>"}` {
					t.Errorf("a span is %+v", s)
				}
				code, reason := tracepb.Status_STATUS_CODE_OK, ""
				if n%2 == 1 {
					code, reason = tracepb.Status_STATUS_CODE_ERROR, "no reply within 10s"
				}
				if s.Status.Code != int(code) || s.Status.Message != reason || text(s.Attributes, "polyrhythm.decision.reason") != reason {
					t.Errorf("span %d has the status %+v", n, s.Status)
				}
				n++
			}
		}
	}
	if n != 4 {
		t.Errorf("%d spans, want 4", n)
	}
}

// A collector gets the spans, by its address or by the environment.
func TestCollector(t *testing.T) {
	var mu sync.Mutex
	var paths, ids []string
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		var q collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(data, &q)
		}
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.URL.Path)
		for _, s := range q.ResourceSpans[0].ScopeSpans[0].Spans {
			ids = append(ids, string(s.SpanId))
		}
	}))
	defer server.Close()
	for _, set := range []func() Options{
		func() Options { return Options{To: server.URL} },
		func() Options { return Options{To: server.URL + "/own/v1/traces"} },
		func() Options {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
			return Options{Environment: true}
		},
	} {
		e, err := New(t.Context(), set())
		if err != nil {
			t.Fatal(err)
		}
		e.Span(decision("applied", ""))
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := "\xfe\xdc\xba\x98\x76\x54\x32\x10"
	if strings.Join(paths, " ") != "/v1/traces /own/v1/traces /v1/traces" || strings.Join(ids, "") != want+want+want {
		t.Errorf("requests of %q with the spans %q", paths, ids)
	}
	if e, err := New(t.Context(), Options{}); e != nil || err != nil {
		t.Errorf("without a place: %v, %v; want neither", e, err)
	}
}

// Whoever ends a decision does not wait for a collector that does not answer, and one that
// refuses is told once.
func TestNoSpanWaits(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(to http.ResponseWriter, _ *http.Request) {
		<-release
		to.WriteHeader(http.StatusBadRequest)
	}))
	defer server.Close()
	warned := make(chan error, 10)
	e, err := New(t.Context(), Options{To: server.URL, Warn: func(err error) { warned <- err }})
	if err != nil {
		t.Fatal(err)
	}
	for range 10_000 { // more than are kept
		e.Span(decision("applied", ""))
	}
	close(release)
	e.Close()
	if n := len(warned); n != 1 {
		t.Errorf("%d warnings, want one", n)
	}
}

func TestPlacesThatCannotBe(t *testing.T) {
	for to, want := range map[string]string{
		filepath.Join(t.TempDir(), "none", "spans"): "no such file or directory",
		"http://": `the collector is "http://", want an address such as http://127.0.0.1:4318`,
	} {
		if _, err := New(t.Context(), Options{To: to}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", to, err, want)
		}
	}
}
