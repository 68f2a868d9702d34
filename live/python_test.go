package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/live/wire"
)

// The decoder of the Python client has the same state as ours, bit by bit, after every
// frame of random streams with gaps and sessions that go on.
func TestPythonDecodesTheSame(t *testing.T) {
	python := os.Getenv("POLYTEST_PYTHON")
	if python == "" {
		t.Skip("POLYTEST_PYTHON names no interpreter with grpcio; the test workflow sets it")
	}
	for seed := range uint64(4) {
		stream, want := randomStream(t, seed)
		run := exec.Command(python, "testdata/decode.py")
		run.Env = append(os.Environ(), "PYTHONPATH=../python", "PYTHONDONTWRITEBYTECODE=1")
		run.Stdin = bytes.NewReader(stream)
		var problems bytes.Buffer
		run.Stderr = &problems
		got, err := run.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, problems.String())
		}
		gotLines, wantLines := strings.Split(string(got), "\n"), strings.Split(want, "\n")
		for i := range wantLines {
			if i >= len(gotLines) || gotLines[i] != wantLines[i] {
				t.Fatalf("seed %d: line %d of %d is\n%q, want\n%q", seed, i, len(wantLines), gotLines[min(i, len(gotLines)-1)], wantLines[i])
			}
		}
	}
}

// randomStream returns updates as a client reads them, each after its length, and the
// states that our decoder has after its frames, as testdata/decode.py prints them.
func randomStream(t *testing.T, seed uint64) (stream []byte, states string) {
	r := rand.New(rand.NewPCG(seed, 1))
	d := described(1 + int(seed)%3)
	for _, name := range []string{"a", "b"} { // of the poses
		d.Bodies = append(d.Bodies, &wire.Body{Name: name})
	}
	h := newHub(d, make([]byte, KeySize), 0)
	defer h.close()
	s, decoder := newSample(d), &Decoder{}
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324}
	var client *Client
	var text strings.Builder
	for range 120 {
		for range []int{1, 1, 2, 5, 70, 300}[r.IntN(6)] {
			s.n++
			s.paused, s.speed = r.IntN(4) == 0, r.Float64()
			for i := range s.worlds {
				w := &s.worlds[i]
				w.episode, w.ns, w.reward = s.n/7, w.ns+20_000_000, float32(r.NormFloat64())
				w.terminated, w.truncated = r.IntN(9) == 0, r.IntN(9) == 0
				for k := range w.ages {
					w.ages[k] = r.Int64N(1000) - 1
				}
			}
			for i := range s.values {
				switch r.IntN(8) {
				case 0:
					s.values[i] = odd[r.IntN(len(odd))]
				case 1, 2, 3:
					s.values[i] = r.NormFloat64()
				}
			}
			h.publish(s, r.IntN(20) == 0)
		}
		if client == nil || r.IntN(10) == 0 {
			o := JoinOptions{Role: Watch}
			if client != nil {
				o.Session, o.After = client.Session(), decoder.Frame().GetNumber()
			}
			var err error
			if client, err = h.join(o); err != nil {
				t.Fatal(err)
			}
		}
		stream = readAll(t, client, decoder, stream, &text)
	}
	return stream, text.String()
}

// readAll reads what there is for a client.
func readAll(t *testing.T, c *Client, d *Decoder, stream []byte, text *strings.Builder) []byte {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		data, err := c.Next(ctx)
		if errors.Is(err, context.Canceled) {
			return stream
		}
		if err != nil {
			t.Fatal(err)
		}
		stream = append(binary.LittleEndian.AppendUint32(stream, uint32(len(data))), data...)
		before := d.Frame()
		if err := d.Update(bytes.Clone(data)); err != nil {
			t.Fatal(err)
		}
		if d.Frame() != before {
			printState(text, d)
		}
	}
}

func printState(to *strings.Builder, d *Decoder) {
	f := d.Frame()
	fmt.Fprintln(to, f.N, f.Number, bit(f.Paused), d.Missed)
	for i, w := range f.Worlds {
		fmt.Fprintln(to, w.Episode, w.Ns, bit(w.Terminated), bit(w.Truncated), math.Float32bits(w.Reward))
		for k, track := range d.Welcome.Description.Tracks {
			values, stamp := d.Values(nil, i, k)
			var words []string
			if track.PoseSize == 0 {
				words = append(words, strings.TrimPrefix(track.Name, channelPrefix), fmt.Sprint(stamp))
			}
			for _, x := range values {
				words = append(words, fmt.Sprint(math.Float64bits(x)))
			}
			fmt.Fprintln(to, strings.Join(words, " "))
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
