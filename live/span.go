package live

import "time"

// Span is a decision in the sense of OpenTelemetry: it begins as the client is asked, and
// ends as the reply is applied, or the decision times out or is withdrawn. Package
// live/spans exports it.
type Span struct {
	Trace, Span string // hexadecimal; the client has them in Decision.traceparent
	Begin, End  time.Time

	ID, Event, Client, Reason, Reply string // as in env.Decision
}
