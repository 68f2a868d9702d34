package env

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco/scene"
)

// RobotStamp is the name of the file in the folder of a package of [configs.RobotPackages] that says which package and
// which version it is, in its first two words.
const RobotStamp = "stamp"

// RobotFolder returns the folder in which the folders of [configs.RobotPackages] are put: that of the variable
// [configs.RobotsVariable], or polyrhythm/robots in the user's folder of data.
func RobotFolder() (string, error) {
	if given := os.Getenv(configs.RobotsVariable); given != "" {
		return given, nil
	}
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "polyrhythm", "robots"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no folder for the models of robots: %w; want one in %s", err, configs.RobotsVariable)
	}
	return filepath.Join(home, ".local", "share", "polyrhythm", "robots"), nil
}

// FindRobotPackage returns the folder of a package, in its pinned version: in [RobotFolder] or, unless the variable
// says where, beside MuJoCo, where the set-up of the tests unpacks it. "" if it is not there.
func FindRobotPackage(p configs.RobotPackage) string {
	var folders []string
	if folder, err := RobotFolder(); err == nil {
		folders = append(folders, folder)
	}
	if engine, _ := mujoco.Libraries(); engine != "" && os.Getenv(configs.RobotsVariable) == "" {
		folders = append(folders, filepath.Join(filepath.Dir(engine), "..", "..", "robots"))
	}
	for _, folder := range folders {
		folder = filepath.Join(folder, p.Folder)
		stamp, err := disk.ReadFile(filepath.Join(folder, RobotStamp), 1<<16)
		words := strings.Fields(string(stamp))
		if err == nil && len(words) > 1 && words[0] == p.Name && words[1] == p.Version {
			return folder
		}
	}
	return ""
}

// place returns a scene in which the model files that it names by what has them have their paths.
func place(s scene.Settings) (scene.Settings, error) {
	s.Models = slices.Clone(s.Models)
	for i := range s.Models {
		file := &s.Models[i].File
		path, err := findModel(*file)
		if err != nil {
			return s, fmt.Errorf("scene.models[%d].file %w", i, err)
		}
		*file = path
	}
	return s, nil
}

// findModel returns the path of a model file. Errors go on after its key.
func findModel(file string) (string, error) {
	if name, ok := strings.CutPrefix(file, configs.Gymnasium); ok {
		if name != filepath.Base(name) {
			return "", fmt.Errorf("is %s, want %s and the name of a file", file, configs.Gymnasium)
		}
		path, err := findAsset(name)
		if err != nil {
			return "", fmt.Errorf("is %s: %w", file, err)
		}
		return path, nil
	}
	p, name, ok, err := configs.RobotModel(file)
	if !ok || err != nil {
		return file, err
	}
	folder := FindRobotPackage(p)
	if folder == "" {
		return "", fmt.Errorf("is %s, a file of the package %s %s, which is not here; train fetch %s brings it", file, p.Name,
			p.Version, p.Name)
	}
	return filepath.Join(folder, filepath.FromSlash(name)), nil
}
