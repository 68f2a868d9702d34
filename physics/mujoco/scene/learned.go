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

// QuantityName is the name of an observed value: a quantity by its index, at an age.
func QuantityName(index int, age time.Duration) string {
	return fmt.Sprintf("%s[%s]", Quantities[index], -age)
}

// ParseQuantity reads a name that [QuantityName] returned.
func ParseQuantity(name string) (index int, age time.Duration, err error) {
	quantity, offset, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	t, err := time.ParseDuration(offset)
	if index = slices.Index(Quantities, quantity); index < 0 || err != nil || t > 0 || QuantityName(index, -t) != name {
		return 0, 0, fmt.Errorf("input %q, want such as %s or %s", name, QuantityName(0, 0),
			QuantityName(1, 5*time.Millisecond))
	}
	return index, -t, nil
}
