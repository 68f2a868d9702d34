package spans_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/live"
	"github.com/polyrhythm-rl/polyrhythm/live/spans"
)

// The decisions of a live run go to a file, which OpenTelemetry's collector reads. A
// [live.Server] calls Span for each that has ended.
func Example() {
	dir, err := os.MkdirTemp("", "spans-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "spans.jsonl")
	exporter, err := spans.New(context.Background(), spans.Options{To: path, Version: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	begin := time.Unix(1_790_000_000, 0)
	exporter.Span(live.Span{
		Trace: "0123456789abcdef0123456789abcdef", Span: "fedcba9876543210", Begin: begin, End: begin.Add(time.Second),
		ID: "0/3/Planner/2000000000", Event: "applied", Client: "mind-1",
	})
	if err := exporter.Close(); err != nil {
		log.Fatal(err)
	}
	lines, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(string(lines), `"name":"decision"`))
	// Output: 1
}
