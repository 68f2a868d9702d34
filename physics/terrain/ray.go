package terrain

import "math"

// Ray returns the distance from p along d, in lengths of d, at which a ray first meets the ground, and whether it does
// so within most. As for MuJoCo's mj_ray, a ray that begins inside a box leaves it by its far side. What is around a
// field, below the samples, is not met. It allocates nothing.
func (t *Terrain) Ray(p, d [3]float64, most float64) (distance float64, ok bool) {
	hit := math.Inf(1)
	if d[0] == 0 && d[1] == 0 {
		hit = t.vertical(&p, &d)
		return hit, hit <= most
	}
	for i := range t.Border {
		hit = min(hit, t.Border[i].ray(&p, &d))
	}
	m := newMarch([2]float64(p[:2]), [2]float64(d[:2]), t.low, *t.Size, [2]int{t.Rows, t.Columns}, 0, min(hit, most))
	for m.next() {
		patch := &t.Patches[m.i*t.Columns+m.j]
		switch {
		case patch.Field != nil:
			hit = min(hit, patch.Field.ray(&p, &d, m.entry, m.exit))
		default:
			for i := range patch.Boxes {
				hit = min(hit, patch.Boxes[i].ray(&p, &d))
			}
		}
		if hit <= m.exit {
			break
		}
	}
	return hit, hit <= most
}

// vertical is Ray for a ray along the vertical: the ground is looked up.
func (t *Terrain) vertical(p, d *[3]float64) float64 {
	hit := math.Inf(1)
	patch := t.patchAt(p[0], p[1])
	switch {
	case patch == nil:
		for i := range t.Border {
			hit = min(hit, t.Border[i].ray(p, d))
		}
	case patch.Field != nil:
		if s := (patch.Field.height(p[0], p[1]) - p[2]) / d[2]; s >= 0 {
			hit = s
		}
	default:
		for _, n := range t.boxesAt(patch, p[0], p[1]) {
			hit = min(hit, patch.Boxes[n].ray(p, d))
		}
	}
	return hit
}

// ray returns the least distance at which a ray meets the surface of the box; +Inf if it does not.
func (b *Box) ray(p, d *[3]float64) float64 {
	enter, leave := math.Inf(-1), math.Inf(1)
	for i := range 3 {
		if d[i] == 0 {
			if !b.covers(i, p[i]) {
				return math.Inf(1)
			}
			continue
		}
		s, t := (b.Low[i]-p[i])/d[i], (b.High[i]-p[i])/d[i]
		enter, leave = max(enter, min(s, t)), min(leave, max(s, t))
	}
	switch {
	case enter > leave || leave < 0:
		return math.Inf(1)
	case enter >= 0:
		return enter
	}
	return leave
}

// corners returns the heights of the corners of a cell: (i, j), (i+1, j), (i, j+1) and (i+1, j+1).
func (f *Field) corners(i, j int) (a, b, c, d float64) {
	row := f.Data[j*f.NX+i:]
	next := row[f.NX:]
	z := func(v float32) float64 { return f.Bottom + float64(f.Range*float64(v)) }
	return z(row[0]), z(row[1]), z(next[0]), z(next[1])
}

// cellOf returns the cell at a place and the part of it, from 0 to 1, that lies before the place.
func (f *Field) cellOf(x, y float64) (i, j int, u, v float64) {
	u = (x - f.Middle[0] + f.Half[0]) * float64(f.NX-1) / (2 * f.Half[0])
	v = (y - f.Middle[1] + f.Half[1]) * float64(f.NY-1) / (2 * f.Half[1])
	i, j = min(max(int(u), 0), f.NX-2), min(max(int(v), 0), f.NY-2)
	return i, j, u - float64(i), v - float64(j)
}

func (f *Field) height(x, y float64) float64 {
	i, j, u, v := f.cellOf(x, y)
	a, b, c, d := f.corners(i, j)
	if u >= v {
		return a + float64(u*(b-a)) + float64(v*(d-b))
	}
	return a + float64(v*(c-a)) + float64(u*(d-c))
}

