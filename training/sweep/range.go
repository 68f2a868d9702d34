package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxTrials is the most trials of a sweep.
const MaxTrials = 10_000

// The scales of a [Range] between two numbers.
const (
	Linear   = "lin"     // A..B or lin:A..B: real numbers, evenly spread
	Log      = "log"     // log:A..B: real numbers above 0, their logarithms evenly spread
	Whole    = "int"     // int:A..B: whole numbers, A and B included
	WholeLog = "log-int" // log-int:A..B: whole numbers above 0, their logarithms about evenly spread
)

var scales = []string{Linear, Log, Whole, WholeLog}

// Range is the values over which a key of a configuration is swept: all numbers between
// two, or a list of values. [ParseRange] makes it; it is not changed afterwards.
type Range struct {
	Key  string // as --set takes it
	Text string // what ParseRange read

	scale     string   // "": a list
	low, high float64  // of a scale
	points    int      // of a scale: values for a grid; 0: not given
	values    []string // of a list: YAML, each on one line
}

// ParseRange parses the values of a key: A..B, SCALE:A..B, SCALE:A..B/N with N values for
// a grid, or a list of at least two values of YAML, A,B,C.
func ParseRange(key, text string) (Range, error) {
	r := Range{Key: key, Text: text}
	if key == "" || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c == '=' }) {
		return r, fmt.Errorf("the key is %q, want one such as training.gamma", key)
	}
	err := r.parse()
	if err != nil {
		err = fmt.Errorf("%s is %q: %w", key, text, err)
	}
	return r, err
}

// MarshalJSON implements [json.Marshaler]: as the key and the text.
func (r Range) MarshalJSON() ([]byte, error) { return json.Marshal([]string{r.Key, r.Text}) }

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Range) UnmarshalJSON(data []byte) error {
	var pair [2]string
	err := json.Unmarshal(data, &pair)
	if err == nil {
		*r, err = ParseRange(pair[0], pair[1])
	}
	return err
}

var scaled = regexp.MustCompile(`^(?:([a-z-]+):)?([^,\[\]{}"']*?)\.\.([^,\[\]{}"'/]*)(?:/(.*))?$`)

func (r *Range) parse() error {
	parts := scaled.FindStringSubmatch(strings.TrimSpace(r.Text))
	if parts == nil || parts[1] == "" && !isNumber(parts[2]) && !isNumber(parts[3]) {
		return r.parseList()
	}
	r.scale = cmp.Or(parts[1], Linear)
	if !slices.Contains(scales, r.scale) {
		return fmt.Errorf("the scale is %q, want one of %s", r.scale, strings.Join(scales, ", "))
	}
	var err error
	if r.low, err = number(parts[2]); err == nil {
		r.high, err = number(parts[3])
	}
	if err != nil {
		return err
	}
	if parts[4] != "" || strings.HasSuffix(r.Text, "/") {
		if r.points, err = strconv.Atoi(parts[4]); err != nil || r.points < 2 || r.points > MaxTrials {
			return fmt.Errorf("the number of values is %q, want a whole number of 2 to %d", parts[4], MaxTrials)
		}
	}
	return r.check()
}

func (r *Range) check() error {
	switch {
	case !(r.low < r.high):
		return fmt.Errorf("it goes from %v to %v, want the lesser number first", r.low, r.high)
	case r.logarithmic() && r.low <= 0:
		return fmt.Errorf("it begins at %v, want a number above 0 for the scale %s", r.low, r.scale)
	case math.IsInf(r.high-r.low, 0):
		return fmt.Errorf("it goes from %v to %v, want numbers that are less far apart", r.low, r.high)
	}
	if !r.whole() {
		return nil
	}
	for _, v := range []float64{r.low, r.high} {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return fmt.Errorf("an end is %v, want whole numbers for the scale %s", v, r.scale)
		}
	}
	if n := r.high - r.low + 1; float64(r.points) > n {
		return fmt.Errorf("the number of values is %d, want at most %v: there are no more", r.points, n)
	}
	return nil
}

func (r *Range) logarithmic() bool { return r.scale == Log || r.scale == WholeLog }

func (r *Range) whole() bool { return r.scale == Whole || r.scale == WholeLog }

// between returns the number at u, from 0 to 1, of the way from the low end to high.
func (r *Range) between(u, high float64) float64 {
	if r.logarithmic() {
		return math.Exp(math.Log(r.low) + float64(u*(math.Log(high)-math.Log(r.low))))
	}
	return r.low + float64(u*(high-r.low))
}

