package configs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Parse returns the change in the form of package runners. A rate may be a number or a
// string. The error begins with the path below the change, such as "edits[0]".
func (c Change) Parse() (runners.Change, error) {
	text, err := json.Marshal(c.Edits)
	if err != nil {
		return runners.Change{}, fmt.Errorf("edits: %w", err)
	}
	text = rateAsNumber.ReplaceAllFunc(text, func(rate []byte) []byte {
		hertz, _ := strconv.ParseFloat(string(rate[len(`"rate":`):]), 64) // JSON may write it with an exponent
		return fmt.Appendf(nil, `"rate":%q`, strconv.FormatFloat(hertz, 'f', -1, 64))
	})
	out := runners.Change{N: int64(c.N)}
	return out, json.Unmarshal(text, &out.Edits)
}

// rateAsNumber matches a rate that is not the text that package runners wants.
var rateAsNumber = regexp.MustCompile(`"rate":-?[0-9][^,}]*`)
