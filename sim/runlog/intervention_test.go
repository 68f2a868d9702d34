package runlog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/runners"
)

// everyIntervention returns interventions with each kind of part and each form of a value.
func everyIntervention() []Intervention {
	yes := true
	return []Intervention{
		{Intent: &Intent{Number: 1, Client: "me-1", Kind: "speed", World: 3, Refusal: "the speed is \"fast\""}},
		{Decision: &Decision{ID: "0/1/Planner/20", Event: DecisionAsked, NS: 20, Client: "mind-2",
			Perception: json.RawMessage(`{"observation": [1, null]}`)}},
		{Intent: &Intent{Number: math.MaxInt64}, Decision: &Decision{Event: DecisionApplied, Reason: "é",
			Reply: json.RawMessage(`{}`)},
			Effect: &Command{World: 1, Name: "velocity", Values: []float64{0.1, math.Copysign(0, -1), 1e300}}},
		{Effect: &Command{}},
		{Effect: &Push{World: 2, Body: "trunk", Force: [3]float64{1, 2, 3}, Torque: [3]float64{4, 5, 6},
			Velocity: [3]float64{7, 8, 9}, Steps: 10, ID: "me-1/7"}},
		{Effect: &Label{World: 1, Episode: 2, NS: 3, Task: "walk"}},
		{Effect: &Label{Success: &yes}},
		{Effect: &Label{Success: new(bool)}},
		{Effect: &Change{N: 4, Edits: runners.Edits{runners.RemoveRunner{Name: "Lidar"}}}},
		{Effect: &Skip{N: 1, Intervals: 2, FromNS: 3, ToNS: 4}},
		{Effect: &Override{World: 1, Steps: 20}},
		{Effect: &Reset{World: 1}},
		{Effect: &Reset{All: true}},
		{Effect: &Pause{Paused: true}},
		{Effect: &Speed{Factor: 1.0 / 3}},
		{Effect: &Steps{Count: 5}},
		{Effect: &Assignment{Worlds: []uint32{0, math.MaxUint32}}},
		{Effect: &Assignment{}},
	}
}

// Each intervention is read as it was written, and a log with another one differs in it.
func TestInterventionsAreReadAsWritten(t *testing.T) {
	list := everyIntervention()
	for _, newEffect := range newEffects {
		if !slices.ContainsFunc(list, func(i Intervention) bool {
			return i.Effect != nil && i.Effect.Kind() == newEffect().Kind()
		}) {
			t.Errorf("the test has no %s", newEffect().Kind())
		}
	}
	write := func(l *Log, list []Intervention) error {
		if err := l.Start(1); err != nil {
			return err
		}
		for n, i := range list {
			l.Intervention(int64(n), i)
		}
		return errors.Join(l.EndSegment(), l.Close())
	}
	var log file
	polytest.NoError(t, write(polytest.Must(Create(&log, header()))(t), list))
	in := polytest.Must(NewReader(bytes.NewReader(log.Bytes())))(t)
	for n, want := range list {
		record := polytest.Must(in.Next())(t)
		polytest.Equal(t, record.N(), int64(n), "control steps before an intervention")
		if got := record.Intervention(); record.Kind != KindIntervention || !reflect.DeepEqual(got, want) {
			t.Errorf("%v is read as %v", &want, &got)
		}
	}
	compare := func(list []Intervention) error {
		return write(polytest.Must(Compare(io.NopCloser(bytes.NewReader(log.Bytes()))))(t), list)
	}
	polytest.ErrorIs(t, compare(list), ErrEnd)
	for n := range list {
		other := everyIntervention()
		other[n] = Intervention{Intent: &Intent{Client: "another"}}
		want := fmt.Sprintf("diverged at step %d: the log has %v before step %d, the run has %v before step %d", n, &list[n],
			n, &other[n], n)
		polytest.ErrorContains(t, compare(other), want)
	}
}

