package training

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/runlog"
	"github.com/polyrhythm-rl/polyrhythm/recorder"
	"github.com/polyrhythm-rl/polyrhythm/runners"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// SliceRollout is a [Rollout] of a slice in segments. Between two of them it gives a
// snapshot, from which another process goes on where this one is lost: the dataset gets the
// same bytes. One goroutine may use it.
type SliceRollout struct {
	config *configs.Config
	opt    RolloutOptions
	env    *env.Env
	folder *Folder
	act    actor
	memory memory
	header runlog.Header
	ended  []int64  // episodes, by block
	before Recorded // by other processes
	failed error    // after which the worlds stand anywhere
}

// rollStanding is where a SliceRollout stands. In bytes it is framed as a [Point], with the
// magic "prslice": a JSON text, the states of a recurrent policy (float32) and a snapshot of
// the worlds.
type rollStanding struct {
	Run      runlog.Header      `json:"run"`
	Recorded Recorded           `json:"recorded"`
	Dataset  *recorder.Position `json:"dataset"`
	Steps    []int64            `json:"steps,omitempty"`   // of a script
	Samples  [][]byte           `json:"samples,omitempty"` // of random actions

	states []float32
	worlds *sim.Snapshot
}

const (
	rollMagic   = "prslice\x00"
	rollVersion = 1
)

// OpenSliceRollout opens the worlds of a slice at a snapshot of an earlier SliceRollout with
// the same options, whose dataset must be in opt.Folder: what that one recorded after the
// snapshot is removed. An empty snapshot is the beginning, and removes all; nil is that too,
// for a new or empty folder. A log, a trace and a wall clock are refused. Close the result
// when done.
func OpenSliceRollout(ctx context.Context, config *configs.Config, opt RolloutOptions, snapshot []byte) (_ *SliceRollout, err error) {
	c := *config
	switch {
	case opt.Slice.IsAll():
		return nil, usagef("no slice given, want one, such as 0:%d for all worlds", c.Worlds)
	case opt.LogEvery != 0 || opt.TraceFile != "":
		return nil, usagef("a rollout in segments has no log and no trace, want none")
	}
	if err := wantMode(c.Time.Mode, "a rollout in segments follows no wall clock", runners.SimHighPerformance); err != nil {
		return nil, err
	}
	worlds, err := opt.worlds(ctx, &c)
	if err != nil {
		return nil, err
	}
	r := &SliceRollout{config: &c, opt: opt}
	log := logging{kind: kindRollout, policy: opt.Policy.kind, driver: opt.Policy.path}
	if r.header, _, err = log.header(&c, worlds); err != nil {
		return nil, err
	}
	at, err := readRollStanding(snapshot)
	if err != nil {
		return nil, err
	}
	if at != nil {
		if at.Run.From != opt.Slice.From || at.Run.To != opt.Slice.To {
			return nil, usagef("the snapshot is of the slice %v, want %v", env.SliceOf(at.Run), opt.Slice)
		}
		if text := foreign(at.Run, r.header, false); text != "" {
			return nil, usagef("the snapshot is of another run: %s", text)
		}
		r.before, r.memory = at.Recorded, memory{Steps: at.Steps, States: at.states}
		worlds.Continue = &env.Position{Worlds: at.worlds, Dataset: at.Dataset, Samples: at.Samples}
	}
	if r.folder, err = takeDataset(ctx, opt.Folder, snapshot, opt.Wait); err != nil {
		return nil, err
	}
	if err := r.open(worlds); err != nil {
		return nil, errors.Join(err, r.close(false))
	}
	return r, nil
}

func (r *SliceRollout) open(worlds env.OpenOptions) (err error) {
	if r.env, err = env.Open(r.config, worlds); err != nil {
		return err
	}
	r.ended = make([]int64, len(r.env.Sim().Blocks()))
	r.act, err = r.opt.Policy.actorWith(r.env, r.config, &r.memory)
	return err
}

// Next records a segment, and reports whether the slice is done. After an error the rollout
// is only to be closed.
func (r *SliceRollout) Next(ctx context.Context) (done bool, err error) {
	if r.failed != nil {
		return false, r.failed
	}
	if r.env.Active() {
		steps := r.env.SegmentSteps(driveSegment)
		r.failed = r.env.Each(func(w *sim.Worker, b *sim.Block) error {
			for range steps {
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := r.act(w, b); err != nil {
					return err
				}
				if err := b.Step(w); err != nil {
					return err
				}
				r.ended[b.Index()] += episodesEnded(b)
			}
			return nil
		})
	}
	return !r.env.Active(), r.failed
}

// Recorded counts the episodes so far.
func (r *SliceRollout) Recorded() Recorded {
	sum := r.before
	for _, n := range r.ended {
		sum.Episodes += n
	}
	sum.Faults = r.env.Sim().Faults() // a restored world knows its own
	return sum
}

// Snapshot returns where the rollout stands after at least one segment, and how many segments
// the slice then has. The same segment of the same slice has the same bytes. It forces the
// dataset to the disk, unless recording.sync is none.
func (r *SliceRollout) Snapshot() (snapshot []byte, segments int64, err error) {
	if r.failed != nil {
		return nil, 0, r.failed
	}
	at, err := r.env.Position()
	if err != nil {
		return nil, 0, err
	}
	var worlds bytes.Buffer
	if _, err := at.Worlds.WriteTo(&worlds); err != nil {
		return nil, 0, err
	}
	state := rollStanding{Run: r.header, Recorded: r.Recorded(), Dataset: at.Dataset, Steps: r.memory.Steps, Samples: at.Samples}
	text, err := json.Marshal(&state)
	if err != nil {
		return nil, 0, err
	}
	return frame(rollMagic, rollVersion, text, appendSingles(nil, r.memory.States), worlds.Bytes()), at.Dataset.Segments, nil
}

// readRollStanding reads the result of Snapshot; nil if there are no bytes.
func readRollStanding(data []byte) (*rollStanding, error) {
	if len(data) == 0 {
		return nil, nil
	}
	at := &rollStanding{}
	parts, err := unframe(data, rollMagic, rollVersion)
	if err == nil {
		err = json.Unmarshal(parts[0], at)
	}
	if err == nil {
		at.states = readSingles(parts[1])
		at.worlds, err = sim.ReadSnapshot(bytes.NewReader(parts[2]))
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot of a slice: %w", err)
	}
	return at, nil
}

// Close completes the dataset and, if the slice is done, says so for [Merge]. Further calls
// do nothing.
func (r *SliceRollout) Close() error {
	if r.folder == nil {
		return nil
	}
	return r.close(r.failed == nil && !r.env.Active())
}

func (r *SliceRollout) close(done bool) error {
	defer func() {
		r.folder.Close()
		r.folder = nil
	}()
	if r.env == nil {
		return nil
	}
	recorded := r.Recorded()
	if err := r.env.Close(); err != nil || !done {
		return err
	}
	r.header.Model = r.env.ModelDigest()
	return writeSlice(r.opt.Folder, r.header, recorded)
}
