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
// [configs.GymnasiumVariable] names or, without it, where they lie from MuJoCo's library,
// which the set-up, and the Python package, bring together with them.
func findAsset(name string) (string, error) {
	var folders []string
	if given := os.Getenv(configs.GymnasiumVariable); given != "" {
		folders = []string{given}
	} else if library := mujoco.LibraryPath(); library != "" {
		beside := filepath.Dir(library)
		folders = []string{
			filepath.Join(beside, "..", "..", "gymnasium", "assets"),    // as the set-up has it
			filepath.Join(beside, "third_party", "gymnasium", "assets"), // as the Python package has it
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
