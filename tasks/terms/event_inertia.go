package terms

import (
	"cmp"
	"math"
	"slices"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/tasks/internal/rotation"
)

// inertiaChange is the drawing of pseudo_inertia.
type inertiaChange struct {
	// Alpha is the range of half the logarithm of the factor of mass and inertia.
	Alpha *Range `yaml:"alpha_range"`
	// D is the range of the logarithms of the stretches along all three axes, in place of D1, D2 and D3.
	D *Range `yaml:"d_range"`
	// D1 is the range of the logarithm of the stretch along x.
	D1 *Range `yaml:"d1_range"`
	// D2 is that along y.
	D2 *Range `yaml:"d2_range"`
	// D3 is that along z.
	D3 *Range `yaml:"d3_range"`
	// S12 is the range of the shear of x by y.
	S12 *Range `yaml:"s12_range"`
	// S13 is that of x by z.
	S13 *Range `yaml:"s13_range"`
	// S23 is that of y by z.
	S23 *Range `yaml:"s23_range"`
	// T is the range of the shifts along all three axes, m, in place of T1, T2 and T3.
	T *Range `yaml:"t_range"`
	// T1 is the range of the shift of the mass along x, m.
	T1 *Range `yaml:"t1_range"`
	// T2 is that along y, m.
	T2 *Range `yaml:"t2_range"`
	// T3 is that along z, m.
	T3 *Range `yaml:"t3_range"`
}

// ranges returns the ranges in the order of draws: alpha, stretches, shears, shifts.
func (p *inertiaChange) ranges() []*Range {
	return []*Range{p.Alpha, cmp.Or(p.D, p.D1), cmp.Or(p.D, p.D2), cmp.Or(p.D, p.D3), p.S12, p.S13, p.S23,
		cmp.Or(p.T, p.T1), cmp.Or(p.T, p.T2), cmp.Or(p.T, p.T3)}
}

func (p *inertiaChange) check(*bounds.Check, *field) {}

// target changes more than mass and inertia only where a range but the first is given, here or in an entry before.
func (p *inertiaChange) target(b *Binder, _ *field, o object) target {
	ranges := p.ranges()
	t := target{ranges: ranges, distribution: uniformDraw, kept: b.keep("inertia of "+o.name, len(ranges))}
	_, whole := b.constant["body_iquat/"+o.name]
	whole = whole && t.kept != nil || slices.ContainsFunc(ranges[1:], func(r *Range) bool { return r != nil && *r != Range{} })
	if whole {
		b.needMovable(o)
	}
	mass, inertia := b.mass(o), b.constants("body_inertia", o, 3)
	if !whole {
		t.write = func(parameters, draws []float64) {
			factor := math.Exp(2 * draws[0])
			parameters[mass.index] = mass.nominal * factor
			for _, c := range inertia {
				parameters[c.index] = c.nominal * factor
			}
		}
		return t
	}
	ipos, iquat := b.constants("body_ipos", o, 3), b.constants("body_iquat", o, 4)
	turn := [4]float64(nominals(iquat))
	nominal := pseudoOf(mass.nominal, nominals(ipos), nominals(inertia), turn[:])
	t.write = func(parameters, d []float64) {
		scale := math.Exp(d[0])
		u := pseudo{
			{scale * math.Exp(d[1]), scale * d[4], scale * d[5], scale * d[7]},
			{0, scale * math.Exp(d[2]), scale * d[6], scale * d[8]},
			{0, 0, scale * math.Exp(d[3]), scale * d[9]},
			{0, 0, 0, scale},
		}
		m, centre, moments, q := u.times(&nominal).timesTransposed(&u).body(turn)
		parameters[mass.index] = m
		for k := range 3 {
			parameters[ipos[k].index], parameters[inertia[k].index] = centre[k], moments[k]
		}
		for k := range 4 {
			parameters[iquat[k].index] = q[k]
		}
	}
	return t
}

// pseudo is the pseudo-inertia of a body about the origin of its frame.
type pseudo [4][4]float64

