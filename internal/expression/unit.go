package expression

import (
	"fmt"
	"strconv"
	"strings"
)

// unit is a product of powers of base units. The zero value is the unknown unit, which
// agrees with every other.
type unit struct {
	known bool
	power [bases]int // twice the power of each base unit, so that sqrt(m) has one
}

// The base units, in the order in which a unit is written.
const (
	kilogram = iota
	metre
	radian
	second
	bases
)

var baseNames = [bases]string{"kg", "m", "rad", "s"}

// unitNames holds the units by which quantities are described, as powers of kg, m, rad and s.
var unitNames = map[string][bases]int{
	"1": {}, "kg": {1, 0, 0, 0}, "m": {0, 1, 0, 0}, "rad": {0, 0, 1, 0}, "s": {0, 0, 0, 1},
	"Hz": {0, 0, 0, -1}, "N": {1, 1, 0, -2}, "J": {1, 2, 0, -2}, "W": {1, 2, 0, -3},
}

// parseUnit reads a unit such as "m/s²", "N·m" or "rad/s"; "1" is a plain number and ""
// the unknown unit. Each factor after a / divides.
func parseUnit(text string) (unit, error) {
	if text == "" {
		return unit{}, nil
	}
	u := unit{known: true}
	sign := 1
	for rest := text; ; {
		factor, after := rest, ""
		if i := strings.IndexAny(rest, "/·"); i >= 0 {
			factor, after = rest[:i], rest[i:]
		}
		base, power := factor, 1
		for suffix, p := range map[string]int{"²": 2, "³": 3} {
			if name, ok := strings.CutSuffix(factor, suffix); ok {
				base, power = name, p
			}
		}
		powers, ok := unitNames[base]
		if !ok {
			return unit{}, fmt.Errorf("unit is %q, want a product of kg, m, rad, s, Hz, N, J, W and 1", text)
		}
		for i, p := range powers {
			u.power[i] += 2 * sign * power * p
		}
		if after == "" {
			return u, nil
		}
		if strings.HasPrefix(after, "/") {
			sign = -1
		}
		rest = strings.TrimPrefix(strings.TrimPrefix(after, "/"), "·")
	}
}

// String writes a known unit as powers of the base units, and "" for the unknown one.
func (u unit) String() string {
	if !u.known {
		return ""
	}
	var over, under []string
	for i, p := range u.power {
		switch {
		case p > 0:
			over = append(over, baseNames[i]+exponent(p))
		case p < 0:
			under = append(under, "/"+baseNames[i]+exponent(-p))
		}
	}
	if over == nil {
		over = []string{"1"}
	}
	return strings.Join(over, "·") + strings.Join(under, "")
}

// exponent writes a power, given twice.
func exponent(twice int) string {
	switch twice {
	case 2:
		return ""
	case 4:
		return "²"
	case 6:
		return "³"
	}
	if twice%2 == 0 {
		return "^" + strconv.Itoa(twice/2)
	}
	return fmt.Sprintf("^(%d/2)", twice)
}

// agrees reports whether values of the two units may be added. Angles are plain numbers.
func (u unit) agrees(v unit) bool {
	u.power[radian], v.power[radian] = 0, 0
	return !u.known || !v.known || u == v
}

// or returns u if it is known, v otherwise.
func (u unit) or(v unit) unit {
	if u.known {
		return u
	}
	return v
}

// times returns the unit of a product with a value of unit v (sign 1) or of a quotient
// (sign -1).
func (u unit) times(v unit, sign int) unit {
	if !u.known || !v.known {
		return unit{}
	}
	for i := range u.power {
		u.power[i] += sign * v.power[i]
	}
	return u.within()
}

// root returns the unit of the square root.
func (u unit) root() unit {
	for _, p := range u.power {
		if p%2 != 0 {
			return unit{}
		}
	}
	for i := range u.power {
		u.power[i] /= 2
	}
	return u
}

// raised returns the unit of the nth power.
func (u unit) raised(n int) unit {
	for i := range u.power {
		u.power[i] *= n
	}
	return u.within()
}

// within returns u, or the unknown unit if a power is too large to be meant.
func (u unit) within() unit {
	const most = 200
	for _, p := range u.power {
		if p < -most || p > most {
			return unit{}
		}
	}
	return u
}
