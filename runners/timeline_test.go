package runners

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func timelineLines(t *testing.T, s *Schedule, untilNS int64) []string {
	t.Helper()
	var lines []string
	polytest.NoError(t, NewClock(s).Timeline(untilNS, func(at Instant) error {
		line, err := json.Marshal(at)
		lines = append(lines, string(line))
		return err
	}))
	return lines
}

func TestTimelineJSON(t *testing.T) {
	s := mustCompile(t, defaults(), []Binding{
		{Name: "recorder", Runner: "Capture", Phase: Control, Priority: 100},
		{Name: "latch", Beat: true},
	})
	got := strings.Join(timelineLines(t, s, 40e6), "\n")
	const recorder = `{"name":"recorder","runner":"Capture","phase":"Control","priority":100,"dt_ns":33333333}]}`
	const want = `{"t_ns":0,"sync":true,"runners":["Robot","Capture"],"dts_ns":{"Capture":33333333,"Robot":20000000},` +
		`"calls":[{"name":"latch","runner":"","phase":"Acquisition","priority":0,"dt_ns":100000000},` + recorder + `
{"t_ns":20000000,"sync":false,"runners":["Robot"],"dts_ns":{"Robot":20000000},"calls":[]}
{"t_ns":33333333,"sync":false,"runners":["Capture"],"dts_ns":{"Capture":33333333},"calls":[` + recorder + `
{"t_ns":40000000,"sync":false,"runners":["Robot"],"dts_ns":{"Robot":20000000},"calls":[]}`
	if got != want {
		t.Errorf("timeline:\n%s\nwant:\n%s", got, want)
	}
}

// The end is part of the timeline, so that the beat there is seen; an error
// ends the walk; a clock that ends before ends it too.
func TestTimelineEnds(t *testing.T) {
	runners, bindings := quadruped()
	s := mustCompile(t, runners, bindings)
	for until, want := range map[int64]int{-1: 0, 0: 1, 1999999: 1, 2e6: 2, 200e6 - 1: 104, 200e6: 105} {
		if got := len(timelineLines(t, s, until)); got != want {
			t.Errorf("%d instants up to %d ns, want %d", got, until, want)
		}
	}

	full := errors.New("disk full")
	seen := 0
	err := NewClock(s).Timeline(200e6, func(Instant) error {
		if seen++; seen == 3 {
			return full
		}
		return nil
	})
	if err != full || seen != 3 {
		t.Errorf("%v after %d instants, want %v after 3", err, seen, full)
	}

	slow := mustCompile(t, []Runner{{Name: "Slow", Rate: Rate{1, maxTerm - 1}},
		{Name: "Off", Rate: Hz(1000), Disabled: true}}, nil)
	polytest.Equal(t, len(timelineLines(t, slow, math.MaxInt64)), 5, "instants of 68 years on a clock of 292")
}

func TestTrace(t *testing.T) {
	runners, bindings := quadruped()
	runners[2].Name = `Sensors "fast"`
	bindings[2].Runner = runners[2].Name
	s := mustCompile(t, runners, bindings)
	var out bytes.Buffer
	polytest.NoError(t, NewClock(s).WriteTrace(&out, 100e6))
	type event struct {
		Name, Ph, S string
		TS, Dur     json.Number
		PID, TID    int
		Args        struct {
			Name    string
			K       int64
			NS      int64 `json:"t_ns"`
			DT      int64 `json:"dt_ns"`
			Shared  bool
			Sync    bool
			Runners []string
			Calls   []string
		}
	}
	var trace struct{ TraceEvents []event }
	if err := json.Unmarshal(out.Bytes(), &trace); err != nil {
		t.Fatalf("%v in\n%s", err, out.Bytes())
	}

	tracks := map[int]string{}
	stepsOf, marks, beats := map[int]int{}, 0, 0
	for _, e := range trace.TraceEvents {
		switch e.Ph {
		case "M":
			tracks[e.TID] = e.Args.Name
		case "X":
			r := runners[e.TID-1]
			if want := r.Rate.Timestamp(e.Args.K); e.Args.NS != want || e.TS != micros(want) ||
				e.Dur != micros(r.Rate.DT(e.Args.K)) || e.Args.K != int64(stepsOf[e.TID]) {
				t.Errorf("step of %s: %+v, want boundary %d at %d ns", r.Name, e, stepsOf[e.TID], want)
			}
			stepsOf[e.TID]++
		case "i":
			marks++
			if e.Args.Sync {
				beats++
			}
			if !e.Args.Sync != (len(e.Args.Runners) < 3) || len(e.Args.Runners) < 2 || e.S != "p" || e.TID != 0 {
				t.Errorf("mark %+v, want one across all tracks where runners meet", e)
			}
		default:
			t.Errorf("event of kind %q: %+v", e.Ph, e)
		}
	}
	wantTracks := []string{"shared steps", "Robot 50 Hz", "Capture 30 Hz", `Sensors "fast" 500 Hz`}
	for tid, want := range wantTracks {
		polytest.Equal(t, tracks[tid], want, "track %d", tid)
	}
	if stepsOf[1] != 6 || stepsOf[2] != 4 || stepsOf[3] != 51 || len(tracks) != len(wantTracks) {
		t.Errorf("steps by track %v, want 6 of Robot, 4 of Capture, 51 of Sensors", stepsOf)
	}
	if marks != 6 || beats != 2 {
		t.Errorf("%d shared steps and %d beats are marked, want 6 and 2", marks, beats)
	}

	last := trace.TraceEvents[len(trace.TraceEvents)-1]
	const want = "Acquisition/0 sensors, Acquisition/100 observe, Acquisition/0 latch, Control/-200 policy, " +
		"Control/100 recorder, Physics/0 mujoco, Validation/0 faults"
	if got := strings.Join(last.Args.Calls, ", "); last.Name != "beat" || last.TS != "100000.000" || got != want {
		t.Errorf("the last mark is %+v, want the beat at 100 ms with %s", last, want)
	}
}

func TestTraceReportsAFailedWrite(t *testing.T) {
	s := mustCompile(t, defaults(), nil)
	full := errors.New("disk full")
	err := NewClock(s).WriteTrace(writerFunc(func([]byte) (int, error) { return 0, full }), 10e9)
	if !errors.Is(err, full) {
		t.Errorf("writing to a full disk: %v, want %v", err, full)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
