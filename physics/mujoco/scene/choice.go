package scene

import "fmt"

// Choice says whether something is done. In YAML it is auto, true or false.
type Choice int

const (
	Auto Choice = iota // where it is needed
	Yes
	No
)

var choices = [...]string{Auto: "auto", Yes: "true", No: "false"}

// String returns the choice as in YAML.
func (c Choice) String() string {
	if c < 0 || int(c) >= len(choices) {
		return fmt.Sprintf("Choice(%d)", int(c))
	}
	return choices[c]
}

// UnmarshalText parses "auto", "true" or "false".
func (c *Choice) UnmarshalText(text []byte) error {
	for i, name := range choices {
		if string(text) == name {
			*c = Choice(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no choice, want auto, true or false", text)
}

// MarshalYAML returns "auto", or a boolean.
func (c Choice) MarshalYAML() (any, error) {
	if c == Auto {
		return Auto.String(), nil
	}
	return c == Yes, nil
}
