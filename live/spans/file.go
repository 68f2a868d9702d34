package spans

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// file writes spans to a file as OpenTelemetry's collector reads it, one JSON object a line:
// https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/. It implements
// otlptrace.Client.
type file struct{ to *os.File }

// Start implements otlptrace.Client.
func (f *file) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (f *file) Stop(context.Context) error { return f.to.Close() }

// UploadTraces implements otlptrace.Client.
func (f *file) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	line, err := encode(&tracepb.TracesData{ResourceSpans: spans})
	if err == nil {
		_, err = f.to.Write(append(line, '\n'))
	}
	return err
}

// encode is the JSON of OTLP, which is that of protobuf but for enumerations, which are
// numbers, and the ids of traces and spans, which are hexadecimal:
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding.
func encode(m *tracepb.TracesData) ([]byte, error) {
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var tree any
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&tree); err != nil {
		return nil, err
	}
	hexadecimal(tree)
	return json.Marshal(tree)
}

// hexadecimal replaces the ids in a tree.
func hexadecimal(tree any) {
	switch t := tree.(type) {
	case []any:
		for _, v := range t {
			hexadecimal(v)
		}
	case map[string]any:
		for key, v := range t {
			text, ok := v.(string)
			if !ok || key != "traceId" && key != "spanId" && key != "parentSpanId" {
				hexadecimal(v)
			} else if id, err := base64.StdEncoding.DecodeString(text); err == nil {
				t[key] = hex.EncodeToString(id)
			}
		}
	}
}
