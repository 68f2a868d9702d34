package decode

import (
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

type inner struct {
	Low  float64       `yaml:"low"`
	Wait time.Duration `yaml:"wait"`
}

type outer struct {
	inner `yaml:",inline"`
	Name  string         `yaml:"name"`
	Range [2]float64     `yaml:"range"`
	Parts []inner        `yaml:"parts"`
	Any   any            `yaml:"any"`
	Free  map[string]any `yaml:"free"`
}

func TestInto(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{low: 1, wait: 4ms, name: x, range: [0, .inf], parts: [{low: 2}], any: [1, a], free: {A.b: 1}}", ""},
		{"{lwo: 1}", "top.lwo: unknown key; did you mean top.low?"},
		{"{range: [1]}", "top.range is a list of 1, want a list of 2 values"},
		{"{parts: [{low: a}]}", `top.parts[0].low is "a", want a number`},
		{"{wait: 4}", "top.wait is 4, want a time with its unit, such as 4ms"},
		{"{low: 010}", "top.low is 010, want a whole number without a leading 0, which would make it octal; quote it if it " +
			"is text"},
		{"{parts: [{low: 1}, {low: -08}]}", "top.parts[1].low is -08, want a whole number without a leading 0, which would " +
			"make it octal; quote it if it is text"},
		{"{any: [0, -0, 0.10, 1_0, 0x10, 0o10, 0b10, '010', x010, 010:2, 1e010], low: &a 0, range: [*a, 00.5]}", ""},
		{"{low: .nan}", "top.low is NaN, want a finite number"},
		{"{low: 1, low: 2}", `top: yaml: unmarshal errors: line 1: mapping key "low" already defined at line 1`},
	} {
		got := ""
		tree, err := Parse("top", []byte(c.text))
		if err == nil {
			err = Into("top", tree, &outer{})
		}
		if err != nil {
			got = err.Error()
		}
		polytest.Equal(t, got, c.want, "%s: error", c.text)
	}
}

// word is a type that reads text.
type word string

func (w *word) UnmarshalText(text []byte) error {
	*w = word(text)
	return nil
}

func TestIntoText(t *testing.T) {
	for text, want := range map[string]string{"auto": "auto", "true": "true", "false": "false", "'no'": "no"} {
		tree := polytest.Must(Parse("", []byte("word: "+text)))(t)
		var got struct {
			Word word `yaml:"word"`
		}
		if err := Into("", tree, &got); err != nil || string(got.Word) != want {
			t.Errorf("%s is %q, %v; want %q", text, got.Word, err, want)
		}
	}
	tree, _ := Parse("", []byte("word: 3"))
	var got struct {
		Word word `yaml:"word"`
	}
	if err := Into("", tree, &got); err == nil || err.Error() != "word is 3, want text" {
		t.Errorf("3 gives %v", err)
	}
}

// pair is a type with keys of its own.
type pair struct{ inner }

func (p *pair) FromYAML(key string, value any) (string, error) {
	tree, ok := value.(map[string]any)
	if !ok {
		return "a pair", nil
	}
	return "", Into(key, tree, &p.inner)
}

// Errors within a value that reads itself have their whole key, too.
func TestKeysWithinAValue(t *testing.T) {
	for text, want := range map[string]string{
		"pairs: {a: {low: x}}": `top.pairs.a.low is "x", want a number`,
		"pairs: {a: {lwo: 1}}": "top.pairs.a.lwo: unknown key; did you mean top.pairs.a.low?",
		"pairs: {a: 3}":        "top.pairs.a is 3, want a pair",
	} {
		tree := polytest.Must(Parse("top", []byte(text)))(t)
		var out struct {
			Pairs map[string]pair `yaml:"pairs"`
		}
		if err := Into("top", tree, &out); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestIntoKeepsLetters(t *testing.T) {
	tree := polytest.Must(Parse("", []byte("free: {'.*_Calf.joint': 1}")))(t)
	var o outer
	polytest.NoError(t, Into("", tree, &o))
	if o.Free[".*_Calf.joint"] != 1 {
		t.Errorf("got %v, want the key as it was written", o.Free)
	}
	// Nothing, as in an empty file, leaves all as it was.
	if err := Into("", nil, &o); err != nil || len(o.Free) != 1 {
		t.Errorf("after nothing: %v, %v", o, err)
	}
}
