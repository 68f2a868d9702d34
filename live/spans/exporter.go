package spans

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/polyrhythm-rl/polyrhythm/live"
)

// Options are those of [New].
type Options struct {
	// To is a file, to which lines are appended, or the http:// or https:// address of a
	// collector, such as http://127.0.0.1:4318; "": none.
	To string

	// Environment also exports to the collector that OTEL_EXPORTER_OTLP_ENDPOINT or
	// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT names, if one does.
	Environment bool

	// Version is that of the program.
	Version string

	// Warn, if not nil, is called with the first error of an export, from any goroutine.
	// Later ones are not told. It replaces the process's error handler of OpenTelemetry.
	Warn func(error)
}

// closeWait is how long Close waits for the last spans to be exported.
const closeWait = 5 * time.Second

// Exporter exports spans on a goroutine of its own.
type Exporter struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New returns an exporter; nil if o names no place for the spans.
func New(ctx context.Context, o Options) (*Exporter, error) {
	var clients []otlptrace.Client
	switch u, err := url.Parse(o.To); {
	case o.To == "":
	case err == nil && (u.Scheme == "http" || u.Scheme == "https"):
		if u.Host == "" {
			return nil, fmt.Errorf("the collector is %q, want an address such as http://127.0.0.1:4318", o.To)
		}
		if !strings.HasSuffix(u.Path, "/v1/traces") {
			u = u.JoinPath("v1/traces")
		}
		clients = append(clients, otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(u.String())))
	default:
		f, err := os.OpenFile(o.To, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
		if err != nil {
			return nil, err
		}
		clients = append(clients, &file{to: f})
	}
	if o.Environment && (os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "") {
		clients = append(clients, otlptracehttp.NewClient())
	}
	if len(clients) == 0 {
		return nil, nil
	}
	who, err := resource.New(ctx, resource.WithAttributes(
		attribute.String("service.name", "polyrhythm"), attribute.String("service.version", o.Version),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	set := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(who), sdktrace.WithIDGenerator(given{}), sdktrace.WithSampler(sdktrace.AlwaysSample()),
	}
	for _, c := range clients {
		to, err := otlptrace.New(ctx, c)
		if err != nil {
			return nil, err
		}
		set = append(set, sdktrace.WithBatcher(to)) // which drops spans where it would have to wait
	}
	if o.Warn != nil {
		var once sync.Once
		otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { once.Do(func() { o.Warn(err) }) }))
	}
	e := &Exporter{provider: sdktrace.NewTracerProvider(set...)}
	e.tracer = e.provider.Tracer("github.com/polyrhythm-rl/polyrhythm/live")
	return e, nil
}

// Span exports a decision that has ended. It is for live.Config.Span: it waits for nothing.
func (e *Exporter) Span(s live.Span) {
	attributes := []attribute.KeyValue{attribute.String("polyrhythm.decision.id", s.ID), attribute.String("polyrhythm.decision.event", s.Event)}
	for _, a := range [][2]string{{"polyrhythm.client", s.Client}, {"polyrhythm.decision.reason", s.Reason}, {"polyrhythm.decision.reply", s.Reply}} {
		if a[1] != "" {
			attributes = append(attributes, attribute.String(a[0], a[1]))
		}
	}
	_, span := e.tracer.Start(context.WithValue(context.Background(), given{}, s), "decision",
		trace.WithTimestamp(s.Begin), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes...))
	if s.Reason == "" {
		span.SetStatus(codes.Ok, "")
	} else {
		span.SetStatus(codes.Error, s.Reason)
	}
	span.End(trace.WithTimestamp(s.End))
}

// Close exports what is left, for at most 5 s.
func (e *Exporter) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	return errors.Join(e.provider.ForceFlush(ctx), e.provider.Shutdown(ctx))
}

// given gives a span the ids that the client has had in traceparent; it is also the key of
// the live.Span in a context.
type given struct{}

// NewIDs implements [sdktrace.IDGenerator].
func (given) NewIDs(ctx context.Context) (t trace.TraceID, s trace.SpanID) {
	of, _ := ctx.Value(given{}).(live.Span)
	t, _ = trace.TraceIDFromHex(of.Trace)
	s, _ = trace.SpanIDFromHex(of.Span)
	return t, s
}

// NewSpanID implements [sdktrace.IDGenerator]. No span here has a parent.
func (g given) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, s := g.NewIDs(ctx)
	return s
}
