package powercut

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polyrhythm-rl/polyrhythm/internal/polytest"
)

// recorded runs a script of the shell in a new folder.
func recorded(t *testing.T, script string) *Recording {
	t.Helper()
	folder := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir = folder
	return polytest.Must(Record(cmd, folder))(t)
}

// files returns what is in a folder, as NAME=CONTENTS in the order of names; folders end in /.
func files(t *testing.T, folder string) string {
	t.Helper()
	var all []string
	polytest.NoError(t, filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		name, _ := filepath.Rel(folder, path)
		switch {
		case err != nil || name == ".":
		case info.IsDir():
			all = append(all, name+"/")
		case info.Mode()&os.ModeSymlink != 0:
			all = append(all, name+" -> "+polytest.Must(os.Readlink(path))(t))
		default:
			all = append(all, name+"="+string(polytest.Must(os.ReadFile(path))(t)))
		}
		return err
	}))
	return strings.Join(all, " ")
}

func TestStatesAfterACut(t *testing.T) {
	for _, c := range []struct {
		script, choice, want string
	}{
		{"printf one > a", "all is there", "a=one"},
		{"printf one > a", "only what", ""},
		{"printf one > a", "names without", "a="},
		{"printf one > a", "names and sizes", "a=\x00\x00\x00"},
		{"printf one > a", "data without", ""},
		// An fsync of a file forces its data, but not its name.
		{"printf one > a; sync a", "only what", ""},
		{"printf one > a; sync a", "names without", "a=one"},
		{"printf one > a; sync .", "only what", "a="},
		{"printf one > a; sync a .", "only what", "a=one"},
		{"printf one > a; sync a .; printf two >> a", "only what", "a=one"},
		{"printf one > a; sync a .; printf two >> a", "names without", "a=one"},
		{"printf one > a; sync a .; printf two >> a", "names and sizes", "a=one\x00\x00\x00"},
		{"printf one > a; sync a .; printf x > a", "only what", "a=one"},
		{"printf one > a; sync a .; printf x > a", "all is there", "a=x"},
		{"printf one > a; sync a .; printf two > b; mv $PWD/b $PWD/a", "only what", "a=one"},
		{"printf one > a; sync a .; printf two > b; mv $PWD/b $PWD/a", "names without", "a="},
		{"printf one > a; sync a .; printf two > b; sync b; mv $PWD/b $PWD/a", "names without", "a=two"},
		{"printf one > a; sync a .; rm $PWD/a", "only what", "a=one"},
		{"printf one > a; sync a .; rm $PWD/a", "names without", ""},
		{"mkdir $PWD/d; printf one > d/a; sync d/a d", "only what", ""},
		{"mkdir $PWD/d; printf one > d/a; sync d/a d .", "only what", "d/ d/a=one"},
		{"mkdir $PWD/d; printf one > d/a; sync d/a d .; mv $PWD/d $PWD/e", "only what", "d/ d/a=one"},
		{"mkdir $PWD/d; printf one > d/a; sync d/a d .; mv $PWD/d $PWD/e", "names without", "e/ e/a=one"},
		{"mkdir $PWD/d; printf one > d/a; sync d/a .; mv $PWD/d $PWD/e; rm -r $PWD/e", "names without", ""},
		{"ln -s a $PWD/b; sync .", "only what", "b -> a"},
		{"printf one > a; sync -f a", "only what", "a=one"},
		{"(printf one; printf two) > a; truncate -s 4 a", "all is there", "a=onet"},
		{"exec 3>>a; printf one >&3; truncate -s 1 a; printf two >&3", "all is there", "a=otwo"},
	} {
		r := recorded(t, c.script)
		for _, choice := range Choices(0, 0) {
			if !strings.HasPrefix(choice.Name, c.choice) {
				continue
			}
			folder := filepath.Join(t.TempDir(), "state")
			polytest.NoError(t, r.After(r.Len(), choice, folder))
			if got := files(t, folder); got != c.want {
				t.Errorf("%q, %s: %q, want %q", c.script, choice.Name, got, c.want)
			}
		}
	}
}

// What was in the folder before the program is on the disk, after any number of its operations.
func TestStatesOfAFolderThatWasThere(t *testing.T) {
	folder := t.TempDir()
	polytest.NoError(t, os.MkdirAll(filepath.Join(folder, "d"), 0o777))
	polytest.NoError(t, os.WriteFile(filepath.Join(folder, "d", "a"), []byte("one"), 0o666))
	polytest.NoError(t, os.Symlink("d", filepath.Join(folder, "l")))
	cmd := exec.Command("/bin/sh", "-c", "printf two >> d/a; rm $PWD/l")
	cmd.Dir = folder
	r := polytest.Must(Record(cmd, folder))(t)
	if r.Len() != 2 {
		t.Errorf("%d operations, want a write and a removal", r.Len())
	}
	for cut, want := range []map[string]string{
		{"only what": "d/ d/a=one l -> d", "all is there": "d/ d/a=one l -> d"},
		{"only what": "d/ d/a=one l -> d", "all is there": "d/ d/a=onetwo l -> d"},
		{"only what": "d/ d/a=one l -> d", "all is there": "d/ d/a=onetwo"},
	} {
		for _, choice := range Choices(0, 0)[:2] {
			state := filepath.Join(t.TempDir(), "state")
			polytest.NoError(t, r.After(cut, choice, state))
			for prefix, there := range want {
				if strings.HasPrefix(choice.Name, prefix) && files(t, state) != there {
					t.Errorf("cut after %d, %s: %q, want %q", cut, choice.Name, files(t, state), there)
				}
			}
		}
	}
}

// Whatever is drawn, a file is there in sectors of what was written and of zeros, and what was forced is there.
func TestRandomStates(t *testing.T) {
	r := recorded(t, "head -c 2000 /dev/zero | tr '\\0' x > a; sync a .; head -c 3000 /dev/zero | tr '\\0' y >> a")
	sizes := map[int]bool{}
	for _, choice := range Choices(200, 7)[5:] {
		folder := filepath.Join(t.TempDir(), "state")
		polytest.NoError(t, r.After(r.Len(), choice, folder))
		data := string(polytest.Must(os.ReadFile(filepath.Join(folder, "a")))(t))
		rest, forced := strings.CutPrefix(data, strings.Repeat("x", 2000))
		if !forced {
			t.Fatalf("%s: what was forced is not there", choice.Name)
		}
		written := strings.TrimRight(strings.TrimLeft(rest, "y"), "\x00")
		if written != "" || len(rest) > 3000 {
			t.Fatalf("%s: %d bytes follow, %q", choice.Name, len(rest), written)
		}
		sizes[strings.Count(rest, "y")] = true
	}
	if len(sizes) < 4 {
		t.Errorf("only %v bytes were there, want none, some sectors and all", sizes)
	}
}
