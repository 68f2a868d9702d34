package rl

import (
	"context"
	"fmt"

	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Cloner learns by [AlgorithmClone] from what was recorded. An iteration takes as many rows as the worlds have steps in
// a rollout, in an order that is drawn anew when all were taken; for a policy with a memory, each world takes those of
// one episode after the other. No world is stepped. Not safe for concurrent use; inside, it works on Shape.Workers
// goroutines.
type Cloner struct{ *rolloutLearner }

// clone defines the algorithm.
func clone() algorithm {
	return algorithm{name: AlgorithmClone, offline: true, imitates: true,
		check: checkRollouts, parameters: rolloutParameters,
		rows: func(r Rows, s Settings, seed uint64) (trainable, error) { return newCloner(r.Of, r.Recorded, s, seed) },
	}
}

// newCloner leaves the parameters zero.
func newCloner(shape Shape, rows Recorded, settings Settings, seed uint64) (*Cloner, error) {
	p, err := newRolloutLearner(shape, settings, AlgorithmClone, seed, imitationLoss,
		func(a agent) (rollouts, error) { return newRecording(a, rows) })
	if err != nil {
		return nil, err
	}
	p.scalesRewards = false // nobody was rewarded
	return &Cloner{p}, nil
}

// newRecording makes the rollouts of an agent from rows.
func newRecording(a agent, rows Recorded) (*recording, error) {
	if err := someRows(rows); err != nil {
		return nil, err
	}
	episodes, known := rows.(RecordedEpisodes)
	for _, need := range []struct {
		wanted bool
		what   string
	}{{a.settings.Recurrent > 0, "a policy with a memory"}, {a.settings.chunk() > 1, "chunks of actions"}} {
		if need.wanted && !known {
			return nil, fmt.Errorf("rl: the episodes of what was recorded are not known, want them for %s", need.what)
		}
	}
	r := &recording{Recorded: rows, collector: newCollector(nil, a), epoch: -1, shuffle: nn.NewStream(),
		order: make([]int32, rows.Len()), observation: make([]float64, a.shape.Observation)}
	if a.settings.chunk() > 1 {
		r.readChunks(episodes, a.shape.Action)
	}
	if a.settings.Recurrent > 0 {
		r.play(episodes.Episodes())
	}
	return r, nil
}

// readChunks reads what followed each row. After an episode's last action it is repeated, as Diffusion Policy does
// (Chi et al. 2023).
func (r *recording) readChunks(recorded RecordedEpisodes, size int) {
	r.acted, r.next = make([]float32, recorded.Len()*size), make([]int32, recorded.Len())
	for _, rows := range recorded.Episodes() {
		for i, row := range rows {
			r.next[row] = rows[min(i+1, len(rows)-1)]
			r.Row(int(row), r.observation, nn.RowOf(r.acted, size, int(row)))
		}
	}
}

// chunk writes what was observed in a row, and the action and those that followed.
func (r *recording) chunk(row int, observation []float64, actions []float32) {
	if r.next == nil {
		r.Row(row, observation, actions)
		return
	}
	size := len(r.acted) / len(r.next)
	r.Row(row, observation, actions[:size])
	for current := row; len(actions) > size; {
		actions, current = actions[size:], int(r.next[current])
		copy(actions[:size], nn.RowOf(r.acted, size, current))
	}
}

// recording makes rollouts of rows: it has the order in which they are taken.
type recording struct {
	Recorded
	collector   *RolloutCollector
	epoch       int64 // of order; −1: none yet
	order       []int32
	shuffle     nn.Stream
	observation []float64 // working memory
	players     []*player // by block, of a policy with a memory

	// With chunks of actions:
	acted []float32 // of each row
	next  []int32   // the row after it in its episode, of the last one itself
}

// row is the k-th row that is taken, counted from 0 through all epochs.
func (r *recording) row(seed uint64, k int64) int {
	n := int64(len(r.order))
	if epoch := k / n; epoch != r.epoch {
		r.epoch = epoch
		r.draw(r.order, seed, epoch, 0)
	}
	return int(r.order[k%n])
}

// draw makes order a random order of the numbers from 0 on, that of an epoch; stream is 0 for rows, or world + 1.
func (r *recording) draw(order []int32, seed uint64, epoch, stream int64) {
	r.shuffle.Key(seed, nn.DrawRecorded, epoch, stream)
	for i := range order {
		order[i] = int32(i)
	}
	for i := len(order) - 1; i > 0; i-- {
		j := r.shuffle.Int32N(int32(i + 1))
		order[i], order[j] = order[j], order[i]
	}
}

// gather implements [rollouts], as if the worlds had done what was recorded.
func (r *recording) gather(ctx context.Context, o *Weights) ([]*RolloutPart, error) {
	c := r.collector
	if err := c.beginPart(o); err != nil {
		return nil, err
	}
	collect := r.takeRows
	if c.settings.Recurrent > 0 {
		collect = r.playEpisodes
	}
	if err := collect(ctx, o.Step); err != nil {
		return nil, err
	}
	return []*RolloutPart{&c.part}, nil
}

// setStates implements [rollouts].
func (r *recording) setStates(s states) { r.collector.setStates(s) }

// takeRows makes a part of the rows that are next after so many control steps.
func (r *recording) takeRows(ctx context.Context, step int64) error {
	c := r.collector
	size, first := c.shape.Observation, step*int64(c.shape.Worlds)
	for i := range c.samples() {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.chunk(r.row(c.seed, first+int64(i)), r.observation, nn.RowOf(c.part.action, c.acts(), i))
		row := nn.RowOf(c.part.observation, size, i)
		if err := standardiseRows(c.policy.standardise, row, r.observation, i%c.shape.Worlds); err != nil {
			return err
		}
		if c.seen != nil {
			c.seen[i%c.shape.Worlds].AddObserved(r.observation, c.shape.Pictures)
		}
	}
	return nil
}

// play makes players of all worlds, which teach what was done.
func (r *recording) play(episodes [][]int32) {
	c := r.collector
	for first := 0; first < c.shape.Worlds; first += c.shape.BlockSize {
		r.players = append(r.players, newPlayer(c, r, episodes, len(r.players), c.shape.First+first,
			min(c.shape.BlockSize, c.shape.Worlds-first)))
	}
	c.teacher = r
}

// playEpisodes makes a part of worlds that play what was recorded, from a control step on, so that the states of the
// policy are those of one that saw the episodes up to there.
func (r *recording) playEpisodes(ctx context.Context, step int64) error {
	c := r.collector
	for _, b := range r.players {
		b.seek(step)
		if err := c.collect(ctx, 0, b); err != nil {
			return err
		}
	}
	clear(c.part.finished) // nobody was rewarded
	return nil
}

// Teach implements [Teacher] for the blocks that play.
func (r *recording) Teach(_ int, b Block, dst []float32) error {
	player := r.players[b.Index()]
	player.show() // the learner has written what it would have done
	copy(dst, player.action)
	return nil
}

// player is a block of worlds that play recorded episodes one after the other, each world in an order of its own, which
// is drawn anew when it has played all. It never says what the rewards were.
type player struct {
	recording    *recording
	seed         uint64
	index, first int
	episodes     [][]int32
	rows         int64 // of all episodes
	worlds       []playing

	observation, reward, returns []float64
	action                       []float32
	terminated, never            []bool
	lengths                      []int64
}

// playing is where a world stands.
type playing struct {
	epoch   int64
	order   []int32 // of the episodes
	episode int     // place in order
	row     int     // of the episode
}

func newPlayer(c *RolloutCollector, recorded *recording, episodes [][]int32, index, first, worlds int) *player {
	b := &player{recording: recorded, seed: c.seed, index: index, first: first, episodes: episodes,
		worlds: make([]playing, worlds), observation: make([]float64, worlds*c.shape.Observation),
		reward: make([]float64, worlds), returns: make([]float64, worlds),
		action:     make([]float32, worlds*c.shape.Action),
		terminated: make([]bool, worlds), never: make([]bool, worlds), lengths: make([]int64, worlds)}
	for _, rows := range b.episodes {
		b.rows += int64(len(rows))
	}
	for i := range b.worlds {
		b.worlds[i].order = make([]int32, len(b.episodes))
	}
	return b
}

// seek goes to a control step, counted from the beginning of the learning.
func (b *player) seek(step int64) {
	for i := range b.worlds {
		w := &b.worlds[i]
		b.beginEpoch(i, step/b.rows)
		w.row = int(step % b.rows)
		for w.row >= len(b.rowsOf(w)) {
			w.row -= len(b.rowsOf(w))
			w.episode++
		}
	}
	b.show()
}

func (b *player) beginEpoch(i int, epoch int64) {
	w := &b.worlds[i]
	w.epoch, w.episode, w.row = epoch, 0, 0
	b.recording.draw(w.order, b.seed, epoch, int64(b.first+i)+1)
}

func (b *player) rowsOf(w *playing) []int32 { return b.episodes[w.order[w.episode]] }

// show reads what the worlds observe, and what was done then.
func (b *player) show() {
	for i := range b.worlds {
		w, n := &b.worlds[i], len(b.worlds)
		observation, action := nn.RowOf(b.observation, len(b.observation)/n, i), nn.RowOf(b.action, len(b.action)/n, i)
		b.recording.Row(int(b.rowsOf(w)[w.row]), observation, action)
	}
}

// Step implements [Block].
func (b *player) Step() error {
	for i := range b.worlds {
		w := &b.worlds[i]
		w.row++
		if b.terminated[i] = w.row == len(b.rowsOf(w)); !b.terminated[i] {
			continue
		}
		if w.episode, w.row = w.episode+1, 0; w.episode == len(b.episodes) {
			b.beginEpoch(i, w.epoch+1)
		}
	}
	b.show()
	return nil
}

func (b *player) Index() int                   { return b.index }
func (b *player) First() int                   { return b.first }
func (b *player) Len() int                     { return len(b.worlds) }
func (b *player) Observations() []float64      { return b.observation }
func (b *player) Actions() []float32           { return b.action }
func (b *player) Rewards() []float64           { return b.reward }
func (b *player) Terminations() []bool         { return b.terminated }
func (b *player) Truncations() []bool          { return b.never }
func (b *player) Faults() []bool               { return b.never }
func (b *player) FinalObservations() []float64 { return b.observation }
func (b *player) EpisodeReturns() []float64    { return b.returns }
func (b *player) EpisodeLengths() []int64      { return b.lengths }
