package env

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/sim"
)

// outcomes notes what became of each episode, by its number.
type outcomes struct {
	sync.Mutex
	seen map[int64]string
}

func (*outcomes) Rewarded(*sim.World, float64) {}

func (o *outcomes) Ended(_ *sim.World, e sim.Episode) {
	if !e.Complete {
		return
	}
	o.Lock()
	defer o.Unlock()
	o.seen[e.Number] = fmt.Sprintf("%d steps, end %s, return %x, final %x, infos %x", e.Steps, e.End, math.Float64bits(e.Return),
		e.FinalObservation, e.InfoSum)
}

// runEpisodes runs a described task until all its episodes are over, under actions that depend on what is observed.
func runEpisodes(t *testing.T, opt OpenOptions, seed uint64, worlds int) map[int64]string {
	t.Helper()
	c := describedConfig(t)
	c.Seed, c.Worlds = seed, worlds
	o := &outcomes{seen: map[int64]string{}}
	opt.Observers = []sim.Observer{o}
	e := open(t, c, opt)
	size := e.Sim().Spec().ObservationSize
	for e.Active() {
		polytest.NoError(t, e.Each(func(w *sim.Worker, b *sim.Block) error {
			n := len(b.Actions()) / b.Len()
			for i := range b.Len() {
				for k := range n {
					b.Actions()[i*n+k] = float32(math.Sin(float64(3*k) + 5*b.Observations()[i*size+k]))
				}
			}
			return b.Step(w)
		}))
	}
	return o.seen
}

// An independent episode is the first of a run of one world with its seed, for any number of worlds and workers and whatever
// the first number is: with draws of startup, a curriculum, commands, noise and delays.
func TestIndependentEpisodes(t *testing.T) {
	const seed, episodes = 11, 9
	want := map[int64]string{}
	for i := range int64(episodes) {
		one := runEpisodes(t, OpenOptions{Workers: 1, Episodes: 1, StepOffset: 30}, sim.EpisodeSeed(seed, i), 1)
		want[i] = one[0]
	}
	if len(want) != episodes || want[0] == want[1] {
		t.Fatalf("the episodes are %v, want %d different ones", want, episodes)
	}
	for _, c := range []struct{ worlds, workers, first int }{{1, 1, 0}, {4, 1, 0}, {9, 2, 0}, {4, 2, 3}, {20, 1, 0}} {
		got := runEpisodes(t, OpenOptions{Workers: c.workers, Episodes: episodes, StepOffset: 30, Independent: true,
			FirstEpisode: int64(c.first)}, seed, c.worlds)
		polytest.Equal(t, len(got), episodes-c.first, "episodes of %+v", c)
		for i := int64(c.first); i < episodes; i++ {
			polytest.Equal(t, got[i], want[i], "episode %d of %+v", i, c)
		}
	}
}

// The end of an episode is the rule of the task that ended it.
func TestEndsOfEpisodes(t *testing.T) {
	c := describedConfig(t, "{name: low, expr: \"base_height < 0.1\"}", "{name: late, expr: \"time > 0.3\"}\n"+
		"  - {name: later, expr: \"time > 0.3\", truncate: true}")
	c.Worlds = 4
	e := open(t, c, OpenOptions{Episodes: 8})
	spec := e.Sim().Spec()
	polytest.EqualSlices(t, spec.Ends(), []string{"bad_orientation", "late", "later", "illegal_contact", sim.EndTerminated,
		sim.EndTimeLimit, sim.EndFault}, "ends")
	ends := &endNames{}
	e = open(t, c, OpenOptions{Episodes: 8, Observers: []sim.Observer{ends}})
	for e.Active() {
		polytest.NoError(t, e.Step())
	}
	if !slices.Contains(ends.list, "late") || slices.Contains(ends.list, "later") {
		t.Errorf("the ends are %q, want late, which terminates, and not later, which truncates at the same time", ends.list)
	}
}

type endNames struct {
	sync.Mutex
	list []string
}

func (*endNames) Rewarded(*sim.World, float64) {}

func (n *endNames) Ended(_ *sim.World, e sim.Episode) {
	n.Lock()
	defer n.Unlock()
	n.list = append(n.list, e.End)
}

// What would not say how the seeds of episodes came about is refused.
func TestIndependentEpisodesAreNotRecorded(t *testing.T) {
	c := describedConfig(t)
	refused(t, c, OpenOptions{Independent: true, Dataset: filepath.Join(t.TempDir(), "dataset")}, "Independent and a Dataset")
}
