package env

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// findAsset returns the path of one of Gymnasium's model files. It searches the folder that the variable
// [configs.GymnasiumVariable] names or, without it, the folders of the Python package, below its own library and its
// MuJoCo, and the folder beside MuJoCo into which the set-up unpacks them.
func findAsset(name string) (string, error) {
	var folders []string
	if given := os.Getenv(configs.GymnasiumVariable); given != "" {
		folders = []string{given}
	} else {
		engine, own := mujoco.Libraries()
		for _, library := range []string{own, engine} {
			if library != "" {
				folders = append(folders, filepath.Join(filepath.Dir(library), "third_party", "gymnasium", "assets"))
			}
		}
		if engine != "" {
			folders = append(folders, filepath.Join(filepath.Dir(engine), "..", "..", "gymnasium", "assets"))
		}
	}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("model file %s of Gymnasium's tasks is not in %s; run the set-up, "+
		"which unpacks it, or set %s to its folder",
		name, strings.Join(folders, " nor in "), configs.GymnasiumVariable)
}
