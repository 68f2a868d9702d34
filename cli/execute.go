package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/internal/errtree"
)

// The exit codes of every command.
const (
	Done        = 0
	Failed      = 1
	Usage       = 2 // the usage or the configuration is wrong
	Interrupted = 130
)

// asUsage marks an error as one of usage or configuration; nil stays nil.
func asUsage(err error) error {
	if err == nil {
		return nil
	}
	return env.ConfigError{Err: err}
}

func usagef(format string, args ...any) error { return asUsage(fmt.Errorf(format, args...)) }

// secondSignal is the time after which another signal ends the process at once: one may be delivered twice.
const secondSignal = 2 * time.Second

// spareProcessors is how many goroutines can run beside the workers. A worker inside C keeps its processor (a
// P of Go's scheduler) only while another is idle. If none is, the runtime retakes the P during every long
// call and the worker must wait for one afterwards, which costs a tenth of the throughput.
const spareProcessors = 2

// gracePeriod is how long an interrupted command has to return.
const gracePeriod = time.Second

// output is the standard output of a program. The first write that nobody can read any more, as of train |
// head, calls cancel. Its field has a name, since other methods of a file would go past Write.
type output struct {
	file   *os.File
	cancel func()
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	n, err := o.file.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		o.cancel()
		err = errUnread
	}
	return n, err
}

var errUnread = errors.New("standard output: nobody reads it")

// executeMain runs a command tree as the whole program and does not return. The first SIGINT, SIGTERM, SIGHUP,
// SIGUSR1 or SIGUSR2, which schedulers send before the time of a job is over, or write to a standard output that nobody
// reads, cancels the command's context, after which it closes its files; a signal more than secondSignal later ends the
// process at once. A failed write elsewhere is an error of that write
// alone: a stranger who breaks off a download must not end a live run. A command that is blocked, in a read or in an
// engine, is abandoned after gracePeriod, unless a call of [onDisk] is running or has failed: it is on its way to say
// so.
func executeMain(root *cobra.Command) {
	runtime.GOMAXPROCS(env.Processors() + spareProcessors)
	ctx, cancel := context.WithCancel(context.Background())
	// Nobody receives it. If it were ignored, programs that this one starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		ending = append(ending, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ending...)
	context.AfterFunc(ctx, func() { time.AfterFunc(secondSignal, stop) })

	files := &diskWork{}
	ctx = context.WithValue(context.WithValue(ctx, diskKey{}, files), againKey{}, again)
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, root, os.Args[1:], &output{os.Stdout, cancel}, os.Stderr) }()
	deadline := make(chan struct{})
	context.AfterFunc(ctx, func() {
		time.Sleep(gracePeriod)
		files.Lock() // never unlocked: no new call of onDisk starts
		close(deadline)
	})
	select {
	case code := <-ended:
		os.Exit(code)
	case <-deadline:
		if files.failed.Load() {
			os.Exit(<-ended)
		}
		select {
		case code := <-ended: // the command had ended as well
			os.Exit(code)
		default:
		}
	}
	pprof.StopCPUProfile()
	printInterrupted(os.Stderr, root)
	os.Exit(Interrupted)
}

// diskWork is what the calls of onDisk share: each holds the lock for reading.
type diskWork struct {
	sync.RWMutex
	failed atomic.Bool // one returned an error that is more than the cancellation
}

// diskKey is the key of the diskWork in the context of a command.
type diskKey struct{}

// onDisk calls f, which has unfinished files on disk until it returns. An interrupted program waits for it.
func onDisk[T any](ctx context.Context, f func() (T, error)) (_ T, err error) {
	if files, ok := ctx.Value(diskKey{}).(*diskWork); ok {
		files.RLock()
		defer files.RUnlock()
		defer func() {
			if err != nil && !errtree.Only(err, context.Canceled) {
				files.failed.Store(true)
			}
		}()
	}
	return f()
}

func printInterrupted(stderr io.Writer, root *cobra.Command) {
	fmt.Fprintf(stderr, "%s: interrupted\n", root.Name())
}

