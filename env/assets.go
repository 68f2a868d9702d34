package env

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// findAsset finds a file that the set-up unpacked below third_party. It looks in
// the folders above the working folder, so that tests and commands find it from
// anywhere in a checkout, and then in those above the program or the shared
// library that this code is part of.
func findAsset(parts ...string) (string, error) {
	name := filepath.Join(append([]string{"third_party"}, parts...)...)
	var starts []string
	if dir, err := os.Getwd(); err == nil {
		starts = append(starts, dir)
	}
	if image, err := image(); err == nil {
		if image, err = filepath.EvalSymlinks(image); err == nil {
			starts = append(starts, filepath.Dir(image))
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
	return "", fmt.Errorf("%s is in no folder above %v; the set-up (cmake --preset default) unpacks it", name, starts)
}

// image is the file that this code was loaded from. Inside a shared library
// os.Executable would be the program that loaded it.
func image() (string, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return os.Executable()
	}
	defer maps.Close()
	here := uint64(reflect.ValueOf(image).Pointer())
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		// begin-end permissions offset device inode path
		line := lines.Text()
		var begin, end uint64
		path := strings.IndexByte(line, '/')
		if n, _ := fmt.Sscanf(line, "%x-%x", &begin, &end); n == 2 && begin <= here && here < end && path >= 0 {
			return line[path:], nil
		}
	}
	return os.Executable()
}
