package bounds

import (
	"fmt"
	"regexp"
)

// Pattern compiles a regular expression that matches whole names.
func Pattern(text string) (*regexp.Regexp, error) {
	const most = 512
	if len(text) > most {
		return nil, fmt.Errorf("it has %d characters, want at most %d", len(text), most)
	}
	if _, err := regexp.Compile(text); err != nil { // "a)|(b" must not pass
		return nil, err
	}
	return regexp.Compile("^(?:" + text + ")$")
}
