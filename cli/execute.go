package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/env"
)

// The exit codes of every command.
const (
	Done        = 0
	Failed      = 1
	Usage       = 2 // wrong usage or configuration
	Interrupted = 130
)

// asUsage marks an error as one of usage or configuration; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return env.ConfigError{Err: err}
}

// usagef returns an error of usage.
func usagef(format string, args ...any) error { return asUsage(fmt.Errorf(format, args...)) }

// secondSignal is the time after the first signal from which another one ends the
// process at once: a terminal or a supervisor may deliver one signal twice.
const secondSignal = 2 * time.Second

// spareProcessors is how many goroutines can run beside the workers. A worker inside C
// keeps its processor (a P of Go's scheduler) only while another is idle. If none is,
// the runtime retakes the P during every long call and the worker must wait for one
// afterwards, which costs a tenth of the throughput.
const spareProcessors = 2

// gracePeriod is how long an interrupted command has to return.
const gracePeriod = time.Second

// executeMain runs a command tree as the whole program and does not return. The first
// SIGINT, SIGTERM, SIGHUP or SIGPIPE (a closed output) cancels the context of the
// command, which then closes its files; except for SIGPIPE, a signal more than
// secondSignal later ends the process at once.
//
// A command that is blocked, in a read or in an engine, is abandoned after gracePeriod,
// unless a call of [onDisk] is running.
func executeMain(root *cobra.Command) {
	runtime.GOMAXPROCS(env.Processors() + spareProcessors)
	ctx, cancel := context.WithCancel(context.Background())
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE) // for good: closing a dataset may take long
	go func() {
		<-pipe
		cancel()
	}()
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ending...)
	context.AfterFunc(ctx, func() { time.AfterFunc(secondSignal, stop) })

	disk := &sync.RWMutex{}
	ctx = context.WithValue(ctx, diskKey{}, disk)
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, root, os.Args[1:], os.Stdout, os.Stderr) }()
	abandoned := make(chan struct{})
	context.AfterFunc(ctx, func() {
		time.Sleep(gracePeriod)
		disk.Lock() // never unlocked: no new call of onDisk starts
		close(abandoned)
	})
	select {
	case code := <-ended:
		os.Exit(code)
	case <-abandoned:
		select {
		case code := <-ended: // both were ready
			os.Exit(code)
		default:
		}
	}
	pprof.StopCPUProfile()
	printInterrupted(os.Stderr, root)
	os.Exit(Interrupted)
}

// diskKey is the key of the lock that onDisk takes, in the context of a command.
type diskKey struct{}

// onDisk calls f, which has unfinished files on disk until it returns. An interrupted
// program waits for it.
func onDisk(ctx context.Context, f func() error) error {
	if disk, ok := ctx.Value(diskKey{}).(*sync.RWMutex); ok {
		disk.RLock()
		defer disk.RUnlock()
	}
	return f()
}

// printInterrupted prints the error of an interrupted command.
func printInterrupted(stderr io.Writer, root *cobra.Command) {
	fmt.Fprintf(stderr, "%s: interrupted\n", root.Name())
}

// execute runs a command tree on arguments and returns the exit code. An error is
// written to stderr as one line that begins with the program's name.
func execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetArgs(append([]string{}, args...)) // for nil cobra uses os.Args
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	profile := root.PersistentFlags().String("cpuprofile", "", "write a CPU profile to `FILE`")
	started := false // before that, an error is cobra's and about usage
	stop := nothing
	beforeRun(root, func() (err error) {
		started = true
		stop, err = startProfile(*profile)
		return err
	})

	failed, err := root.ExecuteContextC(ctx)
	hint := ""
	if !started && err != nil {
		err = asUsage(err)
		hint = hintAt(failed)
	}
	if stopErr := stop(); err == nil {
		err = stopErr
	}
	if err == nil {
		return Done
	}
	if errors.Is(err, syscall.EPIPE) {
		return Interrupted // the reader closed the pipe: no message
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		printInterrupted(stderr, root)
		return Interrupted
	}
	line := oneLine(err)
	if errors.As(err, new(env.ConfigError)) {
		fmt.Fprintf(stderr, "%s: %s%s\n", root.Name(), line, hint)
		return Usage
	}
	fmt.Fprintf(stderr, "%s: %s\n", root.Name(), line)
	return Failed
}

// longestLine is the largest number of characters of an error that is printed. A longer
// one quotes something endless: its middle is left out.
const longestLine = 1000

// shortened leaves out the middle of a text that is longer than longestLine.
func shortened(text string) string {
	r := []rune(text)
	if len(r) <= longestLine {
		return text
	}
	return string(r[:longestLine*2/3]) + " … " + string(r[len(r)-longestLine/3:])
}

// oneLine returns the text of an error as one line. Repeated parts, of several
// goroutines that failed alike, appear once.
func oneLine(err error) string {
	var parts []string
	for _, part := range strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return shortened(strings.Join(parts, "; "))
}

// beforeRun makes every command of a tree call f first. Cobra's own hooks run before
// its last checks of usage, so they do not serve.
func beforeRun(cmd *cobra.Command, f func() error) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := f(); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		beforeRun(sub, f)
	}
}

func nothing() error { return nil }

// startProfile starts a CPU profile in the file at path and returns the function that
// ends it. An empty path means no profile.
func startProfile(path string) (stop func() error, err error) {
	if path == "" {
		return nothing, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nothing, fmt.Errorf("--cpuprofile: %w", err)
	}
	w := &profileWriter{w: f}
	if err := pprof.StartCPUProfile(w); err != nil {
		return nothing, errors.Join(fmt.Errorf("--cpuprofile: %w", err), f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		if err := errors.Join(w.err, f.Close()); err != nil {
			return fmt.Errorf("--cpuprofile: %w", err)
		}
		return nil
	}, nil
}

// profileWriter keeps the first write error, which pprof ignores.
type profileWriter struct {
	w   io.Writer
	err error
}

func (p *profileWriter) Write(data []byte) (int, error) {
	n, err := p.w.Write(data)
	if p.err == nil {
		p.err = err
	}
	return n, err
}
