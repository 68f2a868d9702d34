package fanout

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"
)

// Subject is what is measured: how to start its processes. A server writes a line with its
// address, and its report when its input ends; the process of the clients gets the address,
// the number of clients and the seconds as its last arguments.
type Subject struct {
	Name            string
	Server, Clients []string // programs with arguments
	Folder          string   // in which they run; "": the current one
	Stuck           int      // further clients that join and never read; the number is another argument if it is not 0
}

// Settings say how long to measure.
type Settings struct {
	Clients []int
	Rounds  int           // of each subject and number of clients; they take turns
	Round   time.Duration // of which the first quarter warms up
}

// Times are quantiles in ms.
type Times struct {
	P50, P95, P99 float64
	N             int
}

// Result is that of a subject with a number of clients.
type Result struct {
	Subject      string
	Clients      int
	Sync         Times // from a decision point to its frame, decoded by a client
	Ack          Times // from an intent to its number
	Seen         Times // from an intent to the frame with it, decoded by another client
	Join         Times // from a connection to its first frame, decoded; N is 0 for a peer
	BytesPerTick float64
	Missed       float64 // share of the frames that clients did not get
}

// samples are those of one result.
type samples struct {
	sync, ack, seen []int64
	join            []int64
	bytes, ticks    int64
	missed, want    int64
}

// Measure measures subjects in turns. progress, if not nil, gets the share that is done.
func Measure(ctx context.Context, subjects []Subject, set Settings, progress func(share float64)) ([]Result, error) {
	all := make([]samples, len(subjects)*len(set.Clients))
	done, total := 0, len(all)*set.Rounds
	for range set.Rounds {
		for k, clients := range set.Clients {
			for i := range subjects {
				if err := all[k*len(subjects)+i].round(ctx, &subjects[i], clients, set.Round); err != nil {
					return nil, fmt.Errorf("%s with %d clients: %w", subjects[i].Name, clients, err)
				}
				if done++; progress != nil {
					progress(float64(done) / float64(total))
				}
			}
		}
	}
	var results []Result
	for k, clients := range set.Clients {
		for i := range subjects {
			s := &all[k*len(subjects)+i]
			results = append(results, Result{
				Subject: subjects[i].Name, Clients: clients, Sync: times(s.sync), Ack: times(s.ack), Seen: times(s.seen), Join: times(s.join),
				BytesPerTick: float64(s.bytes) / float64(max(1, s.ticks)), Missed: float64(s.missed) / float64(max(1, s.want)),
			})
		}
	}
	return results, nil
}

// times returns the quantiles of samples in ns.
func times(ns []int64) Times {
	if len(ns) == 0 {
		return Times{}
	}
	slices.Sort(ns)
	at := func(q float64) float64 { return float64(ns[int(q*float64(len(ns)-1))]) / 1e6 }
	return Times{at(0.5), at(0.95), at(0.99), len(ns)}
}

// round starts a server and its clients, and adds what they report.
func (s *samples) round(ctx context.Context, subject *Subject, clients int, d time.Duration) error {
	server := command(ctx, subject.Folder, subject.Server)
	in, err := server.StdinPipe()
	if err != nil {
		return err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer server.Wait()
	defer in.Close()
	lines := json.NewDecoder(bufio.NewReader(out))
	var at listening
	if err := lines.Decode(&at); err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	args := append(slices.Clone(subject.Clients), at.Address, strconv.Itoa(clients), fmt.Sprint(d.Seconds()))
	if subject.Stuck > 0 {
		args = append(args, strconv.Itoa(subject.Stuck))
	}
	asked := command(ctx, subject.Folder, args)
	answer, err := asked.Output()
	if err != nil {
		return fmt.Errorf("the clients: %w", err)
	}
	var r read
	if err := json.Unmarshal(answer, &r); err != nil {
		return fmt.Errorf("the clients: %w", err)
	}
	in.Close()
	var p served
	if err := lines.Decode(&p); err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	return s.add(p, r, d)
}

func command(ctx context.Context, folder string, args []string) *exec.Cmd {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.Dir, c.Stderr = folder, os.Stderr
	return c
}

// add adds a round, without the frames before all clients had joined and had a quarter of
// the round to warm up.
func (s *samples) add(p served, r read, d time.Duration) error {
	published := map[int64]int64{}
	for _, f := range p.Published {
		published[f[0]] = f[1]
	}
	from := int64(0)
	for _, frames := range r.Frames {
		if len(frames) == 0 {
			return errors.New("a client got no frame")
		}
		from = max(from, frames[0][1])
	}
	from += int64(d) / 4
	for _, frames := range r.Frames {
		first, last, n := int64(0), int64(0), int64(0)
		for _, f := range frames {
			begun, ok := published[f[0]]
			if !ok || begun < from {
				continue
			}
			if n == 0 {
				first = f[0]
			}
			last, n = f[0], n+1
			s.sync = append(s.sync, f[1]-begun)
		}
		if n > 0 {
			s.want, s.missed = s.want+last-first+1, s.missed+last-first+1-n
		}
	}
	s.ack, s.seen, s.join = append(s.ack, r.Acks...), append(s.seen, r.Seen...), append(s.join, r.Joins...)
	s.bytes, s.ticks = s.bytes+r.Bytes, s.ticks+r.Ticks
	return nil
}
