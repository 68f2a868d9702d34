package runlog_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/sim/runlog"
)

// A file that is no log is damage at a known place, and never a panic.
func ExampleNewReader() {
	_, err := runlog.NewReader(strings.NewReader("episode,return\n"))
	var damage *runlog.Damage
	fmt.Println(errors.As(err, &damage), damage.Offset)
	// Output: true 0
}
