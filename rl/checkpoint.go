package rl

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
)

// Checkpoint is everything a learner knows between two iterations: networks,
// optimiser, normalisers, counters and settings, but not where the worlds stand.
//
// In a file, all numbers little-endian:
//
//	magic    8 bytes, "PRHLEARN"
//	version  uint32, 1 or 2
//	length   uint64, of the payload
//	payload  uint32 length of the header, the header as JSON, then the arrays
//	crc      uint32, CRC-32C of all before
//
// The arrays follow each other without padding: the parameters and Adam's two means
// (float32 each, policy before value network, in each layer weights inputs × outputs then
// biases, before the first layer those of a GRU, after the policy's layers the log standard deviations), then, float64,
// mean and m2 of the observations, mean and m2 of the discounted return, and the
// lower and upper action bounds.
//
// Version 2 is written only where the header has a field that version 1 has not, so
// that a program which reads version 1 alone refuses it by its version.
type Checkpoint struct {
	Header

	params      []float32
	adamFirst   []float32
	adamSecond  []float32
	observation moments
	returns     moments
	low, high   []float64
}

// Header is the part of a checkpoint that is a number or a text.
type Header struct {
	Settings     Settings
	Seed         uint64
	Observation  int     // values per observation
	Action       int     // values per action
	Choices      int     `json:",omitempty"` // of an action that is one of them; 0: continuous
	PolicyReads  Span    `json:",omitzero"`  // columns that the policy reads; zero: all
	CriticReads  Span    `json:",omitzero"`  // likewise the value network
	Iteration    int64   // iterations done
	ControlSteps int64   // of every world
	EnvSteps     int64   // over all worlds
	LearningRate float64 // of the last gradient step
	AdamSteps    int64

	ObservationCount float64 // vectors behind the moments
	ReturnCount      float64

	User string // what the caller of PPO.Checkpoint gave: the configuration, say
}

const (
	checkpointMagic   = "PRHLEARN"
	checkpointVersion = 2 // the newest
	checkpointPrefix  = len(checkpointMagic) + 4 + 8
	maxPayload        = 1 << 32 // bytes; a larger length is damage
	maxVector         = 1 << 20 // observation or action values
)

// Checkpoint writes the learner's state to w. user, in UTF-8, is kept as it is
// for Header.User. The bytes depend on nothing but the state and user.
func (p *PPO) Checkpoint(w io.Writer, user string) error {
	if !utf8.ValidString(user) {
		return errors.New("rl: writing a checkpoint: the user text is not UTF-8")
	}
	c := Checkpoint{
		Header: Header{
			Settings: p.settings, Seed: p.seed,
			Observation: p.shape.Observation, Action: p.shape.Action,
			Choices:     p.shape.Choices,
			PolicyReads: p.shape.Policy.brief(p.shape.Observation),
			CriticReads: p.shape.Critic.brief(p.shape.Observation),
			Iteration:   p.iteration, ControlSteps: p.controlSteps, EnvSteps: p.envSteps,
			LearningRate: p.learningRate, AdamSteps: p.adam.steps,
			ObservationCount: p.observations.count, ReturnCount: p.returns.count,
			User: user,
		},
		params: p.params, adamFirst: p.adam.first, adamSecond: p.adam.second,
		observation: p.observations, returns: p.returns,
		low: p.shape.ActionLow, high: p.shape.ActionHigh,
	}
	payload, err := c.encode()
	if err != nil {
		return fmt.Errorf("rl: writing a checkpoint: %w", err)
	}
	_, err = w.Write(seal(payload, c.version()))
	return err
}

// arrays lists the arrays in the order of the file.
func (c *Checkpoint) arrays() (singles [][]float32, doubles [][]float64) {
	return [][]float32{c.params, c.adamFirst, c.adamSecond},
		[][]float64{c.observation.mean, c.observation.m2, c.returns.mean, c.returns.m2, c.low, c.high}
}