// execute runs a command tree and returns the exit code. It writes an error to stderr as one line.
func execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) int {
	root.SilenceErrors = true
	root.SilenceUsage = true
	root.Version = env.Version
	root.Args = noArguments
	root.SetArgs(append([]string{}, args...)) // cobra would use os.Args for nil
	out := &keepingError{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	root.SetFlagErrorFunc(flagError)
	refuseValues(root)
	root.SetHelpCommand(newHelp(root))
	root.InitDefaultCompletionCmd(args...)
	if completion, _, err := root.Find([]string{"completion"}); err == nil && completion != root {
		completion.Args = noArguments
		// without RunE, cobra ignores Args
		completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		for _, shell := range completion.Commands() {
			shell.Args = withoutArguments
		}
	}
	profile := root.PersistentFlags().String("cpuprofile", "", "write a CPU profile to `FILE`")
	addSettings(root)
	started := false // an error before this is cobra's, about usage
	stop := noop
	undo := func() {}
	beforeRun(root, func(cmd *cobra.Command) (err error) {
		started = true
		if undo, err = useSettings(cmd); err == nil {
			stop, err = startProfile(*profile)
		}
		return err
	})

	failed, err := root.ExecuteContextC(ctx)
	undo()
	hint := ""
	if !started && err != nil && out.err == nil {
		err = asUsage(err)
		hint = fmt.Sprintf(" (see %s --help)", failed.CommandPath()) // the help shows the usage
	}
	if stopErr := stop(); err == nil {
		err = cmp.Or(stopErr, out.err)
	}
	if err == nil {
		return Done
	}
	if errors.Is(err, errUnread) && errtree.Only(err, errUnread, context.Canceled) {
		return Interrupted // an interrupted command prints no message
	}
	if ctx.Err() != nil && errtree.Only(err, context.Canceled) {
		printInterrupted(stderr, root)
		return Interrupted
	}
	line := withoutCall(oneLine(err)+disk.Advice(err), err)
	if gate := (*gateError)(nil); errors.As(err, &gate) {
		fmt.Fprintf(stderr, "%s %s\n", paint(coloured(failed), red, root.Name()+":"), line)
		return gate.code
	}
	if errors.As(err, new(env.ConfigError)) {
		if locate, ok := failed.Context().Value(locateKey{}).(func(error) error); ok {
			line = withoutCall(oneLine(locate(err)), err)
		}
		if info, err := os.Lstat(*profile); started && err == nil && info.Mode().IsRegular() {
			os.Remove(*profile) // a command that did nothing leaves no profile
		}
		fmt.Fprintf(stderr, "%s %s%s\n", paint(coloured(failed), red, root.Name()+":"), line, hint)
		return Usage
	}
	fmt.Fprintf(stderr, "%s %s\n", paint(coloured(failed), red, root.Name()+":"), line)
	return Failed
}

// longestLine is the most characters of an error that are printed: the middle of a longer one is left out.
const longestLine = 1000

// shorten leaves out the middle of a text that is longer than longestLine.
func shorten(text string) string {
	r := []rune(text)
	if len(r) <= longestLine {
		return text
	}
	return string(r[:longestLine*2/3]) + " … " + string(r[len(r)-longestLine/3:])
}

// withoutCall leaves the name of the system's call out of the line of an error about a file that could not be opened.
func withoutCall(line string, err error) string {
	var failed *fs.PathError
	if errors.As(err, &failed) && slices.Contains([]string{"open", "stat", "lstat"}, failed.Op) {
		line = strings.ReplaceAll(line, failed.Error(), failed.Path+": "+failed.Err.Error())
	}
	return line
}

// oneLine returns an error as one line. Of several parts with one cause, as on a full disk, the first appears. That the
// command was interrupted is left out where something else went wrong, too.
func oneLine(err error) string {
	var parts []string
	causes := map[string]bool{}
	interrupted := ""
	for _, part := range strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' }) {
		cause := strings.TrimSpace(part[strings.LastIndex(part, ": ")+1:])
		switch {
		case cause == context.Canceled.Error():
			interrupted = part
		case !causes[cause]:
			parts = append(parts, part)
		}
		causes[cause] = true
	}
	if parts == nil {
		parts = []string{interrupted}
	}
	return shorten(strings.Join(parts, "; "))
}

// beforeRun makes every command of a tree call f first, but after cobra's checks of usage, unlike cobra's hooks.
func beforeRun(cmd *cobra.Command, f func(*cobra.Command) error) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if err := f(cmd); err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		beforeRun(sub, f)
	}
}

func noop() error { return nil }

// startProfile starts a CPU profile in a file and returns what ends it. An empty path means no profile.
func startProfile(path string) (stop func() error, err error) {
	if path == "" {
		return noop, nil
	}
	f, err := os.Create(path)
	if notThere(err) {
		return noop, usagef("--cpuprofile: %s is in a folder that does not exist, want one that does", path)
	}
	if err != nil {
		return noop, fmt.Errorf("--cpuprofile: %w", err)
	}
	w := &keepingError{w: f}
	if err := pprof.StartCPUProfile(w); err != nil {
		return noop, errors.Join(fmt.Errorf("--cpuprofile: %w", err), f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		if err := errors.Join(w.err, f.Close()); err != nil {
			return fmt.Errorf("--cpuprofile: %w", err)
		}
		return nil
	}, nil
}

// keepingError keeps the first write error, which pprof and cobra ignore.
type keepingError struct {
	w   io.Writer
	err error
}

func (k *keepingError) Write(data []byte) (int, error) {
	n, err := k.w.Write(data)
	if k.err == nil {
		k.err = err
	}
	return n, err
}
