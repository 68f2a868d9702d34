// Package powercut says what may be on the disk after the power was cut while a program ran, for tests of what the
// program then finds. [Record] runs the program under strace, which lists its system calls in their order.
// [Recording.After] then makes any of the states that a disk could have after one of these calls. What an fsync had not
// forced to the disk may be there or not: writes as a whole, in part, or as zeros, and names each for itself, in any
// order. ALICE (Pillai and others, "All file systems are not created equal", OSDI 2014) and the tests of SQLite do the
// same.
package powercut

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// calls are the system calls that change files, or force them to the disk. Those of them that [parser.apply] does not
// know are errors, so that nothing is missed.
const calls = "openat,dup,dup2,dup3,creat,write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,lseek," +
	"rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,symlink,symlinkat,link,linkat,fsync,fdatasync,sync_file_range,copy_file_range,sendfile," +
	"splice,fallocate,msync,sync,syncfs"

// Record runs a command, and its children, and records what they do below a folder, of which all that is there before
// is on the disk. The command has been given its path and arguments alone.
func Record(cmd *exec.Cmd, folder string) (*Recording, error) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		return nil, err
	}
	recording, err := newRecording(folder)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "powercut-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	trace := filepath.Join(dir, "trace")
	// -y has the path of each descriptor, -xx all text in hexadecimal; only the calls above stop the program.
	args := []string{strace, "-f", "-y", "--seccomp-bpf", "-xx", "-s", "1000000000", "-e", "signal=none",
		"-e", "trace=" + calls, "-o", trace, cmd.Path}
	cmd.Args = append(args, cmd.Args[1:]...)
	cmd.Path = strace
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	f, err := os.Open(trace)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := parser{recording: recording, waiting: map[string]call{}}
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			if err := p.line(strings.TrimSuffix(line, "\n")); err != nil {
				return nil, fmt.Errorf("%w, in the call %.300s", err, line)
			}
		}
		if err != nil {
			break
		}
	}
	return p.recording, nil
}

// parser turns the lines of strace into operations.
type parser struct {
	recording *Recording
	waiting   map[string]call // by thread: calls that have begun
}

type call struct {
	text  string // up to where it waited
	begun int    // number of operations before it
}

// line reads a line: a call, the beginning of one, or its end.
func (p *parser) line(line string) error {
	thread, text, _ := strings.Cut(line, " ")
	text = strings.TrimSpace(text)
	if begun, waits := strings.CutSuffix(text, "<unfinished ...>"); waits {
		p.waiting[thread] = call{strings.TrimSpace(begun), len(p.recording.operations)}
		return nil
	}
	c := call{text, len(p.recording.operations)}
	if rest, resumed := strings.CutPrefix(text, "<... "); resumed {
		_, rest, _ = strings.Cut(rest, "resumed>")
		c = p.waiting[thread]
		delete(p.waiting, thread)
		c.text += " " + strings.TrimSpace(rest)
	}
	return p.call(c)
}

var result = regexp.MustCompile(`\)\s+= (-?\d+)`)

// call reads a whole call, such as write(3<path>, "text", 4) = 4. One that failed changed nothing.
func (p *parser) call(c call) error {
	name, rest, ok := strings.Cut(c.text, "(")
	end := result.FindAllStringSubmatchIndex(rest, -1)
	if !ok || len(end) == 0 { // the end of a process, or a call in which one ended
		return nil
	}
	last := end[len(end)-1]
	value, err := strconv.ParseInt(rest[last[2]:last[3]], 10, 64)
	if err != nil || value < 0 {
		return err
	}
	args, err := arguments(rest[:last[0]])
	if err != nil {
		return err
	}
	return p.apply(name, args, value, c.begun)
}

// argument is one of a call: a text, the path of a descriptor, or what else strace writes.
type argument struct{ text, path string }

