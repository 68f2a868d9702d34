package cli

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
	"github.com/polyrhythm-rl/polyrhythm/physics/terrain"
)

// withTerrain are flags for the preset quadruped on rough ground.
var withTerrain = []string{"--task", "quadruped", "--set", "scene.terrain={num_rows: 3, num_cols: 4, " +
	"border_width: 2, sub_terrains: [{kind: pyramid_stairs}, {kind: stepping_stones, stone_size_range: [0.9, 0.5]}], " +
	"flat_patches: {num_patches: 2}}"}

func TestTerrainIsListedAndDrawn(t *testing.T) {
	out := filepath.Join(t.TempDir(), "ground.png")
	args := append([]string{"terrain", "--out", out, "--scale", "4"}, withTerrain...)
	says(t, mustTrain(t, args...), "3 rows and 4 columns of 8 m × 8 m", "6 fields of 39366 samples", "KIND",
		"pyramid_stairs   0 to 1   boxes", "stepping_stones  2 to 3   field", "-1.00 to 0.00", "wrote "+out)
	f := polytest.Must(os.Open(out))(t)
	defer f.Close()
	m := polytest.Must(png.Decode(f))(t)
	polytest.Equal(t, m.Bounds().Dx(), 4*(4*8+4), "width")
	polytest.Equal(t, m.Bounds().Dy(), 4*(3*8+4), "height")
	code, _, errs := train(t, append([]string{"terrain"}, append(withTerrain, "--set", "scene.terrain.num_cols=1")...)...)
	says(t, errs, "warning: scene.terrain.sub_terrains[1]: stepping_stones has none of the 1 columns")
	polytest.Equal(t, code, 0, "exit code")
	refuses(t, Usage, "terrain --task quadruped", "scene.terrain: not given")
	code, _, errs = train(t, args...)
	if code != Usage {
		t.Errorf("a second picture of the name: exit %d: %s", code, errs)
	}
	for flag, want := range map[string]string{"--scale=0": "--scale is 0, want 1 to 100", "--out=x.gif": "ends in .png",
		"--set=scene.memory_mb=1":                                        "takes about",
		"--set=scene.terrain.num_cols=0":                                 "scene.terrain.num_cols is 0, want 1 to 1000",
		"--set=scene.terrain.sub_terrains=[{kind: hill}]":                "sub_terrains[0].kind is \"hill\"",
		"--set=scene.terrain.sub_terrains=[{kind: flat, step_width: 1}]": "step_width: not of flat",
		"--set=scene.terrain.size=[8]":                                   "size",
	} {
		code, _, errs := train(t, append(append([]string{"terrain"}, withTerrain...), flag)...)
		if code != Usage {
			t.Errorf("%s: exit %d", flag, code)
		}
		says(t, errs, want)
	}
}

// Each height is the colour of its place, and the first row is at the bottom.
func TestPictureOfTerrain(t *testing.T) {
	step := [2]float64{0.4, 0.4}
	made := polytest.Must(terrain.Make(terrain.Settings{Rows: 2, Columns: 1, BorderWidth: 1, Kinds: []terrain.SubTerrain{
		{Kind: "pyramid_stairs", StepHeightRange: &step}}}))(t)
	m := polytest.Must(drawTerrain(made, 5))(t)
	top, frame := m.RGBAAt(m.Rect.Dx()/2+4, 5*(1+4)), m.RGBAAt(5, 5*(1+4))
	if top.R <= frame.R {
		t.Errorf("the middle is %v and the frame %v, want the middle lighter", top, frame)
	}
	_, err := drawTerrain(made, 1000)
	polytest.ErrorContains(t, err, "want at most")
}
