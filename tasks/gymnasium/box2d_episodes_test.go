package gymnasium

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// box2dEpisode is what peers/box2d_episodes.py prints for one episode.
type box2dEpisode struct {
	Ground      [][]hexadecimal `json:"ground"`
	Observation []hexadecimal   `json:"observation"`
	State       box2dState      `json:"state"`
	Scene       box2dScene      `json:"scene"`
	Steps       []box2dStep     `json:"steps"`
	Return      hexadecimal     `json:"return"`
	Length      int             `json:"length"`
	Terminated  bool            `json:"terminated"`
	Draws       Doubles         `json:"draws"`
	ResetDraws  int             `json:"reset_draws"` // how many of them the reset took
}

type box2dScene struct {
	// mass, inertia about the centre of mass, that centre's x and y, friction, restitution, density, category, mask
	Bodies [][9]hexadecimal `json:"bodies"`
	// lower and upper limit, speed of the motor at t = 0; its torque cannot be asked for
	Joints   [][3]hexadecimal `json:"joints"`
	Friction []hexadecimal    `json:"friction"` // of the ground's shapes
}

type box2dState struct {
	Bodies   [][6]hexadecimal `json:"bodies"` // x, y, angle, vx, vy, angular velocity
	Joints   [][2]hexadecimal `json:"joints"` // angle, speed
	Contacts [2]bool          `json:"contacts"`
	Rays     []hexadecimal    `json:"rays"`
	Crashed  bool             `json:"crashed"`
	Awake    bool             `json:"awake"`
}

type box2dStep struct {
	Action      []hexadecimal    `json:"action"`
	Draws       []hexadecimal    `json:"draws"`
	State       box2dState       `json:"state"`
	Observation []hexadecimal    `json:"observation"`
	Reward      hexadecimal      `json:"reward"`
	Terminated  bool             `json:"terminated"`
	Impulses    [][4]hexadecimal `json:"impulses"` // x, y, at x, at y
	Force       [][2]hexadecimal `json:"force"`
	Torque      [][1]hexadecimal `json:"torque"`
}

// hexadecimal is a float64 that travels in hexadecimal.
type hexadecimal float64

func (h *hexadecimal) UnmarshalText(text []byte) error {
	v, err := strconv.ParseFloat(string(text), 64)
	*h = hexadecimal(v)
	return err
}

// Doubles are float64s that travel as the base64 of their bytes.
type Doubles []float64

func (d *Doubles) UnmarshalJSON(text []byte) error {
	var raw []byte
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*d = make(Doubles, len(raw)/8)
	return binary.Read(bytes.NewReader(raw), binary.LittleEndian, []float64(*d))
}

// resetDraws are the random numbers that Gymnasium's reset drew, and stepDraws
// those that its steps drew or would have drawn.
func (e *box2dEpisode) resetDraws() []float64 { return e.Draws[:e.ResetDraws] }
func (e *box2dEpisode) stepDraws() []float64  { return e.Draws[e.ResetDraws:] }

func (s *box2dState) planar() planarView {
	b := s.Bodies[0]
	return planarView{
		x: float64(b[0]), y: float64(b[1]), angle: float64(b[2]),
		vx: float64(b[3]), vy: float64(b[4]), omega: float64(b[5]), feet: s.Contacts,
	}
}

func (s *box2dState) walker() walkerView {
	v := walkerView{planarView: s.planar(), rays: numbers[float64](s.Rays)}
	for i, j := range s.Joints {
		v.joint[i], v.speed[i] = float64(j[0]), float64(j[1])
	}
	return v
}

func numbers[F float32 | float64](in []hexadecimal) []F {
	out := make([]F, len(in))
	for i, v := range in {
		out[i] = F(v)
	}
	return out
}

// gymnasiumEpisodes runs Gymnasium's own task and hands each episode to f.
func gymnasiumEpisodes(t *testing.T, task, arguments string, episodes int, controller, detail string,
	f func(i int, e *box2dEpisode)) {
	t.Helper()
	cmd := exec.Command(polytest.Python(t), "../../internal/tests/peers/box2d_episodes.py", task, arguments,
		strconv.Itoa(episodes),
		controller, detail)
	cmd.Stderr = os.Stderr
	out := polytest.Must(cmd.StdoutPipe())(t)
	polytest.NoError(t, cmd.Start())
	n := 0
	for d := json.NewDecoder(out); d.More(); n++ {
		var e box2dEpisode
		if err := d.Decode(&e); err != nil {
			t.Error(err)
			break
		}
		f(n, &e)
	}
	polytest.NoError(t, cmd.Wait())
	if n != episodes {
		t.Fatalf("%d episodes, want %d", n, episodes)
	}
}

// replayed hands out the numbers that Gymnasium drew, and notes a draw that is out of the range it was asked for.
type replayed struct {
	t    *testing.T
	next []float64
}

func (r *replayed) uniform(low, high float64) float64 {
	v := r.next[0]
	r.next = r.next[1:]
	if v < low || v >= high {
		r.t.Errorf("drew %v for a number in [%v, %v)", v, low, high)
	}
	return v
}

func (r *replayed) integer(low, high int) int {
	return int(r.uniform(float64(low), float64(high)))
}
