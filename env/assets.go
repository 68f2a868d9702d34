package env

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// findAsset finds one of Gymnasium's model files: in the folder that the variable
// [configs.GymnasiumVariable] names or, without it, where the set-up puts them, which is
// beside MuJoCo, or where the Python package has them, which is below its library.
func findAsset(name string) (string, error) {
	var folders []string
	if given := os.Getenv(configs.GymnasiumVariable); given != "" {
		folders = []string{given}
	} else {
		engine, own := mujoco.Libraries()
		if own != "" {
			folders = append(folders, filepath.Join(filepath.Dir(own), "third_party", "gymnasium", "assets"))
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
	return "", fmt.Errorf("model file %s of Gymnasium's tasks is not in %s; the set-up unpacks it, or %s names its folder",
		name, strings.Join(folders, " nor in "), configs.GymnasiumVariable)
}
