package policies

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

func TestScriptSchedule(t *testing.T) {
	third := polytest.Must(runners.ParseRate("200/3"))(t)
	for _, c := range []struct {
		text    string
		control runners.Rate
		from    []int64
		steps   int64
	}{
		{"action[0]\n1\n2\n3\n", runners.Hz(50), []int64{0, 1, 2}, 3},
		{"# a comment\nt, action[0]\n0, 1\n\n0.1, 2\n", runners.Hz(50), []int64{0, 5}, 6},
		{"\ufeff# from a spreadsheet\r\naction[0]\r\n1\r\n2\r\n", runners.Hz(50), []int64{0, 1}, 2},
		// Times are compared exactly, to the last digit.
		{"t,action[0]\n0,1\n0.0300,2\n", third, []int64{0, 2}, 3},
		{"t,action[0]\n0,1\n0.03000000000000001,2\n", third, []int64{0, 3}, 4},
		{"action[0],t\n1,0\n2,0.33333333333333331483\n", runners.Hz(30), []int64{0, 10}, 11},
	} {
		s, err := parseScript(strings.NewReader(c.text))
		if err == nil {
			err = s.schedule(c.control)
		}
		if err != nil || !slices.Equal(s.firstSteps, c.from) || s.steps != c.steps {
			t.Errorf("%q at %v Hz: steps %v of %d, %v; want %v of %d", c.text, c.control, s.firstSteps, s.steps, err, c.from,
				c.steps)
			continue
		}
		for step := range s.steps {
			want := 0 // by looking at all of them
			for i, from := range s.firstSteps {
				if from <= step {
					want = i
				}
			}
			if got := s.action(step); got[0] != s.rows[want][0] {
				t.Errorf("%q: action %v in step %d, want %v", c.text, got, step, s.rows[want])
			}
		}
	}
}

func TestScriptErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "it is empty",
		"t\n0\n":                      "it has no column of actions, want at least one",
		"a\n":                         "no actions",
		"a,b\n1\n":                    "wrong number of fields",
		"a\nx\n":                      `line 2: column "a" is "x"`,
		"a\nNaN\n":                    `line 2: column "a" is "NaN"`,
		"a\n1e39\n":                   `line 2: column "a" is "1e39"`,
		"t,a\n-1,1\n":                 `line 2: t is "-1"`,
		"t,a\n0,1\n1e-300000000,1\n":  "line 3: t is",
		"t,a\n1e300000000,1\n":        "line 2: t is",
		"t,a\n0.5,1\n":                "line 2: the first action is at 1/2 s, want 0",
		"t,a\n0,1\n0.021,1\n0.03,1\n": "line 4: the action at 3/100 s begins in control step 2 and the one before in step 2",
		"t,a\n0,1\n0.04,1\n0.02,1\n":  "line 4: the action at",
		"a,b\n\"1,2\n":                "line",
		"a,t,t\n1,0,0\n":              `it has two columns "t", want one`,
	} {
		s, err := parseScript(strings.NewReader(text))
		if err == nil {
			err = s.schedule(runners.Hz(50))
		}
		polytest.ErrorContains(t, err, want)
	}
}

// A text is either rejected, or is a script with each action in a step of its own, in order.
func FuzzScript(f *testing.F) {
	f.Add("t,action[0]\n0,1\n0.1,2\n")
	f.Add("a,b\n1,2\n# x\n3,4\n")
	f.Add("t,a\n0,1\n1e-5,0x1p-3\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseScript(strings.NewReader(text))
		if err != nil || s.schedule(runners.Hz(50)) != nil {
			return
		}
		if len(s.firstSteps) != len(s.rows) || s.firstSteps[0] != 0 || s.steps != s.firstSteps[len(s.firstSteps)-1]+1 {
			t.Errorf("%q: %d actions from %v, %d steps", text, len(s.rows), s.firstSteps, s.steps)
		}
		for i, row := range s.rows {
			if len(row) != len(s.names) || i > 0 && s.firstSteps[i] <= s.firstSteps[i-1] {
				t.Errorf("%q: action %d has %d of %d values and begins at %v", text, i, len(row), len(s.names), s.firstSteps)
			}
		}
	})
}

func TestFirstStep(t *testing.T) {
	for seconds, want := range map[string]int64{"1": 50, "0.02": 1, "0.0200000001": 2, "1/3": 17, "1e-9": 1} {
		s, _ := new(big.Rat).SetString(seconds)
		polytest.Equal(t, runners.FirstStep(s, runners.Hz(50)), want, "%s s: step", seconds)
	}
}
