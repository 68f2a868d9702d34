package scene

import "fmt"

// Choice says whether something is done. In YAML it is auto, true or false.
type Choice int

const (
	Auto Choice = iota // the scene decides
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

// FromYAML sets the choice from a boolean or the text auto.
func (c *Choice) FromYAML(_ string, value any) (want string, err error) {
	for i, name := range choices {
		if fmt.Sprint(value) == name {
			*c = Choice(i)
			return "", nil
		}
	}
	return "auto, true or false", nil
}

// MarshalYAML returns "auto", or a boolean.
func (c Choice) MarshalYAML() (any, error) {
	if c == Auto {
		return Auto.String(), nil
	}
	return c == Yes, nil
}