// What a log keeps can be read again: a long configuration, the perception of a camera, a reply. What is longer is left
// out, and the reason says so beside the one that the event had.
func TestLongRecords(t *testing.T) {
	text := func(size int) json.RawMessage {
		if size == 0 {
			return nil
		}
		return json.RawMessage(`"` + strings.Repeat("7", size-2) + `"`)
	}
	long := header()
	long.Configuration = strings.Repeat("é\n\"", 1<<19)
	left := fmt.Sprintf("has %d bytes, and a log keeps at most %d", MaxDecision+1, MaxDecision)
	for _, c := range []struct {
		perception, reply         int // bytes
		reason                    string
		keptPerception, keptReply int
		want                      string
	}{
		{3 << 20, 0, "", 3 << 20, 0, ""},
		{MaxDecision, 0, "", MaxDecision, 0, ""},
		{MaxDecision + 1, 0, "", 0, 0, "the perception " + left},
		{0, MaxDecision, "late", 0, MaxDecision, "late"},
		{0, MaxDecision + 1, "late", 0, 0, "late; the reply " + left},
		{MaxDecision + 1, 100, "", 0, 100, "the perception " + left},
		{MaxDecision - 99, 100, "", MaxDecision - 99, 0, "the reply has 100 bytes, and a log keeps at most 99"},
	} {
		var log file
		l := polytest.Must(Create(&log, long))(t)
		polytest.NoError(t, l.Start(1))
		l.Intervention(0, Intervention{Decision: &Decision{ID: "0/1/Planner/20", Event: DecisionAsked, Reason: c.reason,
			Perception: text(c.perception), Reply: text(c.reply)}})
		polytest.NoError(t, errors.Join(l.EndSegment(), l.Close()))

		in := polytest.Must(NewReader(bytes.NewReader(log.Bytes())))(t)
		polytest.Equal(t, in.Header().Configuration, long.Configuration, "the configuration")
		d := polytest.Must(in.Next())(t).Intervention().Decision
		if len(d.Perception) != c.keptPerception || len(d.Reply) != c.keptReply || d.Reason != c.want ||
			d.ID != "0/1/Planner/20" {
			t.Errorf("of %d bytes of a perception and %d of a reply %d and %d are kept with the reason %q, want %d, %d and %q",
				c.perception, c.reply, len(d.Perception), len(d.Reply), d.Reason, c.keptPerception, c.keptReply, c.want)
		}
	}
}

// Payloads that are no interventions are refused with one line that names what was found and wanted.
func TestDamagedInterventions(t *testing.T) {
	text := func(s string) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s }
	push := Intervention{Effect: &Push{Body: "trunk"}}
	whole := string(push.append(nil))
	zeros := func(n int) string { return string(make([]byte, n)) }
	for payload, want := range map[string]string{
		"":                      "an intervention has no part, want an intent, a decision or an effect",
		"\x01":                  "the kind of a part of an intervention has 1 bytes, want 4",
		"\xff\xff\xff\xffpush":  "the kind of a part of an intervention has 4 bytes, want 4294967295",
		text("pusx"):            `part 1 of an intervention is of the kind "pusx", want an intent, a decision and an effect`,
		whole + text("push"):    `part 2 of an intervention is of the kind "push", want`,
		whole + text("intent"):  `part 2 of an intervention is of the kind "intent", want`,
		text("push") + zeros(3): "the field world of a part push has 3 bytes, want 8",
		text("push") + zeros(8) + text("b") + zeros(23): "the field force of a part push has 23 bytes, want 24",
		text("pause") + "\x02":                          "the field paused of a part pause is 2, want 0 to 1",
		text("pause"):                                   "the field paused of a part pause has 0 bytes, want 1",
		text("label") + zeros(24) + text("") + "\x03":   "the field success of a part label is 3, want 0 to 2",
		text("command") + zeros(8) + text("speed") + "\x02\x00\x00\x00" + zeros(8): "the field values of a part command " +
			"has 8 bytes, want 16",
		text("change") + zeros(8) + text("[{}]"): `the field edits of a part change is "[{}]", want edits in JSON: edits[0]`,
		text("decision") + text("") + text("") + zeros(8) + text("") + text("") + text("{"): "the field perception of a " +
			`part decision is "{", want JSON`,
	} {
		record := appendRecord(nil, KindIntervention, func(dst []byte) []byte { return append(dst, zeros(8)+payload...) })
		h := header()
		start := h.start()
		in := polytest.Must(NewReader(bytes.NewReader(append(start, record...))))(t)
		_, err := in.Next()
		var d *Damage
		if !errors.As(err, &d) || d.Offset != int64(len(start)) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v, want %q", payload, err, want)
		}
	}
}

// A log of another version is refused by its version, not as damage.
func TestLogOfAnotherVersion(t *testing.T) {
	log := written(t)
	binary.LittleEndian.PutUint32(log[8:], 2)
	_, err := NewReader(bytes.NewReader(log))
	polytest.ErrorContains(t, err, "the version of the log is 2, want 3: the program that wrote it can read it")
	if strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v, want one without damage", err)
	}
}

// Whatever a record of an intervention holds, it is refused or read, and what was read is written and read again as
// the same.
func FuzzIntervention(f *testing.F) {
	for _, i := range everyIntervention() {
		f.Add(i.append(nil))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		var i, again Intervention
		if err := i.take(payload); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
			return
		}
		written := i.append(nil)
		polytest.NoError(t, again.take(written))
		if !bytes.Equal(again.append(nil), written) || again.String() != i.String() {
			t.Errorf("%v is written and read as %v", &i, &again)
		}
	})
}