func (c *Checkpoint) encode() ([]byte, error) {
	header, err := json.Marshal(c.Header)
	if err != nil {
		return nil, err
	}
	payload := binary.LittleEndian.AppendUint32(nil, uint32(len(header)))
	payload = append(payload, header...)
	singles, doubles := c.arrays()
	for _, a := range singles {
		payload = appendSingles(payload, a)
	}
	for _, a := range doubles {
		payload = appendDoubles(payload, a...)
	}
	return payload, nil
}

// version is the oldest version of the format that has the header's fields.
func (h *Header) version() uint32 {
	if h.PolicyReads != (Span{}) || h.CriticReads != (Span{}) || h.Choices != 0 || !h.Settings.plain() {
		return 2
	}
	return 1
}

// seal puts a payload between prefix and checksum.
func seal(payload []byte, version uint32) []byte {
	file := append([]byte(nil), checkpointMagic...)
	file = binary.LittleEndian.AppendUint32(file, version)
	file = binary.LittleEndian.AppendUint64(file, uint64(len(payload)))
	file = append(file, payload...)
	return binary.LittleEndian.AppendUint32(file, crc32.Checksum(file, crc32.MakeTable(crc32.Castagnoli)))
}

// ReadCheckpoint reads one checkpoint. A file that is something else, damaged,
// cut short or longer than it says is refused with the reason. Memory
// grows with what r delivers, not with what the file claims.
func ReadCheckpoint(r io.Reader) (*Checkpoint, error) {
	c, err := readCheckpoint(r)
	if err != nil {
		return nil, fmt.Errorf("rl: reading a checkpoint: %w", err)
	}
	return c, nil
}

func readCheckpoint(r io.Reader) (*Checkpoint, error) {
	var file bytes.Buffer
	if _, err := io.CopyN(&file, r, int64(checkpointPrefix)); err != nil {
		return nil, cutShort(err, file.Len(), checkpointPrefix)
	}
	prefix := file.Bytes()
	if magic := string(prefix[:len(checkpointMagic)]); magic != checkpointMagic {
		return nil, fmt.Errorf("it begins with %q, want %q", magic, checkpointMagic)
	}
	prefix = prefix[len(checkpointMagic):]
	version := binary.LittleEndian.Uint32(prefix)
	if version < 1 || version > checkpointVersion {
		return nil, fmt.Errorf("its version is %d, want 1 to %d", version, checkpointVersion)
	}
	length := binary.LittleEndian.Uint64(prefix[4:])
	if length > maxPayload {
		return nil, fmt.Errorf("damaged: its length is %d bytes, want at most %d", length, maxPayload)
	}
	want := checkpointPrefix + int(length) + 4
	if _, err := io.CopyN(&file, r, int64(length)+4); err != nil {
		return nil, cutShort(err, file.Len(), want)
	}
	if n, err := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return nil, fmt.Errorf("damaged: bytes follow its end at %d", want)
	} else if err != io.EOF {
		return nil, err
	}
	body, sum := file.Bytes()[:want-4], file.Bytes()[want-4:]
	if got, want := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)), binary.LittleEndian.Uint32(sum); got != want {
		return nil, fmt.Errorf("damaged: its checksum is %08x, want %08x", got, want)
	}
	c, err := decode(body[checkpointPrefix:])
	if err == nil && c.version() != version {
		return nil, fmt.Errorf("damaged: its version is %d, its header is of version %d", version, c.version())
	}
	return c, err
}

// cutShort explains a read that ended early.
func cutShort(err error, got, want int) error {
	if err == io.EOF {
		return fmt.Errorf("cut short: %d bytes, want %d", got, want)
	}
	return err
}

