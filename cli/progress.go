package cli

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// lineEvery is the time between two lines of progress where the output is not a terminal.
const lineEvery = 5 * time.Second

// progress shows the progress of a job: as a bar on a terminal, elsewhere as lines. One goroutine may use it.
type progress struct {
	out        io.Writer
	name       string
	start      time.Time // time of the first Update; zero before
	doneBefore int64     // number that an earlier run had done
	barOnly    bool      // it prints no lines where the output is not a terminal
	quiet      bool      // show nothing
	colour     bool      // of warnings

	// on a terminal
	container *mpb.Progress
	bar       *mpb.Bar
	text      atomic.Pointer[string]

	last time.Time // time of the newest line, where there is no bar
}

// showProgress shows the progress of a job of a command, as its settings say. Close it in the end.
func showProgress(cmd *cobra.Command, name string) *progress {
	return &progress{out: cmd.ErrOrStderr(), name: name, quiet: settingsOf(cmd).Quiet, colour: coloured(cmd)}
}

// work calls f, which has unfinished files on disk until it returns, beside a display of its progress.
func work[T any](cmd *cobra.Command, name string, f func(*progress) (T, error)) (T, error) {
	bar := showProgress(cmd, name)
	defer bar.Close()
	return onDisk(cmd.Context(), func() (T, error) { return f(bar) })
}

// Update shows that done of total is reached, and status.
func (p *progress) Update(done, total int64, status string) {
	if p.quiet {
		return
	}
	now := time.Now()
	total = max(total, 1)
	if p.start.IsZero() {
		p.show(now, min(done, total-1), total)
	}
	if done <= p.doneBefore {
		return // an estimate of the time left takes longer
	}
	text := " " + status + timeLeft(now.Sub(p.start), min(float64(done-p.doneBefore)/float64(total-p.doneBefore), 1))
	if p.bar != nil {
		p.text.Store(&text)
		p.bar.SetCurrent(min(done, total))
	} else if now.Sub(p.last) >= lineEvery && !p.barOnly {
		p.last = now
		fmt.Fprintf(p.out, "%s %3d %% %s\n", p.name, int(100*min(float64(done)/float64(total), 1)), text)
	}
}

func (p *progress) show(now time.Time, doneBefore, total int64) {
	p.start, p.last, p.doneBefore = now, now, doneBefore
	p.text.Store(new(string))
	if f, ok := p.out.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
		p.container = mpb.New(mpb.WithOutput(f), mpb.WithWidth(64))
		p.bar = p.container.New(total, mpb.BarStyle(),
			mpb.PrependDecorators(decor.Name(p.name, decor.WCSyncSpaceR), decor.Percentage(decor.WC{W: 5})),
			mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return *p.text.Load() })),
		)
	}
}

// timeLeft estimates the rest of a job of which a part, above 0, took elapsed. It is empty above 1000 hours.
func timeLeft(elapsed time.Duration, part float64) string {
	const longest = 1000 * time.Hour
	seconds := elapsed.Seconds() / part * (1 - part)
	if seconds > longest.Seconds() {
		return ""
	}
	return fmt.Sprintf("  %s left", time.Duration(seconds*float64(time.Second)).Round(time.Second))
}

// count formats a number of things: 1 episode, 2 episodes.
func count[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "batch"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// count returns a function that shows how many of a number of things are done.
func (p *progress) count(noun string) func(done, total int64) {
	return func(done, total int64) { p.Update(done, total, fmt.Sprintf("%d of %s", done, count(total, noun))) }
}

// share shows which share of the job, 0 to 1, is done.
func (p *progress) share(done float64) { p.Update(int64(1000*done), 1000, "") }

// huge is from where on a number is printed with an exponent.
const huge = 1e15

// tenths formats a number with one decimal, or one that is huge with an exponent.
func tenths(x float64) string {
	if math.Abs(x) >= huge {
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// LogWriter returns where lines are printed while the progress is shown: above a bar.
func (p *progress) LogWriter() io.Writer {
	if p.container != nil {
		return p.container
	}
	return p.out
}

// Warn prints a warning of a task or an engine above the progress.
func (p *progress) Warn(text string) {
	fmt.Fprintln(p.LogWriter(), paint(p.colour, yellow, "warning:"), text)
}

// Close ends the display and leaves its last state visible; what is printed later stands below it. Further
// calls do nothing.
func (p *progress) Close() {
	if p.bar != nil {
		p.bar.Abort(false)
		p.container.Wait()
		p.bar, p.container = nil, nil // the bar would swallow the line
	}
}
