package rl

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/container"
	"github.com/polyrhythm-rl/polyrhythm/rl/nn"
)

// Checkpoint is everything a learner knows between two iterations: networks,
// optimiser, normalisers, counters and settings, but not where the worlds stand.
//
// In a file, see package container, the section header is a JSON text, and arrays has one array after the other: the
// parameters and Adam's two means (float32 each, policy before value network, in each layer weights inputs × outputs
// then biases, before the first layer those of convolutions and of a GRU, after the policy's layers the log standard
// deviations; of SAC the policy's, the critics' and the log temperature), of SAC the critics' targets (float32), then,
// float64, mean and m2 of the observations (of a picture one for each channel), mean and m2 of the discounted return,
// and the lower and upper action
// bounds.
type Checkpoint struct {
	CheckpointHeader

	params      []float32
	targets     []float32 // of SAC
	adamFirst   []float32
	adamSecond  []float32
	observation nn.Moments
	returns     nn.Moments
	low, high   []float64
}

// CheckpointHeader is the part of a checkpoint that is a number or a text.
type CheckpointHeader struct {
	Settings    Settings
	Seed        uint64
	Observation int         // values per observation
	Action      int         // values per action
	Choices     int         `json:",omitempty"` // of an action that is one of them; 0: continuous
	PolicyReads ColumnRange `json:",omitzero"`  // columns that the policy reads; zero: all
	CriticReads ColumnRange `json:",omitzero"`  // likewise the value network
	// parts of an observation that convolutions read
	Pictures     []Picture `json:",omitempty"`
	Iteration    int64     // iterations done
	ControlSteps int64     // of every world
	EnvSteps     int64     // over all worlds
	LearningRate float64   // of the last gradient step
	AdamSteps    int64     // of SAC those of its critics
	PolicySteps  int64     `json:",omitempty"` // of SAC: of its policy and its temperature
	ReplayFrom   int64     `json:",omitempty"` // of SAC: control steps before its replay's first; 0 unless resumed

	ObservationCount float64 // vectors behind the moments
	ReturnCount      float64

	User string // what the caller of PPO.Checkpoint gave: the configuration, say
}

var checkpointKind = container.Format{Name: "learner", Version: 3, Sections: []string{"header", "arrays"}}

// headerOf begins a header.
func headerOf(shape Shape, settings Settings, seed uint64) CheckpointHeader {
	return CheckpointHeader{
		Settings: settings, Seed: seed, Observation: shape.Observation, Action: shape.Action, Choices: shape.Choices,
		PolicyReads: shape.Policy.Brief(shape.Observation), CriticReads: shape.Critic.Brief(shape.Observation),
		Pictures: shape.Pictures,
	}
}

func (c *Checkpoint) write(w io.Writer, user string) error {
	if !utf8.ValidString(user) {
		return errors.New("rl: writing a checkpoint: the user text is not UTF-8")
	}
	c.User, c.ObservationCount = user, c.observation.Count
	file, err := c.encode()
	if err != nil {
		return fmt.Errorf("rl: writing a checkpoint: %w", err)
	}
	_, err = w.Write(file)
	return err
}

// arrays lists the arrays in the order of the file.
func (c *Checkpoint) arrays() []any {
	return []any{c.params, c.adamFirst, c.adamSecond, c.targets,
		c.observation.Mean, c.observation.M2, c.returns.Mean, c.returns.M2, c.low, c.high}
}

func (c *Checkpoint) encode() ([]byte, error) {
	header, err := json.Marshal(c.CheckpointHeader)
	if err != nil {
		return nil, err
	}
	var arrays []byte
	for _, a := range c.arrays() {
		arrays = appendFixed(arrays, a)
	}
	return checkpointKind.Encode(header, arrays), nil
}

// ReadCheckpoint reads one checkpoint. A file that is something else, damaged, cut short or longer than it says is
// refused with the reason. Memory grows with what r delivers, not with what the file claims.
func ReadCheckpoint(r io.Reader) (*Checkpoint, error) {
	sections, err := checkpointKind.Read(r)
	var c *Checkpoint
	if err == nil {
		c, err = decode(sections[0], sections[1])
	}
	if err != nil {
		return nil, fmt.Errorf("rl: reading a checkpoint: %w", err)
	}
	return c, nil
}

