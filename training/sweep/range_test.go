package sweep

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestRangeValues(t *testing.T) {
	for _, c := range []struct {
		text string
		at   []string // 0, a half, almost 1
		grid []string // nil: the number of values is missing
	}{
		{"0..1", []string{"0", "0.5", "1"}, nil},
		{"-2..2/3", []string{"-2", "0", "2"}, []string{"-2", "0", "2"}},
		{"lin:0.1..0.3/2", []string{"0.1", "0.2", "0.3"}, []string{"0.1", "0.3"}},
		{"log:1e-4..1e-2/3", []string{"0.0001", "0.001", "0.01"}, []string{"0.0001", "0.001", "0.01"}},
		{"log:1e-4 .. 1e-2", []string{"0.0001", "0.001", "0.01"}, nil},
		{"0.99912345..0.99912346", []string{"0.99912345", "0.999123455", "0.99912346"}, nil}, // six digits are too few
		{"int:1..4", []string{"1", "3", "4"}, []string{"1", "2", "3", "4"}},
		{"int:1..100/3", []string{"1", "51", "100"}, []string{"1", "51", "100"}},
		{"log-int:1..100/3", []string{"1", "10", "100"}, []string{"1", "10", "100"}},
		{"log-int:1..100", []string{"1", "10", "100"}, nil},
		{"log-int:1..4/4", []string{"1", "2", "4"}, []string{"1", "2", "3", "4"}},
		{"true, false", []string{"true", "false", "false"}, []string{"true", "false"}},
		{"0.98,0.99,0.995", []string{"0.98", "0.99", "0.995"}, []string{"0.98", "0.99", "0.995"}},
		{"[64, 64],[32,  32 ]", []string{"[64, 64]", "[32, 32]", "[32, 32]"}, []string{"[64, 64]", "[32, 32]"}},
		{"'1e3',tanh", []string{`"1e3"`, "tanh", "tanh"}, []string{`"1e3"`, "tanh"}},
		{"{a: 1, b: [x]},{}", []string{"{a: 1, b: [x]}", "{}", "{}"}, []string{"{a: 1, b: [x]}", "{}"}},
		{"../a.xml,../b.xml", []string{"../a.xml", "../b.xml", "../b.xml"}, []string{"../a.xml", "../b.xml"}},
	} {
		r := polytest.Must(ParseRange("key", c.text))(t)
		for i, u := range []float64{0, 0.5, math.Nextafter(1, 0)} {
			polytest.Equal(t, r.At(u), c.at[i], "%s at %v", c.text, u)
		}
		polytest.Equal(t, r.At(1), c.at[2], "%s at 1", c.text)
		grid, err := r.Grid()
		if !slices.Equal(grid, c.grid) || (err == nil) != (c.grid != nil) {
			t.Errorf("%s: grid %q, %v; want %q", c.text, grid, err, c.grid)
		}
	}
}

func TestRangesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                "0 values are given, want a range such as",
		"0.99":            "1 values are given",
		"1,1":             "the value 1 is given twice",
		"1,,2":            "want",
		"1..1":            "it goes from 1 to 1, want the lesser number first",
		"2..1":            "it goes from 2 to 1",
		"log:0..1":        "it begins at 0, want a number above 0 for the scale log",
		"log-int:-1..1":   "it begins at -1, want a number above 0 for the scale log-int",
		"int:1..2.5":      "an end is 2.5, want whole numbers for the scale int",
		"int:1..1e300":    "an end is 1e+300, want whole numbers",
		"int:1..3/4":      "the number of values is 4, want at most 3",
		"1..2/1":          `the number of values is "1", want a whole number of 2 to 10000`,
		"1..2/":           `the number of values is "", want`,
		"1..2/99999":      `the number of values is "99999", want`,
		"logg:1..2":       `the scale is "logg", want one of lin, log, int, log-int`,
		"1..x":            `"x" is no number, want A..B with finite numbers`,
		"log:..2":         `"" is no number`,
		"1..inf":          `"inf" is no number`,
		"0x1..2":          `"0x1" is no number`,
		"-1e308..1.5e308": "want numbers that are less far apart",
		"[1":              "want",
		"1] [2":           "want",
		"1]\n---\n[2":     "want",
		"a\n\nb,c":        "want values of one line each",
		"&a 1,*a":         "want values without anchors",
	} {
		_, err := ParseRange("some.key", text)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "some.key is "+strconv.Quote(text)) {
			t.Errorf("%q: %v, want %q after the key and the text", text, err, want)
		}
	}
	for _, key := range []string{"", "a b", "a\nb"} {
		if _, err := ParseRange(key, "1..2"); err == nil || !strings.Contains(err.Error(), "want one such as") {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

// Whatever is parsed without an error gives values on one line, and those of a scale within it.
func FuzzParseRange(f *testing.F) {
	for _, text := range []string{"1..2", "log:1e-4..1e-2/5", "int:1..9", "log-int:1..9/3", "a,b", "[1,2],[3]", "{a: b},c",
		"..", "1..2..3", "x:1..2/", "\"a\\nb\",c", "|\n a\n,b", "!!binary aGk=,b", "# c\n1,2", "a\n\nb,c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRange("key", text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("the error has more than one line: %q", err)
			}
			return
		}
		values := r.samples()
		if grid, err := r.Grid(); err == nil {
			if len(grid) < 2 && r.scale == "" {
				t.Errorf("%d values of a grid", len(grid))
			}
			values = append(values, grid...)
		}
		for i := range 9 {
			values = append(values, r.At(float64(i)/8))
		}
		for _, v := range values {
			if strings.Contains(v, "\n") {
				t.Errorf("the value %q has more than one line", v)
			}
			if r.scale == "" {
				continue
			}
			if n, err := strconv.ParseFloat(v, 64); err != nil || n < r.low || n > r.high {
				t.Errorf("the value %s (%v) is not of %v to %v", v, err, r.low, r.high)
			}
		}
	})
}
