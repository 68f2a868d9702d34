package checkup

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/physics"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// What is worth a warning.
const (
	fastJoint   = 100.0            // rad/s or m/s
	deepContact = 0.01             // m of overlap at the start
	mostlyFull  = 0.5              // share of the steps in which an actuator is at its limit
	soon        = 0.2              // s: an episode that random actions end so early teaches little
	longBeat    = 10 * time.Second // between two instants at which two runners meet
	coarse      = 1.5              // physics steps longer than those of the model's file
	tooStiff    = 1.0              // rad that an oscillation advances in a physics step
	uneven      = 1000.0           // ratio of the sizes of observed values
	huge        = 1e4              // an observed value
)

// warning appends a warning.
func (r *Report) warning(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// warn fills in the warnings.
func (r *Report) warn(cfg *configs.Config, e *env.Env, t *trial) {
	r.Warnings = append(r.Warnings, e.Warnings()...)
	r.warnOfMotion(t)
	r.warnOfStart(t)
	r.warnOfForces(t)
	r.warnOfSteps(cfg, e, t)
	r.warnOfMeetings(cfg, e)
	r.warnOfSensors(cfg)
	if s := r.Trial.Rest.FirstEndS; s == 0 || s > 2.5*t.control { // else nothing had time to change
		r.warnOfRewards()
		r.warnOfObservations(cfg)
	}
}

// warnOfMotion finds faults, speeds out of proportion and falls.
func (r *Report) warnOfMotion(t *trial) {
	n := r.Trial.Rest.Faults + r.Trial.Random.Faults
	switch {
	case n > 0 && t.kind == physics.FaultTask:
		r.warning("fault: %d episodes in %d worlds ended because a value was not finite (%s); see the formula and the weight of the entry", n, worlds, t.fault)
	case n > 0:
		r.warning("unstable: physics failed %d times in %d worlds (%s); shorter physics steps, less stiffness or more armature help", n, worlds, t.fault)
	}
	worst, at := 0.0, -1
	for i, v := range t.fastest {
		if v > fastJoint && v > worst {
			worst, at = v, i
		}
	}
	if at >= 0 {
		r.warning("unstable: %s moves at up to %.3g rad/s or m/s; shorter physics steps, less stiffness or more armature help", t.freedom(at), worst)
	}
	if s := r.Trial.Rest.FirstEndS; s > 0 {
		r.warning("falls: with actions of 0 an episode ends after %.2g s; see start, terminations and the gains of the actuators", s)
	}
	if s := r.Trial.Random.FirstEndS; s > 0 && s < soon && r.Trial.Rest.FirstEndS == 0 {
		r.warning("falls: with random actions an episode ends after %.2g s; a smaller scale of the actions helps to learn", s)
	}
}

// freedom returns the name of a joint by one of its degrees of freedom.
func (t *trial) freedom(i int) string {
	for _, j := range t.d.Joints {
		if i >= j.VelocityAt && i < j.VelocityAt+j.VelocitySize {
			return "joint " + j.Ref
		}
	}
	return fmt.Sprintf("degree of freedom %d", i)
}

// warnOfStart finds overlaps at the start.
func (r *Report) warnOfStart(t *trial) {
	deepest := map[[2]int]float64{}
	for _, c := range t.contacts {
		if c.Distance < -deepContact {
			pair := c.Geoms
			slices.Sort(pair[:])
			deepest[pair] = min(deepest[pair], c.Distance)
		}
	}
	if len(deepest) == 0 {
		return
	}
	worst, pair := 0.0, [2]int{}
	for p, d := range deepest {
		if d < worst || d == worst && slices.Compare(p[:], pair[:]) < 0 {
			worst, pair = d, p
		}
	}
	more := ""
	if n := len(deepest) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	r.warning("contact at the start: %s and %s overlap by %.2g m%s; see start", t.geom(pair[0]), t.geom(pair[1]), -worst, more)
}

// geom returns the name of a geom and its body.
func (t *trial) geom(id int) string {
	if id < 0 || id >= len(t.d.Geoms) {
		return "something"
	}
	g := t.d.Geoms[id]
	return fmt.Sprintf("geom %s of body %s", g.Ref, t.d.Bodies[g.Body].Ref)
}

// warnOfForces finds actuators that are at their limits.
func (r *Report) warnOfForces(t *trial) {
	for _, c := range []struct {
		of   *saturation
		when string
		help string
	}{
		{&t.still, "with actions of 0", "the effort does not hold the start pose"},
		{&t.moving, "with random actions", "a smaller scale of the action, a smaller kp or a larger effort helps"},
	} {
		var names []string
		share := 0.0
		for i, n := range c.of.full {
			if s := float64(n) / float64(max(c.of.steps, 1)); s > mostlyFull {
				names = append(names, t.d.Actuators[i].Ref)
				share = max(share, s)
			}
		}
		if len(names) > 0 {
			r.warning("saturated: %s at the limit of its force in %.0f %% of the steps %s; %s", some(names, "actuator"), 100*share, c.when, c.help)
			return
		}
	}
}

// some names a few of many things.
func some(names []string, thing string) string {
	switch n := len(names); {
	case n == 1:
		return thing + " " + names[0] + " is"
	case n <= 4:
		return thing + "s " + strings.Join(names, ", ") + " are"
	default:
		return fmt.Sprintf("%ss %s and %d more are", thing, strings.Join(names[:3], ", "), n-3)
	}
}

// warnOfSteps finds physics steps that are too long for the model.
func (r *Report) warnOfSteps(cfg *configs.Config, e *env.Env, t *trial) {
	if t.model == nil {
		return
	}
	step, own := t.d.Timestep, t.d.FileTimestep
	if own > 0 && step > coarse*own {
		want := int(math.Ceil(e.Plan().ControlRate().Seconds()/own - 1e-9))
		r.warning("timestep: physics steps take %.3g ms, those of the model's file %.3g ms; bindings.physics.substeps: %d gives these", 1000*step, 1000*own, want)
	}
	if !cfg.Described() {
		return
	}
	var stiff []string
	worst := 0.0
	for _, a := range t.d.Actuators {
		if a.KP <= 0 || a.Transmission != "joint" || a.Target < 0 {
			continue
		}
		j := t.d.Joints[a.Target]
		if advance := step * math.Sqrt(a.KP*a.Gear*a.Gear/max(j.Inertia, 1e-12)); advance > tooStiff {
			stiff = append(stiff, a.Ref)
			worst = max(worst, advance)
		}
	}
	if stiff != nil {
		r.warning("timestep: %s too stiff for physics steps of %.3g ms: an oscillation advances by up to %.2g rad in one, want at most %g; more substeps, a smaller kp or an armature helps",
			some(stiff, "actuator"), 1000*step, worst, tooStiff)
	}
}

// warnOfMeetings finds pairs of runners that seldom or never meet, and channels that are
// faster than physics.
func (r *Report) warnOfMeetings(cfg *configs.Config, e *env.Env) {
	all := e.Plan().Runners()
	for i, a := range all {
		for _, b := range all[i+1:] {
			pair, err := runners.Compile([]runners.Runner{a, b}, nil)
			if err != nil {
				continue
			}
			if s, _ := pair.BeatPeriod().Float64(); s > longBeat.Seconds() {
				r.warning("runners: %s at %s Hz and %s at %s Hz meet only every %.4g s", a.Name, a.Rate, b.Name, b.Rate, s)
			}
		}
	}
	substep := e.Plan().SubstepRate()
	for _, c := range cfg.Sensors {
		for _, run := range all {
			if c.Enabled && run.Name == c.Runner && run.Rate.Seconds() < substep.Seconds()*(1-1e-9) {
				r.warning("sensors.%s: runner %s at %s Hz is faster than physics at %s Hz, so that samples repeat", c.Name, run.Name, run.Rate, substep)
			}
		}
	}
}

// warnOfSensors finds channels that nothing reads.
func (r *Report) warnOfSensors(cfg *configs.Config) {
	if !cfg.Described() {
		return
	}
	for _, c := range cfg.Sensors {
		recorded := cfg.Recording.Enabled && (len(cfg.Recording.Channels) == 0 || slices.Contains(cfg.Recording.Channels, c.Name))
		if c.Enabled && !recorded && !r.reads(c.Name) {
			r.warning("sensors.%s: nothing reads it: no observation, no expression and no dataset", c.Name)
		}
	}
}

// reads reports whether an entry reads a channel: by its parameter channel or in its
// expression, as sensor.NAME or sensor["NAME"].
func (r *Report) reads(channel string) bool {
	name := regexp.QuoteMeta(channel)
	inExpr := regexp.MustCompile(`\bsensor\s*(\.\s*` + name + `(\W|$)|\[\s*["'` + "`]" + name + `["'` + "`]" + `\s*\])`)
	return slices.ContainsFunc(r.Terms, func(t Term) bool {
		return t.Given["channel"] == channel || inExpr.MatchString(t.Expr)
	})
}

// seldom lists rewards that are 0 unless something particular happens.
var seldom = []string{"is_terminated", "joint_pos_limits", "undesired_contacts", "feet_air_time"}

// warnOfRewards finds rewards that are always 0.
func (r *Report) warnOfRewards() {
	for _, v := range r.Trial.Rewards {
		i := slices.IndexFunc(r.Terms, func(t Term) bool { return t.Section == "rewards" && t.Name == v.Name })
		if v.Low != 0 || v.High != 0 || i < 0 || slices.Contains(seldom, r.Terms[i].Term) {
			continue
		}
		if r.staged(v.Name) { // the trial stands at the first step
			continue
		}
		if w := r.Terms[i].Weight; w != nil && *w == 0 {
			r.warning("rewards.%s: its weight is 0", v.Name)
			continue
		}
		r.warning("rewards.%s: always 0", v.Name)
	}
}

// staged reports whether a curriculum sets the weight of a reward.
func (r *Report) staged(reward string) bool {
	return slices.ContainsFunc(r.Terms, func(t Term) bool {
		return t.Section == "curriculum" && t.Term == "reward_weight" && t.Given["reward"] == reward
	})
}

// warnOfObservations finds observed values that are constant, huge, or of very different
// size.
func (r *Report) warnOfObservations(cfg *configs.Config) {
	var constant []string
	least, most := Values{RMS: math.Inf(1)}, Values{}
	for i, v := range r.Trial.Observed {
		if v.Low == v.High && r.commands(v.Name) {
			continue
		}
		if v.Low == v.High {
			constant = append(constant, fmt.Sprintf("%s (%.3g)", v.Name, v.Low))
			continue
		}
		if i >= r.Groups[0].Size {
			continue
		}
		if v.RMS < least.RMS {
			least = v
		}
		if v.RMS > most.RMS {
			most = v
		}
	}
	if constant != nil {
		r.warning("observations: always the same: %s", list(constant))
	}
	switch {
	case most.RMS > huge:
		r.warning("observations: %s is as large as %.3g; a scale or a clip helps", most.Name, math.Max(-most.Low, most.High))
	case most.RMS > uneven*least.RMS && !cfg.Training.NormaliseObservations:
		r.warning("observations: %s (%.2g) and %s (%.2g) are of very different size; a scale, or training.normalise_observations, helps", most.Name, most.RMS, least.Name, least.RMS)
	}
}

// commands reports whether an observed value is part of a command, some values of which are
// meant to be constant.
func (r *Report) commands(name string) bool {
	return slices.ContainsFunc(r.Terms, func(t Term) bool {
		return t.Section == "commands" && strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], t.Name+"_")
	})
}

// list names a few of many things.
func list(names []string) string {
	if n := len(names); n > 6 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:5], ", "), n-5)
	}
	return strings.Join(names, ", ")
}
