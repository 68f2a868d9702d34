package training

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/training/internal/runs"
)

// Whatever a file says of the state of a run, it is refused, or written again as it was.
func FuzzState(f *testing.F) {
	e := must(env.Open(parse(f, "InvertedPendulum-v5", "worlds=1"), env.OpenOptions{}))(f)
	defer e.Close()
	noError(f, e.Reset())
	worlds := must(e.State())(f)
	snapshot := worlds.Worlds.Encode()
	f.Add([]byte(`{"step": 7, "live": {"part": 1, "server": {"speed": 2}}, "clock": [{"n": 3, "edits": []}]}`),
		[]byte("learner"), []byte("abcd"), snapshot)
	f.Add([]byte(`{"training": {"discounted": [1], "changes": [{"was": null}]}, "slices": [{"from": -1}]}`), []byte(nil),
		[]byte("abc"), snapshot[:100])
	f.Fuzz(func(t *testing.T, text, learner, memory, worlds []byte) {
		s, err := runs.DecodeState(runs.StateKind.Encode(text, learner, memory, worlds))
		if err != nil || s.Open() != nil {
			return
		}
		data := must(s.Encode())(t)
		again, err := runs.DecodeState(data)
		if err == nil {
			err = again.Open()
		}
		if err != nil || !bytes.Equal(again.Worlds.Encode(), s.Worlds.Encode()) || !reflect.DeepEqual(again.Live, s.Live) {
			t.Errorf("%s became %+v, %v", text, again, err)
		}
	})
}