// ray returns the least distance at which a ray meets the triangles; +Inf if it does not between two distances.
func (f *Field) ray(p, d *[3]float64, from, to float64) float64 {
	low := [2]float64{f.Middle[0] - f.Half[0], f.Middle[1] - f.Half[1]}
	width := [2]float64{2 * f.Half[0] / float64(f.NX-1), 2 * f.Half[1] / float64(f.NY-1)}
	m := newMarch([2]float64(p[:2]), [2]float64(d[:2]), low, width, [2]int{f.NX - 1, f.NY - 1}, from, to)
	for m.next() {
		a, b, c, e := f.corners(m.i, m.j)
		// In the cell, where the ray is at u + s·du, v + s·dv, p_z + s·d_z.
		u, v := (p[0]-low[0])/width[0]-float64(m.i), (p[1]-low[1])/width[1]-float64(m.j)
		du, dv := d[0]/width[0], d[1]/width[1]
		hit := math.Inf(1)
		for side, plane := range [2][2]float64{{b - a, e - b}, {e - c, c - a}} { // rise along x and y
			above := p[2] - a - float64(u*plane[0]) - float64(v*plane[1])
			rise := d[2] - float64(du*plane[0]) - float64(dv*plane[1])
			if rise == 0 {
				continue
			}
			s := -above / rise
			x, y := u+float64(s*du), v+float64(s*dv)
			const slack = 1e-12 // so that no ray slips through between two triangles
			inside := min(x, y) >= -slack && max(x, y) <= 1+slack
			if s >= 0 && inside && (side == 0 && x >= y-slack || side == 1 && y >= x-slack) {
				hit = min(hit, s)
			}
		}
		if !math.IsInf(hit, 0) {
			return hit
		}
	}
	return math.Inf(1)
}

// march visits the cells of a grid that a ray passes, in its order (Amanatides and Woo, "A Fast Voxel Traversal
// Algorithm for Ray Tracing", 1987).
type march struct {
	i, j        int     // the cell
	entry, exit float64 // distances at which the ray enters and leaves the cell

	p, d, low, width [2]float64
	n                [2]int
	end              float64
	step             [2]int
	due              [2]float64 // distances at which the next cell along an axis begins
	cell             [2]int
	started, ended   bool
}

// newMarch makes a march between two distances.
func newMarch(p, d, low, width [2]float64, n [2]int, from, to float64) march {
	m := march{p: p, d: d, low: low, width: width, n: n}
	for k := range 2 {
		high := low[k] + float64(float64(n[k])*width[k])
		if d[k] == 0 {
			m.ended = m.ended || p[k] < low[k] || p[k] > high
			continue
		}
		s, t := (low[k]-p[k])/d[k], (high-p[k])/d[k]
		from, to = max(from, min(s, t)), min(to, max(s, t))
	}
	m.ended = m.ended || !(from <= to)
	m.entry, m.end = from, to
	return m
}

// next moves to the next cell and reports whether there is one.
func (m *march) next() bool {
	if m.ended {
		return false
	}
	if !m.started {
		m.started = true
		for k := range 2 {
			coordinate := m.p[k]
			if m.d[k] != 0 {
				coordinate += float64(m.d[k] * m.entry)
			}
			m.cell[k] = min(max(int((coordinate-m.low[k])/m.width[k]), 0), m.n[k]-1)
			m.due[k] = math.Inf(1)
			if m.d[k] != 0 {
				m.step[k] = 1
				if m.d[k] < 0 {
					m.step[k] = -1
				}
				m.due[k] = m.boundary(k)
			}
		}
	} else {
		k := 0
		if m.due[1] < m.due[0] {
			k = 1
		}
		m.entry = max(m.entry, m.due[k])
		m.cell[k] += m.step[k]
		if m.entry > m.end || m.cell[k] < 0 || m.cell[k] >= m.n[k] {
			m.ended = true
			return false
		}
		m.due[k] = m.boundary(k)
	}
	m.i, m.j = m.cell[0], m.cell[1]
	m.exit = min(m.end, m.due[0], m.due[1])
	return true
}

// boundary is the distance at which the ray leaves the cell along an axis.
func (m *march) boundary(k int) float64 {
	edge := m.cell[k]
	if m.step[k] > 0 {
		edge++
	}
	return (m.low[k] + float64(float64(edge)*m.width[k]) - m.p[k]) / m.d[k]
}
