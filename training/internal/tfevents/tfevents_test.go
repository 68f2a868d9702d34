package tfevents

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// TensorBoard's own reader finds every scalar, in a file that was written in two parts.
// POLYTEST_PYTHON names an interpreter that has tensorboard; the test workflow sets it.
func TestTensorBoardReads(t *testing.T) {
	python := polytest.Python(t)
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "metrics.tfevents"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := polytest.Must(Create(file, time.Unix(1_700_000_000, 0)))(t)
	type point struct {
		Step  int64
		Value float32
	}
	want := map[string][]point{}
	for i := range int64(50) {
		if i == 20 {
			w = Continue(file)
		}
		a, b := math.Sin(float64(i)), float64(i)*1e6
		if i%7 == 0 {
			a = math.NaN()
		} else {
			want["loss/policy"] = append(want["loss/policy"], point{i << 33, float32(a)})
		}
		want["b"] = append(want["b"], point{i << 33, float32(b)})
		polytest.NoError(t, w.Write(time.Unix(1_700_000_000+i, 0), i<<33, []string{"loss/policy", "b"}, []float64{a, b}))
	}
	picture := []byte("GIF89a\x02\x00\x01\x00")
	polytest.NoError(t, w.WriteImage(time.Unix(1_700_000_100, 0), 7, "clip", 2, 1, picture))
	text := polytest.Must(json.Marshal(want))(t)
	out, err := exec.Command(python, "../../../internal/tests/peers/events.py", dir, string(text)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// The checksums of records, as RFC 3720 gives that of 32 zeros.
func TestMasked(t *testing.T) {
	crc := uint32(0x8a9136aa)
	if got, want := masked(make([]byte, 32)), (crc>>15|crc<<17)+0xa282ead8; got != want {
		t.Errorf("masked checksum %08x, want %08x", got, want)
	}
}
