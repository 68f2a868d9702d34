package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/polyrhythm-rl/polyrhythm/internal/fanout"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// The limits of bench live.
const (
	maxBenchClients = 500
	maxBenchRounds  = 1000
)

// newBenchLive returns the command that measures the fan-out of live worlds.
func newBenchLive() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "live (--config FILE | --task NAME)",
		Short: "Measure how soon clients of a live world have its frames",
		Long: "Serve one world at its own pace, to clients in a process of their own, and measure: sync, from a decision point to its frame, decoded by a client; " +
			"ack, from an intent to its number; seen, from an intent to the frame with it, decoded by another client; join, from a connection to its first frame. " +
			"Rounds with each number of clients take turns, with those of Colyseus where --colyseus says how to start it.",
		Args: cobra.NoArgs,
	}
	config := configFlags{defaults: []string{"time.mode=" + runners.SimRealtime.String()}, sets: []string{"worlds=1"}}
	config.Add(cmd)
	clients := cmd.Flags().IntSlice("clients", []int{1, 20, 100, 250}, "measure with `N,…` clients")
	rounds := cmd.Flags().Int("rounds", 5, "measure `N` rounds of each")
	seconds := cmd.Flags().Float64("seconds", 5, "each round takes `S` seconds, of which the first quarter warms up")
	colyseus := cmd.Flags().String("colyseus", "", "measure Colyseus beside it, from the folder `DIR`, live/peers/colyseus after npm install")
	stuck := cmd.Flags().Int("stuck", 0, "measure also with `N` clients beside them that join and never read")
	hz := cmd.Flags().Int("colyseus-rate", 50, "ticks a second of Colyseus")
	part := cmd.Flags().String("part", "", "")
	cmd.Flags().MarkHidden("part")
	format := addFormat(cmd, "table", "json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkBenchLive(*clients, *rounds, *seconds); err != nil {
			return err
		}
		c, err := config.Load()
		if err != nil {
			return err
		}
		if *part == "server" {
			return fanout.Serve(c, cmd.InOrStdin(), cmd.OutOrStdout())
		}
		if c.Worlds != 1 {
			return usagef("worlds is %d, want 1", c.Worlds)
		}
		if *stuck < 0 || *stuck > maxBenchClients {
			return usagef("--stuck is %d, want 0 to %d", *stuck, maxBenchClients)
		}
		subjects, err := benchSubjects(cmd, c.Task.Name, *colyseus, *hz)
		if err != nil {
			return err
		}
		if *stuck > 0 {
			beside := subjects[0]
			beside.Name, beside.Stuck = fmt.Sprintf("%s, beside %d that never read", beside.Name, *stuck), *stuck
			subjects = slices.Insert(subjects, 1, beside)
		}
		bar := newProgress(cmd.ErrOrStderr(), "measuring "+c.Task.Name, 1000)
		results, err := fanout.Measure(cmd.Context(), subjects, fanout.Settings{
			Clients: *clients, Rounds: *rounds, Round: time.Duration(*seconds * float64(time.Second)),
		}, func(share float64) { bar.Update(int64(1000*share), "") })
		bar.Close()
		if err != nil {
			return err
		}
		if format.String() == "json" {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(results)
		}
		return printFanout(cmd.OutOrStdout(), results)
	}
	cmd.AddCommand(newBenchLiveClients())
	return cmd
}

// newBenchLiveClients returns the command of the process of the clients.
func newBenchLiveClients() *cobra.Command {
	cmd := &cobra.Command{Use: "clients ADDRESS CLIENTS SECONDS [STUCK]", Hidden: true, Args: cobra.RangeArgs(3, 4)}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var clients, stuck int
		var seconds float64
		if _, err := fmt.Sscan(strings.Join(append(args[1:], "0"), " "), &clients, &seconds, &stuck); err != nil {
			return asUsage(err)
		}
		if err := checkBenchLive([]int{clients}, 1, seconds); err != nil {
			return err
		}
		return fanout.Clients(cmd.Context(), args[0], clients, stuck, time.Duration(seconds*float64(time.Second)), cmd.OutOrStdout())
	}
	return cmd
}

func checkBenchLive(clients []int, rounds int, seconds float64) error {
	for _, n := range clients {
		if n < 1 || n > maxBenchClients {
			return usagef("--clients has %d, want 1 to %d", n, maxBenchClients)
		}
	}
	if rounds < 1 || rounds > maxBenchRounds {
		return usagef("--rounds is %d, want 1 to %d", rounds, maxBenchRounds)
	}
	if !(seconds >= 0.1 && seconds <= 3600) {
		return usagef("--seconds is %v, want 0.1 to 3600", seconds)
	}
	return nil
}

// benchSubjects says how to start the processes: this program with the same flags, and Colyseus.
func benchSubjects(cmd *cobra.Command, task, colyseus string, hz int) ([]fanout.Subject, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	path := append([]string{self}, strings.Fields(cmd.CommandPath())[1:]...)
	server := append([]string{}, path...)
	for _, name := range []string{"config", "task", "set"} {
		f := cmd.Flags().Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(interface{ GetSlice() []string }); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			server = append(server, "--"+name+"="+v)
		}
	}
	subjects := []fanout.Subject{{Name: task, Server: append(server, "--part=server"), Clients: append(path, "clients")}}
	if colyseus == "" {
		return subjects, nil
	}
	if _, err := os.Stat(colyseus + "/node_modules"); err != nil {
		return nil, asUsage(fmt.Errorf("--colyseus: %w; run npm install in %s", err, colyseus))
	}
	if hz < 1 || hz > 1000 {
		return nil, usagef("--colyseus-rate is %d, want 1 to 1000", hz)
	}
	return append(subjects, fanout.Subject{
		Name: "Colyseus", Folder: colyseus, Server: []string{"node", "server.js", fmt.Sprint(hz), "13"}, Clients: []string{"node", "clients.js"},
	}), nil
}

func printFanout(w io.Writer, results []fanout.Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ms, p50 / p95 / p99\tclients\tsync\tack\tseen\tjoin\tB a tick\tmissed\t")
	quantiles := func(x fanout.Times) string {
		if x.N == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f / %.2f / %.2f", x.P50, x.P95, x.P99)
	}
	for _, r := range results {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%.0f\t%.2f %%\t\n", r.Subject, r.Clients, quantiles(r.Sync), quantiles(r.Ack), quantiles(r.Seen), quantiles(r.Join), r.BytesPerTick, 100*r.Missed)
	}
	return t.Flush()
}
