package configs

import (
	"strconv"

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
	return "", decode.Under(key, err)
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
