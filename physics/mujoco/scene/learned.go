package scene

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Torque is the action of a network of actuators of type [Learned], in N·m.
const Torque = "torque"

// Quantities are what such a network observes: the control less the position of the joint, in rad, and its velocity, in
// rad/s.
var Quantities = []string{"position_error", "velocity"}

// QuantityName is the name of an observed value: quantity which, a time ago.
func QuantityName(which int, ago time.Duration) string {
	return fmt.Sprintf("%s[%s]", Quantities[which], -ago)
}

// ParseQuantity reads a name that [QuantityName] returned.
func ParseQuantity(name string) (which int, ago time.Duration, err error) {
	of, at, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	t, err := time.ParseDuration(at)
	if which = slices.Index(Quantities, of); which < 0 || err != nil || t > 0 || QuantityName(which, -t) != name {
		return 0, 0, fmt.Errorf("input %q, want such as %s or %s", name, QuantityName(0, 0),
			QuantityName(1, 5*time.Millisecond))
	}
	return which, -t, nil
}
