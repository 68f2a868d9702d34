package sim_test

import (
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// Snapshots of slices make that of the whole run, and it can be cut into them again.
func TestSnapshotsOfSlices(t *testing.T) {
	open := func(slice sim.Slice) *sim.Sim {
		return newSetup(t, func(s *setup) { s.Worlds, s.BlockSize, s.Slice = 11, 2, slice })
	}
	taken := func(slice sim.Slice) *sim.Snapshot {
		run := open(slice)
		polytest.NoError(t, steps(run, 0, 9))
		return run.Snapshot()
	}
	all := []sim.Slice{{To: 2}, {From: 2, To: 8}, {From: 8, To: 11}}
	whole := taken(sim.Slice{})
	var parts []*sim.Snapshot
	for _, slice := range all {
		part := taken(slice)
		cut := polytest.Must(whole.Cut(slice))(t)
		polytest.EqualSlices(t, cut.Encode(), part.Encode(),
			"the snapshot of the worlds %v differs from that cut from the whole", slice)
		if got, err := part.Slice(); err != nil || got != slice {
			t.Errorf("worlds %v (%v), want %v", got, err, slice)
		}
		restore(t, open(slice), filed(t, cut))
		parts = append(parts, part)
	}
	joined := polytest.Must(sim.JoinSnapshots(parts))(t)
	polytest.EqualSlices(t, joined.Encode(), whole.Encode(), "the joined snapshot differs from that of the whole run")
	if got, err := whole.Cut(sim.Slice{To: 11}); err != nil || got != whole {
		t.Errorf("all worlds cut from all: %v", err)
	}
	for want, wrong := range map[string][]*sim.Snapshot{
		"no snapshots":              nil,
		"want one that begins with": {parts[0], parts[2]},
		"want those of the whole":   parts[:2],
		"begins with world 2":       {parts[0], parts[0]},
		"the snapshot does not fit:": {parts[0], newSetup(t, func(s *setup) {
			s.Worlds, s.BlockSize, s.Slice, s.Seed = 11, 2, all[1], 99
		}).Snapshot()},
	} {
		polytest.ErrorContains(t, polytest.Err(sim.JoinSnapshots(wrong)), want)
	}
	for _, slice := range []sim.Slice{{From: 3, To: 3}, {From: -1, To: 2}, {From: 8, To: 12}} {
		if _, err := whole.Cut(slice); err == nil {
			t.Errorf("the worlds %v were cut from 11", slice)
		}
	}
	if _, err := parts[1].Cut(sim.Slice{From: 2, To: 4}); err == nil {
		t.Error("a slice was cut from a slice")
	}
}