// decode is the inverse of encode. It checks everything in the sections.
func decode(text, arrays []byte) (*Checkpoint, error) {
	c := new(Checkpoint)
	header := json.NewDecoder(bytes.NewReader(text))
	header.DisallowUnknownFields()
	if err := header.Decode(&c.CheckpointHeader); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	if header.More() {
		return nil, errors.New("damaged header: more follows it")
	}
	if err := c.CheckpointHeader.validate(); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}

	shape := c.shape()
	params, targets := c.Settings.Algorithm.definition().parameters(shape, &c.Settings)
	if want := 4*(3*params+targets) + 8*2*(shape.moments()+1+c.Action); len(arrays) != want {
		return nil, fmt.Errorf("damaged: arrays of %d bytes, want %d", len(arrays), want)
	}
	c.params, c.adamFirst, c.adamSecond = make([]float32, params), make([]float32, params), make([]float32, params)
	c.targets = make([]float32, targets)
	c.observation, c.returns = nn.NewMoments(shape.moments()), nn.NewMoments(1)
	c.observation.Count, c.returns.Count = c.ObservationCount, c.ReturnCount
	c.low, c.high = make([]float64, c.Action), make([]float64, c.Action)
	for _, a := range c.arrays() {
		n, err := binary.Decode(arrays, binary.LittleEndian, a)
		if err != nil {
			return nil, err
		}
		arrays = arrays[n:]
	}
	numbers := slices.Concat(c.params, c.adamFirst, c.adamSecond, c.targets)
	if i := slices.IndexFunc(numbers, notFinite); i >= 0 {
		return nil, fmt.Errorf("damaged: a parameter is %g, want a finite number", numbers[i])
	}
	moments := slices.Concat(c.observation.Mean, c.observation.M2, c.returns.Mean, c.returns.M2)
	if i := slices.IndexFunc(moments, notFinite); i >= 0 {
		return nil, fmt.Errorf("damaged: a moment is %g, want a finite number", moments[i])
	}
	if least := min(slices.Min(c.observation.M2), c.returns.M2[0]); least < 0 {
		return nil, fmt.Errorf("damaged: a sum of squares is %g, want at least 0", least)
	}
	return c, c.shape().validateBounds()
}