// decode is the inverse of encode. It checks everything in payload.
func decode(payload []byte) (*Checkpoint, error) {
	if len(payload) < 4 {
		return nil, fmt.Errorf("damaged: a payload of %d bytes, want at least 4", len(payload))
	}
	size := binary.LittleEndian.Uint32(payload)
	payload = payload[4:]
	if uint64(size) > uint64(len(payload)) {
		return nil, fmt.Errorf("damaged: a header of %d bytes, want at most %d", size, len(payload))
	}
	c := new(Checkpoint)
	header := json.NewDecoder(bytes.NewReader(payload[:size]))
	header.DisallowUnknownFields()
	if err := header.Decode(&c.Header); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}
	if header.More() {
		return nil, errors.New("damaged header: more follows it")
	}
	payload = payload[size:]
	if err := c.Header.validate(); err != nil {
		return nil, fmt.Errorf("damaged header: %w", err)
	}

	params := c.Header.parameters()
	if want := 3*4*params + 8*2*(c.Observation+1+c.Action); len(payload) != want {
		return nil, fmt.Errorf("damaged: arrays of %d bytes, want %d", len(payload), want)
	}
	c.params, c.adamFirst, c.adamSecond = make([]float32, params), make([]float32, params), make([]float32, params)
	c.observation, c.returns = newMoments(c.Observation), newMoments(1)
	c.observation.count, c.returns.count = c.ObservationCount, c.ReturnCount
	c.low, c.high = make([]float64, c.Action), make([]float64, c.Action)
	singles, doubles := c.arrays()
	for _, a := range singles {
		for i := range a {
			a[i] = math.Float32frombits(binary.LittleEndian.Uint32(payload))
			if a[i]-a[i] != 0 {
				return nil, fmt.Errorf("damaged: a parameter is %g, want a finite number", a[i])
			}
			payload = payload[4:]
		}
	}
	for _, a := range doubles {
		for i := range a {
			a[i] = math.Float64frombits(binary.LittleEndian.Uint64(payload))
			payload = payload[8:]
		}
	}
	for _, a := range doubles[:4] {
		for _, v := range a {
			if v-v != 0 {
				return nil, fmt.Errorf("damaged: a moment is %g, want a finite number", v)
			}
		}
	}
	for _, v := range append(c.observation.m2, c.returns.m2...) {
		if v < 0 {
			return nil, fmt.Errorf("damaged: a sum of squares is %g, want at least 0", v)
		}
	}
	return c, c.shape().validate()
}

// validate names the first number that no learner can have written.
func (h *Header) validate() error {
	if err := h.Settings.Validate(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	for _, size := range []int{h.Observation, h.Action} {
		if size < 1 || size > maxVector {
			return fmt.Errorf("%d observed and %d action values, want 1 to %d", h.Observation, h.Action, maxVector)
		}
	}
	if err := validSpans(h.PolicyReads, h.CriticReads, h.Observation); err != nil {
		return err
	}
	if err := validChoices(h.Choices, h.Action); err != nil {
		return err
	}
	if h.Iteration < 0 || h.ControlSteps < 0 || h.EnvSteps < 0 || h.AdamSteps < 0 {
		return fmt.Errorf("counters %d, %d, %d and %d, want none below 0",
			h.Iteration, h.ControlSteps, h.EnvSteps, h.AdamSteps)
	}
	if !(h.LearningRate >= 0 && h.LearningRate <= 1) {
		return fmt.Errorf("learning rate %g, want 0 to 1", h.LearningRate)
	}
	if !(h.ObservationCount >= 0) || !(h.ReturnCount >= 0) {
		return fmt.Errorf("moments of %g and %g vectors, want at least 0", h.ObservationCount, h.ReturnCount)
	}
	return nil
}

// parameters is the number of parameters of both networks.
func (h *Header) parameters() int {
	s := Shape{Observation: h.Observation, Action: h.Action, Choices: h.Choices, Policy: h.PolicyReads, Critic: h.CriticReads}
	return policySize(s, &h.Settings) + valueNet(s, &h.Settings).parameters()
}

// shape is the smallest environment the checkpoint fits.
func (c *Checkpoint) shape() Shape {
	return Shape{
		Worlds: 1, Blocks: 1, BlockSize: 1, Workers: 1,
		Observation: c.Observation, Action: c.Action, ActionLow: c.low, ActionHigh: c.high,
		Choices: c.Choices, Policy: c.PolicyReads, Critic: c.CriticReads,
	}
}

// Policy returns the policy alone, ready to act.
func (c *Checkpoint) Policy() *Policy {
	oneThread()
	p := newPolicy(slices.Clone(c.params), c.shape(), &c.Settings)
	if c.Settings.NormaliseObservations {
		p.standardise.set(c.observation)
	}
	return p
}

// CheckResume returns an error, which begins with the setting's key, unless learning can
// go on from the checkpoint with other settings. Settings that shaped the networks
// must stay the same.
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
	policy, critic := s.layers()
	wasPolicy, wasCritic := was.layers()
	same("hidden", s.Hidden, was.Hidden, "the networks have their shape")
	same("policy_hidden", policy, wasPolicy, "the policy has its shape")
	same("critic_hidden", critic, wasCritic, "the value network has its shape")
	same("activation", cmp.Or(s.Activation, Tanh), cmp.Or(was.Activation, Tanh), "the networks were trained with it")
	same("state_dependent_std", s.StateStd, was.StateStd, "the policy has its shape")
	same("recurrent", s.Recurrent, was.Recurrent, "the networks have their shape")
	same("initial_std", s.InitialStd, was.InitialStd, "it only sets the first policy's")
	same("normalise_observations", s.NormaliseObservations, was.NormaliseObservations, "the networks were trained on such observations")
	same("scale_rewards", s.ScaleRewards, was.ScaleRewards, "the value network was trained on such rewards")
	if s.TotalSteps <= c.EnvSteps {
		check.Fail("steps is %d, want more than the %d that the checkpoint has taken", s.TotalSteps, c.EnvSteps)
	}
	return check.Err()
}

