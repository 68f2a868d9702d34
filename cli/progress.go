package cli

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// lineEvery is the time between two lines of progress where there is no
// terminal to draw a bar on.
const lineEvery = 5 * time.Second

// progress shows how far a job is: as a bar on a terminal, as a line now and
// then elsewhere. For one goroutine.
type progress struct {
	name  string
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

// newProgress begins to show on out how far the job name is, which is done at
// total, at least 1. Close it.
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

// Update says that done of total is reached; status is shown with it.
func (p *progress) Update(done int64, status string) {
	now := time.Now()
	done = min(done, p.total)
	elapsed := now.Sub(p.start)
	left := time.Duration(0)
	if done > 0 {
		left = time.Duration(float64(elapsed) / float64(done) * float64(p.total-done))
	}
	text := fmt.Sprintf(" %s  %s left", status, left.Round(time.Second))
	if p.bar != nil {
		p.text.Store(&text)
		p.bar.SetCurrent(done)
		return
	}
	if now.Sub(p.last) >= lineEvery {
		p.last = now
		fmt.Fprintf(p.out, "%s %3d %% %s\n", p.name, 100*done/p.total, text)
	}
}

// Close leaves the last state standing. It may be called again, and of a nil progress.
func (p *progress) Close() {
	if p != nil && p.bar != nil {
		p.bar.Abort(false)
		p.container.Wait()
	}
}
