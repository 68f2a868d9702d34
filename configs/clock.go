package configs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/internal/decode"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// Rate is a rate in hertz or a period, with the text that it was parsed from: "50", "29.97", "200/3", "15ms".
// In YAML it may be a number or a string. The zero value is a rate that was not given.
type Rate struct {
	runners.Rate
	text string
}

// ParseRate parses a rate as [runners.ParseRate] does, and keeps its text.
func ParseRate(text string) (Rate, error) {
	rate, err := runners.ParseRate(text)
	if err != nil {
		return Rate{}, err
	}
	return Rate{rate, text}, nil
}

// RateOf returns r with the text that r.String returns.
func RateOf(r runners.Rate) Rate { return Rate{r, r.String()} }

// String returns the text of the rate.
func (r Rate) String() string { return r.text }

// FromYAML implements [decode.Value].
func (r *Rate) FromYAML(key string, value any) (want string, err error) {
	text := rateText(value)
	if text == "" {
		return "a rate such as 50, 29.97, 200/3 or 15ms", nil
	}
	*r, err = ParseRate(text)
	return "", decode.WithKey(key, err)
}

// MarshalYAML returns the rate as a number where that keeps its text, else as a string.
func (r Rate) MarshalYAML() (any, error) {
	plain, err := decode.Parse("", []byte(r.text))
	if err == nil && rateText(plain) == r.text {
		return plain, nil
	}
	return r.text, nil
}

// rateText returns the text of a rate given as a YAML value; "" if the value cannot be one.
func rateText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// Off says that something is switched off. In YAML it is the opposite, under the key enabled, so that what does not say
// it is on.
type Off bool

// FromYAML implements [decode.Value].
func (o *Off) FromYAML(_ string, value any) (want string, err error) {
	enabled, ok := value.(bool)
	if !ok {
		return "true or false", nil
	}
	*o = Off(!enabled)
	return "", nil
}

// MarshalYAML returns whether it is on.
func (o Off) MarshalYAML() (any, error) { return !bool(o), nil }

// Edits are [runners.Edits], with the form in which a file gave them. In YAML they are a list of mappings of one key,
// the name of the edit, to its fields, such as set_rate: {name: Capture, rate: 25}.
type Edits struct {
	runners.Edits
	form any
}

// FromYAML implements [decode.Value].
func (e *Edits) FromYAML(key string, value any) (want string, err error) {
	if _, ok := value.([]any); !ok {
		return "a list", nil
	}
	e.form = value
	e.Edits, err = editsOf(value)
	if err != nil { // it begins with edits, the end of the key
		err = fmt.Errorf("%s%w", strings.TrimSuffix(key, "edits"), err)
	}
	return "", err
}

// MarshalYAML returns the form in which the edits were given, unless they are others by now.
func (e Edits) MarshalYAML() (any, error) {
	if given, err := editsOf(e.form); err == nil && reflect.DeepEqual(given, e.Edits) {
		return e.form, nil
	}
	text, err := json.Marshal(e.Edits)
	if err != nil {
		return nil, err
	}
	return decode.Parse("edits", text)
}

// editsOf returns the edits of a list in YAML.
func editsOf(list any) (edits runners.Edits, err error) {
	text, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("edits: %w", err)
	}
	return edits, json.Unmarshal(text, &edits)
}
