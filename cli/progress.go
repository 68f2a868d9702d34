package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// lineEvery is the time between two lines of progress where the output is not a
// terminal.
const lineEvery = 5 * time.Second

// progress shows the progress of a job: as a bar on a terminal, elsewhere as a line
// every lineEvery. One goroutine may use it.
type progress struct {
	name  string
	begun int64 // done at the start, by an earlier run
	total int64
	start time.Time

	// on a terminal
	container *mpb.Progress
	bar       *mpb.Bar
	text      atomic.Pointer[string]

	// elsewhere
	out  io.Writer
	last time.Time
}

// newProgress shows on out the progress of a job, which is done at total, at least 1.
// Close it in the end.
func newProgress(out io.Writer, name string, total int64) *progress {
	now := time.Now()
	p := &progress{name: name, total: total, start: now, out: out, last: now}
	p.text.Store(new(string))
	if f, ok := out.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
		p.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(64))
		p.bar = p.container.New(total, mpb.BarStyle(),
			mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR), decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return *p.text.Load() })),
		)
	}
	return p
}

// Update shows that done of total is reached, and status.
func (p *progress) Update(done int64, status string) {
	if done == p.begun {
		return // no estimate of the time left yet
	}
	now := time.Now()
	part := min(float64(done)/float64(p.total), 1)
	text := " " + status + timeLeft(now.Sub(p.start), min(float64(done-p.begun)/float64(p.total-p.begun), 1))
	if p.bar != nil {
		p.text.Store(&text)
		p.bar.SetCurrent(min(done, p.total))
		return
	}
	if now.Sub(p.last) >= lineEvery {
		p.last = now
		fmt.Fprintf(p.out, "%s %3d %% %s\n", p.name, int(100*part), text)
	}
}

// timeLeft estimates the rest of a job whose first part, above 0 and at most 1, took
// elapsed. It is empty above 1000 hours.
func timeLeft(elapsed time.Duration, part float64) string {
	const longest = 1000 * time.Hour
	left := elapsed.Seconds() / part * (1 - part)
	if left > longest.Seconds() {
		return ""
	}
	return fmt.Sprintf("  %s left", time.Duration(left*float64(time.Second)).Round(time.Second))
}

// count formats a number of things: 1 episode, 2 episodes.
func count[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "batch"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Above returns where lines are printed while the progress is shown on out: above a bar.
// p may be nil.
func (p *progress) Above(out io.Writer) io.Writer {
	if p != nil && p.container != nil {
		return p.container
	}
	return out
}

// Close ends the display and leaves its last state visible. Further calls, and calls
// on nil, do nothing.
func (p *progress) Close() {
	if p != nil && p.bar != nil {
		p.bar.Abort(false)
		p.container.Wait()
	}
}
