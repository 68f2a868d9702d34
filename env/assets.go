package env

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/physics/mujoco"
)

// findAsset returns the path of one of Gymnasium's model files. It searches the folder
// that the variable [configs.GymnasiumVariable] names or, without it, the folder beside
// MuJoCo, into which the set-up unpacks them, and the one below the library of the
// Python package.
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
	return "", fmt.Errorf("model file %s of Gymnasium's tasks is not in %s; run the set-up, which unpacks it, or set %s to its folder",
		name, strings.Join(folders, " nor in "), configs.GymnasiumVariable)
}