// validate names the first number that no learner can have written.
func (h *CheckpointHeader) validate() error {
	if err := h.Settings.Validate(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	shape := (&Checkpoint{CheckpointHeader: *h}).shape()
	if err := shape.validateSizes(); err != nil {
		return err
	}
	// Off-policy, convolutions that nothing is read by are those of nobody.
	blind := h.Settings.Algorithm.definition().replays && len(h.Pictures) == 0
	if err := h.Settings.checkConvolutions(shape); err != nil && !blind {
		return fmt.Errorf("settings: %w", err)
	}
	if len(h.Pictures) > 0 && len(h.Settings.Convolutions) == 0 {
		return fmt.Errorf("%d pictures, want none without convolutions", len(h.Pictures))
	}
	if least := min(h.AdamSteps, h.PolicySteps, h.ReplayFrom); min(h.Iteration, h.ControlSteps, h.EnvSteps, least) < 0 {
		return fmt.Errorf("counters %d, %d, %d and %d, want none below 0", h.Iteration, h.ControlSteps,
			h.EnvSteps, least)
	}
	if !(h.LearningRate >= 0 && h.LearningRate <= 1) {
		return fmt.Errorf("learning rate %g, want 0 to 1", h.LearningRate)
	}
	if !(h.ObservationCount >= 0) || !(h.ReturnCount >= 0) {
		return fmt.Errorf("moments of %g and %g vectors, want at least 0", h.ObservationCount, h.ReturnCount)
	}
	return nil
}

// shape is the smallest environment the checkpoint fits.
func (c *Checkpoint) shape() Shape {
	return Shape{
		Worlds: 1, Blocks: 1, BlockSize: 1, Workers: 1,
		Observation: c.Observation, Action: c.Action, ActionLow: c.low, ActionHigh: c.high,
		Choices: c.Choices, Policy: c.PolicyReads, Critic: c.CriticReads, Pictures: c.Pictures,
	}
}

// Policy returns the policy alone, ready to act.
func (c *Checkpoint) Policy() *Policy {
	nn.OneThread()
	p := newPolicy(slices.Clone(c.params), c.shape(), &c.Settings)
	if c.Settings.NormaliseObservations {
		p.standardise.Set(c.observation, c.Pictures)
	}
	return p
}

// CheckResume returns an error, which begins with the setting's key, unless learning can go on from the checkpoint
// with other settings. Settings that shaped the networks must stay the same.
func (c *Checkpoint) CheckResume(s Settings) error {
	if err := s.Validate(); err != nil {
		return err
	}
	var check bounds.Check
	same := func(key string, got, want any, why string) {
		if got, want := fmt.Sprint(got), fmt.Sprint(want); got != want {
			check.Fail("%s is %s, want %s as in the checkpoint: %s", key, got, want, why)
		}
	}
	was := c.Settings
	is, before := s.Algorithm.definition(), was.Algorithm.definition()
	if !before.imitates || is.name != AlgorithmPPO { // what has learnt goes on
		same("algorithm", is.name, before.name, "it learns on")
	}
	if is.replays {
		is, was := s.SAC.filled(), was.SAC.filled()
		same("sac.hidden", is.Hidden, was.Hidden, "the policy has its shape")
		same("sac.critic_hidden", is.CriticHidden, was.CriticHidden, "the critics have its shape")
		same("sac.activation", is.Activation, was.Activation, "the networks were trained with it")
		same("sac.layer_norm", is.LayerNorm, was.LayerNorm, "the critics have its shape")
		same("sac.critics", is.Critics, was.Critics, "they were trained together")
		same("sac.quantiles", is.Quantiles, was.Quantiles, "the critics have its shape")
	}
	policy, critic := s.layers()
	wasPolicy, wasCritic := was.layers()
	same("hidden", s.Hidden, was.Hidden, "the networks have their shape")
	same("policy_hidden", policy, wasPolicy, "the policy has its shape")
	same("critic_hidden", critic, wasCritic, "the value network has its shape")
	same("activation", cmp.Or(s.Activation, Tanh), cmp.Or(was.Activation, Tanh), "the networks were trained with it")
	same("state_dependent_std", s.StateStd, was.StateStd, "the policy has its shape")
	same("recurrent", s.Recurrent, was.Recurrent, "the networks have their shape")
	same("chunk_size", s.chunk(), was.chunk(), "the policy has its shape")
	same("convolutions", s.stepped(), was.stepped(), "the networks have their shape")
	same("initial_std", s.InitialStd, was.InitialStd, "it only sets the first policy's")
	same("normalise_observations", s.NormaliseObservations, was.NormaliseObservations,
		"the networks were trained on such observations")
	same("scale_rewards", s.ScaleRewards, was.ScaleRewards, "the value network was trained on such rewards")
	if _, taken := c.Taken(s); s.TotalSteps <= taken {
		check.Fail("steps is %d, want more than the %d that the checkpoint has taken", s.TotalSteps, taken)
	}
	return check.Err()
}

// Taken is the number of control steps of every world, and of environment steps, that a learner by other settings goes
// on counting from: none after a clone, whose steps are rows, unless it goes on as one.
func (c *Checkpoint) Taken(s Settings) (controlSteps, envSteps int64) {
	if c.Settings.Algorithm.Offline() && !s.Algorithm.Offline() {
		return 0, 0
	}
	return c.ControlSteps, c.EnvSteps
}

// checkShape returns an error unless the checkpoint fits an environment.
func (c *Checkpoint) checkShape(shape Shape) error {
	if shape.Observation != c.Observation || shape.Action != c.Action ||
		!slices.Equal(shape.ActionLow, c.low) || !slices.Equal(shape.ActionHigh, c.high) {
		return fmt.Errorf(
			"rl: environment has %d observed values and action bounds %g to %g, the checkpoint wants %d and %g to %g",
			shape.Observation, shape.ActionLow, shape.ActionHigh, c.Observation, c.low, c.high)
	}
	if len(c.Pictures) > 0 && !slices.Equal(shape.Pictures, c.Pictures) {
		return fmt.Errorf("rl: environment has the pictures %v, the checkpoint wants %v", shape.Pictures, c.Pictures)
	}
	if shape.Choices != c.Choices {
		return fmt.Errorf("rl: environment has %d choices, the checkpoint wants %d", shape.Choices, c.Choices)
	}
	for _, reads := range []struct {
		who      string
		is, want ColumnRange
	}{{"policy", shape.Policy, c.PolicyReads}, {"value network", shape.Critic, c.CriticReads}} {
		is, want := reads.is.Within(c.Observation), reads.want.Within(c.Observation)
		if is != want {
			return fmt.Errorf("rl: environment shows the %s %d values from %d, the checkpoint wants %d from %d",
				reads.who, is.Size, is.First, want.Size, want.First)
		}
	}
	return nil
}

func notFinite[V float32 | float64](v V) bool { return v-v != 0 }