// pseudoOf returns the pseudo-inertia of a body: its mass, kg, its centre of mass, m, and its principal moments, kg·m²,
// about axes that the quaternion turns into the body's frame.
func pseudoOf(mass float64, centre, moments, turn []float64) (j pseudo) {
	axes := inverseMatrix(normalize(turn)) // its rows
	half := (moments[0] + moments[1] + moments[2]) / 2
	for r := range 3 {
		for c := range 3 {
			for k := range 3 {
				j[r][c] += float64((half - moments[k]) * axes[k][r] * axes[k][c])
			}
			j[r][c] += float64(mass * centre[r] * centre[c])
		}
		j[r][3] = mass * centre[r]
		j[3][r] = j[r][3]
	}
	j[3][3] = mass
	return j
}

func (a *pseudo) times(b *pseudo) *pseudo {
	var product pseudo
	for r := range 4 {
		for c := range 4 {
			for k := range 4 {
				product[r][c] += float64(a[r][k] * b[k][c])
			}
		}
	}
	return &product
}

func (a *pseudo) timesTransposed(b *pseudo) *pseudo {
	var transposed pseudo
	for r := range 4 {
		for c := range 4 {
			transposed[r][c] = b[c][r]
		}
	}
	return a.times(&transposed)
}

// body returns what [pseudoOf] takes. Of all orders and signs of the principal axes it has those that are found by
// turning old ones as little as needed.
func (a *pseudo) body(old [4]float64) (mass float64, centre, moments [3]float64, turn [4]float64) {
	mass = a[3][3]
	for k := range 3 {
		centre[k] = a[k][3] / mass
	}
	axes := inverseMatrix(normalize(old[:]))
	// the second moments about the centre of mass, along the old axes
	var about, s [3][3]float64
	for r := range 3 {
		for c := range 3 {
			about[r][c] = a[r][c] - float64(mass*float64(centre[r]*centre[c]))
		}
	}
	for r := range 3 {
		for c := range 3 {
			for k := range 3 {
				for l := range 3 {
					s[r][c] += float64(float64(axes[r][k]*about[k][l]) * axes[c][l])
				}
			}
		}
	}
	principal, change := diagonal(s)
	sum := principal[0] + principal[1] + principal[2]
	for k := range 3 {
		moments[k] = sum - principal[k]
	}
	return mass, centre, moments, rotation.Product(normalize(old[:]), change)
}

// diagonal returns the eigenvalues of a symmetric matrix, and the unit quaternion that turns their axes into those of
// the matrix, by Jacobi's rotations.
func diagonal(s [3][3]float64) (values [3]float64, turn [4]float64) {
	const sweeps = 12
	turn = [4]float64{1}
	for range sweeps {
		for p := range 3 {
			q, r := (p+1)%3, (p+2)%3
			if math.Abs(s[p][q]) < 1e-300 {
				continue
			}
			// the rotation about axis r that makes s[p][q] 0
			tau := (s[q][q] - s[p][p]) / (2 * s[p][q])
			tan := 1 / (math.Abs(tau) + math.Sqrt(1+float64(tau*tau)))
			if tau < 0 {
				tan = -tan
			}
			cos := 1 / math.Sqrt(1+float64(tan*tan))
			sin := tan * cos
			s[p][p], s[q][q] = s[p][p]-float64(tan*s[p][q]), s[q][q]+float64(tan*s[p][q])
			s[p][q], s[q][p] = 0, 0
			rp, rq := s[r][p], s[r][q]
			s[r][p], s[r][q] = float64(cos*rp)-float64(sin*rq), float64(sin*rp)+float64(cos*rq)
			s[p][r], s[q][r] = s[r][p], s[r][q]
			var step [4]float64
			halfCos := math.Sqrt((1 + cos) / 2)
			step[0], step[1+r] = halfCos, -sin/(2*halfCos)
			turn = rotation.Product(turn, step)
		}
	}
	return [3]float64{s[0][0], s[1][1], s[2][2]}, normalize(turn[:])
}
