package scene

import "github.com/polyrhythm-rl/polyrhythm/internal/bounds"

// Physics replaces physics options of the first model. What is not given stays as in the file.
type Physics struct {
	// Cone is the shape of the friction cone: "pyramidal" is the faster, "elliptic" the more exact.
	Cone string `yaml:"cone,omitempty"`

	// Impratio is the ratio of frictional to normal constraint impedance, for elliptic
	// cones; a large one prevents slip and takes more iterations.
	Impratio float64 `yaml:"impratio,omitempty"`

	// Integrator is "euler", "rk4", "implicit" or "implicitfast".
	Integrator string `yaml:"integrator,omitempty"`

	// Solver of constraints: "newton", "cg" or "pgs".
	Solver string `yaml:"solver,omitempty"`

	// Iterations and LineSearch bound the iterations of the solver and of the line search in each of them.
	Iterations int `yaml:"iterations,omitempty"`
	LineSearch int `yaml:"ls_iterations,omitempty"`

	// Gravity is the acceleration in m/s²; nil is that of the file.
	Gravity *[3]float64 `yaml:"gravity,omitempty"`
}

// The values of the options, in the order of MuJoCo's enumerations.
var (
	Cones       = []string{"pyramidal", "elliptic"}
	Integrators = []string{"euler", "rk4", "implicit", "implicitfast"}
	Solvers     = []string{"pgs", "cg", "newton"}
)

const maxIterations = 10_000

func (p Physics) validate() error {
	var c bounds.Check
	for _, choice := range []struct {
		key, value string
		known      []string
	}{{"cone", p.Cone, Cones}, {"integrator", p.Integrator, Integrators}, {"solver", p.Solver, Solvers}} {
		if choice.value != "" {
			c.OneOf(choice.key, choice.value, choice.known...)
		}
	}
	if p.Impratio != 0 {
		c.Above("impratio", p.Impratio, 0, 1e6)
	}
	c.Whole("iterations", int64(p.Iterations), 0, maxIterations)
	c.Whole("ls_iterations", int64(p.LineSearch), 0, maxIterations)
	if p.Gravity != nil {
		for i, axis := range []string{"gravity[0]", "gravity[1]", "gravity[2]"} {
			c.Number(axis, p.Gravity[i], -1e4, 1e4)
		}
	}
	return c.Err()
}
