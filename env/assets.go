package env

import (
	"fmt"
	"os"
	"path/filepath"
)

// findAsset finds a file that the set-up unpacked below third_party. It looks in
// the folders above the working folder, so that tests and commands find it from
// anywhere in a checkout, and then in those above the program.
func findAsset(parts ...string) (string, error) {
	name := filepath.Join(append([]string{"third_party"}, parts...)...)
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if program, err := os.Executable(); err == nil {
		if program, err = filepath.EvalSymlinks(program); err == nil {
			starts = append(starts, filepath.Dir(program))
		}
	}
	for _, dir := range starts {
		for {
			path := filepath.Join(dir, name)
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return "", fmt.Errorf("%s is in no folder above %v; the set-up (cmake --preset train) unpacks it", name, starts)
}
