package sim

import (
	"github.com/polyrhythm-rl/polyrhythm/internal/random"
	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// logState logs the state of the block's worlds at their decision points, if it is due.
func (b *Block) logState() {
	if b.log == nil || !b.log.Due(b.n) {
		return
	}
	stepped := b.walking // ascending
	for i := range b.worlds {
		acted := len(stepped) > 0 && int(stepped[0]) == i
		if acted {
			stepped = stepped[1:]
		}
		b.worlds[i].hash(&b.states[i], acted)
	}
	b.log.State(b.n, b.first, b.states)
}

// hash hashes what a snapshot of the world holds, part by part. acted says whether the world took the last step; the
// action of one that stood still decides nothing. What is hashed is part of the log's format: a log made before a
// change here reads as a run that diverged at its first step.
func (w *World) hash(dst *runlog.State, acted bool) {
	b, i := w.block, w.id
	h := &b.digest

	h.Start()
	if acted {
		h.Floats32(b.actionOf(i))
	}
	dst[runlog.Action] = h.Sum()

	h.Start()
	h.Int(w.now.NS)
	h.Int(w.now.Newest)
	h.Int(int64(w.version))
	h.Int(w.anchored)
	h.Int(int64(w.state))
	h.Int(w.episode)
	h.Int(w.start)
	h.Int(w.steps)
	h.Int(w.stepNS)
	h.Int(w.latched)
	dst[runlog.Clock] = h.Sum()

	dst[runlog.Random], _ = random.Mix(w.root.Seed, w.root.World, w.root.Episode)

	h.Start()
	w.ReadState().CopyTo(b.row)
	h.Floats(b.row)
	h.Floats(w.Derived())
	h.Floats(w.Parameters())
	h.Int(b.rows.Boundary[i])
	h.Int(int64(w.fault))
	inForce, _, _ := w.Action()
	h.Floats32(inForce)
	h.Int(w.act.ns)
	h.Bool(w.act.ok)
	dst[runlog.Physics] = h.Sum()

	h.Start()
	b.bank.Hash(h, i)
	dst[runlog.Sensors] = h.Sum()

	h.Start()
	h.Floats(w.Memory())
	observation, _, _ := w.Observation()
	h.Floats(observation)
	h.Int(w.observe.ns)
	h.Bool(w.observe.ok)
	h.Float(w.ret)
	h.Float(b.reward[i])
	h.Bool(b.terminated[i])
	h.Bool(b.truncated[i])
	h.Bool(b.fault[i])
	h.Floats(w.Info())
	h.Floats(b.infoSum(i))
	h.Floats(part(b.finalInfo, i, 1, len(w.Info())))
	h.Int(w.faults)
	dst[runlog.Task] = h.Sum()
}