// Resume continues learning from a checkpoint, with fresh episodes: env may
// stand anywhere. It may have another number of worlds than before, but the same
// observations and actions. The settings and the seed may differ from the checkpoint's
// as far as [Checkpoint.CheckResume] allows. The learning rate goes on from the
// checkpoint's, but begins anew at Settings.LearningRate where that or the schedule is
// another one.
func Resume(env Env, c *Checkpoint, settings Settings, seed uint64) (*PPO, error) {
	if err := c.checkShape(env.Shape()); err != nil {
		return nil, err
	}
	if err := c.CheckResume(settings); err != nil {
		return nil, fmt.Errorf("rl: resume: %w", err)
	}
	return c.learner(env, settings, seed)
}

// checkShape returns an error unless the checkpoint fits an environment.
func (c *Checkpoint) checkShape(shape Shape) error {
	if shape.Observation != c.Observation || shape.Action != c.Action ||
		!slices.Equal(shape.ActionLow, c.low) || !slices.Equal(shape.ActionHigh, c.high) {
		return fmt.Errorf(
			"rl: environment has %d observed values and action bounds %g to %g, the checkpoint wants %d and %g to %g",
			shape.Observation, shape.ActionLow, shape.ActionHigh, c.Observation, c.low, c.high)
	}
	if shape.Choices != c.Choices {
		return fmt.Errorf("rl: environment has %d choices, the checkpoint wants %d", shape.Choices, c.Choices)
	}
	for _, reads := range []struct {
		who      string
		is, want Span
	}{{"policy", shape.Policy, c.PolicyReads}, {"value network", shape.Critic, c.CriticReads}} {
		is, want := reads.is.within(c.Observation), reads.want.within(c.Observation)
		if is != want {
			return fmt.Errorf("rl: environment shows the %s %d values from %d, the checkpoint wants %d from %d",
				reads.who, is.Size, is.First, want.Size, want.First)
		}
	}
	return nil
}

// learner returns a learner that knows what the checkpoint holds.
func (c *Checkpoint) learner(env Env, settings Settings, seed uint64) (*PPO, error) {
	if err := c.checkShape(env.Shape()); err != nil {
		return nil, err
	}
	p, err := newPPO(env, settings, seed)
	if err != nil {
		return nil, err
	}
	copy(p.params, c.params)
	p.adam = adam{c.AdamSteps, slices.Clone(c.adamFirst), slices.Clone(c.adamSecond)}
	p.observations, p.returns = c.observation.clone(), c.returns.clone()
	p.iteration, p.controlSteps, p.envSteps = c.Iteration, c.ControlSteps, c.EnvSteps
	if settings.LearningRate == c.Settings.LearningRate && settings.Schedule == c.Settings.Schedule {
		p.learningRate = c.LearningRate
	}
	p.boundStd()
	if settings.NormaliseObservations {
		p.policy.standardise.set(p.observations)
	}
	return p, nil
}