// arguments splits the arguments of a call and decodes their texts and paths.
func arguments(s string) (all []argument, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), ",")) {
		var a argument
		if rest, quoted := strings.CutPrefix(s, `"`); quoted {
			text, after, closed := strings.Cut(rest, `"`)
			if !closed || strings.HasPrefix(after, "...") {
				return nil, errors.New("a text that was cut")
			}
			if a.text, err = decode(text); err != nil {
				return nil, err
			}
			all, s = append(all, a), after
			continue
		}
		end := strings.IndexAny(s, ",<[{")
		switch {
		case end < 0:
			end = len(s)
		case s[end] == '<':
			path, after, _ := strings.Cut(s[end+1:], ">")
			if a.path, err = decode(path); err != nil {
				return nil, err
			}
			a.text = s[:end]
			all, s = append(all, a), after
			continue
		case s[end] == '[' || s[end] == '{':
			return append(all, argument{text: s}), nil // of writev, which apply refuses
		}
		all, s = append(all, argument{text: strings.TrimSpace(s[:end])}), s[end:]
	}
	return all, nil
}

// decode decodes a text of which each byte is \xNN.
func decode(s string) (string, error) {
	if !strings.HasPrefix(s, `\x`) {
		return s, nil
	}
	data, err := hex.DecodeString(strings.ReplaceAll(s, `\x`, ""))
	return string(data), err
}

// olderCalls are those without the descriptor of a folder: which arguments are paths.
var olderCalls = map[string][]int{"mkdir": {0}, "unlink": {0}, "rmdir": {0}, "rename": {0, 1}, "symlink": {1}, "creat": {0},
	"link": {0, 1}}

// apply records a call that succeeded, if it is below the folder.
func (p *parser) apply(name string, args []argument, value int64, begun int) error {
	r := p.recording
	path := func(i int) string { // of a folder's descriptor and a path
		if filepath.IsAbs(args[i+1].text) {
			return args[i+1].text
		}
		return filepath.Join(args[i].path, args[i+1].text)
	}
	for _, i := range olderCalls[name] { // their relative paths are of a folder that is not known
		if !filepath.IsAbs(args[i].text) {
			return fmt.Errorf("%s has a relative path, want absolute ones", name)
		}
	}
	switch name {
	case "mkdir":
		return r.mkdir(args[0].text)
	case "unlink", "rmdir":
		return r.remove(args[0].text)
	case "rename":
		return r.rename(args[0].text, args[1].text, false)
	case "symlink":
		return r.symlink(args[0].text, args[1].text)
	case "openat":
		flags := args[2].text
		return r.open(path(0), flags, strconv.FormatInt(value, 10))
	case "write":
		return r.write(args[0].path, args[0].text, -1, []byte(args[1].text)[:value])
	case "pwrite64":
		offset, err := strconv.ParseInt(args[3].text, 10, 64)
		if err != nil {
			return err
		}
		return r.write(args[0].path, args[0].text, offset, []byte(args[1].text)[:value])
	case "dup", "dup2", "dup3":
		return r.duplicate(args[0].path, args[0].text, strconv.FormatInt(value, 10))
	case "lseek":
		return r.seek(args[0].path, args[0].text, value)
	case "ftruncate", "truncate":
		size, err := strconv.ParseInt(args[1].text, 10, 64)
		if err != nil {
			return err
		}
		target := args[0].path
		if name == "truncate" {
			target = args[0].text
		}
		return r.truncate(target, size)
	case "renameat":
		return r.rename(path(0), path(2), false)
	case "renameat2":
		return r.rename(path(0), path(2), strings.Contains(args[4].text, "EXCHANGE"))
	case "unlinkat":
		return r.remove(path(0))
	case "mkdirat":
		return r.mkdir(path(0))
	case "symlinkat":
		target := args[2].text
		if !filepath.IsAbs(target) {
			target = filepath.Join(args[1].path, target)
		}
		return r.symlink(args[0].text, target)
	case "fsync", "fdatasync":
		return r.sync(args[0].path, begun)
	case "syncfs":
		return r.syncAll(args[0].path, begun)
	}
	for _, a := range args {
		if r.inside(a.path) || r.inside(a.text) {
			return fmt.Errorf("%s is not known here", name)
		}
	}
	return nil
}
