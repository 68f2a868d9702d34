package terms

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/bounds"
	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
)

// Range is a lowest and a highest value, both included.
type Range [2]float64

// checkFinite reports a range whose ends are not finite or in the wrong order.
func (r Range) checkFinite(c *bounds.Check, key string) {
	if !(r[0] <= r[1]) || math.IsInf(r[0], 0) || math.IsInf(r[1], 0) {
		c.Fail("%s is [%v, %v], want two finite numbers, the lower first", key, r[0], r[1])
	}
}

// maxValue is the largest size of lengths, speeds, forces and other parameters of terms.
const maxValue = 1e9

// PerJoint is a number, or a mapping of patterns of joint names to numbers: a joint has
// the number of the one pattern that matches it.
type PerJoint any

// Patterns are regular expressions, each of which must match the whole name of at least
// one object. They select the objects that any of them matches, in the order of the model.
type Patterns []string

// The objects that many terms name.
type (
	jointParameters struct {
		// Joints are patterns of joint names; the actuated joints if not given.
		Joints Patterns `yaml:"joints"`
	}

	actuatedParameters struct {
		// Joints are patterns of the names of actuated joints; all if not given.
		Joints Patterns `yaml:"joints"`
	}

	bodyParameters struct {
		// Bodies are patterns of body names.
		Bodies Patterns `yaml:"bodies"`
	}

	feetParameters struct {
		// Feet are patterns of the names of bodies, geoms or sites: the first of these kinds
		// in which each pattern matches something.
		Feet Patterns `yaml:"feet"`
	}
)

// checker is implemented by parameters with bounds that no tag can say. They do not depend
// on the model, and are checked after the fields.
type checker interface{ checkKeys(c *bounds.Check) }

// checkFields checks the fields of a struct against their tags: want:"0..1", "above 0..1", "one|other", or "given"
// for a pointer that must be. The ends of a Range are finite and in order, unless the tag says "any".
func checkFields(c *bounds.Check, path string, v reflect.Value) {
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		key := decode.Join(path, name)
		want, given := strings.CutPrefix(f.Tag.Get("want"), "given")
		switch {
		case options == "inline":
			checkFields(c, path, value)
		case value.Kind() == reflect.Pointer && value.IsNil():
			if given {
				c.Fail("%s: not given, want a %s", key, map[reflect.Kind]string{reflect.Float64: "number",
					reflect.Array: "list of two numbers"}[f.Type.Elem().Kind()])
			}
		default:
			checkValue(c, key, strings.TrimSpace(want), reflect.Indirect(value))
		}
	}
}

func checkValue(c *bounds.Check, key, want string, v reflect.Value) {
	low, high, above := limits(want)
	switch v.Kind() {
	case reflect.Array:
		if r, ok := v.Interface().(Range); ok && want != "any" {
			r.checkFinite(c, key)
		}
	case reflect.Struct:
		checkFields(c, key, v)
	case reflect.Slice:
		for i := range v.Len() {
			checkValue(c, fmt.Sprintf("%s[%d]", key, i), want, v.Index(i))
		}
	case reflect.String:
		if want != "" {
			c.OneOf(key, v.String(), strings.Split(want, "|")...)
		}
	case reflect.Int:
		if want != "" {
			c.Whole(key, v.Int(), int64(low), int64(high))
		}
	case reflect.Float64:
		if x := v.Float(); above {
			c.Above(key, x, low, high)
		} else if want != "" {
			c.Number(key, x, low, high)
		}
	}
}

// limits reads the numbers of a tag such as "above 0..1".
func limits(want string) (low, high float64, above bool) {
	want, above = strings.CutPrefix(want, "above ")
	first, last, _ := strings.Cut(want, "..")
	low, _ = strconv.ParseFloat(first, 64)
	high, _ = strconv.ParseFloat(last, 64)
	return low, high, above
}