// parseList parses a list of values as a sequence of YAML without its brackets.
func (r *Range) parseList() error {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte("["+r.Text+"\n]"), &document); err != nil {
		return errors.New("want a range such as 0.9..0.99 or log:1e-4..1e-2, or values of YAML with commas between them")
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.SequenceNode {
		return errors.New("want values of YAML with commas between them")
	}
	for _, item := range document.Content[0].Content {
		text, err := valueText(item)
		if err != nil {
			return err
		}
		if slices.Contains(r.values, text) {
			return fmt.Errorf("the value %s is given twice", text)
		}
		r.values = append(r.values, text)
	}
	if n := len(r.values); n < 2 || n > MaxTrials {
		return fmt.Errorf("%d values are given, want a range such as 0.9..0.99 or log:1e-4..1e-2, or 2 to %d values", n,
			MaxTrials)
	}
	return nil
}

var errLines = errors.New("want values of one line each")

func valueText(node *yaml.Node) (string, error) {
	if node.Kind == yaml.AliasNode || node.Anchor != "" {
		return "", errors.New("want values without anchors")
	}
	if node.Kind == yaml.ScalarNode && node.Style == 0 {
		if node.Tag == "!!null" {
			return "", errors.New("a value is empty, want one between each two commas")
		}
		if strings.Contains(node.Value, "\n") {
			return "", errLines
		}
		return node.Value, nil
	}
	var plain any
	if err := node.Decode(&plain); err != nil {
		return "", errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	var flat yaml.Node // without comments
	if err := flat.Encode(plain); err != nil {
		return "", err
	}
	if flat.Kind != yaml.ScalarNode {
		flat.Style = yaml.FlowStyle
	} else if flat.Style == yaml.LiteralStyle {
		flat.Style = yaml.DoubleQuotedStyle
	}
	text, err := yaml.Marshal(&flat)
	line := strings.TrimSpace(string(text))
	if err == nil && strings.Contains(line, "\n") {
		err = errLines
	}
	return line, err
}

func isNumber(text string) bool {
	_, err := number(text)
	return err == nil
}

// number parses a finite decimal number.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(text, "xXpP_") {
		return 0, fmt.Errorf("%q is no number, want A..B with finite numbers", text)
	}
	return v, nil
}

// At returns the value at u, from 0 to 1, of the way through the range, as YAML. A list has equal parts of
// the way for its values, and so have whole numbers. Real numbers are rounded, usually to six digits.
func (r *Range) At(u float64) string {
	switch {
	case r.scale == "":
		return r.values[min(int(u*float64(len(r.values))), len(r.values)-1)]
	case r.whole():
		return whole(max(r.low, min(math.Floor(r.between(u, r.high+1)), r.high)))
	}
	return r.real(r.between(u, r.high))
}

// real formats a number of the range with six digits, or more where the range is so narrow that it takes them.
func (r *Range) real(v float64) string {
	v = min(max(v, r.low), r.high)
	for digits := 6; ; digits++ {
		text := strconv.FormatFloat(v, 'g', digits, 64)
		rounded, err := strconv.ParseFloat(text, 64)
		if err == nil && rounded >= r.low && rounded <= r.high && math.Abs(rounded-v) <= 1e-4*(r.high-r.low) || digits == 17 {
			return text
		}
	}
}

func whole(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

// Grid returns the values of the range for a grid: those of a list, N of a scale with the
// same distance between each two, or all whole numbers where N is not given.
func (r *Range) Grid() ([]string, error) {
	if r.scale == "" {
		return r.values, nil
	}
	n := r.points
	if n == 0 && r.scale == Whole && r.high-r.low < MaxTrials {
		n = int(r.high-r.low) + 1
	}
	if n == 0 {
		return nil, fmt.Errorf("%s is %q, want the number of values of a grid too, such as %s/5", r.Key, r.Text, r.Text)
	}
	var values []string
	for i := range n {
		v := r.between(float64(i)/float64(n-1), r.high)
		text := r.real(v)
		if r.whole() {
			text = whole(math.Round(v))
		}
		if !slices.Contains(values, text) { // whole numbers may coincide
			values = append(values, text)
		}
	}
	return values, nil
}

// samples returns values that stand for all: each of a list, the ends of a scale and numbers between them.
func (r *Range) samples() []string {
	if r.scale == "" {
		return r.values
	}
	return []string{r.At(0), r.At(1), r.At(0.381966), r.At(0.618034)}
}

// coordinate returns the place of a value on the axis of a picture: the number, or the
// position in a list that has other values than numbers.
func (r *Range) coordinate(value string) float64 {
	if v, err := number(value); err == nil && (r.scale != "" || r.numeric()) {
		return v
	}
	return float64(slices.Index(r.values, value))
}

func (r *Range) numeric() bool {
	return !slices.ContainsFunc(r.values, func(v string) bool { return !isNumber(v) })
}
