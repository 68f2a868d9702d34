package live

import (
	"encoding/json"
	"strconv"
	"time"
)

// Span is a decision in the sense of OpenTelemetry: it begins as the client is asked, and
// ends as the reply is applied, or the decision times out or is withdrawn.
type Span struct {
	Trace, Span string // hexadecimal; the client has them in Decision.traceparent
	Begin, End  time.Time

	ID, Event, Client, Reason, Reply string // as in env.Decision
}

// OTLP returns the span as a line of a file of the OpenTelemetry protocol, in JSON, as its
// collector reads: https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/.
func (s Span) OTLP() []byte {
	type value struct {
		Text string `json:"stringValue"`
	}
	type attribute struct {
		Key   string `json:"key"`
		Value value  `json:"value"`
	}
	type list = []map[string]any
	attributes := []attribute{}
	for _, a := range [][2]string{
		{"polyrhythm.decision.id", s.ID}, {"polyrhythm.decision.event", s.Event}, {"polyrhythm.client", s.Client},
		{"polyrhythm.decision.reason", s.Reason}, {"polyrhythm.decision.reply", s.Reply},
	} {
		if a[1] != "" {
			attributes = append(attributes, attribute{a[0], value{a[1]}})
		}
	}
	code := 1 // ok
	if s.Reason != "" {
		code = 2 // error
	}
	line, err := json.Marshal(map[string]any{"resourceSpans": list{{
		"resource": map[string]any{"attributes": []attribute{{"service.name", value{"polyrhythm"}}}},
		"scopeSpans": list{{
			"scope": map[string]any{"name": "github.com/polyrhythm-rl/polyrhythm/live"},
			"spans": list{{
				"traceId": s.Trace, "spanId": s.Span, "name": "decision", "kind": 3, // client
				"startTimeUnixNano": strconv.FormatInt(s.Begin.UnixNano(), 10),
				"endTimeUnixNano":   strconv.FormatInt(s.End.UnixNano(), 10),
				"attributes":        attributes,
				"status":            map[string]any{"code": code, "message": s.Reason},
			}},
		}},
	}}})
	if err != nil {
		panic(err) // cannot happen: plain data
	}
	return append(line, '\n')
}
